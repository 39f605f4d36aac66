"""From an attacker's scores of canaries to the epsilon that he reached.

Half of the canaries are known to the attacker: from them he learns above which score to say "there", below
which to say "not there", and which bound (`lower_bounds.py`) gives most. The other half, whose coins he
never sees, is guessed with these choices, and the bound is of these guesses alone: nothing is chosen by what
it gives there, so the confidence is the one that is stated.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.audit import lower_bounds

CONFIDENCE = lower_bounds.CONFIDENCE
How: TypeAlias = Literal["one run", "Clopper-Pearson", "Gaussian"]
SURE = 1 - 1e-6  # confidence at which a proof counts as refuted: one false alarm in a million audits
SHARES = (0.5, 0.45, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01)  # of the canaries that may be guessed
HARMLESS = 1e-3  # canaries times delta, below which the bound of one run hardly loses by delta
NEAR = 0.02  # deviations: scores that are the same but for rounding, or for one word more in a sum


@dataclass(frozen=True, eq=False)
class Scored:
    """Scores of canaries, larger where the attacker believes them there, and whether they are."""

    scores: NDArray[np.float64]
    there: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.scores)


def area(seen: Scored) -> float:
    """The chance that a canary that is there scores above one that is not, ties counted half (AUC)."""
    from scipy.stats import rankdata

    n_there, n_others = int(seen.there.sum()), int((~seen.there).sum())
    above = rankdata(seen.scores)[seen.there].sum() - n_there * (n_there + 1) / 2
    return float(above / max(1, n_there * n_others))


@dataclass(frozen=True)
class Rule:
    """Says "there" from `high` on, "not there" up to `low`, nothing between; read by the bound `how`."""

    how: How
    high: float
    low: float

    def epsilon(self, seen: Scored, delta: float, confidence: float) -> float:
        """The lower bound on epsilon from the guesses of this rule."""
        said = seen.scores >= self.high
        denied = (seen.scores <= self.low) & ~said
        if self.how == "one run":
            n_right = int((said & seen.there).sum() + (denied & ~seen.there).sum())
            return lower_bounds.one_run(len(seen), int((said | denied).sum()), n_right, delta, confidence)
        true, false = (
            (int((said & chosen).sum()), int(chosen.sum())) for chosen in (seen.there, ~seen.there)
        )
        bound: Callable[..., float] = {
            "Clopper-Pearson": lower_bounds.clopper_pearson,
            "Gaussian": lower_bounds.gaussian,
        }[self.how]
        return bound(true, false, delta, confidence)


@dataclass(frozen=True)
class Reached:
    """What an attack reached: epsilon is at least `epsilon` at `confidence`, and `surely` nearly for sure."""

    epsilon: float
    surely: float
    delta: float
    how: How
    n_canaries: int
    confidence: float = CONFIDENCE


def reached(
    known: Scored,
    guessed: Scored,
    *,
    delta: float = 0.0,
    independent: bool = False,
    gaussian: bool = False,
    confidence: float = CONFIDENCE,
) -> Reached:
    """The lower bound from the canaries `guessed`, by the rule that gives most on those that are `known`.

    `independent`: canaries were released each on its own, so that rates may be counted; `gaussian`: and the
    proof to be tested is one of Gaussian noise.
    """
    rules = []
    if not independent or len(guessed) * delta < HARMLESS:
        highs, lows = _quantiles(known, upper=True), [-np.inf, *_quantiles(known, upper=False)]
        rules += [Rule("one run", high, low) for high in highs for low in lows]
    if independent:
        cuts = [*_quantiles(known, upper=True), *_quantiles(known, upper=False)]
        rules += [Rule("Clopper-Pearson", cut, -np.inf) for cut in cuts]
    if independent and gaussian:  # in the middle, where both rates are known best
        rules.append(Rule("Gaussian", float(np.median(known.scores)), -np.inf))
    best = max(rules, key=lambda rule: rule.epsilon(known, _cheap(rule, delta), confidence))
    found, surely = (best.epsilon(guessed, delta, level) for level in (confidence, SURE))
    return Reached(found, surely, delta, best.how, len(guessed), confidence)


def _cheap(rule: Rule, delta: float) -> float:
    """The delta to choose rules by: that of the one-run bound takes long and moves little."""
    return 0.0 if rule.how == "one run" else delta


def _quantiles(known: Scored, upper: bool) -> list[float]:
    """Scores that cut off a share of the known canaries, and what is hardly different from them."""
    shares = [1 - share for share in SHARES] if upper else list(SHARES)
    found: NDArray[Any] = np.quantile(known.scores, shares, method="nearest")
    margin = (-NEAR if upper else NEAR) * known.scores.std()
    return sorted(set((found + margin).tolist()))
