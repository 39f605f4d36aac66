"""The contract between a method (a paper) and an engine (in process, or over a network).

One round:   server --broadcast--> each party --contribute--> server --combine--> next state

Whatever crosses the wire or outlives a round is `Arrays`, so any engine can carry it. A method is a frozen
dataclass of its hyper-parameters and holds no state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Any, ClassVar, Protocol, TypeAlias, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.model import TopicModel
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.price.release import Cost, Release

Arrays: TypeAlias = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Party:
    """One data holder: its private corpus, and what it remembers between rounds."""

    name: str
    corpus: Corpus
    memory: Arrays


@dataclass(frozen=True)
class Turn:
    """One place in a run (a role, a round, a party) with a random stream of its own.

    The stream is the same under every engine, whatever the other parties and the number of threads.
    Privacy noise is a stream of its own: from the operating system where `secure`, else simulated and marked
    so in the ledger.
    """

    run_seed: int
    role: str
    round: int = 0
    party: str = ""
    n_threads: int = 1
    secure: bool = False

    @property
    def seed(self) -> int:
        """64 bits for the samplers of this turn.

        >>> Turn(0, "party", 3, "north").seed == Turn(0, "party", 3, "north", n_threads=2).seed
        True
        """
        address = f"{self.run_seed}/{self.role}/{self.round}/{self.party}"
        return int.from_bytes(blake2b(address.encode(), digest_size=8).digest(), "little")

    def generator(self) -> np.random.Generator:
        """A NumPy generator on this turn's stream."""
        return np.random.Generator(np.random.Philox(self.seed))

    def noise(self) -> Noise:
        """Noise for the mechanisms of a party; made anew by each call, so call it once in a turn."""
        if self.role != "party":
            raise ValueError(f"privacy noise is drawn by parties, got role {self.role!r}")
        if self.secure:
            return Noise.secure()
        return Noise.simulated(self.run_seed, self.role, self.round, self.party)


@dataclass(frozen=True)
class About:
    """What `fedtopics methods` says of a method."""

    summary: str
    guarantee: str
    citation: str
    may_be_negative: tuple[str, ...] = ()  # arrays that parties send whose numbers may be below zero


@dataclass(frozen=True)
class ToldTopics:
    """Where `broadcast` puts probabilities of words by topic, and which axis of them the words are.

    A method that has such topics says so by a class variable `told_topics`; the server may then change them
    before they are told (`consistent.py`).
    """

    name: str
    word_axis: int


@dataclass(frozen=True)
class Numbers:
    """An array as a party may be told it; a dimension that is a range may have any of these sizes."""

    type: str
    shape: tuple[int | range, ...] = ()
    least: float = 0.0
    most: float = 1e15  # far above any count
    sums_to_one: int | None = None  # along this axis
    distinct: bool = False
    words: int = 0  # not numbers but a list of at most so many words, as `word_array` makes it


Form: TypeAlias = Mapping[str, Numbers]


class Method(Protocol):
    """What a file in `methods/` exports as METHOD: a frozen dataclass with these members."""

    about: ClassVar[About]
    n_topics: int
    n_rounds: int

    def prices(self, n_words: int) -> list[Cost]:
        """[anyone] Price of everything one party will release, from public facts alone, in round order."""

    def start(self, n_words: int, turn: Turn) -> Arrays:
        """[server] State before the first round."""

    def broadcast(self, state: Arrays, party: str) -> Arrays:
        """[server] What this party is told this round."""

    def may_be_told(self, n_words: int, party: str) -> list[Form]:
        """[anyone] Every form that `broadcast` may have for this party, from public facts alone.

        A party refuses whatever has none of these forms before it looks at a document.
        """

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        """[party] What leaves the party this round, and its memory for the next."""

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        """[server] Next state from what the parties sent, by name in sorted order; some may be missing."""

    def model(self, state: Arrays, vocabulary: tuple[str, ...]) -> TopicModel | None:
        """[server] The topics so far; None when the server learns none."""

    def local_model(self, party: Party) -> TopicModel | None:
        """[party] The topics this party keeps for itself; None when it has none of its own."""


@runtime_checkable
class Measured(Protocol):
    """A method that can say how training goes, from what the parties have sent."""

    def measures(self, state: Arrays) -> dict[str, float]:
        """[server] Named numbers for the log of a round, such as a likelihood."""


@runtime_checkable
class Apportioned(Protocol):
    """A method that can say which party contributed how much to each topic, from what it has sent."""

    def party_topics(self, state: Arrays) -> dict[str, NDArray[Any]]:
        """[server] For each party, the amount of text behind each topic."""


@runtime_checkable
class Derived(Protocol):
    """A method that derives some of its settings where they are not given."""

    def in_force(self, n_words: int) -> dict[str, Any]:
        """[anyone] Those settings as they hold, ready for JSON."""


@runtime_checkable
class Noted(Protocol):
    """A method that warns of some of its settings."""

    def notes(self, n_words: int) -> list[str]:
        """[anyone] What to know before a run, such as what is not protected, from public facts alone."""


@runtime_checkable
class Showing(Protocol):
    """A method whose messages show more of the documents than how many there are."""

    def shows(self) -> tuple[str, ...]:
        """[anyone] What else becomes public, from the settings alone; nothing where they hide it."""


@runtime_checkable
class Composed(Protocol):
    """A method whose model need not have `n_topics` topics."""

    def model_sizes(self, parties: tuple[str, ...]) -> range:
        """[anyone] How many topics the model of these parties may have."""


def name_of(method: Method) -> str:
    """What the command line calls a method: the name of its file or folder."""
    module = type(method).__module__
    inside = module.partition("fedtopics.methods.")[2] or module.rpartition(".")[2]
    return inside.partition(".")[0]


def measures(method: Method, state: Arrays) -> dict[str, float]:
    """What the method says of its progress; nothing where it is not `Measured`."""
    return method.measures(state) if isinstance(method, Measured) else {}


def party_topics(method: Method, state: Arrays) -> dict[str, NDArray[Any]]:
    """For each party, the amount of text behind each topic; nothing where it is not `Apportioned`."""
    return method.party_topics(state) if isinstance(method, Apportioned) else {}


def notes(method: Method, n_words: int) -> list[str]:
    """What the method warns of; nothing where it is not `Noted`."""
    return method.notes(n_words) if isinstance(method, Noted) else []


def shows(method: Method) -> tuple[str, ...]:
    """What the method makes public beside the number of documents; nothing where it is not `Showing`."""
    return method.shows() if isinstance(method, Showing) else ()


def model_sizes(method: Method, parties: tuple[str, ...]) -> range:
    """How many topics the model of these parties may have; `n_topics` where it is not `Composed`."""
    if isinstance(method, Composed):
        return method.model_sizes(parties)
    return range(method.n_topics, method.n_topics + 1)


def settings_in_force(method: Method, n_words: int) -> dict[str, Any]:
    """The settings of a method, with those that it derives as they hold."""
    derived = method.in_force(n_words) if isinstance(method, Derived) else {}
    return asdict(cast(Any, method)) | derived


def privacy_delta(method: Method, otherwise: float) -> float:
    """The delta that a method's epsilon is meant at, where it declares one as `privacy_delta`.

    A setting that is called delta need not be one: FedLDA's is a mass of words.
    """
    return float(getattr(method, "privacy_delta", otherwise))
