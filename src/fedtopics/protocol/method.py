"""The contract between a method (a paper) and an engine (in process, or over a network).

One round:   server --tell--> each party --contribute--> server --combine--> next state

A method is a frozen dataclass of its hyper-parameters that inherits from `Method`, and holds no state. What
`Method` leaves abstract a method must say; all the rest it may say, and has the default that is written here.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.model import TopicModel
from fedtopics.privacy.mechanisms.clipped_sum import ClippedSum
from fedtopics.privacy.price.cost import Cost, Relation
from fedtopics.privacy.price.release import Release
from fedtopics.protocol.hearing import Hearing
from fedtopics.protocol.summing import Total, added
from fedtopics.protocol.told import Form
from fedtopics.protocol.turn import Arrays, Party, Turn


@dataclass(frozen=True)
class About:
    """What `fedtopics methods` says of a method: `summary`, `guarantee` and `citation`, a line each."""

    summary: str
    guarantee: str
    citation: str


@dataclass(frozen=True)
class Amounts:
    """What a run is made of: `n_words`, `n_documents`, `n_persons` (None: unknown), `n_parties`.

    n_noises   how much noise is in a sum over all parties: as much as of so many parties that add all of it
    """

    n_words: int
    n_documents: int
    n_persons: int | None = None
    n_parties: int = 1
    n_noises: float | None = None  # as many as parties


@dataclass(frozen=True)
class ToldTopics:
    """Where a server tells probabilities of words by topic: the array `name`, words along `word_axis`."""

    name: str
    word_axis: int


class BeforeNoise(NamedTuple):
    """What an answer is made of: the array `name`, its exact `total`, and the `mechanism` that adds noise."""

    name: str
    total: NDArray[np.int64]
    mechanism: ClippedSum


class Method(ABC):
    """What a file in `methods/` exports as METHOD. [anyone] speaks from settings and public facts alone.

    The server keeps `state` between rounds; a `party`, one of the `parties`, is `told` something at its
    `turn`, and what they `sent` is combined; a `model` is about a `vocabulary` of `n_words`.
    """

    about: ClassVar[About]
    for_short: ClassVar[Mapping[str, Any]] = {}
    """Settings that serve short texts better than the defaults (`documents/lengths.py`)."""

    @property
    @abstractmethod
    def n_topics(self) -> int:
        """A hyper-parameter of every method."""

    @property
    @abstractmethod
    def n_rounds(self) -> int:
        """Another."""

    @abstractmethod
    def prices(self, n_words: int) -> list[Cost]:
        """[anyone] Price of everything one party will release, in round order."""

    @abstractmethod
    def start(self, n_words: int, turn: Turn) -> Arrays:
        """[server] State before the first round."""

    @abstractmethod
    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        """[party] What leaves the party this round, and its memory for the next."""

    def before_noise(self, corpus: Corpus, told: Arrays, n_threads: int) -> BeforeNoise | None:
        """[party] What the answer to what is `told` is made of, never to leave: of a `corpus` on `n_threads`.

        None where answers are no sums with the noise of one mechanism.
        """
        return None

    # What a server makes of it: a method says `combine`, or that sums are enough and `combine_total`.

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        """[server] Next state from what the parties sent, by name in sorted order; some may be missing."""
        return self.combine_total(state, added(sent), turn)

    sums: ClassVar[Mapping[str, int] | None] = None
    """Arrays whose sums over parties are all that the server needs, with the bits after the binary point that
    a sum in steps keeps (`summing`), so that a secure sum can carry them; None: it needs what each sent."""

    def for_sums(self) -> "Method":
        """[anyone] This method where the server is given sums alone: what parties send must add up."""
        return self

    noise_on_sums: ClassVar[bool] = False
    """Whether all noise is that of mechanisms on sums, so that parties may draw it together."""

    draws_once: ClassVar[bool] = False
    """Whether a party draws its noise in its first release and uses it again in all others."""

    in_shards: ClassVar[bool] = False
    """Whether parts of a party's documents may answer each like a party of its own (`for_sums`), and the sum
    of it says what the party sends: noise, if there is any, is of single documents and drawn once."""

    def of_shards(self, total: Arrays) -> Arrays:
        """[party] What it sends where its shards answered this `total`."""
        return total

    def combine_total(self, state: Arrays, total: Total, turn: Turn) -> Arrays:
        """[server] Next state from the `total` over the parties that are there, which may be none."""
        raise NotImplementedError(f"{type(self).__name__} says neither `combine` nor `combine_total`")

    @abstractmethod
    def model(self, state: Arrays, vocabulary: tuple[str, ...]) -> TopicModel | None:
        """[server] The topics so far; None when the server learns none."""

    def known_words(self, vocabulary: tuple[str, ...]) -> Arrays:
        """[server] What is publicly known of these words; it joins the state before the first round."""
        return {}

    def continued(self, model: TopicModel) -> Arrays:
        """[server] What joins the state before the first round to go on from a `model` with more documents.

        Nothing where the method always begins anew: its topics are then matched with those of the model.
        """
        return {}

    @property
    def goes_on(self) -> bool:
        """Whether it goes on from a model at all, as one does that says `continued`."""
        return type(self).continued is not Method.continued

    rounds_again: ClassVar[float] = 1.0
    """The share of its rounds that a run needs which goes on from a model: all, where it begins anew."""

    def kept(self, party: Party) -> Arrays:
        """[party] What it may use again in a later run that goes on from this one: it is paid for."""
        return {}

    @property
    def keeps(self) -> bool:
        """Whether its parties keep anything at all, as those of one do that says `kept`."""
        return type(self).kept is not Method.kept

    def resumed(self, kept: Arrays, n_words: int) -> Arrays:
        """[party] Its memory as a run goes on, of what it has `kept`; the first of `n_words` are known."""
        return {}

    # What a party is told, and may send.

    def broadcast(self, state: Arrays) -> Arrays:
        """[server] What all parties are told this round."""
        return {}

    def tell(self, state: Arrays, party: str) -> Arrays:
        """[server] What this party is told this round, where not all are told the same."""
        return self.broadcast(state)

    @property
    def tells_alike(self) -> bool:
        """Whether all parties are told the same, as by one that does not say `tell`: it is then made once."""
        return type(self).tell is Method.tell

    def may_be_told(self, n_words: int, party: str) -> list[Form]:
        """[anyone] Every form of what this party may be told.

        A party refuses whatever has none of these forms before it looks at a document.
        """
        return [{}]

    def price_of(self, told: Arrays) -> Cost | None:
        """[anyone] The price, of `prices`, of the answer to what is `told`; None: whichever is next."""
        return None

    def may_be_sent(self, told: Arrays, number: int) -> Form | None:
        """[server] What a party may send in round `number`, having been `told` this; None: it is learned."""
        return None

    told_topics: ClassVar[ToldTopics | None] = None
    """The topics in what is told; the server may draw related words together in them beforehand."""

    def telling_topics(self) -> "Method":
        """[anyone] This method where these topics are told, though something shorter would do."""
        return self

    # What is expected of a run.

    variant: ClassVar[str | None] = None
    """Which of several forms of a method this is."""

    may_be_negative: ClassVar[tuple[str, ...]] = ()
    """Arrays that parties send whose numbers may be below zero."""

    @property
    def privacy_delta(self) -> float | None:
        """The delta that epsilon is meant at. A setting called delta need not be one: FedLDA's is not."""
        return None

    @property
    def protects(self) -> Relation:
        """The relation that the setting epsilon is of."""
        return "word add/remove"

    @property
    def hides_documents(self) -> bool:
        """Whether that is a document more or less, or a person: nothing may depend on how many there are."""
        return self.protects in ("document add/remove", "person add/remove")

    @property
    def sentence_unit(self) -> str:
        """What the sentences of documents have to be (`Corpus.sentence_unit`), where it looks at them."""
        return "sentence"

    def in_force(self, n_words: int) -> dict[str, Any]:
        """[anyone] All settings as they hold, those too that follow from others, ready for JSON."""
        return ({} if self.variant is None else {"variant": self.variant}) | asdict(cast(Any, self))

    def notes(self, n_words: int) -> list[str]:
        """[anyone] What to know before a run, such as what is not protected."""
        return []

    def outlook(self, amounts: Amounts) -> list[str]:
        """[who knows the `amounts`] What to expect of a run on so much; an error where it makes no sense."""
        return []

    def shows(self) -> tuple[str, ...]:
        """[anyone] What becomes public of the documents beside their number."""
        return ()

    def forecast(self, n_words: int) -> dict[str, float] | None:
        """[anyone] Expected cost of the noise (`perplexity_ratio`), and what the forecast rests on."""
        return None

    def model_sizes(self, parties: tuple[str, ...]) -> range:
        """[anyone] How many topics the model of these parties may have."""
        return range(self.n_topics, self.n_topics + 1)

    # What comes out of a run beside the model.

    def local_model(self, party: Party) -> TopicModel | None:
        """[party] The topics this party keeps for itself; None when it has none of its own."""
        return None

    def measures(self, state: Arrays) -> dict[str, float]:
        """[server] Named numbers for the log of a round, such as a likelihood, from what was sent."""
        return {}

    def remarks(self, state: Arrays) -> list[str]:
        """[server] What to say of the outcome, from what was sent: it stands in the record with the notes."""
        return []

    def party_topics(self, state: Arrays) -> dict[str, NDArray[Any]]:
        """[server] For each party, the amount of text behind each topic, from what it has sent."""
        return {}

    heard_with: ClassVar[tuple[Mapping[str, Any], ...]] = ()
    """Settings with which `fedtopics attack` listens to it, where users report words."""

    def hearing(self, model: TopicModel) -> Hearing | None:
        """[anyone] What a listener hears, who has the model too; None where users report no words."""
        return None
