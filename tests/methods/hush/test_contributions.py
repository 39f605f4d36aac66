"""No unit adds more than is priced, whatever it holds and whatever is told; and it adds that alone."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from methods.hush.cases import N_WORDS, SETTINGS, Unit, corpus, released, shares, summed, topics

from fedtopics.errors import InputError
from fedtopics.evaluation.perplexity import complete
from fedtopics.methods.hush import contributions
from fedtopics.methods.hush.contributions import FINE, GAIN, LENGTH, MARK, PRODUCTS, Units
from fedtopics.methods.hush.method import Hush
from fedtopics.protocol.turn import Arrays

HUGE = [0.0, 1e-45, 1e-38, 1e-6, 0.3, 1.0, 7.0, 1e6]
positive = st.sampled_from(HUGE) | st.floats(0, 1e6, width=32)
signed = st.sampled_from([sign * size for size in HUGE for sign in (1, -1)]) | st.floats(-1e6, 1e6, width=32)
documents = st.one_of(
    st.just([]),
    st.lists(st.integers(0, N_WORDS - 1), max_size=12),
    st.builds(
        lambda word, often: [word] * often, st.integers(0, N_WORDS - 1), st.sampled_from([1, 40, 5000])
    ),
    st.builds(lambda often: list(range(N_WORDS)) * often, st.sampled_from([1, 3, 300])),
)
persons = st.lists(documents, min_size=1, max_size=6) | st.builds(
    lambda document, often: [document] * often, documents, st.sampled_from([2, 9, 40])
)


def rows(elements: st.SearchStrategy[float], *shape: int, dtype: Any = np.float32) -> st.SearchStrategy[Any]:
    return arrays(dtype, shape, elements=elements) | st.builds(
        lambda value: np.full(shape, value, dtype), elements
    )


TOLD: dict[str, st.SearchStrategy[Arrays]] = {
    "totals": st.just({}),
    "moments": st.fixed_dictionaries(
        {
            "frequent": st.permutations(range(N_WORDS)).map(lambda order: np.array(order[:5])),
            "weights": rows(positive, N_WORDS),
            "vectors": rows(st.sampled_from([-128, -1, 0, 1, 127]), N_WORDS, 3, dtype=np.int8),
        }
    ),
    "groups": st.fixed_dictionaries({"projection": rows(signed, N_WORDS, 4), "centers": rows(signed, 3, 4)}),
    "counts": st.fixed_dictionaries(
        {
            "phi": rows(positive, N_WORDS, 3, dtype=np.float64).map(topics),
            "unigram": rows(positive, N_WORDS, dtype=np.float64).map(shares),
            "shares": rows(positive, 3, dtype=np.float64).map(shares),
            "clip": st.sampled_from([1e-3, 1.5, 3.5, 1e3]).map(np.array),
        }
    ),
    "gain": st.fixed_dictionaries(
        {
            "phi": rows(positive, N_WORDS, 3, dtype=np.float64).map(topics),
            "unigram": rows(positive, N_WORDS, dtype=np.float64).map(shares),
        }
    ),
}


def squared(vector: np.ndarray) -> int:
    """The squared norm in integers of any size."""
    return sum(int(steps) ** 2 for steps in vector.ravel())


@pytest.mark.parametrize("what", TOLD)
@pytest.mark.parametrize("unit", ["document", "person"])
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_a_unit_adds_no_more_than_is_priced_and_changes_nothing_else(
    unit: str, what: str, data: st.DataObject
) -> None:
    method = Hush(unit=unit, **SETTINGS)
    one = persons if unit == "person" else documents.map(lambda document: [document])
    others: list[Unit] = data.draw(st.lists(one, max_size=3))
    own: Unit = data.draw(one)
    told = data.draw(TOLD[what])
    place = data.draw(st.integers(0, len(others)))
    added = summed(method, corpus([own]), told)
    release = released(method, corpus([own]), told)
    assert release.value.keys() == {what}
    assert added.dtype == np.int64
    for relation, times in (("add/remove", 1), ("replace", 2)):
        (loss,) = release.cost.losses_of(f"{unit} {relation}")  # type: ignore[arg-type]
        assert squared(added) * times**2 <= int(loss.event.sensitivity) ** 2  # type: ignore[union-attr]
        assert loss.event.sensitivity == times * (PRODUCTS if what == "moments" else FINE)  # type: ignore[union-attr]
    with_it = summed(method, corpus([*others[:place], own, *others[place:]]), told)
    np.testing.assert_array_equal(with_it - summed(method, corpus(others), told), added)


def sharp(elsewhere: float = 1e-4) -> np.ndarray:
    """Three topics, of words 0 to 2, 3 to 5, and the rest."""
    return topics(np.where(np.arange(N_WORDS)[:, None] // 3 == np.arange(3), 1.0, elsewhere))


EVEN = np.full(N_WORDS, 1 / N_WORDS, np.float32)
WORST: dict[str, tuple[Arrays, list[int]]] = {
    "totals": ({}, list(range(N_WORDS)) * 10),
    "moments": (
        {
            "frequent": np.arange(N_WORDS),
            "weights": np.ones(N_WORDS, np.float32),
            "vectors": np.zeros((N_WORDS, 2), np.int8),
        },
        list(range(N_WORDS)),
    ),
    "groups": ({"projection": np.ones((N_WORDS, 4), np.float32), "centers": np.eye(3, 4, dtype="f4")}, [0]),
    "counts": (
        {"phi": sharp(0.3), "unigram": EVEN, "shares": topics(np.ones(3)), "clip": np.array(1.5)},
        [0, 1, 2] * 10,
    ),
    "gain": ({"phi": sharp(), "unigram": EVEN}, [0, 1, 2] * 40),
}


@pytest.mark.parametrize("what", WORST)
def test_the_worst_document_reaches_nearly_all_that_is_priced(what: str) -> None:
    told, document = WORST[what]
    method = Hush(**SETTINGS | {"n_frequent": N_WORDS, "n_topics": 3})
    most = PRODUCTS if what == "moments" else FINE
    added = squared(summed(method, corpus([[document]]), told))
    assert (0.93 if what == "moments" else 0.999) * most < added**0.5 <= most


def test_totals_cap_every_word_and_cut_the_whole() -> None:
    steps = summed(Hush(), corpus([[[0] * 30 + [1]]]), {})
    np.testing.assert_allclose(steps * 12 / FINE, [10, 1, *[0] * 6], atol=12 / FINE)
    twice = summed(Hush(unit="person"), corpus([[[0] * 30, [0] * 5 + [1] * 8]]), {})
    np.testing.assert_allclose(twice * 12 / FINE, 12 / 17 * np.array([15, 8, *[0] * 6]), atol=12 / FINE)


def test_products_of_a_document_and_of_a_person_with_equal_ones() -> None:
    told = {
        "frequent": np.array([0, 1, 2]),
        "weights": np.full(N_WORDS, 5, np.float32),
        "vectors": np.zeros((N_WORDS, 2), np.int8),
    }
    method = Hush(unit="person", n_frequent=3)
    once = summed(method, corpus([[[0, 1, 1, 7]]]), told)
    np.testing.assert_allclose(once / LENGTH**2, [0.5, 0, 0], atol=2 / LENGTH)
    for often in (4, 30):
        np.testing.assert_allclose(
            summed(method, corpus([[[0, 1]] * often]), told) / LENGTH**2, [0.5, 0, 0], atol=0.05
        )
    different = summed(method, corpus([[[0, 1], [1, 2], [0, 2]]]), told) / LENGTH**2
    np.testing.assert_allclose(different, np.full(3, 1 / 18**0.5), atol=4 / LENGTH)


def test_a_word_lends_presence_to_those_near_it() -> None:
    vectors = np.zeros((N_WORDS, 2), np.int8)
    vectors[:2], vectors[7] = [127, 0], [127, 1]
    told = {"frequent": np.array([0, 1, 2]), "weights": np.ones(N_WORDS, np.float32), "vectors": vectors}
    steps = summed(Hush(n_frequent=3), corpus([[[7]]]), told)
    np.testing.assert_allclose(steps / LENGTH**2, [0.5, 0, 0], atol=2 / LENGTH)


def test_groups_sum_places_and_marks_at_the_nearest_center() -> None:
    told = {"projection": np.eye(N_WORDS, 2, dtype=np.float32) * 9, "centers": np.eye(2, dtype=np.float32)}
    method = Hush(n_topics=2, n_frequent=5, rank=2)
    clip = (1 + MARK**2) ** 0.5
    steps = summed(method, corpus([[[0]], [[0, 0, 5]], [[1]], [[5]]]), told)
    np.testing.assert_allclose(steps * clip / FINE, [[2, 0, 2 * MARK], [0, 1, MARK]], atol=1e-4)
    person = Hush(n_topics=2, n_frequent=5, rank=2, unit="person")
    steps = summed(person, corpus([[[0], [1], [5]]]), told)
    np.testing.assert_allclose(
        steps * clip / FINE, np.array([[1, 0, MARK], [0, 1, MARK]]) / 2**0.5, atol=1e-4
    )


def test_counts_are_what_a_document_adds_to_the_expectation() -> None:
    phi = topics(np.array([[1, 3.0], *[[1, 1]] * 7]))
    of_topics = np.array([0.75, 0.25], np.float32)
    told = {"phi": phi, "unigram": EVEN, "shares": of_topics, "clip": np.array(1e3)}
    steps = summed(Hush(n_topics=2), corpus([[[0]]]), told)
    r, expected = phi[0] / phi[0].sum(), phi[0] * of_topics / (phi[0] * of_topics).sum()
    weights = np.maximum(expected, 0.002) ** -0.4
    weights /= np.sqrt((weights**2 * expected).sum())
    np.testing.assert_allclose(steps[0] * 1e3 / FINE, weights * (r - expected), atol=0.02)
    assert not steps[1:].any()


def test_gain_is_the_score_of_the_evaluator_summed_by_unit_and_cut() -> None:
    told = {"phi": sharp(), "unigram": shares(np.array([1.0] * 7 + [40]))}
    units = [[[0, 1, 2, 0, 1], [3, 4, 5]], [[0, 3, 6]], [[0, 1, 2] * 40, [7] * 90]]

    def nats(document: list[int]) -> float:
        own = corpus([[document]])
        return (
            complete(told["phi"].T, own).log_likelihood - complete(told["unigram"][None], own).log_likelihood
        )

    each = [[nats(document) for document in unit] for unit in units]
    by_document = sum(np.clip(gained, -GAIN, GAIN) for unit in each for gained in unit)
    by_person = sum(np.clip(sum(unit), -GAIN, GAIN) for unit in each)
    assert abs(by_document - by_person) > 1
    for unit, wanted in (("document", by_document), ("person", by_person)):
        steps = summed(Hush(unit=unit, **SETTINGS), corpus(units), told)
        assert steps[0] * GAIN / FINE == pytest.approx(wanted, abs=0.01)


@pytest.mark.parametrize("unit", ["document", "person"])
def test_blocks_change_nothing(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    own = corpus([[list(rng.integers(0, N_WORDS, 6)) for _ in range(rng.integers(1, 5))] for _ in range(30)])
    method = Hush(unit=unit, **SETTINGS | {"n_frequent": N_WORDS})
    asked = [WORST[what][0] for what in ("moments", "groups")]
    whole = [summed(method, own, told) for told in asked]
    for at_once in (1, 3, 17):
        monkeypatch.setattr(contributions, "AT_ONCE", at_once)
        for told, wanted in zip(asked, whole, strict=True):
            np.testing.assert_array_equal(summed(method, own, told), wanted)


def test_what_is_no_number_is_never_released() -> None:
    units = Units(corpus([[[0, 1]]]).to_sparse(), np.array([0, 1]))
    nowhere = np.full((N_WORDS, 2), np.inf, np.float32)
    with np.errstate(all="ignore"):
        for bad in (
            lambda: contributions.moments(units, np.ones(N_WORDS, np.float32), nowhere),
            lambda: contributions.groups(units, nowhere, np.eye(2, dtype=np.float32)),
        ):
            with pytest.raises(InputError, match="nothing was released"):
                bad()


def test_topics_without_some_word_are_not_believed() -> None:
    phi = sharp()
    phi[0] = 0
    with pytest.raises(InputError, match=r"phi, got 0 to"):
        summed(Hush(**SETTINGS), corpus([[[1]]]), {"phi": phi / phi.sum(axis=0), "unigram": EVEN})
