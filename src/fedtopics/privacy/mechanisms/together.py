r"""Noise that parties draw together: each adds a share, and their sum has the noise of the price.

A sum has at least l parties, of whom at most t work together with who sees it. Every party adds discrete
Gaussian noise of variance sigma^2 / (l - t); the others leave noise of variance at least sigma^2.

That sum of m = l - t discrete Gaussians of deviation s = sigma / sqrt(m) each is not quite a discrete
Gaussian of deviation sigma. Two of variances a and b have the law

    Pr[z] ~ sum_y e^(-y^2/(2a) - (z-y)^2/(2b)) = e^(-z^2/(2(a+b))) sum_y e^(-(y - za/(a+b))^2 / (2c)),
    c = ab/(a+b),

and by Poisson's formula the last sum is the same for every z up to a factor of 1 +- 2.1 e^(-2 pi^2 c). One
share after the other (a = k s^2, b = s^2), the chances of all values are those of the discrete Gaussian up to
a factor e^(+-L),

    L <= 10 sum_{k=1}^{m-1} e^(-2 pi^2 s^2 k/(k+1))        (Kairouz, Liu, Steinke, ICML 2021)

Shares have a deviation of at least 10 steps, so L < 10 m e^(-986) < 10^-425 for up to 100 parties, and below
10^-413 for all 10^12 coordinates of a ledger: far within what `price.gaussian` adds to every epsilon and
delta. What is priced is therefore the discrete Gaussian of deviation sigma.
"""

from dataclasses import dataclass, replace
from math import sqrt

from fedtopics.errors import InputError
from fedtopics.privacy.price.cost import Cost, Loss
from fedtopics.privacy.price.events import LEAST_SIGMA, GaussianVector

MECHANISM = None  # a part of mechanisms


@dataclass(frozen=True)
class Together:
    """Noise of sums of at least `n_least` of `n_parties`, of whom `threshold` may tell theirs."""

    n_parties: int
    threshold: int
    n_least: int

    def __post_init__(self) -> None:
        if not (0 <= self.threshold <= self.n_least - 2 and self.n_least <= self.n_parties):
            raise InputError(f"expected sums in which two or more parties hide each other, got {self}")

    @property
    def enough(self) -> int:
        """How many shares are the whole noise."""
        return self.n_least - self.threshold

    def share(self, sigma: float) -> float:
        """Deviation of the noise of one party where theirs together is to be `sigma`, in steps."""
        found = sigma / sqrt(self.enough)
        if found < LEAST_SIGMA:
            raise InputError(f"a share of noise must be at least {LEAST_SIGMA:g} steps, got {found:g}")
        return found

    def of_sum(self, n_present: int) -> float:
        """Deviation of the noise in a sum of so many parties, in that of the price."""
        return sqrt(n_present / self.enough)

    def priced(self, cost: Cost) -> Cost:
        """The cost with what it is before a coordinator whom no party helps: it sees more noise."""
        if not cost.losses:
            return cost
        return replace(cost, alone=tuple(self._before_one(loss) for loss in cost.losses))

    def _before_one(self, loss: Loss) -> Loss:
        if not isinstance(loss.event, GaussianVector):
            raise InputError(f"noise that is drawn together is Gaussian on sums, got {loss.event!r}")
        louder = loss.event.sigma * self.of_sum(self.n_least)
        return replace(loss, event=replace(loss.event, sigma=louder))
