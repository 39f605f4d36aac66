"""Numbers that can be drawn from without rounding: dyadic epsilons, chances in 64 bits, probabilities in 256.

A floating-point epsilon or probability is first rounded to such a number, always towards more privacy, so the
price of the number that was asked for covers the one that is used:

    epsilon       down to a multiple of 2^-20      (the exact samplers work on rationals)
    sigma         up to a multiple of 2^-20 or, above 2^8, of 2^-(27 - log2 sigma)
    a chance      up or down, as its caller says, to a multiple of 2^-64

Probabilities of rare events are irrational and held to 256 bits: a coin compares a uniform real with them bit
by bit, so it is off by less than 2^-256, no more than the chance of guessing the key of the noise.
"""

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, inf, nextafter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.privacy.price.events import check_number

MECHANISM = None  # a part of mechanisms

Digits: TypeAlias = NDArray[np.uint16]

EPSILON_STEP = Fraction(1, 2**20)
LARGEST_EPSILON = 4096
LARGEST_SIGMA = 2**26
N_BITS = 256
N_GAP_BITS = 62
PRECISE = Context(prec=200)


def dyadic_epsilon(epsilon: float | Fraction) -> Fraction:
    """The largest multiple of 2^-20 that is at most epsilon.

    >>> dyadic_epsilon(0.5), float(dyadic_epsilon(0.1))
    (Fraction(1, 2), 0.09999942779541016)
    """
    check_number("epsilon", float(epsilon) if isinstance(epsilon, Fraction) else epsilon)
    if epsilon > LARGEST_EPSILON:
        raise InputError(f"epsilon must be at most {LARGEST_EPSILON}, got {float(epsilon):g}: no protection")
    return floor(Fraction(epsilon) / EPSILON_STEP) * EPSILON_STEP


def dyadic_variance(sigma: float) -> Fraction:
    """The square of `dyadic_sigma`: what the samplers take."""
    return dyadic_sigma(sigma) ** 2


def dyadic_sigma(sigma: float) -> Fraction:
    """Sigma, rounded up to what the sampler's integers can hold; a float holds it too."""
    check_number("sigma", sigma, open_minimum=True)
    if sigma > LARGEST_SIGMA:
        raise InputError(f"sigma must be at most {LARGEST_SIGMA}, got {sigma:g}; use a coarser grid")
    n_bits = min(20, 28 - (int(sigma) + 1).bit_length())
    return Fraction(ceil(Fraction(sigma) * 2**n_bits), 2**n_bits)


def chance_at_most(probability: float | Fraction | Decimal) -> int:
    """The probability in units of 2^-64, rounded down."""
    return _chance(floor(Fraction(probability) * 2**64), float(probability))


def chance_at_least(probability: float | Fraction | Decimal) -> int:
    """The probability in units of 2^-64, rounded up."""
    return _chance(ceil(Fraction(probability) * 2**64), float(probability))


def _chance(units: int, probability: float) -> int:
    if not 0 <= units < 2**64:
        raise InputError(f"a probability in [0, 1) was expected, got {quoted(probability)}")
    return units


def exp_minus(x: Fraction) -> Decimal:
    """e^-x, correctly rounded to 200 digits."""
    return PRECISE.exp(PRECISE.divide(Decimal(-x.numerator), Decimal(x.denominator)))


def exp_plus(epsilon: float) -> Decimal:
    """e^epsilon, correctly rounded to 200 digits."""
    return PRECISE.exp(Decimal(epsilon))


def rounded_up(number: Decimal) -> float:
    """The smallest float that is not below the number.

    >>> rounded_up(Decimal("6")), rounded_up(Decimal("5." + 30 * "9")), rounded_up(Decimal("0.1"))
    (6.0, 6.0, 0.1)
    """
    found = float(number)
    return found if Decimal(found) >= number else nextafter(found, inf)


def laplace_tail(epsilon: Fraction, threshold: int) -> Decimal:
    """Pr[discrete Laplace noise >= threshold] for a threshold >= 1: a^threshold / (1 + a), a = e^-epsilon."""
    with localcontext(PRECISE):
        return exp_minus(epsilon * threshold) / (1 + exp_minus(epsilon))


@lru_cache(maxsize=64)
def gaussian_tail(variance: Fraction, threshold: int) -> tuple[Decimal, tuple[Decimal, ...]]:
    """Probability that discrete Gaussian noise reaches a threshold, and the cumulative law of the excess."""
    with localcontext(PRECISE):
        reach = 20 * (int(variance**0.5) + 1) + 20  # beyond lies less than e^-200 < 2^-256
        ratio = exp_minus(1 / (2 * variance))
        masses, mass, odd = [Decimal(1)], Decimal(1), ratio
        for _ in range(max(reach, threshold + 1)):
            mass, odd = mass * odd, odd * ratio * ratio  # e^-((z+1)^2/2v) = e^-(z^2/2v) r^(2z+1)
            masses.append(mass)
        tail = masses[threshold:]
        total, reached = 2 * sum(masses, start=Decimal(0)) - 1, sum(tail, start=Decimal(0))
        cumulative, so_far = [], Decimal(0)
        for mass in tail[:-1]:
            so_far += mass
            cumulative.append(so_far / reached)
        return reached / total, tuple(cumulative)


@lru_cache(maxsize=16)
def gaussian_digits(variance: Fraction) -> Digits:
    """The cumulative law of discrete Gaussian noise that is not negative, zero included."""
    return digits(gaussian_tail(variance, 0)[1])


def digits(probabilities: list[Decimal] | tuple[Decimal, ...]) -> Digits:
    """256 bits of each probability as rows of sixteen 16-bit digits, most significant first."""
    with localcontext(PRECISE):
        whole = [min(int(p * 2**N_BITS), 2**N_BITS - 1) for p in probabilities]
    rows = [[(number >> shift) & 0xFFFF for shift in range(N_BITS - 16, -1, -16)] for number in whole]
    return np.array(rows, dtype=np.uint16).reshape(len(rows), N_BITS // 16)


@lru_cache(maxsize=256)
def gap_digits(success: Decimal) -> Digits:
    """Coins for the number of failures before a success (see `gap` in the kernel).

    With q = 1 - success the number is n with probability (1 - q) q^n, so its binary digit i is one with
    probability q^(2^i) / (1 + q^(2^i)), independently of the others.
    """
    if not 0 < success < 1:
        raise InputError(f"a probability strictly between 0 and 1 was expected, got {success}")
    with localcontext(PRECISE):
        coins, power = [], 1 - success
        for _ in range(N_GAP_BITS):
            coins.append(power / (1 + power))
            power *= power
            if power * 2**N_BITS < 1:
                break
        return digits([*coins, power])
