"""Jumps along the random numbers of the samplers (xoshiro128): parts of a stream are drawn side by side.

One step is linear in the 128 bits of the state, so n steps are the polynomial x^n modulo the generator's own
(Haramoto et al., Efficient jump ahead for F2-linear random number generators, INFORMS J. on Computing 2008).
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

STATE_BITS, WORD = 128, 0xFFFFFFFF


def step(state: list[int]) -> list[int]:
    """The four words of the state after one more number.

    >>> step([1, 2, 3, 4])
    [7, 0, 1026, 12288]
    """
    a, b, c, d = state
    c, d = c ^ a, d ^ b
    return [a ^ d, b ^ c, c ^ (b << 9 & WORD), (d << 11 | d >> 21) & WORD]


@cache
def modulus() -> int:
    """The generator's polynomial, bit i for x^i: the shortest recurrence of one bit of its state.

    By the algorithm of Berlekamp and Massey over two elements.
    """
    state, bits = [1, 2, 3, 4], []
    for _ in range(2 * STATE_BITS):
        bits.append(state[0] & 1)
        state = step(state)
    found, before, length, gap = 1, 1, 0, 1
    for n, _ in enumerate(bits):
        wrong = 0
        for i in range(length + 1):
            wrong ^= (found >> i & 1) & bits[n - i]
        if not wrong:
            gap += 1
            continue
        kept = found
        found ^= before << gap
        if 2 * length <= n:
            length, before, gap = n + 1 - length, kept, 1
        else:
            gap += 1
    return sum((found >> i & 1) << (length - i) for i in range(length + 1))


def product(a: int, b: int) -> int:
    """Of two polynomials, modulo that of the generator."""
    total = 0
    while b:
        if b & 1:
            total ^= a
        a <<= 1
        if a >> STATE_BITS:
            a ^= modulus()
        b >>= 1
    return total


@cache
def polynomials(n_bits: int, n_times: int) -> NDArray[np.uint32]:
    """Those of 2^r * t steps at (r, t), for r below `n_bits` and t below `n_times`, as four words each."""
    table = np.zeros((n_bits, n_times, 4), np.uint32)
    power = 2  # x
    for r in range(n_bits):
        at = 1
        for t in range(n_times):
            table[r, t] = [at >> 32 * word & WORD for word in range(4)]
            at = product(at, power)
        power = product(power, power)
    return table
