"""Sums over units that are cut to a norm, on a GPU: `clipped_counts.sum_of_differences`, bit for bit."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError
from fedtopics.sampling.gpu import rows
from fedtopics.sampling.gpu.device import Buffer, Device
from fedtopics.sampling.gpu.launches import LANES

NEED = rows.Need(2, (64, 64, 80))
SHARE = 0.5  # of the card's memory that the half-warps' rooms may take

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Units:
    """Documents of units on the card, and the row of each entry's word among the words of its unit."""

    numbers: Buffer
    units: Buffer
    offsets: Buffer
    words: Buffer
    counts: Buffer
    slots: Buffer
    row_offsets: Buffer
    row_words: Buffer
    n_units: int
    longest: int
    most_rows: int


def sum_of_differences(
    device: Device,
    entries: tuple[Ints, Floats, Longs, Longs],
    phi: Floats,
    expected: Floats,
    weights: Floats,
    *,
    alpha: float,
    n_steps: int,
    cap: float,
    clip: float,
    resolution: int,
) -> NDArray[np.int64]:
    """The sum (n_words, n_topics) in steps; `entries` are words, counts, offsets and units."""
    n_words, n_topics = phi.shape
    units = _units(device, *entries, n_words)
    width = rows.n_vectors(n_topics) * LANES
    launch = rows.launch(device.card, units.n_units, n_topics, NEED, at_once=True)
    teams = launch.threads // LANES
    room = width * (4 * units.longest + 8 * units.most_rows)
    blocks = max(1, min(launch.blocks, int(SHARE * device.card.memory) // (room * teams)))
    totals, outside = device.zeros((n_words, width), np.uint64), device.zeros((1,), np.int32)
    given = (
        *(units.numbers, np.int32(units.n_units), units.units, units.offsets, units.words, units.counts),
        *(units.slots, units.row_offsets, units.row_words),
        *(device.put(rows.padded(matrix)) for matrix in (phi, expected, weights)),
        *(np.float32(alpha), np.int32(n_steps), np.float64(cap), np.float64(clip), np.float64(resolution)),
        *(np.int32(rows.n_vectors(n_topics)), np.int64(units.longest), np.int64(units.most_rows)),
        device.empty((blocks * teams * units.longest * width,), np.float32),
        device.empty((blocks * teams * units.most_rows * width,), np.float64),
        *(totals, outside),
    )
    launch = replace(launch, blocks=blocks)
    rows.run(device, "clipped_sum.cu", "add_units", launch, given, **NEED.constants(n_topics))
    if device.get(outside)[0]:
        raise InputError("expected units of finite numbers inside their norm, got one that is not")
    return np.ascontiguousarray(device.get(totals).view(np.int64)[:, :n_topics])


def _units(device: Device, words: Ints, counts: Floats, offsets: Longs, units: Longs, n_words: int) -> Units:
    bounds = offsets[units]
    unit_of = np.repeat(np.arange(len(units) - 1), np.diff(bounds))
    _, first, row = np.unique(unit_of * n_words + words, return_index=True, return_inverse=True)
    by_appearance = np.argsort(first)  # units come one after the other, so do their rows
    rank = np.empty_like(by_appearance)
    rank[by_appearance] = np.arange(len(by_appearance))
    heads = first[by_appearance]
    row_offsets = np.searchsorted(heads, bounds).astype(np.int64)
    slots = rank[row] - row_offsets[unit_of]
    return Units(
        numbers=device.put(rows.longest_first(np.diff(bounds))),
        units=device.put(units),
        offsets=device.put(offsets),
        words=device.put(words),
        counts=device.put(counts),
        slots=device.put(slots.astype(np.int32)),
        row_offsets=device.put(row_offsets),
        row_words=device.put(words[heads]),
        n_units=len(units) - 1,
        longest=max(1, int(np.diff(offsets).max(initial=0))),
        most_rows=max(1, int(np.diff(row_offsets).max(initial=0))),
    )
