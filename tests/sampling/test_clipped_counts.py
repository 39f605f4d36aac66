"""Sums of cut units against a plain model in NumPy, and a search for units that get out of their norm."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedtopics.errors import InputError
from fedtopics.sampling import clipped_counts

SMALLEST = 1e-28


@dataclass(frozen=True, eq=False)
class Case:
    """Arguments of both sums."""

    words: np.ndarray
    counts: np.ndarray
    offsets: np.ndarray
    units: np.ndarray
    phi: np.ndarray
    expected: np.ndarray
    weights: np.ndarray
    alpha: float = 0.1
    n_steps: int = 15
    cap: float = 3.0
    clip: float = 3.5
    resolution: int = 1 << 12

    @property
    def n_units(self) -> int:
        return len(self.units) - 1

    def select(self, chosen: list[int]) -> "Case":
        """Some of the units, in this order."""
        documents = [list(range(self.units[u], self.units[u + 1])) for u in chosen]
        entries = [np.arange(self.offsets[d], self.offsets[d + 1]) for own in documents for d in own]
        order = np.concatenate([np.arange(0), *entries])
        return replace(
            self,
            words=self.words[order],
            counts=self.counts[order],
            offsets=np.cumsum([0, *(len(own) for own in entries)]),
            units=np.cumsum([0, *(len(own) for own in documents)]),
        )

    def differences(self, n_threads: int = 1) -> np.ndarray:
        options = {"alpha": self.alpha, "n_steps": self.n_steps, "n_threads": n_threads}
        matrices = self.phi, self.expected, self.weights
        return clipped_counts.sum_of_differences(*self.entries, *matrices, **options, **self.cut)

    def totals(self) -> np.ndarray:
        return clipped_counts.sum_of_counts(*self.entries, len(self.phi), **self.cut)

    @property
    def entries(self) -> tuple[np.ndarray, ...]:
        return self.words, self.counts, self.offsets, self.units

    @property
    def cut(self) -> dict[str, float]:
        return {"cap": self.cap, "clip": self.clip, "resolution": self.resolution}


def responsibilities(case: Case, d: int) -> np.ndarray:
    own = slice(case.offsets[d], case.offsets[d + 1])
    likely, c = case.phi[case.words[own]].astype(np.float64), case.counts[own, None].astype(np.float64)
    r = likely / np.maximum(likely.sum(1, keepdims=True), SMALLEST)
    for _ in range(case.n_steps):
        n = (c * r).sum(0)
        r = likely * np.maximum(n + case.alpha - c * r, case.alpha)
        r /= np.maximum(r.sum(1, keepdims=True), SMALLEST)
    return r


def cut_and_counted(case: Case, vector: np.ndarray) -> np.ndarray:
    scale = case.resolution / max(np.linalg.norm(vector), case.clip) * (1 - 1e-12)
    return np.trunc(vector * scale)


def modeled(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Both sums, one unit and one document at a time."""
    differences, totals = np.zeros(case.phi.shape), np.zeros(len(case.phi))
    for first, last in pairwise(case.units):
        vector, counted = np.zeros(case.phi.shape), np.zeros(len(case.phi))
        for d in range(first, last):
            own = slice(case.offsets[d], case.offsets[d + 1])
            words, most = case.words[own], np.minimum(case.counts[own], case.cap)
            np.add.at(vector, words, most[:, None] * (responsibilities(case, d) - case.expected[words]))
            np.add.at(counted, words, most)
        differences += cut_and_counted(case, case.weights * vector)
        totals += cut_and_counted(case, counted)
    return differences, totals


def random_case(n_docs: int, n_words: int, n_topics: int, documents_each: int, **options: float) -> Case:
    rng = np.random.default_rng(0)
    present = rng.random((n_docs, n_words)) < 0.3
    words = np.nonzero(present)[1].astype(np.int32)
    phi = rng.gamma(0.3, size=(n_words, n_topics)) + 1e-4
    phi = (phi / phi.sum(0)).astype(np.float32)
    return Case(
        words,
        rng.integers(1, 7, len(words)).astype(np.int32),
        np.concatenate(([0], np.cumsum(present.sum(1)))),
        np.append(np.arange(0, n_docs, documents_each), n_docs),
        phi,
        phi / phi.sum(1, keepdims=True),
        rng.uniform(0.3, 2, phi.shape).astype(np.float32),
        **options,
    )


