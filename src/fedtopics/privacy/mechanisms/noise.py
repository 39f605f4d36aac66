"""Exact discrete noise from a cryptographic stream.

Two sources, chosen by name and recorded in the ledger:

    Noise.secure()                   ChaCha20 keyed from the operating system: the only one for real data
    Noise.simulated(seed, *address)  ChaCha20 keyed from a seed: for experiments; protects nothing

Mechanisms take a `Noise` and never a seed or a NumPy generator, so a party that asks for secure noise cannot
be given another. Samplers follow Canonne, Kamath and Steinke (NeurIPS 2020) in integer arithmetic
(`_core/exact.hpp`); floating-point noise leaks through its gaps (Mironov, CCS 2012).
"""

import hashlib
import json
import os
from decimal import Decimal
from fractions import Fraction
from math import isqrt
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.harmless import quoted, showing_no_text
from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms import _noise, exact
from fedtopics.privacy.mechanisms.rows import SparseRows, rows_like
from fedtopics.privacy.mechanisms.together import Together
from fedtopics.privacy.price.cost import NoiseSource

MECHANISM = None  # a part of mechanisms

SMALLEST_BLOCK, LARGEST_BLOCK = 2**12, 2**20
WIDEST_TABLE = 32  # deviations in steps up to which Gaussian noise is drawn from a table, five times as fast


class Noise:
    """Exact draws, `size` in a call, secure or from a `known_key`; not for two threads or two processes.

    Where parties draw noise `together`, on sums, each draws its share, and no other noise at all.

    >>> Noise.simulated(7, "example").laplace(Fraction(1, 2), 4).tolist()
    [-2, 3, 4, 0]
    """

    def __init__(self, known_key: bytes | None = None, *, together: Together | None = None) -> None:
        self._source: NoiseSource = "secure" if known_key is None else "simulated"
        self._process, self.together = os.getpid(), together
        self._held = _noise.Stream(_Keystream(os.urandom(32) if known_key is None else known_key))

    @property
    def source(self) -> NoiseSource:
        """What the ledger says of a release with this noise."""
        return self._source

    @classmethod
    def secure(cls, together: Together | None = None) -> "Noise":
        """Noise that nobody can predict or repeat; a party's part of it, where all draw it `together`."""
        return cls(together=together)

    @classmethod
    def simulated(cls, seed: int, *address: int | str, together: Together | None = None) -> "Noise":
        """Noise that anyone who knows the `seed` can repeat, one stream per `address`; the ledger says so.

        A party's part of it, where all draw it `together`.
        """
        with showing_no_text(f"expected a whole number as seed, got {quoted(seed)}"):
            name = json.dumps(["fedtopics simulated noise", int(seed), *address]).encode()
        return cls(hashlib.sha256(name).digest(), together=together)

    def laplace(self, epsilon: Fraction, size: int) -> NDArray[np.int64]:
        """Integers with Pr[z] ~ e^(-`epsilon` |z|)."""
        s, t = _rate(epsilon)
        return _noise.laplace(self._stream, s, t, size)

    def geometric(self, epsilon: Fraction, size: int) -> NDArray[np.int64]:
        """Integers >= 0 with Pr[z] ~ e^(-`epsilon` z)."""
        s, t = _rate(epsilon)
        return _noise.geometric(self._stream, s, t, size)

    def gaussian(self, variance: Fraction, size: int) -> NDArray[np.int64]:
        """Integers with Pr[z] ~ e^(-z^2 / (2 `variance`)): from a table where the law is narrow."""
        return _drawn(self._stream, variance, size)

    def of_sum(self, sigma: float, size: int) -> NDArray[np.int64]:
        """Gaussian noise of deviation `sigma` on a sum, or the party's share where all draw it together."""
        own = sigma if self.together is None else self.together.share(sigma)
        return _drawn(self._own_stream, exact.dyadic_variance(own), size)

    def exp_minus(self, x: Fraction, size: int) -> NDArray[np.bool_]:
        """Bernoulli draws with probability e^-x of a fraction `x`."""
        if x < 0:
            raise InputError(f"e^-x is a probability for x >= 0 only, got {x}")
        return _noise.exp_minus(self._stream, x.numerator, x.denominator, size).astype(bool)

    def coins(self, chance: int, size: int) -> NDArray[np.bool_]:
        """Bernoulli draws with probability `chance` / 2^64."""
        return _noise.coins(self._stream, chance, size).astype(bool)

    def below(self, n: int, size: int) -> NDArray[np.int64]:
        """Integers uniform in 0, ..., `n` - 1."""
        if n < 1:
            raise InputError(f"a positive number of values was expected, got {n}")
        return _noise.below(self._stream, n, size)

    def survivors(self, success: Decimal, n_positions: int) -> NDArray[np.int64]:
        """Positions below `n_positions`, ascending, where coins of chance `success` succeed; skips others."""
        return _noise.survivors(self._stream, exact.gap_digits(success), n_positions)

    def laplace_rows(
        self,
        words: NDArray[np.int32],
        offsets: NDArray[np.int64],
        n_words: int,
        *,
        epsilon: Fraction,
        threshold: int,
        step: int = 1,
    ) -> SparseRows:
        """Histogram of each row (`words` by `offsets`) times `step` plus discrete Laplace noise.

        The noise, of `epsilon`, is on each of `n_words`; what is >= `threshold` is kept, on disk where
        the words are.
        """
        coins = exact.gap_digits(exact.laplace_tail(epsilon, threshold))
        s, t = _rate(epsilon)
        given = (self._stream, words, offsets, n_words, step, threshold, coins, s, t)
        return rows_like(words, n_words, lambda keep: _noise.laplace_rows(*given, keep))

    def gaussian_rows(
        self,
        words: NDArray[np.int32],
        offsets: NDArray[np.int64],
        n_words: int,
        *,
        variance: Fraction,
        threshold: int,
        step: int = 1,
    ) -> SparseRows:
        """Histogram of each row (`words` by `offsets`) times `step` plus discrete Gaussian noise.

        The noise, of `variance`, is on each of `n_words`; what is >= `threshold` is kept, on disk where
        the words are.
        """
        reached, excess = exact.gaussian_tail(variance, threshold)
        law = (exact.gap_digits(reached), *_gaussian(variance), exact.digits(excess))
        given = (self._stream, words, offsets, n_words, step, threshold, *law)
        return rows_like(words, n_words, lambda keep: _noise.gaussian_rows(*given, keep))

    @property
    def _stream(self) -> Any:
        if self.together is not None:  # such as noise on words, which nobody else adds to
            raise InputError("noise that parties draw together is noise on sums; another kind was asked for")
        return self._own_stream

    @property
    def _own_stream(self) -> Any:
        if os.getpid() != self._process:  # a copy would repeat the noise, and differences would cancel it
            raise InputError("noise was made in another process; make a new Noise after a fork")
        return self._held

    def __reduce__(self) -> NoReturn:
        raise TypeError("noise cannot be copied or stored: the copy would repeat it")


