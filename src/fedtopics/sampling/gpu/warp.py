"""Delayed-count sampling of a corpus on a GPU: `lda.sweep` with the sampler warp, bit for bit.

The tokens stay on the card between calls (`records.py` says what happens where they do not fit): a token
takes 14 bytes there, a record of 8, its place of 4, and 2 for the topic that it is given.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.sampling import _native, arguments
from fedtopics.sampling.arguments import State
from fedtopics.sampling.gpu import jumps, launches
from fedtopics.sampling.gpu.device import NULL, Buffer, Device
from fedtopics.sampling.gpu.kept import Kept
from fedtopics.sampling.gpu.records import TEAMS, THREADS, Records, Rows
from fedtopics.sampling.priors import Priors

DOCUMENT, WORD = 2, 3  # Purpose of random.hpp
JUMP_BITS = 31


class Warp:
    """A sampler on `device` at the topics of `state`; `corpus` and `priors` are those of `lda.sweep`."""

    def __init__(
        self, device: Device, corpus: Corpus, state: State, priors: Priors, *, seed: int, n_proposals: int = 3
    ) -> None:
        arguments.check_choice(corpus, priors.n_topics)
        arguments.check_state(corpus, state, priors.n_topics)
        if arguments.natural_number("n_proposals", n_proposals, least=1) > 3:
            raise InputError(f"n_proposals must be 1, 2 or 3, got {n_proposals}")
        self._device, self._corpus, self._n_topics = device, corpus, priors.n_topics
        self._seed, self._n_sweeps = np.uint64(arguments.seed_number(seed)), state.n_sweeps
        self._constants = {
            "PROPOSALS": n_proposals,
            "MOST_TEAMS": launches.MOST_TEAMS,
            "LEAST_BITS": launches.LEAST_BITS,
        }
        launches.short_rows(device.card, 1, self._n_topics)
        launches.long_rows(device.card, 1, self._n_topics)
        self._records = Records(device, corpus, self._n_topics)
        self._jumps = device.put(jumps.polynomials(JUMP_BITS, launches.MOST_TEAMS))
        self._totals = device.zeros((self._n_topics,), np.uint32)
        self._inverse = device.empty((self._n_topics,), np.float32)
        self._read(state.topics)
        self._priors: Priors | None = None
        self.set_priors(priors)

    def gives(self, corpus: Corpus, n_topics: int) -> bool:
        """Whether it is this corpus that it gives so many topics to."""
        return self._corpus is corpus and self._n_topics == n_topics

    def is_for(self, device: Device, corpus: Corpus, n_topics: int, n_proposals: int) -> bool:
        """Whether these are the arguments that it was made with."""
        made = (self._device, self._constants["PROPOSALS"])
        return self.gives(corpus, n_topics) and made == (device, n_proposals)

    def set_place(self, seed: int, n_sweeps: int) -> None:
        """Goes on with the random numbers of another `seed`, or after another number of sweeps."""
        if (seed, n_sweeps) != (int(self._seed), self._n_sweeps):
            self._seed, self._n_sweeps = np.uint64(arguments.seed_number(seed)), n_sweeps
            self._has_proposals = False

    def set_priors(self, priors: Priors) -> None:
        """Goes on with other priors of the same number of topics."""
        known = self._priors
        if known and known.beta == priors.beta and np.array_equal(known.alpha, priors.alpha):
            return
        self._priors = priors
        alpha = priors.alpha.astype(np.float32)
        self._alpha = _Prior(self._device, alpha)
        self._beta = _Prior(self._device, np.full(self._n_topics, priors.beta, np.float32))
        self._prior_total = self._corpus.n_words * priors.beta
        self._has_proposals = False

    @property
    def state(self) -> State:
        """The topics of the tokens, and how many sweeps they have seen."""
        topics = np.empty(self._corpus.n_tokens, np.uint16)
        for block, rows in self._records.by_document():
            for slots, options in self._slots(block.slots, rows):
                self._launch("write_topics", len(slots), self._records.topics, slots, *options)
            self._device.get(self._records.topics[: block.n_tokens], topics[block.begin : block.end])
        return State(topics, self._n_sweeps)

    def sweep(self, n_sweeps: int = 1) -> None:
        """`n_sweeps` more sweeps."""
        for _ in range(arguments.natural_number("n_sweeps", n_sweeps)):
            if not self._has_proposals:
                # Those that the documents' pass of the sweep before would have left.
                self._pass_documents(self._n_sweeps - 1, accept=False)
                self._has_proposals = True
            self._invert()
            for rows in self._records.by_word():
                self._visit(rows, self._beta, WORD, self._n_sweeps, accept=True)
            self._invert()
            self._pass_documents(self._n_sweeps, accept=True)
            self._n_sweeps += 1

    def word_topic_counts(self) -> NDArray[np.int32]:
        """Tokens of each word in each topic, shape (V, K)."""
        found = np.zeros((self._corpus.n_words, self._n_topics), np.int32)
        for rows in self._records.by_word():
            n_rows = len(rows.offsets) - 1
            counts = self._device.zeros((n_rows, self._n_topics), np.int32)
            options = (
                rows.offsets,
                rows.places,
                rows.records,
                counts,
                np.int32(n_rows),
                np.int32(self._n_topics),
            )
            self._run("count_words", -(-n_rows // TEAMS), THREADS, options)
            self._device.get(counts, found[rows.first : rows.first + n_rows])
        return found

    def _pass_documents(self, sweep: int, *, accept: bool) -> None:
        for _, rows in self._records.by_document():
            self._visit(rows, self._alpha, DOCUMENT, sweep, accept=accept)

    def _visit(self, rows: Rows, prior: "_Prior", purpose: int, sweep: int, *, accept: bool) -> None:
        options = (
            *(rows.offsets, rows.places, rows.records, self._records.topics),
            *(prior.weights, prior.threshold, prior.other, self._inverse, self._totals, self._jumps),
            *(self._seed, prior.mass, np.int32(self._n_topics), np.uint32(purpose)),
            *(np.uint32(sweep % 2**32), np.uint32(rows.first), np.int32(accept)),
        )
        # Long ones first: they take longest.
        for name, numbers, planned in (
            ("long_rows", rows.long, launches.long_rows),
            ("short_rows", rows.short, launches.short_rows),
        ):
            if len(numbers):
                launch = planned(self._device.card, len(numbers), self._n_topics)
                given = (numbers, np.int32(len(numbers)), *options)
                self._run(name, launch.blocks, launch.threads, given, shared=launch.shared)

    def _invert(self) -> None:
        options = (self._totals, self._inverse, np.float64(self._prior_total), np.int32(self._n_topics))
        self._run("invert", -(-self._n_topics // THREADS), THREADS, options)

    def _read(self, topics: NDArray[np.uint16]) -> None:
        for block, rows in self._records.by_document(fresh=True):
            self._device.put_into(self._records.topics[: block.n_tokens], topics[block.begin : block.end])
            for slots, options in self._slots(block.slots, rows):
                self._launch("read_topics", len(slots), self._records.topics, slots, *options, self._totals)

    def _slots(self, slots: NDArray[np.int32], rows: Rows) -> Any:
        """Parts of the slots on the card, each with what its kernel takes beside it."""
        at_once = max(1, self._records.room // 8)
        for first in range(0, len(slots), at_once):
            part = self._device.put(slots[first : first + at_once])
            yield part, (rows.places, rows.records, np.int64(first), np.int64(len(part)))

    def _launch(self, kernel: str, n_threads: int, *options: Any) -> None:
        self._run(kernel, -(-n_threads // THREADS), THREADS, options)

    def _run(self, kernel: str, blocks: int, threads: int, options: tuple[Any, ...], shared: int = 0) -> None:
        self._device.launch("warp.cu", kernel, blocks, threads, options, shared=shared, **self._constants)


_known: Kept["Warp"] = Kept()  # by the topics of the tokens that they gave last


def sweep(
    device: Device,
    corpus: Corpus,
    state: State,
    priors: Priors,
    *,
    seed: int,
    n_sweeps: int,
    n_proposals: int,
) -> State:
    """The state after `n_sweeps` more: `lda.sweep`. The sampler that gave this state goes on."""
    found = _known.pop((state.topics,))
    if found is None or not found.is_for(device, corpus, priors.n_topics, n_proposals):
        found = Warp(device, corpus, state, priors, seed=seed, n_proposals=n_proposals)
    found.set_place(seed, state.n_sweeps)
    found.set_priors(priors)
    found.sweep(n_sweeps)
    after = found.state
    _known.put((after.topics,), found)
    return after


def word_topic_counts(corpus: Corpus, topics: NDArray[np.uint16], n_topics: int) -> NDArray[np.int32] | None:
    """Those of a sampler that gave these `topics` to this `corpus`: `lda.word_topic_counts`."""
    found = _known.get((topics,))
    return found.word_topic_counts() if found and found.gives(corpus, n_topics) else None


class _Prior:
    """One of the two priors on the card, with an alias table unless it favors no topic."""

    def __init__(self, device: Device, weights: NDArray[np.float32]) -> None:
        self.weights: Buffer = device.put(weights)
        self.mass = np.cumsum(weights, dtype=np.float32)[
            -1
        ]  # one after the other, as the kernels of the processor
        self.threshold: Buffer | np.uint64 = NULL
        self.other: Buffer | np.uint64 = NULL
        if (weights != weights[0]).any():
            threshold, other = np.empty_like(weights), np.empty(len(weights), np.uint32)
            _native.alias(weights, threshold, other)
            self.threshold, self.other = device.put(threshold), device.put(other)