@pytest.mark.parametrize("n_topics", [1, 3, 16, 30, 50])
@pytest.mark.parametrize("documents_each", [1, 3])
@pytest.mark.parametrize("clip", [3.5, 100.0])
def test_it_agrees_with_the_model(n_topics: int, documents_each: int, clip: float) -> None:
    case = random_case(10, 37, n_topics, documents_each, clip=clip)
    differences, totals = modeled(case)
    found = case.differences()
    assert found.shape == (37, n_topics)
    assert np.abs(found - differences).max() <= 2
    assert np.abs(case.totals() - totals).max() <= 1


def test_no_steps_leave_what_the_words_say() -> None:
    case = random_case(10, 37, 5, 1, n_steps=0)
    assert np.abs(case.differences() - modeled(case)[0]).max() <= 2


@pytest.mark.parametrize("n_topics", [7, 30, 64])
@pytest.mark.parametrize("documents_each", [1, 2])
def test_the_number_of_threads_changes_no_bit(n_topics: int, documents_each: int) -> None:
    case = random_case(400, 60, n_topics, documents_each)
    assert len({case.differences(n_threads).tobytes() for n_threads in (1, 2, 3)}) == 1


def test_blocks_of_units_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    case = random_case(60, 40, 2, 2)
    whole = case.totals()
    for entries in (1, 7, 100, 10_000):
        monkeypatch.setattr(clipped_counts, "ENTRIES_AT_ONCE", entries)
        np.testing.assert_array_equal(case.totals(), whole)


