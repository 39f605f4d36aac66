"""Some rounds of a method on small parties, every verb watched: what the checks of a method are made on."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from fedtopics.documents.corpus import Corpus
from fedtopics.model import TopicModel
from fedtopics.privacy.price.cost import FREE
from fedtopics.privacy.price.release import Release
from fedtopics.protocol import told as forms
from fedtopics.protocol.engine import same
from fedtopics.protocol.method import Method
from fedtopics.protocol.turn import Arrays, Party, Turn

N_WORDS = 60
VOCABULARY = tuple(f"w{word}" for word in range(N_WORDS))
N_SENTENCES = (4, 1, 3, 0, 4, 2, 5, 4, 3, 4)  # of each document


class ContractError(AssertionError):
    """A method does not keep what `protocol/method.py` asks of it."""


def require(holds: object, otherwise: str) -> None:
    """Raise `ContractError` with this reason unless it holds."""
    if not holds:
        raise ContractError(otherwise)


def require_texts(verb: str, texts: Any) -> None:
    """Raise unless what the `verb` gives is a list, or tuple, of texts."""
    right = isinstance(texts, list | tuple) and all(isinstance(text, str) for text in texts)
    require(right, f"`{verb}` must give texts, got {texts!r:.60}")


def documents(method: Method, seed: int, seed_of_lengths: int) -> Corpus:
    """Sentences (or paragraphs, if its unit) of 0 to 7 words, in documents of up to 35, two a person."""
    generator = np.random.default_rng(seed_of_lengths)
    lengths = [generator.integers(0, 8, size=size).tolist() for size in N_SENTENCES]
    offsets = np.cumsum([0, *map(sum, lengths)])
    weights = np.where(np.arange(N_WORDS) % 3 == seed % 3, 20.0, 1.0)
    words = np.random.default_rng(seed).choice(N_WORDS, offsets[-1], p=weights / weights.sum())
    return Corpus(
        words.astype(np.int32),
        offsets,
        VOCABULARY,
        sentence_offsets=np.cumsum([0, *(length for document in lengths for length in document)]),
        document_sentences=np.cumsum([0, *N_SENTENCES]),
        persons=tuple(str(number // 2) for number in range(len(N_SENTENCES))),
        sentence_unit=method.sentence_unit,
    )


class Played:
    """A run so far: its state, the parties' memories, and every release in order."""

    def __init__(
        self,
        method: Method,
        corpora: Mapping[str, Corpus],
        seed: int = 3,
        n_threads: int = 1,
        secure: bool = False,
    ) -> None:
        self.method, self.corpora = method, corpora
        self.server = Turn(seed, "server", n_threads=n_threads, secure=secure)
        self.memory: dict[str, Arrays] = {name: {} for name in corpora}
        self.releases: list[tuple[int, str, Release[Arrays]]] = []
        self.state = method.start(N_WORDS, self.server) | method.known_words(VOCABULARY)
        require_arrays("start", self.state)
        self.before = self.state  # the last round

    def whole(self) -> "Played":
        """All rounds, with all parties."""
        for number in range(self.method.n_rounds):
            self.round(number, tuple(self.corpora))
        return self

    def round(self, number: int, present: tuple[str, ...]) -> None:
        """One round, with these parties."""
        self.before = self.state
        sent = {name: self._contribution(number, name) for name in present}
        with _untouched("combine", state=self.state, **sent):
            try:
                after = self.method.combine(self.state, sent, replace(self.server, round=number))
            except NotImplementedError as error:
                raise ContractError(f"{error}") from error
        require_arrays("combine", after)
        self.state = after

    def models(self) -> list[TopicModel]:
        """The server's model, or where it has none those of the parties."""
        with _untouched("model", state=self.state):
            whole = self.method.model(self.state, VOCABULARY)
        parties = [Party(name, self.corpora[name], held) for name, held in self.memory.items() if held]
        found = [whole] if whole is not None else [self.method.local_model(party) for party in parties]
        models = [model for model in found if model is not None]
        require(models, "neither `model` nor `local_model` gives topics")
        return models

    def _contribution(self, number: int, name: str) -> Arrays:
        with _untouched("tell", state=self.state):
            told = self.method.tell(self.state, name)
        require_arrays("tell", told)
        try:
            forms.check(told, self.method.may_be_told(N_WORDS, name))
        except forms.ToldError as error:
            raise ContractError(f"round {number} tells what `may_be_told` does not: {error}") from error
        corpus, memory = self.corpora[name], self.memory[name]
        turn = replace(self.server, role="party", round=number, party=name)
        with _untouched("contribute", told=told, memory=memory):
            answer = self.method.contribute(Party(name, corpus, memory), told, turn)
        two = isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[0], Release)
        require(two, f"`contribute` must give a Release and the party's memory, got {answer!r:.60}")
        release, self.memory[name] = answer
        require_arrays("contribute", release.value)
        for key, array in release.value.items():
            require(np.isfinite(array).all(), f"{key} is sent with numbers that are not finite")
        require_arrays("contribute (memory)", self.memory[name])
        self.releases.append((number, name, release))
        self._require_declared(number, told, corpus, release)
        return release.value

    def _require_declared(self, number: int, told: Arrays, corpus: Corpus, release: Release[Arrays]) -> None:
        """What is said of an answer before it is there: its form, its price, and what is in it but noise."""
        form, due = self.method.may_be_sent(told, number), self.method.price_of(told)
        if form is not None:
            try:
                forms.check(release.value, [form])
            except forms.ToldError as error:
                raise ContractError(f"round {number} sends what `may_be_sent` does not: {error}") from error
        known = due is None or due in (FREE, *self.method.prices(N_WORDS))
        require(known, f"`price_of` must be one of `prices`, or free, got {due!r:.60} in round {number}")
        exact = self.method.before_noise(corpus, told, 1)
        if exact is not None:
            sent = {name: array.shape for name, array in release.value.items()}
            fits = exact.total.dtype.kind == "i" and sent == {exact.name: exact.total.shape}
            require(fits, f"`before_noise` must give the integers that noise is added to, in round {number}")


def require_same(why: str, one: Played, other: Played) -> None:
    """Raise unless the parties of both have sent the same bytes."""
    for (number, name, release), (_, _, another) in zip(one.releases, other.releases, strict=True):
        require(same(release.value, another.value), f"{why}: round {number}, party {name}")


@contextmanager
def _untouched(verb: str, **held: Arrays) -> Iterator[None]:
    """Raise unless the arrays are afterwards what they were."""
    before = {name: {key: np.copy(array) for key, array in arrays.items()} for name, arrays in held.items()}
    yield
    for name, arrays in held.items():
        require(same(before[name], arrays), f"`{verb}` changes what it is given in place: {name}")


def require_arrays(verb: str, arrays: Any) -> None:
    """Raise unless what the `verb` gives can be carried and stored."""
    require(isinstance(arrays, dict), f"`{verb}` must give a dictionary of arrays, got {arrays!r:.60}")
    for key, array in arrays.items():
        right = isinstance(key, str) and isinstance(array, np.ndarray) and array.dtype.kind in "biuf"
        got = f"{type(array).__name__} as {key!r}"
        require(right, f"`{verb}` must give arrays of numbers by their names, got {got}")
