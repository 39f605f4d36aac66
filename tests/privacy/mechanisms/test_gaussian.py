"""Discrete Gaussian noise on counts and on clipped sums."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_matrix
from scipy.stats import beta, norm
from statistics_ import FALSE_ALARM, SEED, assert_drawn_from

from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms import exact
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.clipped_sum import ClippedSum
from fedtopics.privacy.mechanisms.gaussian_counts import GaussianCounts
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.cost import FREE
from fedtopics.privacy.price.gaussian import noise_multiplier


def noise(*address):
    return Noise.simulated(SEED, "gaussian", *address)


@settings(deadline=None, max_examples=25)
@example(0.3, 1, 0.003779781240252537)  # more noise than was asked for, and a larger delta
@given(st.floats(0.3, 3.0), st.sampled_from([1, 4]), st.floats(1e-8, 1e-2))
def test_channel_of_a_count_is_as_private_as_it_costs(sigma, grid, delta):
    """Hockey-stick divergence of neighboring counts at the charged epsilon, summed over all outputs."""
    mechanism = GaussianCounts(sigma, 10, grid=grid)
    epsilon = accounting.epsilon(mechanism.price().losses_of("word add/remove"), delta)
    channel = mechanism.channel(3, int(12 * sigma * grid) + 4 * grid)
    for first, second in ((0, 1), (1, 0), (2, 3), (3, 2)):
        excess = np.maximum(channel[first] - np.exp(epsilon) * channel[second], 0).sum()
        assert excess <= delta + 1e-12


@pytest.mark.parametrize(("threshold", "grid"), [(1, 1), (2, 1), (3, 4)])
def test_draws_follow_the_channel_for_every_count_and_place(threshold, grid):
    counts, n_rows = [2, 0, 1, 0], 20_000
    unit = np.repeat(np.arange(4), counts)
    mechanism = GaussianCounts(0.9, 4, threshold, grid)
    rows = mechanism(np.tile(unit, n_rows), np.arange(n_rows + 1) * 3, noise(threshold, grid)).value
    channel = mechanism.channel(2, 5 * grid)
    for word, count in enumerate(counts):
        released = np.minimum(rows.dense()[:, word], 5 * grid)
        assert_drawn_from(np.bincount(released, minlength=5 * grid + 1), channel[count])


def test_full_release_adds_noise_to_zeros_too():
    counts = np.tile([[0, 3]], (30_000, 1))
    mechanism = GaussianCounts(1.2, 2, grid=2)
    released = mechanism.add_to(counts, noise("full")).value
    steps = np.arange(-12, 13)
    law = np.exp(-(steps**2) / (2 * float(mechanism.variance)))
    for column, count in enumerate([0, 6]):
        drawn = np.clip(released[:, column] - count, -12, 12)
        assert_drawn_from(np.bincount(drawn + 12, minlength=25), law / law.sum())


def test_likelihood_ratio_is_that_of_the_channel():
    mechanism = GaussianCounts(0.8, 5, grid=3)
    channel, values = mechanism.channel(3, 15), np.arange(1, 15)
    found = mechanism.likelihood_ratio(values, np.arange(4)[:, None])
    assert np.allclose(found, channel[:, 1:15] / channel[0, 1:15])


def test_rounds_of_fresh_noise_are_all_paid_and_cost_what_continuous_noise_costs():
    """The paper's setting on a fine grid: sigma 0.25, 35 rounds, delta 1e-5 is 380 +- 1, replaced 702."""
    cost = GaussianCounts(0.25, 100, grid=256).price()
    once = accounting.epsilon(cost.losses_of("word add/remove"), 1e-5)
    every_round = sum([cost] * 35, start=FREE)
    assert once == pytest.approx(24.4, abs=0.2)
    assert accounting.epsilon(every_round.losses_of("word add/remove"), 1e-5) == pytest.approx(380, abs=1)
    assert accounting.epsilon(every_round.losses_of("word replace"), 1e-5) == pytest.approx(702, abs=2)


def test_documents_and_persons_are_priced_by_the_length_of_their_change():
    cost = GaussianCounts(2.0, 100, bounds=Bounds(max_length=10, max_documents=3)).price()
    rho = {loss.relation: getattr(loss.event, "rho", None) for loss in cost.losses}
    assert rho["document add/remove"] == 100 / 8
    assert rho["document replace"] == 200 / 8
    assert rho["person add/remove"] == 900 / 8
    assert rho["person replace"] == 1800 / 8