def test_what_is_given_is_left_as_it_was() -> None:
    case = random_case(30, 40, 5, 3)
    case = replace(case, words=case.words[::-1].copy(), counts=case.counts.astype(np.float32))
    before = [array.copy() for array in case.entries]
    case.differences()
    case.totals()
    for array, copy in zip(case.entries, before, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_a_cut_unit_stays_below_the_norm_and_near_it() -> None:
    """A single coordinate shows the margin: it keeps all that the norm allows but one step."""
    one, zero = np.ones((1, 1), np.float32), np.zeros((1, 1), np.float32)
    case = Case(np.array([0]), np.array([9]), np.array([0, 1]), np.array([0, 1]), one, zero, one, clip=2)
    for resolution in (1, 1000, 1 << 26):
        case = replace(case, resolution=resolution)
        assert case.differences().tolist() == [[resolution - 1]]
        assert case.totals().tolist() == [resolution - 1]
    many = random_case(20, 60, 30, 1, clip=0.1, resolution=1 << 20)
    for u in range(many.n_units):
        assert np.linalg.norm(many.select([u]).differences()) > 0.999 * many.resolution


TINY_TO_HUGE = st.sampled_from([0.0, 1e-45, 1e-30, 1e-12, 0.01, 0.5, 1.0, 3.0, 1e6, 1e15])
WEIGHTS = st.sampled_from([0.0, 1e-45, 1e-3, 0.7, 1.0, 3.0, 1e10, 3e38])
COUNTS = st.sampled_from([1, 2, 3, 10, 1000, 2**24 + 1, 2**31 - 1])


@st.composite
def hostile_cases(draw: st.DrawFn) -> Case:
    """Units that try to exceed the norm: one word or all, often none, in numbers of every size."""
    n_words, n_topics = draw(st.integers(1, 5)), draw(st.sampled_from([1, 2, 17]))
    entries = st.dictionaries(st.integers(0, n_words - 1), COUNTS, max_size=5)
    people = draw(st.lists(st.lists(entries, max_size=3), min_size=1, max_size=3))
    documents = [document for person in people for document in person]

    def matrix(values: st.SearchStrategy[float]) -> np.ndarray:
        few = np.array(draw(st.lists(values, min_size=1, max_size=6)), np.float32)
        return np.resize(few, (n_words, n_topics))

    return Case(
        np.array([word for document in documents for word in document], np.int32),
        np.array([count for document in documents for count in document.values()], np.int32),
        np.cumsum([0, *map(len, documents)]),
        np.cumsum([0, *map(len, people)]),
        matrix(TINY_TO_HUGE),
        matrix(TINY_TO_HUGE),
        matrix(WEIGHTS),
        alpha=draw(st.sampled_from([1e-6, 0.1, 5.0])),
        n_steps=draw(st.integers(0, 3)),
        cap=draw(st.sampled_from([0.3, 1.0, 10.0, 1e12])),
        clip=draw(st.sampled_from([1e-9, 0.1, 3.5, 1e9, 1e40])),
        resolution=draw(st.sampled_from([1, 5, 1000, (1 << 26) - 1, 1 << 26])),
    )


def squared_norm(steps: np.ndarray) -> int:
    return sum(int(step) ** 2 for step in steps.flat)


@settings(max_examples=150, deadline=None)
@given(hostile_cases())
def test_no_unit_exceeds_the_norm_and_each_counts_by_itself(case: Case) -> None:
    everyone = list(range(case.n_units))
    differences, totals = case.differences(), case.totals()
    for u in everyone:
        alone, others = case.select([u]), case.select([other for other in everyone if other != u])
        assert squared_norm(alone.differences()) <= case.resolution**2
        assert squared_norm(alone.totals()) <= case.resolution**2
        np.testing.assert_array_equal(differences - others.differences(), alone.differences())
        np.testing.assert_array_equal(totals - others.totals(), alone.totals())


def test_a_word_said_twice_in_a_document_does_not_get_around_the_norm() -> None:
    case = random_case(4, 9, 3, 2, clip=0.5)
    double = replace(case, words=np.repeat(case.words, 2), counts=np.repeat(case.counts, 2))
    double = replace(double, offsets=2 * case.offsets)
    for u in range(case.n_units):
        assert squared_norm(double.select([u]).differences()) <= case.resolution**2
        assert squared_norm(double.select([u]).totals()) <= case.resolution**2


def test_nothing_comes_of_nothing() -> None:
    case = random_case(10, 12, 4, 1).select([])
    assert not case.differences().any()
    assert not case.totals().any()
    empty = replace(case, offsets=np.zeros(4, np.int64), units=np.array([0, 0, 3, 3]))
    assert not empty.differences().any()
    assert not empty.totals().any()


def test_a_word_of_no_topic_is_only_expected() -> None:
    case = random_case(10, 12, 4, 1)
    case = replace(case, phi=np.zeros_like(case.phi))
    differences = case.differences()
    assert np.abs(differences - modeled(case)[0]).max() <= 2
    assert (differences <= 0).all()


def test_numbers_that_overflow_are_refused() -> None:
    case = random_case(100, 12, 4, 1, alpha=1e30)
    with pytest.raises(InputError, match="finite numbers inside their norm"):
        replace(case, phi=np.full_like(case.phi, 3e38)).differences(n_threads=2)


GOOD = random_case(4, 9, 3, 2)
NOT_A_NUMBER = np.full((9, 3), np.nan, np.float32)


@pytest.mark.parametrize(
    "change",
    [
        *({"words": GOOD.words.astype(np.int64) + shift} for shift in (9, -9, 2**32)),
        *({"words": words} for words in (GOOD.words.astype(float), GOOD.words[1:])),
        *({"counts": GOOD.counts * factor} for factor in (0, np.nan, 1e12)),
        {"counts": GOOD.counts[1:]},
        *({"offsets": offsets} for offsets in (GOOD.offsets[::-1], GOOD.offsets + 1, GOOD.offsets[:0])),
        *({"offsets": offsets} for offsets in (np.append(GOOD.offsets, 0), GOOD.offsets.astype(float))),
        *({"units": np.array(units)} for units in ([0, 5, 4], [0, 3], [[0, 4]])),
        *({"cap": cap} for cap in (0.0, np.nan)),
        {"clip": -1.0},
        *({"resolution": resolution} for resolution in (0, 2.5, (1 << 26) + 1)),
    ],
    ids=lambda change: next(iter(change)),
)
def test_bad_input_is_refused_by_both(change: dict[str, object]) -> None:
    bad = replace(GOOD, **change)
    for operation in (bad.differences, bad.totals):
        with pytest.raises(InputError, match=r"words|counts|offsets|units|cap|clip|resolution"):
            operation()


@pytest.mark.parametrize(
    "change",
    [
        *({name: NOT_A_NUMBER} for name in ("phi", "expected", "weights")),
        *({name: -GOOD.phi} for name in ("phi", "expected", "weights")),
        *({name: GOOD.phi[:, 1:]} for name in ("expected", "weights")),
        {"phi": GOOD.phi[:, :0]},
        {"phi": GOOD.phi[0]},
        {"phi": "topics"},
        {"alpha": 0.0},
        {"n_steps": -1},
    ],
    ids=lambda change: next(iter(change)),
)
def test_bad_topics_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(InputError, match=f"{next(iter(change))}|n_topics|shape"):
        replace(GOOD, **change).differences()
    with pytest.raises(InputError, match="n_threads"):
        GOOD.differences(n_threads=0)
