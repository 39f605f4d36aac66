"""What an engine is: it runs the rounds of a method, and charges every release before it leaves its party."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.model import TopicModel
from fedtopics.privacy.price.cost import Cost
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.privacy.price.release import Release
from fedtopics.protocol.method import Method
from fedtopics.protocol.told import Form
from fedtopics.protocol.turn import Arrays, Party, Turn


@dataclass(frozen=True)
class Round:
    """One line of a run's log."""

    round: int
    seconds: float
    bytes_up: int
    bytes_down: int
    measures: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """What a run leaves behind: `model`, `local_models`, `ledger`, `rounds`, `party_topics`, `remarks`.

    kept   what each party may use again in a run that goes on from this one (`Method.kept`)
    """

    model: TopicModel | None
    local_models: dict[str, TopicModel]
    ledger: Ledger
    rounds: list[Round]
    party_topics: dict[str, NDArray[Any]] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    kept: dict[str, Arrays] = field(default_factory=dict)


class Engine(Protocol):
    """Trains a method on one corpus per party name; `checks.check_engine` says whether it does.

    The result is that of `in_process.run`, bit for bit, and parties are combined in the order of their names.
    The ledger must afford the prices of the method before any document is looked at, and a release that it
    cannot pay never reaches the server. Vocabularies that differ, no party at all, and a budget of one that
    does not take part are refused with an `InputError`.
    """

    def __call__(
        self, method: Method, corpora: Mapping[str, Corpus], *, seed: int, ledger: Ledger
    ) -> Outcome: ...


class Rounds(Protocol):
    """What an engine needs to run rounds: every `Method` is this, and so is the agreement on words."""

    sums: ClassVar[Mapping[str, int] | None]

    @property
    def n_rounds(self) -> int:
        """The number after that of the last round."""

    @property
    def tells_alike(self) -> bool: ...

    def prices(self, n_words: int) -> list[Cost]: ...

    def start(self, n_words: int, turn: Turn) -> Arrays: ...

    def tell(self, state: Arrays, party: str) -> Arrays: ...

    def may_be_told(self, n_words: int, party: str) -> list[Form]: ...

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]: ...

    def may_be_sent(self, told: Arrays, number: int) -> Form | None: ...

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays: ...


def same(one: Arrays, other: Arrays) -> bool:
    """Whether these are the same numbers under the same names, bit for bit."""
    return one.keys() == other.keys() and all(
        one[key] is other[key]
        or (
            (one[key].dtype, one[key].shape) == (other[key].dtype, other[key].shape)
            and one[key].tobytes() == other[key].tobytes()
        )
        for key in one
    )


def size(arrays: Arrays) -> int:
    """Bytes of all arrays together."""
    return sum(array.nbytes for array in arrays.values())


def digest(arrays: Arrays) -> str:
    """SHA-256 of what is sent, so that the ledger can tell a retry from a second release."""
    found = sha256()
    for name, array in sorted(arrays.items()):
        found.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        found.update(np.ascontiguousarray(array).data)
    return found.hexdigest()
