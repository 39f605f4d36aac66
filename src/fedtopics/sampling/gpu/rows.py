"""Matrices of topics as the kernels of `vectors.cuh` read them, and how many half-warps read them at once."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedtopics.sampling.gpu.device import Card, Device
from fedtopics.sampling.gpu.launches import LANES, Launch, too_many_topics

MOST_VECTORS = 16  # of a row that lies in registers
THREADS = 128
REGISTERS = 65_536  # of a multiprocessor, on every card from compute capability 7.0 on


def n_vectors(n_topics: int) -> int:
    """Of a row of `n_topics`.

    >>> n_vectors(100)
    7
    """
    return -(-n_topics // LANES)


def in_registers(n_topics: int) -> int:
    """VECTORS: those of a row that fits into registers, else 0."""
    return n_vectors(n_topics) if n_vectors(n_topics) <= MOST_VECTORS else 0


def padded(matrix: ArrayLike) -> NDArray[np.float32]:
    """Rows (n, n_topics) with zeros up to whole vectors.

    >>> padded([[1, 2, 3]]).shape
    (1, 16)
    """
    given = np.ascontiguousarray(matrix, np.float32)
    if given.shape[1] % LANES == 0:
        return given
    rows = np.zeros((len(given), n_vectors(given.shape[1]) * LANES), np.float32)
    rows[:, : given.shape[1]] = given
    return rows


@dataclass(frozen=True)
class Need:
    """What a half-warp of a kernel needs: `n_rows` rows of topics of its own, and `beside` floats.

    registers   of a thread, for rows in shared memory, and for rows of up to 8 and 16 vectors in registers
    """

    n_rows: int
    registers: tuple[int, int, int]
    beside: int = 0

    def constants(self, n_topics: int) -> dict[str, int]:
        """How the kernel is compiled: vectors in registers, and blocks that a multiprocessor has room for.

        >>> Need(4, (96, 128, 168)).constants(100)
        {'VECTORS': 7, 'BLOCKS': 4}
        """
        vectors = in_registers(n_topics)
        return {"VECTORS": vectors, "BLOCKS": REGISTERS // (THREADS * self.registers[-(-vectors // 8)])}


def launch(card: Card, n: int, n_topics: int, need: Need, *, at_once: bool = False) -> Launch:
    """For `n` documents, a half-warp each; `at_once`: no more half-warps than work at the same time.

    >>> card = Card("a card", 10, 2048, 101376, 102400, 1 << 30)
    >>> launch(card, 1_000_000, 100, Need(4, (96, 128, 168)))
    Launch(blocks=125000, threads=128, shared=0)
    >>> launch(card, 1_000_000, 100, Need(4, (96, 128, 168)), at_once=True)
    Launch(blocks=40, threads=128, shared=0)
    """
    n_rows, beside = need.n_rows, need.beside
    floats = beside + (0 if in_registers(n_topics) else n_rows * n_vectors(n_topics) * LANES)
    threads = THREADS
    while threads > LANES and threads // LANES * floats * 4 > card.shared_block:
        threads //= 2
    shared = threads // LANES * floats * 4
    if shared > card.shared_block:
        raise too_many_topics(card, n_topics, ((card.shared_block // 4 - beside) // n_rows) // LANES * LANES)
    blocks = -(-n // (threads // LANES))
    if at_once:
        fit = min(need.constants(n_topics)["BLOCKS"] * THREADS // threads, card.shared // (shared + 1024))
        blocks = min(blocks, card.n_processors * max(1, fit))
    return Launch(max(1, blocks), threads, shared)


def run(
    device: Device, source: str, kernel: str, launch: Launch, given: tuple[Any, ...], **constants: int
) -> None:
    """Launches a kernel of `source` as planned."""
    device.launch(source, kernel, launch.blocks, launch.threads, given, shared=launch.shared, **constants)


def longest_first(lengths: NDArray[np.integer]) -> NDArray[np.int32]:
    """Numbers of the rows, the longest first: half-warps of one warp have equally much to do."""
    return np.argsort(-lengths, kind="stable").astype(np.int32)