class _Keystream:
    """The bytes of a stream: blocks of growing size, each ChaCha20 under the key and a nonce of its own."""

    def __init__(self, key: bytes) -> None:
        if len(key) != 32:
            raise InputError(f"a key of 32 bytes was expected, got {len(key)}")
        self._key = key
        self._n_blocks = 0

    def __call__(self) -> bytes:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms

        nonce = bytes(8) + self._n_blocks.to_bytes(8, "little")
        size = min(SMALLEST_BLOCK << min(self._n_blocks, 16), LARGEST_BLOCK)
        self._n_blocks += 1
        return Cipher(algorithms.ChaCha20(self._key, nonce), mode=None).encryptor().update(bytes(size))


def _drawn(stream: Any, variance: Fraction, size: int) -> NDArray[np.int64]:
    law = _gaussian(variance)
    if variance <= WIDEST_TABLE**2:
        return _noise.two_sided(stream, exact.gaussian_digits(variance), size)
    return _noise.gaussian(stream, *law, size)


def _rate(epsilon: Fraction) -> tuple[int, int]:
    if not isinstance(epsilon, Fraction) or epsilon <= 0 or max(epsilon.as_integer_ratio()) >= 2**40:
        raise InputError(f"a small positive fraction was expected for epsilon, got {quoted(epsilon)}")
    return epsilon.numerator, epsilon.denominator


def _gaussian(variance: Fraction) -> tuple[int, int, int]:
    """(n, d, t) of the kernel: variance n / d, and t = floor(sigma) + 1."""
    if not isinstance(variance, Fraction) or variance <= 0 or max(variance.as_integer_ratio()) >= 2**57:
        raise InputError(f"a variance from `dyadic_variance` was expected, got {quoted(variance)}")
    n, d = variance.as_integer_ratio()
    return n, d, isqrt(n // d) + 1
