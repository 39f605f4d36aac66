"""How the budget of hush is shared among its releases, and with how much noise each of them is made.

A kind of release with the share f of the budget and n rounds has noise of deviation m sqrt(n / f), in norms
of a unit, m = `noise_multiplier(epsilon, delta)`: together they cost epsilon at delta. Few rounds leave kinds
of releases out; the others share the budget.
"""

from dataclasses import dataclass
from math import sqrt
from typing import cast

from fedtopics.errors import InputError
from fedtopics.methods.hush.contributions import FINE, PRODUCTS
from fedtopics.privacy.mechanisms.clipped_sum import ClippedSum, Unit
from fedtopics.privacy.mechanisms.exact import LARGEST_SIGMA
from fedtopics.privacy.price.cost import FREE, Cost
from fedtopics.privacy.price.gaussian import noise_multiplier

SHARES = {"totals": 0.14, "moments": 0.10, "groups": 0.06, "counts": 0.68, "gain": 0.02}


@dataclass(frozen=True)
class Spending:
    """What is spent on each kind of release in so many rounds."""

    epsilon: float
    delta: float
    unit: str
    n_rounds: int

    @property
    def n_groupings(self) -> int:
        """Rounds of k-means."""
        return max(0, min(self.n_rounds - 2, max(1, (self.n_rounds - 3) // 2)))

    @property
    def n_countings(self) -> int:
        """Rounds of EM."""
        return max(0, self.n_rounds - 3 - self.n_groupings)

    @property
    def times(self) -> dict[str, int]:
        """How many releases there are of each kind that has any, in order."""
        found = {
            "totals": 1,
            "moments": int(self.n_rounds > 1),
            "groups": self.n_groupings,
            "counts": self.n_countings,
            "gain": int(self.n_rounds > 3),
        }
        return {what: number for what, number in found.items() if number}

    @property
    def multipliers(self) -> dict[str, float]:
        """Deviation of the noise of one release of each kind, in norms of a unit; none at epsilon 0."""
        if self.epsilon == 0:
            return {}
        whole, noise = sum(SHARES[what] for what in self.times), noise_multiplier(self.epsilon, self.delta)
        return {what: noise * sqrt(whole * n / SHARES[what]) for what, n in self.times.items()}

    def check(self) -> None:
        """Refuse a budget that asks for more noise than can be drawn."""
        if max((m * _resolution(what) for what, m in self.multipliers.items()), default=0) > LARGEST_SIGMA:
            raise InputError(
                f"expected a budget that leaves some signal, got epsilon {self.epsilon:g} at delta "
                f"{self.delta:g} for {self.n_rounds} rounds; take a larger epsilon, or fewer rounds"
            )

    def mechanism(self, what: str) -> ClippedSum:
        """The mechanism of a kind of release; one that so few rounds have not is refused."""
        if what not in self.multipliers:
            raise InputError(f"a run of {self.n_rounds} rounds releases no {what}")
        return ClippedSum(self.multipliers[what], resolution=_resolution(what), unit=cast(Unit, self.unit))

    def price(self, what: str) -> Cost:
        """Of one release of this kind."""
        return self.mechanism(what).price() if self.epsilon else FREE


def _resolution(what: str) -> int:
    return PRODUCTS if what == "moments" else FINE
