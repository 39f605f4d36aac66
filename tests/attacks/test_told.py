"""What no server of a method says is refused before a document is opened, noise drawn or a price charged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pytest
from attacks.asked_party import AskedParty
from planted import drawn_corpus, planted_topics

from fedtopics import methods
from fedtopics.documents.text.words import word_array
from fedtopics.network import private_scores, wire
from fedtopics.network.plan.parts import Evaluation
from fedtopics.network.private_scores import Score
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.price.release import Release
from fedtopics.protocol import in_process, told
from fedtopics.protocol.method import Method
from fedtopics.protocol.told import Form, Numbers
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.protocol.with_related_words import with_consistency
from fedtopics.related_words import from_matrix

TOPICS = planted_topics(3, 8)
CORPORA = {name: drawn_corpus(TOPICS, 12, 20, seed) for seed, name in enumerate(["north", "south"])}
WORDS = CORPORA["north"].vocabulary
SMALL: dict[str, Any] = {"n_topics": 3, "n_rounds": 3}
TELLING: dict[str, Method] = {
    "calm": methods.make("calm", **SMALL),
    "pctd": methods.make("pctd", **SMALL),
    "pctd paper": methods.make("pctd", variant="paper", **SMALL),
    "fedlda paper": methods.make("fedlda", variant="paper", **SMALL),
    "fedlda paper t-krr": methods.make("fedlda", variant="paper", channel="t-krr", **SMALL),
    "ftm": methods.make("ftm", n_local=2, **SMALL),
    "ftm paper": methods.make("ftm", n_local=2, variant="paper", top_words=5, **SMALL),
    "shared": methods.make("shared", **SMALL),
}


class Overheard:
    """A method that notes what each party is told, and checks it as a party does."""

    def __init__(self, method: Method, significant_bits: int | None = None) -> None:
        self.method, self.significant_bits = method, significant_bits
        self.heard: list[Arrays] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.method, name)

    def contribute(self, party: Party, arrays: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        forms = self.method.may_be_told(party.corpus.n_words, party.name)
        body = wire.pack(arrays, significant_bits=self.significant_bits)
        carried = wire.unpack(body, limit=told.most_bytes(forms))
        told.check(carried, forms, self.significant_bits)
        self.heard.append(carried)
        return self.method.contribute(party, carried, turn)


def last_told(method: Method, **given: Any) -> Arrays:
    """What a party is told in the last round of a run whose every message is checked."""
    overheard = Overheard(method, **given)
    in_process.run(overheard, CORPORA, seed=1)  # type: ignore[arg-type]
    return overheard.heard[-1]


@pytest.mark.parametrize("bits", [None, 4])
@pytest.mark.parametrize("name", TELLING)
def test_what_a_server_says_is_believed(name: str, bits: int | None) -> None:
    assert last_told(TELLING[name], significant_bits=bits)


def test_servers_that_draw_words_together_or_have_other_numbers_of_topics_are_believed() -> None:
    relation = from_matrix(np.kron(np.eye(3), np.full((8, 8), 0.5)), 24)
    for name in ("calm", "pctd", "ftm"):
        assert last_told(with_consistency(TELLING[name], relation))
    several = methods.make("ftm", n_local=2, topics_per_party={"south": 5}, **SMALL)
    assert last_told(several)["topics"].shape == (5, 24)


def test_the_end_of_training_is_believed_where_the_plan_has_one() -> None:
    end = {"stopped": np.array(20)}
    told.check(end, methods.make("calm", held_out=0.1).may_be_told(24, "north"))
    with pytest.raises(
        told.ToldError, match="expected to be told nothing or before, length, pace, roots or before, cand"
    ):
        told.check(end, methods.make("calm").may_be_told(24, "north"))


def every(change: Callable[[np.ndarray], Any]) -> Callable[[Arrays], list[Arrays]]:
    """The messages in which one array is changed."""
    return lambda arrays: [arrays | {name: np.asarray(change(array))} for name, array in arrays.items()]


BAD: dict[str, Callable[[Arrays], list[Arrays]]] = {
    "NaN": every(lambda array: array * array.dtype.type("nan") if array.dtype.kind == "f" else array - 10**9),
    "infinite": every(lambda array: (array + 1) * np.inf),
    "huge": every(lambda array: array.astype(np.float64) + 1e16),
    "negative": every(lambda array: -array - 1),
    "longer": every(lambda array: np.concatenate([array.ravel(), array.ravel()])),
    "one more": every(lambda array: np.pad(array, [(0, 1)] * array.ndim, mode="edge") if array.ndim else [1]),
    "other type": every(lambda array: array.astype(np.int16)),
    "empty": every(lambda array: array.ravel()[:0]),
    "without one": lambda arrays: [
        {name: array for name, array in arrays.items() if name != left} for left in arrays if len(arrays) > 1
    ],
    "more": lambda arrays: [arrays | {"more": np.zeros(3)}],
    "other names": lambda arrays: [{f"x{name}": array for name, array in arrays.items()}],
}


@pytest.mark.parametrize("name", TELLING)
def test_what_no_server_says_is_refused_before_documents_are_opened(name: str, tmp_path: Path) -> None:
    method = TELLING[name]
    party = AskedParty(tmp_path, method, CORPORA["north"], WORDS)
    party.side.read = lambda: pytest.fail("documents were opened")
    arrays = last_told(method)
    other_rounds = [set(form) for form in method.may_be_told(len(WORDS), "north")]
    for what, bend in BAD.items():
        for bent in bend(arrays):
            if what == "without one" and set(bent) in other_rounds:
                continue
            error, sent = party.contribute(1, bent)
            assert error in ("ToldError", "WireError"), what
            assert sent == {}
    assert party.charges() == []


def test_sums_that_are_not_one_and_words_that_come_twice_are_refused() -> None:
    phi = np.full((3, 24), 1 / 24, np.float32)
    forms = TELLING["fedlda paper t-krr"].may_be_told(24, "north")
    told.check({"phi": phi, "kept": np.array([3, 5])}, forms)
    with pytest.raises(told.ToldError, match="expected sums of 1 in phi"):
        told.check({"phi": phi / 2}, forms)
    for kept in ([3, 3], [3, 24], [-1, 3], [3]):
        with pytest.raises(told.ToldError):
            told.check({"phi": phi, "kept": np.array(kept)}, forms)


def extremes(form: Form) -> Iterator[Arrays]:
    """Messages of this form at the edges of what is believed: the least, the most, all in one place."""
    for end in ("least", "most"):
        for place in (0, -1):
            yield {name: _extreme(what, end, place) for name, what in form.items()}


def _extreme(what: Numbers, end: str, place: int) -> np.ndarray:
    shape = tuple(size[0] if isinstance(size, range) else size for size in what.shape)
    array = (
        np.full(shape, getattr(what, end), what.type) if what.type != "int32" else np.zeros(shape, "int32")
    )
    if what.distinct:
        return np.arange(array.size)
    if what.sums_to_one is not None:
        array[:] = what.least
        np.moveaxis(array, what.sums_to_one, 0)[place] = 1.0
    return array


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", TELLING)
def test_whatever_is_believed_is_answered(name: str, tmp_path: Path) -> None:
    """With and without a memory: no message that passes makes the party fail."""
    method = TELLING[name]
    for number, form in enumerate(method.may_be_told(24, "north")):
        for other, arrays in enumerate(extremes(form)):
            party = AskedParty(tmp_path / f"{number}-{other}", method, CORPORA["north"], WORDS)
            assert [party.contribute(turn, arrays)[0] for turn in range(3)] == ["", "", ""]
            party.side.store.close()


@pytest.mark.parametrize("name", ["calm", "pctd"])
def test_no_number_that_is_told_keeps_a_party_busy(name: str, tmp_path: Path) -> None:
    """A mean length of 1e10 took minutes for 40 short documents."""
    party = AskedParty(tmp_path, TELLING[name], CORPORA["north"], WORDS)
    arrays = last_told(TELLING[name])
    began = perf_counter()
    for length in (1.1e6, 1e10, -1.0, np.inf, np.nan):
        assert party.contribute(1, arrays | {"length": np.array(length)})[0] == "ToldError"
    assert party.contribute(1, arrays | {"length": np.array(1e6)})[0] == ""
    assert perf_counter() - began < 30  # on a busy machine


def test_malformed_topics_draw_no_histogram(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of these questions used to draw all histograms again, for nothing."""
    drawn: list[int] = []
    real = Noise.laplace_rows

    def counted(self: Noise, *given: Any, **named: Any) -> Any:
        drawn.append(1)
        return real(self, *given, **named)

    monkeypatch.setattr(Noise, "laplace_rows", counted)
    party = AskedParty(tmp_path, TELLING["calm"], CORPORA["north"], WORDS)
    wide = {"phi": np.full((24, 70), 1 / 24, np.float32), "sizes": np.full(70, 9.0, np.float32)}
    errors = {party.contribute(1, wide | {"length": np.array(5.0)})[0] for _ in range(3)}
    assert (errors, drawn, party.charges()) == ({"WireError"}, [], [])
    assert party.contribute(1, last_told(TELLING["calm"]))[0] == ""
    assert drawn


