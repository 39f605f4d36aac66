"""Gaussian noise in every round, accounted in three ways: the table of `fedtopics gaussian`.

PLD    privacy-loss distributions of the noise that is drawn: the tightest
RDP    Renyi divergences, the moments accountant of PC-TD's proof done right (Abadi et al., CCS 2016;
       Mironov, CSF 2017)
claim  the conditions in the proof of PC-TD's Theorem 1, whether they hold or not
"""

from dataclasses import dataclass
from functools import partial
from typing import Literal

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.methods.pctd.paper import moments_claim
from fedtopics.privacy.mechanisms.bounds import check_size
from fedtopics.privacy.mechanisms.calibration import bisect
from fedtopics.privacy.mechanisms.gaussian_counts import GaussianCounts
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.cost import Relation
from fedtopics.privacy.price.events import check_delta, check_number

RELATIONS: tuple[Relation, ...] = ("word add/remove", "word replace")
ACCOUNTANTS: tuple[Literal["pld", "rdp"], ...] = ("pld", "rdp")
GRID = 64  # steps of the noise in one token, near enough to the paper's continuous noise
LEAST_SIGMA, LARGEST_SIGMA = 0.12, 15.0


@dataclass(frozen=True)
class Accounts:
    """Epsilon of one relation at (sigma, rounds, delta) by each accountant."""

    relation: str
    sigma: float
    rounds: int
    delta: float
    pld: float
    rdp: float
    claim: float | None  # the paper speaks of words added and removed only


def accounts(sigma: float, rounds: int = 1, delta: float = 1e-5) -> list[Accounts]:
    """Epsilon for a word added or removed, and for one replaced, side by side.

    >>> word, replaced = accounts(0.25, rounds=35)
    >>> [round(epsilon, 1) for epsilon in (word.pld, word.rdp, replaced.pld)]
    [380.0, 390.9, 701.8]
    """
    return [_accounts(relation, sigma, rounds, delta) for relation in RELATIONS]


def sigma_for(epsilon: float, relation: Relation, rounds: int = 1, delta: float = 1e-5) -> dict[str, float]:
    """The least sigma that keeps epsilon, by each accountant."""
    check_number("epsilon", epsilon, open_minimum=True)
    if relation not in RELATIONS:
        raise InputError(f"relation must be one of {', '.join(RELATIONS)}, got {quoted(relation)}")

    def cost(accountant: str, sigma: float) -> float:
        return float(getattr(_accounts(relation, sigma, rounds, delta), accountant))

    return {
        name: bisect(partial(cost, name), LARGEST_SIGMA, LEAST_SIGMA, epsilon, relation)
        for name in ACCOUNTANTS
    }


def _accounts(relation: Relation, sigma: float, rounds: int, delta: float) -> Accounts:
    check_number("sigma", sigma, open_minimum=True)
    check_size("number of rounds", rounds)
    check_delta(delta)
    if not delta > 0:
        raise InputError(f"Gaussian noise needs a delta above 0, got {delta}")
    losses = GaussianCounts(sigma, 1, grid=GRID).price().losses_of(relation)
    counts = tuple((loss.event, loss.count * rounds) for loss in losses)
    claim = moments_claim(sigma, rounds, delta) if relation == "word add/remove" else None
    pld, rdp = accounting.pld_epsilon(counts, delta), accounting.rdp_epsilon(counts, delta)
    return Accounts(relation, sigma, rounds, delta, pld, rdp, claim)
