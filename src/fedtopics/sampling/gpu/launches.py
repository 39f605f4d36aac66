"""What is launched, and how much memory it takes: plain numbers, which need no card to be checked."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError
from fedtopics.sampling.gpu.device import Card

LANES = 16  # of half a warp
MOST_TEAMS = 32  # half-warps of the block that has a long row
LEAST_BITS = 4  # of the numbers that one of them draws: those of a vector fit in, whatever it proposes
LEAST_LONG, MOST_SHORT = 256, 4096  # tokens of a row that a half-warp may have; its counts have 16 bits
ROWS_OF_A_PASS = (
    8192  # half-warps that are at work at once: a row of more than its share is for a whole block
)
SHORT_THREADS = 256
SHORT_REGISTERS, REGISTERS = 64, 65_536  # of a thread, and of a multiprocessor
# Bytes of the block's own numbers beside its topics: struct Shares of warp.cu.
LONG_SHARED = MOST_TEAMS * (2 * 3 + 2) * 4 + 4 * LANES * 4
RECORD = 8  # bytes
TOKEN = RECORD + 4 + 2  # a record, its place, and its topic
RESERVE = 1 << 20  # bytes for what does not grow with the tokens, beside counts and rows


@dataclass(frozen=True)
class Launch:
    """How many blocks of how many threads, and the bytes of shared memory that each has."""

    blocks: int
    threads: int
    shared: int


def short_rows(card: Card, n_rows: int, n_topics: int) -> Launch:
    """For rows with a half-warp each: as many threads as fit on the card, and no more than there are rows."""
    threads = SHORT_THREADS
    while threads > LANES and _short_shared(threads, n_topics) > card.shared_block:
        threads //= 2
    shared = _short_shared(threads, n_topics)
    if shared > card.shared_block:
        raise too_many_topics(card, n_topics, _most_topics(card))
    fit = min(
        card.threads // threads, REGISTERS // (SHORT_REGISTERS * threads), card.shared // (shared + 1024)
    )
    needed = -(-n_rows // (threads // LANES))
    return Launch(max(1, min(card.n_processors * max(1, fit), needed)), threads, shared)


def long_rows(card: Card, n_rows: int, n_topics: int) -> Launch:
    """For rows with a block each."""
    shared = 2 * n_topics * 4
    if shared + LONG_SHARED > card.shared_block:
        raise too_many_topics(card, n_topics, _most_topics(card))
    return Launch(n_rows, MOST_TEAMS * LANES, shared)


def _short_shared(threads: int, n_topics: int) -> int:
    return 4 * (n_topics + threads // LANES * ((n_topics + 1) // 2))


def _most_topics(card: Card) -> int:
    return (card.shared_block - LONG_SHARED) // 8


def too_many_topics(card: Card, n_topics: int, most: int) -> InputError:
    """Shared memory of the card is too small for `n_topics`: it has room for `most`."""
    return InputError(
        f"expected at most {most:,} topics on {card.name}, got {n_topics:,}; use device='cpu' or fewer topics"
    )


@dataclass(frozen=True)
class ByLength:
    """Which rows are short and which are long, the longest first. Empty ones are neither."""

    short: NDArray[np.int32]
    long: NDArray[np.int32]

    @classmethod
    def of(cls, lengths: NDArray[np.int64]) -> "ByLength":
        """The rows of these `lengths`. Which of them are long changes no bit, but how long the pass takes.

        >>> ByLength.of(np.array([3, 0, 5000, 70]))
        ByLength(short=array([3, 0], dtype=int32), long=array([2], dtype=int32))
        """
        longest = min(max(LEAST_LONG, int(lengths.sum()) // ROWS_OF_A_PASS), MOST_SHORT)
        by_length = np.argsort(-lengths, kind="stable").astype(np.int32)
        n_long, n_rows = int((lengths > longest).sum()), int((lengths > 0).sum())
        return cls(by_length[n_long:n_rows], by_length[:n_long])


def tokens_at_once(memory: int, n_docs: int, n_words: int, n_topics: int) -> int:
    """How many tokens fit into this `memory` beside rows and priors."""
    fixed = RESERVE + 12 * (n_docs + n_words + 2) + 64 * n_topics
    return max(0, (memory - fixed) // TOKEN)


def parts(sizes: NDArray[np.int64], most: int, what: str, of: str = "tokens") -> list[tuple[int, int]]:
    """Consecutive rows, from and to, of at most `most` tokens (or what else `sizes` count) together.

    >>> parts(np.array([5, 5, 3, 9]), 10, "document")
    [(0, 2), (2, 3), (3, 4)]
    """
    longest = int(sizes.max(initial=0))
    if longest > most:
        raise InputError(
            f"expected GPU memory for a {what} of {longest:,} {of}, got room for {max(0, most):,}; "
            "use device='cpu'"
        )
    return list(_parts(sizes, most))


def _parts(sizes: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    ends, first = np.cumsum(sizes), 0
    while first < len(sizes):
        before = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield first, last
        first = last
