"""The E step on noisy histograms on a GPU: what `channel_em.expect` computes, bit for bit.

Documents and what is known of them stay on the card between rounds: 28 bytes for each stored count, and the
mixtures. What comes back are the counts, the mixtures and the likelihood. Released counts that are large take
a loop each: those of a document are worked on side by side, the largest first.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.sampling import _native, word_order
from fedtopics.sampling.gpu import rows
from fedtopics.sampling.gpu.device import Buffer, Device
from fedtopics.sampling.gpu.kept import Kept
from fedtopics.sampling.gpu.launches import LANES
from fedtopics.sampling.histograms import Histograms

SOURCE = "channel_em.cu"
THREADS = 128
TEAMS = THREADS // LANES
NEED = rows.Need(4, (96, 96, 168), beside=LANES * (LANES + 1))
MOST_TERMS, GAUSSIAN_TABLE, RECIPROCALS = 13, 16, 256  # of posterior.cuh; of terms, and one
LEAST_HOT, WORDS_AT_ONCE = 1024, 8192  # a word of more entries than this, or a share, is summed in parts
LEAST_ENTRIES, ENTRIES_PER_WORD = 8192, 4  # of a block of documents: channel_blocks.hpp
MOST_WORD_VECTORS = 8

Longs = NDArray[np.int64]
Ints = NDArray[np.int32]
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Items:
    """Entries first[i] to last[i] in the order of the words, all of word words[i].

    `parts` has the place of the sum of an item of a hot word, -1 for other words; `hot` the hot words, and
    the first and last part of each.
    """

    words: Ints
    first: Longs
    last: Longs
    parts: Ints
    hot: tuple[Ints, Ints, Ints]

    @property
    def n_parts(self) -> int:
        """How many parts the hot words have."""
        return int(self.hot[2][-1]) if len(self.hot[2]) else 0

    @classmethod
    def of(cls, offsets: Longs, blocks: Ints, n_blocks: int) -> "Items":
        """Words whose entries begin at `offsets`; `blocks` of all entries, word by word."""
        lengths = np.diff(offsets)
        most = max(LEAST_HOT, int(offsets[-1]) // WORDS_AT_ONCE)
        common = np.flatnonzero(lengths <= most)
        words, first, last = [common], [offsets[common]], [offsets[common + 1]]
        hot, bounds = np.flatnonzero(lengths > most), [0]
        for word in hot:
            own = blocks[offsets[word] : offsets[word + 1]]
            at = offsets[word] + np.searchsorted(own, np.arange(n_blocks + 1))
            filled = at[:-1] < at[1:]
            words.append(np.full(filled.sum(), word))
            first.append(at[:-1][filled])
            last.append(at[1:][filled])
            bounds.append(bounds[-1] + int(filled.sum()))
        parts = np.concatenate([np.full(len(common), -1), np.arange(bounds[-1])])
        made = (np.concatenate(words), np.concatenate(first), np.concatenate(last), parts)
        order = rows.longest_first(made[2] - made[1])
        ints = [made[0][order].astype(np.int32), made[3][order].astype(np.int32)]
        ends = np.array(bounds, np.int32)
        return cls(
            ints[0], made[1][order], made[2][order], ints[1], (hot.astype(np.int32), ends[:-1], ends[1:])
        )


@dataclass(frozen=True)
class Large:
    """Entries with large counts: entries[offsets[d]:offsets[d + 1]] are those of document d, largest first.

    `steps` has how often the loop of each document's half-warp is run for them.
    """

    entries: Ints
    offsets: Ints
    steps: Longs

    @classmethod
    def of(cls, values: Ints, offsets: Longs, most: float) -> "Large":
        """Of entries with these counts, document d those from offsets[d] on, the ones above `most`."""
        found = np.flatnonzero(values > most)
        documents = np.searchsorted(offsets, found, side="right") - 1
        order = np.lexsort((-values[found], documents))
        entries, n_docs = found[order].astype(np.int32), len(offsets) - 1
        starts = np.searchsorted(documents, np.arange(n_docs + 1))
        first = (np.arange(len(found)) - starts[documents]) % LANES == 0
        steps = np.bincount(documents[first], values[entries[first]], minlength=n_docs)
        return cls(entries, starts.astype(np.int32), steps.astype(np.int64))


class Stored:
    """Histograms on the card."""

    def __init__(self, device: Device, histograms: Histograms) -> None:
        offsets, words, n_words = histograms.offsets, histograms.words, histograms.n_words
        lengths = np.diff(offsets)
        self.bounds = bounds(offsets, n_words)
        block_of = np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds)).astype(np.int32)
        order, starts = _by_word(words, offsets, n_words)
        self.items = Items.of(starts, np.repeat(block_of, lengths)[order], len(self.bounds) - 1)
        self.term_offsets = np.concatenate(([0], np.cumsum(-(-lengths // LANES) + 1)))
        put = device.put
        large = Large.of(histograms.values, offsets, _most(histograms))
        self.numbers, self.offsets = put(rows.longest_first(lengths + large.steps)), put(offsets)
        self.large, self.large_offsets = put(large.entries), put(large.offsets)
        self.words, self.values, self.order = put(words), put(histograms.values), put(order)
        self.block_of, self.device_bounds = put(block_of), put(self.bounds.astype(np.int32))
        self.device_items = [
            put(a) for a in (self.items.words, self.items.first, self.items.last, self.items.parts)
        ]
        self.hot = [put(array) for array in self.items.hot]
        self.device_terms = put(self.term_offsets)
        self.told = device.empty((max(1, len(words)), 4), np.float32)
        self.terms = device.empty((int(self.term_offsets[-1]),), np.float64)


_stored: Kept[Stored] = Kept()
_mixtures: Kept[tuple[Buffer, Buffer]] = Kept()


def expect(
    device: Device,
    histograms: Histograms,
    theta: Floats,
    lengths: Doubles,
    phi: Floats,
    inverse_sizes: Floats,
    alpha: Floats,
    coverage: Floats,
    counts: Floats | None,
    *,
    n_steps: int,
    exclude: bool,
) -> tuple[Floats, Doubles, float]:
    """Mixtures, lengths and log-likelihood after one E step; fills `counts` (n_words, n_topics) if given."""
    if not histograms.n_docs:
        if counts is not None:
            counts[:] = 0
        return theta.copy(), lengths.copy(), 0.0
    arrays = (histograms.offsets, histograms.words, histograms.values)
    facts = histograms.n_words, _most(histograms)  # the same entries may stand for more words than before
    stored = _stored.of(arrays, lambda: Stored(device, histograms), *facts)
    known = _mixtures.of((theta, lengths), lambda: (device.put(theta), device.put(lengths)))
    step = _Step(device, histograms, stored, known, phi, inverse_sizes)
    step.weigh_documents(alpha, coverage, n_steps, exclude)
    log_likelihood = step.add_blocks()
    if counts is not None:
        device.get(step.counts(), counts)
    theta_now = device.get(step.theta, device.host_empty(step.theta.shape, np.float32))
    answer = theta_now, device.get(step.lengths)
    _mixtures.put(answer, (step.theta, step.lengths))
    return *answer, log_likelihood


class _Step:
    """One E step on the card, from what was known of the documents, which stays as it was."""

    def __init__(
        self,
        device: Device,
        histograms: Histograms,
        stored: Stored,
        known: tuple[Buffer, Buffer],
        phi: Floats,
        inverse_sizes: Floats,
    ) -> None:
        self._device, self._histograms, self._stored = device, histograms, stored
        self._n_words, self._n_topics = phi.shape
        self._n_vectors = rows.n_vectors(self._n_topics)
        self._constants = NEED.constants(self._n_topics)
        self._constants["WORD_VECTORS"] = min(self._n_vectors, MOST_WORD_VECTORS)
        self._phi, self._sizes = device.put(rows.padded(phi)), self._row(inverse_sizes)
        self.theta, self.lengths = (device.copy(buffer) for buffer in known)
        self._topics, self._width = np.int32(self._n_topics), np.int32(self._n_vectors * LANES)
        self._chances = {name: np.float64(value) for name, value in histograms.chances().items()}
        self._total: Buffer = device.empty((self._n_topics,), np.float64)

    def _row(self, vector: Floats) -> Buffer:
        return self._device.put(rows.padded(vector[None])[0])

    def weigh_documents(self, alpha: Floats, coverage: Floats, n_steps: int, exclude: bool) -> None:
        """Moves theta and lengths; notes what each entry tells."""
        stored, chances, n_docs = self._stored, self._chances, self._histograms.n_docs
        given = (
            *(stored.numbers, np.int32(n_docs), stored.offsets, stored.words, stored.values),
            *(stored.large, stored.large_offsets),
            *(self._phi, self._sizes, self._row(alpha), self._row(coverage), self.theta, self.lengths),
            *_law(self._device, self._histograms),
            *(chances["absence"], chances["silence"], chances["hidden"]),
            np.float64(sum(float(value) for value in alpha)),
            *(self._topics, np.int32(self._n_vectors), np.int32(n_steps), np.int32(exclude)),
            *(stored.told, stored.device_terms, stored.terms),
        )
        launch = rows.launch(self._device.card, n_docs, self._n_topics, NEED)
        rows.run(self._device, SOURCE, "documents", launch, given, **self._constants)

    def add_blocks(self) -> float:
        """The log-likelihood; and the sums of all documents that go to every word."""
        stored, n_blocks = self._stored, len(self._stored.bounds) - 1
        background = self._device.empty((n_blocks, self._n_topics), np.float64)
        likelihoods = self._device.empty((n_blocks,), np.float64)
        given = (
            *(stored.device_bounds, self.theta, self.lengths, stored.device_terms, stored.terms),
            *(self._chances["hidden"], self._topics, background, likelihoods),
        )
        self._launch("blocks", (n_blocks, self._n_vectors), LANES, given)
        sums = (background, np.int32(n_blocks), self._topics, self._total)
        self._launch("add_blocks", (-(-self._n_topics // THREADS), 1), THREADS, sums)
        log_likelihood = 0.0
        for value in self._device.get(likelihoods).tolist():
            log_likelihood += value
        return log_likelihood

    def counts(self) -> Buffer:
        """The expected counts of all words, (n_words, n_topics)."""
        stored, items = self._stored, self._stored.items
        found = self._device.empty((self._n_words, self._n_topics), np.float32)
        parts = self._device.empty((max(1, items.n_parts), self._n_topics), np.float32)
        n_items, n_hot = len(items.words), len(items.hot[0])
        given = (
            *(*stored.device_items, np.int32(n_items), stored.order, stored.told, stored.block_of),
            *(self._phi, self._sizes, self.theta, self.lengths, self._chances["hidden"], self._total),
            *(self._topics, self._width, parts, found),
        )
        grid = (-(-n_items // TEAMS), -(-self._n_vectors // self._constants["WORD_VECTORS"]))
        self._launch("words", grid, THREADS, given)
        if n_hot:
            hot = (*stored.hot, np.int32(n_hot), parts, self._total, self._phi)
            grid = (-(-n_hot // TEAMS), self._n_vectors)
            self._launch("add_parts", grid, THREADS, (*hot, self._topics, self._width, found))
        return found

    def _launch(self, kernel: str, grid: tuple[int, int], threads: int, given: tuple[Any, ...]) -> None:
        self._device.launch(SOURCE, kernel, grid, threads, given, **self._constants)


def bounds(offsets: Longs, n_words: int) -> Longs:
    """First document of each block, and their end: `block_bounds` of channel_blocks.hpp.

    >>> bounds(np.array([0, 5000, 9000, 9001, 20000]), 10)
    array([0, 2, 4])
    """
    entries, last = max(LEAST_ENTRIES, ENTRIES_PER_WORD * n_words), len(offsets) - 1
    found = [0]
    while (end := int(np.searchsorted(offsets, offsets[found[-1]] + entries))) < last:
        found.append(end)
    return np.array([*found, last], np.int64)


def _by_word(words: Ints, offsets: Longs, n_words: int) -> tuple[Ints, Longs]:
    """The entries word by word, those of a word in the order of the documents; and where each word begins."""
    starts = np.zeros(n_words + 1, np.int64)
    order = np.zeros(len(words) + word_order.PADDING, np.int32)
    slots = np.zeros(len(words), np.int32)
    _native.order_by_word(words, offsets, starts, order, slots)
    return slots[order[: len(words)]], starts


def _most(histograms: Histograms) -> float:
    """The largest count that a half-warp sums side by side with others: as on the processor."""
    if histograms.growth > 0:
        return float(GAUSSIAN_TABLE)
    if histograms.decay > 0:
        return 8.0 if np.float32(histograms.decay) > np.float32(2e-5) else 4.0
    return np.inf


def _law(device: Device, histograms: Histograms) -> tuple[Buffer | np.generic, ...]:
    """What `struct Law` is made of, each number rounded as on the processor."""
    decay, growth = np.float32(histograms.decay), histograms.growth
    number = np.arange(1, MOST_TERMS, dtype=np.float32)
    inside, outside = np.zeros(MOST_TERMS, np.float32), np.zeros(MOST_TERMS, np.float32)
    if decay > 0:
        inside[1:], outside[1:] = np.float32(1) / (number * decay), decay / number
    first, ratio, fade = np.zeros(GAUSSIAN_TABLE + 1, np.float32), growth, 0.0
    if growth > 0:
        fade = 1.0 / (growth * growth)
        with np.errstate(over="ignore"):  # ratios of little noise are infinite, and such counts done alone
            for m in range(1, GAUSSIAN_TABLE + 1):
                first[m] = ratio
                ratio *= growth * growth
    reciprocals = np.zeros(RECIPROCALS)
    reciprocals[1:] = 1 / np.arange(1, RECIPROCALS)
    tables = (device.put(table) for table in (inside, outside, first, reciprocals))
    law = (growth, histograms.decay, fade, histograms.burstiness, _most(histograms))
    return *tables, *(np.float64(value) for value in law)