def scored(folder: Path, method: Method) -> AskedParty:
    """A party that scores topics on its own documents."""
    mechanism = Evaluation("private", 0.1, 1.0, 1e-6).mechanism()
    assert mechanism is not None

    def release(topics: np.ndarray, words: tuple[str, ...], noise: Noise) -> Release[Arrays]:
        return private_scores.release(topics, CORPORA["north"].with_vocabulary(words), mechanism, noise)

    score = Score(mechanism.price(), release)
    party = AskedParty(folder, method, CORPORA["north"], WORDS, score=score)
    party.ask("vocabulary", 0, {"words": word_array(WORDS)})
    return party


def test_topics_that_are_no_model_of_the_plan_are_not_scored(tmp_path: Path) -> None:
    party = scored(tmp_path, TELLING["calm"])
    party.side.read = lambda: pytest.fail("documents were opened")
    even = np.full((3, 24), 1 / 24)
    bad = {
        "more topics": np.full((4, 24), 1 / 24),
        "fewer topics": even[:2],
        "more words": np.full((3, 25), 1 / 25),
        "other type": even.astype(np.float32),
        "no sums of one": even * 7,
        "negative": np.concatenate([even[:2], [[2.0, -1.0, *[0.0] * 22]]]),
        "NaN": even * np.nan,
        "one dimension": even.ravel(),
    }
    for what, topics in bad.items():
        assert party.ask("evaluate", 3, {"topics": topics})[0] in ("ToldError", "WireError"), what
    assert party.ask("evaluate", 3, {"other": even})[0] == "ToldError"
    assert party.ask("evaluate", 3, {"topics": even, "more": np.zeros(0)})[0] == "ToldError"
    assert party.charges() == []


def test_models_of_every_size_that_a_method_makes_are_scored(tmp_path: Path) -> None:
    party = scored(tmp_path, TELLING["calm"])
    assert party.ask("evaluate", 3, {"topics": np.full((3, 24), 1 / 24)})[0] == ""
    party.side.store.close()
    party = scored(tmp_path / "ftm", replace(TELLING["ftm"], reduce=False))
    assert party.ask("evaluate", 3, {"topics": np.full((7, 24), 1 / 24)})[0] == "WireError"
    assert party.ask("evaluate", 3, {"topics": np.full((6, 24), 1 / 24)})[0] == ""
