"""What every mechanism offers, and where mechanisms are found.

A mechanism is a function together with its price (as OpenDP's Measurement is). `make` gives, from public
facts alone, an object that is called with the data and a `Noise` and answers with a `Release`, and whose
`price(noise_source)` is what every release costs, whatever the data. Beside it stand what goes in and what
comes out, the parameter that calibration turns, and, where outputs can be listed, their exact law.

A file of this folder exports its mechanism as MECHANISM (a tuple where it holds several) and is found by
`fedtopics mechanisms`, by `calibrate` and by the tests. A part of mechanisms, which is none itself,
says so: MECHANISM = None. A file that says neither is an error, so that none is left out unseen.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Literal, Protocol, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.privacy import mechanisms
from fedtopics.privacy.mechanisms.bounds import cut
from fedtopics.privacy.price.cost import Cost, NoiseSource
from fedtopics.privacy.price.release import Release

Takes: TypeAlias = Literal["words", "documents", "units", "vectors"]
Gives: TypeAlias = Literal["words", "rows", "reports", "vector"]
INPUTS: dict[Takes, str] = {
    "words": "word ids, one by one",
    "documents": "word ids and the offsets of documents",
    "units": "word ids, the offsets of documents and those of their units",
    "vectors": "a row of numbers for each document",
}
OUTPUTS: dict[Gives, str] = {
    "words": "a word for each word",
    "rows": "a sparse row for each word, document or unit",
    "reports": "the same number of words for each document",
    "vector": "a number for each column",
}


class Made(Protocol):
    """A mechanism with its public facts; the last argument of a call is a `Noise`."""

    def __call__(self, *data: Any, **settings: Any) -> Release[Any]:
        """Release the data with noise."""

    def price(self, noise: NoiseSource = "secure") -> Cost:
        """What every release costs, from public facts alone."""


@dataclass(frozen=True)
class Law:
    """The exact law of a release: independent cells, each with the chance of every value it may have.

    chances  (made, *data) -> cells x values
    read     (made, released value) -> the value of each cell
    """

    chances: Callable[..., NDArray[np.float64]]
    read: Callable[..., NDArray[Any]]


@dataclass(frozen=True)
class Mechanism:
    """One way in which something may leave a party, by `name`: what it `takes`, and what it `gives`.

    make       from public facts to a `Made`; all arguments by name
    examples   public facts of small universes, with which `checks.check_mechanism` tries it
    parameter  the argument of `make` that sets how private it is; None where it cannot be calibrated
    quiet      the end of the parameter's range with most noise
    loud       the other end
    law        None where its outputs are too many to list
    """

    name: str
    make: Callable[..., Made]
    takes: Takes
    gives: Gives
    examples: tuple[Mapping[str, Any], ...]
    parameter: str | None = "epsilon"
    quiet: float = 2e-6
    loud: float = 600.0
    law: Law | None = None

    def __post_init__(self) -> None:
        for given, known in ((self.takes, get_args(Takes)), (self.gives, get_args(Gives))):
            if given not in known:
                raise InputError(f"expected one of {', '.join(known)}, got {quoted(given)}")


def public_facts(made: Any) -> dict[str, Any]:
    """What a mechanism was made from, by name.

    >>> public_facts(find_mechanism("randomized response").make(epsilon=1.0, n_words=4))
    {'epsilon': 1.0, 'n_words': 4}
    """
    return {fact.name: getattr(made, fact.name) for fact in fields(made)}


def every() -> dict[str, Mechanism]:
    """All mechanisms by name."""
    found: dict[str, Mechanism] = {}
    for file in sorted(module.name for module in iter_modules(mechanisms.__path__)):
        if file.startswith("_") or file == "mechanism":
            continue
        module = import_module(f"{mechanisms.__name__}.{file}")
        if not hasattr(module, "MECHANISM"):
            raise InputError(f"{file}.py exports no MECHANISM; where it is a part of others, say None")
        exported = module.MECHANISM or ()
        for mechanism in exported if isinstance(exported, tuple) else (exported,):
            found[mechanism.name] = mechanism
    return found


def find_mechanism(name: str) -> Mechanism:
    """The mechanism of this `name`; an unknown name is an error, never a release without noise.

    >>> find_mechanism("randomized response").make(epsilon=1.0, n_words=5).price().relations
    ('word replace',)
    """
    known = every()
    if name not in known:
        raise InputError(f"mechanism must be one of {', '.join(known)}, got {quoted(name)}")
    return known[name]


def counts_of(words: NDArray[Any], offsets: NDArray[Any], n_words: int) -> NDArray[np.int64]:
    """How often each row of tokens has each word, as a dense matrix: for small universes."""
    rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    cells = rows * n_words + np.asarray(words, dtype=np.int64)
    return np.bincount(cells, minlength=(len(offsets) - 1) * n_words).reshape(-1, n_words)


def word_for_word() -> Law:
    """The law of a mechanism that reports every word on its own, by its `channel()`."""
    return Law(lambda made, words: made.channel()[words], lambda made, reports: reports)


def kept_counts(made: Any, words: NDArray[Any], offsets: NDArray[Any]) -> NDArray[np.int64]:
    """How often each document has each word, where it is cut at the public bounds."""
    return counts_of(*cut(words, offsets, made.bounds.max_length, warn=False), made.n_words)


def cell_by_cell(channel: Callable[[Any], NDArray[np.float64]], counts: Callable[..., NDArray[Any]]) -> Law:
    """The law of sparse rows: a cell for each row and word, by its count; the last value is "or more"."""
    return Law(
        lambda made, *data: channel(made)[counts(made, *data).ravel()],
        lambda made, rows: np.minimum(rows.dense(), channel(made).shape[1] - 1).ravel(),
    )