def test_documents_are_priced_only_where_they_were_seen_and_cut():
    mechanism = GaussianCounts(0.1, 4, bounds=Bounds(max_length=3))
    words, documents, units = np.array([0, 0, 1, 2, 3, 3]), np.array([0, 4, 6]), np.array([0, 2, 4, 6])
    whole = mechanism(words, documents, noise("whole"))
    assert whole.value.dense().tolist() == [[2, 1, 0, 0], [0, 0, 0, 2]]
    divided = mechanism(words, documents, noise("divided"), units)
    assert divided.value.dense().tolist() == [[2, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 2]]
    for release in (whole, divided):
        assert {"document add/remove", "document replace"} < set(release.cost.relations)
    added = mechanism.add_to(np.array([[9, 9, 9, 9]]), noise("added"))
    assert added.cost.relations == ("word add/remove", "word replace")
    with pytest.raises(InputError, match="units must not cross documents"):
        mechanism(words, documents, noise(), np.array([0, 3, 5, 6]))


def test_units_cut_by_place_have_a_price_for_words_replaced_alone():
    mechanism = GaussianCounts(1.0, 4, shifting=True)
    words, documents = np.array([0, 1, 2, 3]), np.array([0, 4])
    released = mechanism(words, documents, noise("once"), np.array([0, 3, 4]))
    for cost in (released.cost, mechanism.add_to(np.zeros((2, 4), int), noise()).cost, mechanism.price()):
        assert cost.relations == ("word replace",)
        assert cost.losses == GaussianCounts(1.0, 4).price().losses_of("word replace")


def test_bad_counts_are_refused():
    mechanism = GaussianCounts(1.0, 5)
    for bad in (np.array([-1, 2]), np.array([0.5])):
        with pytest.raises(InputError, match="counts must be integers from 0 up"):
            mechanism.add_to(bad, noise())
    with pytest.raises(InputError, match="sigma must be"):
        GaussianCounts(0.0, 5)
    with pytest.raises(InputError, match="thresholded noise needs"):
        GaussianCounts(5000.0, 5)(np.array([0]), np.array([0, 1]), noise())


vectors = arrays(np.float64, (3, 4), elements=st.floats(-1e6, 1e6))


@settings(deadline=None)
@given(vectors, st.floats(1e-3, 1e3), st.sampled_from([1, 16, 4096]))
def test_no_row_weighs_more_than_the_clip(rows, clip, resolution):
    steps = ClippedSum(10.0, clip, resolution).clipped_steps(rows).toarray()
    assert np.all((steps.astype(object) ** 2).sum(axis=1) <= resolution**2)
    small = np.linalg.norm(rows, axis=1) <= clip
    error = np.abs(steps[small] * clip / resolution - rows[small])
    assert np.all(error <= clip / resolution * (1 + 1e-6))


def test_clipped_sum_has_the_noise_it_is_charged_for():
    mechanism = ClippedSum(multiplier=0.5, clip=2.0)
    rows = np.zeros((2, 40_000))
    rows[0, :4] = 1.0
    rows[1, 0] = 100.0  # clipped to 2
    for contributions in (rows, csr_matrix(rows)):
        released = mechanism(contributions, noise("sum", type(contributions).__name__)).value
        deviation = released[4:].std()
        assert deviation == pytest.approx(1.0, rel=norm.isf(FALSE_ALARM / 2) / np.sqrt(2 * 39_996) + 1e-3)
        assert np.all(np.abs(released[:4] - [3, 1, 1, 1]) < norm.isf(FALSE_ALARM / 8) * 1.001)


CHANGED_ROWS = {"word add/remove": 2, "word replace": 2, "document replace": 2}


OF_PERSONS = {"document add/remove": 2, "document replace": 4, "person add/remove": 1, "person replace": 2}


