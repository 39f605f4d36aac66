"""`check_mechanism`: what every mechanism of ours must satisfy, for mechanisms of anybody.

On each of a mechanism's examples, which are small universes:

    price      touches no data, names its noise, and is what every release costs, whatever the data
    output     has the declared form; the same seed gives the same release, another seed another one
    untouched  the data is afterwards what it was
    parameter  is in every example; of its ends, `quiet` costs less than `loud`
    source     secure noise is marked as such, and simulated noise too
    refusals   a parameter that is no number, and data outside the universe
    law        for every neighboring pair of every relation that is priced, the exact law of the release keeps
               the price (hockey-stick divergence at the charged epsilon), and draws follow the law; without a
               law both are replaced by draws for every pair: no event may be likelier than the price allows

What is drawn is judged at a stated rate of false alarms, from a fixed seed.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial, reduce
from itertools import product
from math import exp, inf
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.checks.universe import Corpus, Pairs, data_of, neighbors
from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms import bounds
from fedtopics.privacy.mechanisms.mechanism import Law, Made, Mechanism
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.mechanisms.rows import SparseRows
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.cost import Cost, Relation
from fedtopics.privacy.price.release import Release

FALSE_ALARM = 1e-6  # of one mechanism that is right
N_DRAWS = 5_000
DELTAS = (0.0, 1e-6, 1e-2)
SLACK = 1e-9  # of floating-point numbers
LARGEST_EXPONENT = 700.0
BAD_NUMBERS = (float("nan"), inf, -1.0, None, "1")

Draws: TypeAlias = NDArray[np.int64]


def check_mechanism(mechanism: Mechanism, seed: int = 0) -> None:
    """Raise AssertionError, with what was expected and what came, unless the `mechanism` keeps its contract.

    All draws are from the `seed`.

    >>> from fedtopics.privacy.mechanisms.randomized_response import MECHANISM
    >>> check_mechanism(MECHANISM)
    """
    _require(mechanism.examples, "at least one example of public facts", "none")
    with _unwarned():
        for number, facts in enumerate(mechanism.examples):
            _check_example(mechanism, facts, partial(Noise.simulated, seed, "check", mechanism.name, number))


@contextmanager
def _unwarned() -> Iterator[None]:
    """Without the warning that documents are cut, as many of the examples are on purpose."""
    bounds.logger.disabled = True
    try:
        yield
    finally:
        bounds.logger.disabled = False


def _check_example(mechanism: Mechanism, facts: Mapping[str, Any], noise: Callable[..., Noise]) -> None:
    made = mechanism.make(**facts)
    pairs = neighbors(mechanism.takes, _n_words(mechanism, made), facts.get("bounds"))
    corpora = list(dict.fromkeys(corpus for both in pairs.values() for pair in both for corpus in pair))
    _check_price(mechanism, made, corpora, noise("price"))
    _check_parameter(mechanism, facts, made.price().relations)
    _check_repeats(mechanism, made, corpora, noise)
    _check_refusals(mechanism, made, facts, noise("refusals"))
    if mechanism.law is None:
        _check_draws_keep_the_price(mechanism, made, pairs, noise("draws"))
    else:
        _check_law_keeps_the_price(mechanism.law, mechanism, made, pairs)
        _check_draws_follow_the_law(mechanism.law, mechanism, made, corpora, noise("draws"))


def _require(holds: object, expected: str, got: object) -> None:
    if not holds:
        raise AssertionError(f"expected {expected}, got {got!r:.200}")


def _n_words(mechanism: Mechanism, made: Made) -> int:
    n_words = 2 if mechanism.takes == "vectors" else getattr(made, "n_words", None)
    _require(isinstance(n_words, int) and 2 <= n_words <= 4, "an example of 2 to 4 words (n_words)", n_words)
    return int(n_words or 0)


def _check_price(mechanism: Mechanism, made: Made, corpora: list[Corpus], noise: Noise) -> None:
    """The price is known before any data, and every release costs it."""
    price = made.price()
    _require(isinstance(price, Cost), "a Cost as the price", price)
    for source in ("secure", "simulated"):
        _require(made.price(source).noise == source, f"a price that names {source} noise", made.price(source))
    for corpus in corpora:
        data = data_of(mechanism.takes, [corpus])
        before = [array.copy() for array in data]
        release = made(*data, noise)
        _require(isinstance(release, Release), "a Release", release)
        _require(all(map(np.array_equal, before, data)), "data that is left as it is", "other data")
        _require(release.cost == made.price("simulated"), "a release that costs the price", release.cost)
        _check_form(mechanism, made, data, release.value)
    _require(made.price() == price, "the same price after a release", made.price())
    secured = made(*data_of(mechanism.takes, corpora), Noise.secure())
    _require(secured.cost == price, "secure noise marked as secure", secured.cost.noise)


def _check_parameter(mechanism: Mechanism, facts: Mapping[str, Any], relations: tuple[Relation, ...]) -> None:
    """What calibration turns is there, and its ends are what they are said to be."""
    parameter, quiet, loud = mechanism.parameter, mechanism.quiet, mechanism.loud
    if parameter is None:
        return
    _require(parameter in facts, "examples that name the parameter", parameter)
    for end in (quiet, loud):
        _require(0 < end < inf, "an end of the parameter above 0", end)
    least = mechanism.make(**{**facts, parameter: quiet}).price()
    try:
        most = mechanism.make(**{**facts, parameter: loud}).price()
    except InputError:  # less noise than it can be made with: calibration stops before
        return
    for relation, delta in product(relations, DELTAS):
        one, other = (accounting.epsilon(price.losses_of(relation), delta) for price in (least, most))
        expected = f"a lower price at {quiet=} than at {loud=}"
        _require(one < other or one == other == inf, expected, f"{one:.6g} and {other:.6g}")


def _check_form(mechanism: Mechanism, made: Made, data: tuple[Any, ...], value: Any) -> None:
    """What comes out has the form that the mechanism declares."""
    n_inputs = len(data[0]) if mechanism.takes in ("words", "vectors") else len(data[-1]) - 1
    if mechanism.gives == "rows":
        _require(isinstance(value, SparseRows), "sparse rows", type(value).__name__)
        _require(value.n_rows == n_inputs, f"{n_inputs} rows", value.n_rows)
        _require(value.n_words == _n_words(mechanism, made), "rows over all words", value.n_words)
        rows = np.repeat(np.arange(value.n_rows), np.diff(value.offsets))
        places = rows * value.n_words + value.words
        _require(np.all(np.diff(places) > 0), "ascending words in each row (the order must not tell)", places)
        return
    _require(isinstance(value, np.ndarray), "an array", type(value).__name__)
    if mechanism.gives == "vector":
        expected: tuple[int, ...] = (data[0].shape[1],)
    else:
        expected = (n_inputs,) if mechanism.gives == "words" else (n_inputs, *value.shape[1:2])
    _require(value.shape == expected, f"an array of shape {expected}", value.shape)
    whole = mechanism.gives != "vector"
    _require(np.issubdtype(value.dtype, np.integer) == whole, "numbers of the declared kind", value.dtype)


def _check_repeats(mechanism: Mechanism, made: Made, corpora: list[Corpus], noise: Any) -> None:
    """Noise comes from the `Noise` that is given, and from nothing else."""
    data = data_of(mechanism.takes, corpora * 20)
    first, again, other = (_flat(made(*data, noise(name)).value) for name in ("one", "one", "two"))
    _require(np.array_equal(first, again), "the same release from the same seed", "another")
    _require(not np.array_equal(first, other), "another release from another seed", "the same")


def _check_refusals(mechanism: Mechanism, made: Made, facts: Any, noise: Noise) -> None:
    """What makes no sense is refused, not released."""
    parameter = mechanism.parameter or "epsilon"
    for bad in BAD_NUMBERS if parameter in facts else ():
        _refused(lambda bad=bad: mechanism.make(**{**facts, parameter: bad}), f"{parameter} {bad!r}")
    if mechanism.takes == "vectors":
        _refused(lambda: made(np.array([[np.nan, 0.0]]), noise), "contributions that are no numbers")
    else:
        one_word: Any = ((0,), ()) if mechanism.takes == "units" else (0,)
        words, *offsets = data_of(mechanism.takes, [(one_word,)])
        _refused(lambda: made(words + _n_words(mechanism, made), *offsets, noise), "words that nobody knows")


def _refused(act: Any, what: str) -> None:
    try:
        act()
    except ValueError:
        return
    raise AssertionError(f"expected an InputError for {what}, got none")


def _charged(made: Made, relation: Relation) -> list[tuple[float, float]]:
    """(epsilon, delta) of a relation at some deltas, where it has a bound."""
    losses = made.price().losses_of(relation)
    priced = [(accounting.epsilon(losses, delta), delta) for delta in DELTAS]
    return [(epsilon, delta) for epsilon, delta in priced if epsilon < inf]


def _check_law_keeps_the_price(law: Law, mechanism: Mechanism, made: Made, pairs: Pairs) -> None:
    """No pair of neighbors can be told apart better than the price says."""
    known: dict[Corpus, NDArray[np.float64]] = {}
    for relation, both in pairs.items():
        charged = _charged(made, relation)
        for pair in both if charged else ():
            for corpus in pair:
                if corpus not in known:
                    known[corpus] = law.chances(made, *data_of(mechanism.takes, [corpus]))
                    total = known[corpus].sum(axis=1)
                    _require(np.allclose(total, 1.0), "chances that add up to one", total)
            _check_pair([known[corpus] for corpus in pair], pair, relation, charged)


def _check_pair(laws: Any, pair: Any, relation: str, charged: list[tuple[float, float]]) -> None:
    if laws[0].shape != laws[1].shape:
        raise AssertionError(f"expected no price for {relation}: the number of outputs shows, of {pair!r}")
    differ = np.flatnonzero(np.any(laws[0] != laws[1], axis=1))
    # Chances of all values together: the cells are independent.
    first, second = (reduce(lambda a, b: np.outer(a, b).ravel(), law[differ], np.ones(1)) for law in laws)
    for epsilon, delta in charged:
        factor = exp(min(epsilon, LARGEST_EXPONENT))
        for one, two in ((first, second), (second, first)):
            excess = float(np.maximum(one - factor * two, 0.0).sum())
            if excess > delta + SLACK:
                raise AssertionError(
                    f"expected {relation} to keep epsilon {epsilon:.6g} at delta {delta:g}, got a delta of "
                    f"{excess:.3g} between {pair[0]!r} and {pair[1]!r}"
                )


def _check_draws_follow_the_law(
    law: Law, mechanism: Mechanism, made: Made, corpora: list[Corpus], noise: Noise
) -> None:
    """Every cell of every corpus is drawn from its row of the law; of some corpora, where rows are summed."""
    from scipy.stats import chisquare

    some = corpora[:: max(1, len(corpora) // 3)]
    for group in [[corpus] for corpus in some] if mechanism.takes == "vectors" else [corpora]:
        chances = law.chances(made, *data_of(mechanism.takes, group))
        drawn = _drawn(mechanism, made, group, noise, partial(law.read, made))
        for cell, expected in enumerate(chances * len(drawn)):
            counts = np.bincount(drawn[:, cell], minlength=len(expected))
            _require(not counts[expected == 0].any(), "no value that the law excludes", counts)
            rare = expected < 10
            counts = np.append(counts[~rare], counts[rare].sum())
            expected = np.append(expected[~rare], expected[rare].sum())
            kept = expected >= 10
            if kept.sum() > 1:
                wanted = expected[kept] / expected[kept].sum() * counts[kept].sum()
                p = float(chisquare(counts[kept], wanted).pvalue)
                told = f"draws that follow the law in cell {cell}"
                _require(p > FALSE_ALARM / len(chances), told, f"p = {p:.1e}")


def _drawn(mechanism: Mechanism, made: Made, corpora: list[Corpus], noise: Noise, read: Any) -> Draws:
    """Many releases of some corpora, a row each; in one call, where documents do not meet in the release."""
    if mechanism.takes == "vectors":
        data = data_of(mechanism.takes, corpora)
        return np.array([read(made(*data, noise).value) for _ in range(N_DRAWS // 10)])
    value = made(*data_of(mechanism.takes, corpora * N_DRAWS), noise).value
    return np.asarray(read(value)).reshape(N_DRAWS, -1)


def _check_draws_keep_the_price(mechanism: Mechanism, made: Made, pairs: Pairs, noise: Noise) -> None:
    """No output, and no set of outputs that the first half of the draws suggests, is too likely."""
    priced = {relation: both for relation, both in pairs.items() if _charged(made, relation)}
    corpora = list(dict.fromkeys(corpus for both in priced.values() for pair in both for corpus in pair))
    drawn = {corpus: _drawn(mechanism, made, [corpus], noise, _flat) for corpus in corpora}
    outputs = {tuple(row) for rows in drawn.values() for row in np.unique(rows, axis=0).tolist()}
    number = {output: place for place, output in enumerate(sorted(outputs, key=repr))}
    numbers = {corpus: np.array([number[tuple(row)] for row in drawn[corpus].tolist()]) for corpus in corpora}
    n_tests = 2 * len(DELTAS) * sum(map(len, priced.values())) * (len(number) + 1)
    for relation, both in priced.items():
        for pair, (epsilon, delta) in product(both, _charged(made, relation)):
            if drawn[pair[0]].shape != drawn[pair[1]].shape:
                raise AssertionError(f"expected no price for {relation}: the number of outputs shows")
            for one, two in (pair, pair[::-1]):
                _require(
                    _is_likely_within(numbers[one], numbers[two], len(number), epsilon, delta, n_tests),
                    f"{relation} to keep epsilon {epsilon:.6g} at delta {delta:g}",
                    f"more of some outputs of {one!r} than of {two!r}",
                )


def _is_likely_within(one: Draws, two: Draws, size: int, epsilon: float, delta: float, n_tests: int) -> bool:
    """Whether draws of two neighbors are compatible with (epsilon, delta): exact bounds on every chance."""
    from scipy.stats import beta

    half, factor = len(one) // 2, exp(min(epsilon, LARGEST_EXPONENT))
    n, rare = len(one) - half, FALSE_ALARM / n_tests
    likely = np.bincount(one[:half], minlength=size) > factor * np.bincount(two[:half], minlength=size)
    hits, misses = (
        np.append(np.bincount(draws[half:], minlength=size), likely[draws[half:]].sum())
        for draws in (one, two)
    )
    least = np.where(hits > 0, beta.ppf(rare, np.maximum(hits, 1), n - hits + 1), 0.0)
    most = np.where(misses < n, beta.isf(rare, misses + 1, np.maximum(n - misses, 1)), 1.0)
    return bool(np.all(least <= factor * most + delta))


def _flat(value: Any) -> NDArray[Any]:
    """All numbers of a release, whatever its form."""
    return np.asarray(value.dense() if isinstance(value, SparseRows) else value).ravel()
