"""Statistical assertions that state how often they cry wolf."""

import os

import numpy as np
from scipy.stats import binom, chi2_contingency, chisquare

FALSE_ALARM = 1e-6  # per assertion when the code is right, so 100 of them fail one nightly run in 10,000
SEED = int.from_bytes(os.urandom(4), "little") if os.environ.get("FRESH_SEEDS") else 20


def assert_drawn_from(counts: np.ndarray, probabilities: np.ndarray) -> None:
    """`counts` are independent draws from `probabilities`; cells with few expected draws are pooled."""
    counts, expected = np.asarray(counts, float), np.asarray(probabilities, float) * np.sum(counts)
    impossible = expected == 0
    assert not counts[impossible].any(), f"seed {SEED}: drew what cannot happen: {counts[impossible]}"
    rare = expected < 10
    if rare.any():
        counts = np.append(counts[~rare], counts[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    counts, expected = counts[expected > 0], expected[expected > 0]
    if expected[-1] < 10 and len(expected) > 1:  # the pool of rare cells is itself rare
        tail = binom.sf(counts[-1] - 1, int(counts.sum()), expected[-1] / expected.sum())
        assert tail > FALSE_ALARM / 2, f"seed {SEED}: rare values came {counts[-1]} times"
        counts, expected = counts[:-1], expected[:-1]
    if len(expected) > 1:
        p = chisquare(counts, expected / expected.sum() * counts.sum()).pvalue
        assert p > FALSE_ALARM / 2, f"seed {SEED}: p = {p:.1e}: drew {counts}, expected {expected.round(1)}"


def assert_same_law(first: np.ndarray, second: np.ndarray) -> None:
    """Two samples of integers come from one distribution (chi-square on the table, rare values pooled)."""
    values = np.unique(np.concatenate([first, second]))
    table = np.array([[np.sum(sample == value) for value in values] for sample in (first, second)])
    common = table.sum(axis=0) >= 40
    table = np.column_stack([table[:, common], table[:, ~common].sum(axis=1)])
    table = table[:, table.sum(axis=0) > 0]
    p = chi2_contingency(table).pvalue
    assert p > FALSE_ALARM, f"seed {SEED}: p = {p:.1e}: {table}"