@pytest.mark.parametrize(
    ("unit", "bounds", "expected"),
    [
        ("document", Bounds(), {"document add/remove": 1}),
        (
            "document",
            Bounds(max_documents=5),
            {"document add/remove": 1, "person add/remove": 5, "person replace": 10},
        ),
        ("person", Bounds(), OF_PERSONS),
        ("person", Bounds(max_documents=5), OF_PERSONS),
    ],
)
def test_clipped_sum_prices_words_documents_and_persons(unit, bounds, expected):
    cost = ClippedSum(2.0, 3.0, 100, bounds, unit).price()
    assert {loss.event.sigma for loss in cost.losses} == {200.0}
    changed = {loss.relation: loss.event.sensitivity / 100 for loss in cost.losses}
    assert changed == CHANGED_ROWS | expected
    assert 0 < accounting.epsilon(cost.losses_of("document add/remove"), 1e-6) < 6


def test_a_sum_of_steps_is_released_as_integers_of_its_shape():
    mechanism = ClippedSum(2.0, 4.0, resolution=1000)
    total = np.arange(-3000, 3000).reshape(60, 100) * 10**6
    released = mechanism.release(total, noise("steps"))
    assert released.value.shape == total.shape
    assert released.value.dtype == np.int64
    deviation = (released.value - total).std()
    assert deviation == pytest.approx(2000, rel=norm.isf(FALSE_ALARM / 2) / np.sqrt(2 * 6000))
    assert released.cost == mechanism.price("simulated")
    called = mechanism(np.zeros((3, 40)), noise("same")).value
    assert np.array_equal(called, mechanism.release(np.zeros(40, int), noise("same")).value * (4.0 / 1000))
    for bad in (np.zeros(3), np.zeros(3, np.uint64), np.array([True]), np.array(["1"])):
        with pytest.raises(InputError, match="signed integers, in steps"):
            mechanism.release(bad, noise())


def test_bad_contributions_are_refused():
    for bad in (float("nan"), float("inf")):
        with pytest.raises(InputError, match="finite numbers"):
            ClippedSum(1.0, 1.0)(np.array([[bad]]), noise())
    for make in (
        lambda: ClippedSum(0.0, 1.0),
        lambda: ClippedSum(1.0, -1.0),
        lambda: ClippedSum(1.0, 1.0, 0),
        lambda: ClippedSum(1.0, 1.0, unit="family"),
        lambda: ClippedSum(1.0, 1.0, 9),
        lambda: ClippedSum(1e9, 1.0),
    ):
        with pytest.raises(InputError, match="got"):
            make()


@pytest.mark.parametrize(("epsilon", "delta"), [(3.0, 1e-2), (2.3, 5e-2)])
def test_an_audit_finds_more_than_half_of_the_epsilon_and_no_more_than_all(epsilon, delta):
    """A document that adds all it may to one number is there or not, 1,000 releases each.

    By the likelihood ratio: called there above a threshold that is set beforehand, about where the expected
    bound is largest. Clopper-Pearson bounds at 97.5 % on both rates give one on the epsilon at delta.
    """
    n_trials, resolution = 1000, 2**10
    multiplier = noise_multiplier(epsilon, delta)
    mechanism = ClippedSum(multiplier, 2.0, resolution)
    assert accounting.epsilon(mechanism.price().losses_of("document add/remove"), delta) <= epsilon
    others, worst = np.ones((20, 3)), np.array([[1e6, 0.0, 0.0]])
    heard = []
    for documents in (others, np.concatenate([others, worst])):
        total = np.asarray(mechanism.clipped_steps(documents).sum(axis=0)).ravel()
        stream = noise("audit", str(delta), len(documents))
        heard.append(np.array([mechanism.release(total, stream).value[0] for _ in range(n_trials)]))
    base = mechanism.clipped_steps(others).sum(axis=0)[0, 0]
    threshold = base + 2.1 * multiplier * resolution
    false, true = (int((values > threshold).sum()) for values in heard)
    least_true = beta.ppf(0.025, true, n_trials - true + 1)
    most_false = beta.ppf(0.975, false + 1, n_trials - false)
    found = np.log((least_true - delta) / most_false)
    assert epsilon / 2 < found < epsilon


def test_gaussian_tail_table_is_a_law():
    reached, cumulative = exact.gaussian_tail(exact.dyadic_variance(1.0), 1)
    weights = np.exp(-(np.arange(-40, 41) ** 2) / 2)
    assert float(reached) == pytest.approx(weights[41:].sum() / weights.sum())
    assert [float(c) for c in cumulative] == pytest.approx(
        np.cumsum(np.exp(-(np.arange(1, 1 + len(cumulative)) ** 2) / 2))
        / np.exp(-(np.arange(1, 60) ** 2) / 2).sum()
    )
