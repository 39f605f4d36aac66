"""Private histograms of an earlier run, read again: they were drawn and paid for then, and are free now.

A vocabulary grows at its end, so the first words are those that an earlier histogram knows. Of the others it
says nothing, which is not that they were not there: their expected counts follow from the topics (EM with
missing values), but are at most those of the rarest word that was known. It was chosen, and they were not.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError
from fedtopics.protocol.turn import Arrays
from fedtopics.sampling.channel_em import Expectation, Mixtures, SizedTopics
from fedtopics.sampling.histograms import Histograms

ROWS = ("offsets", "words", "values")
KNOWN, DECAY, TOKENS = "known", "decay", "tokens"
PREFIX = "earlier_"
SMALLEST = 1e-12
Step: TypeAlias = Callable[[Histograms, Mixtures, int], Expectation]  # given how many words are known


@dataclass(frozen=True, eq=False)
class Part:
    """Histograms of one run, which know the first `n_known` words."""

    histograms: Histograms
    n_known: int


def kept(memory: Arrays, n_words: int, decay: float) -> Arrays:
    """What of its `memory` a party keeps for a later run: all histograms, those of runs before it too."""
    if "lengths" not in memory:
        return {}
    found = carried(memory)
    known = found.get(PREFIX + KNOWN, np.zeros(0, np.int32))
    rows = {name: memory[name] for name in ROWS}
    n_new = len(rows["offsets"]) - 1
    if len(known):
        before = {name: found[PREFIX + name] for name in ROWS}
        rows = {
            "offsets": np.concatenate([before["offsets"], before["offsets"][-1] + rows["offsets"][1:]]),
            **{name: np.concatenate([before[name], rows[name]]) for name in ("words", "values")},
        }
    known = np.concatenate([known, np.full(n_new, n_words, np.int32)])
    lengths = memory["lengths"]
    n_tokens = float(lengths.sum()) * len(known) / max(len(lengths), 1)
    return rows | {KNOWN: known, DECAY: np.array(decay), TOKENS: np.array(n_tokens)}


def resumed(arrays: Arrays, n_words: int, decay: float) -> Arrays:
    """The memory of a party that begins with what it has `kept`; refused where the noise was another."""
    if not arrays:
        return {}
    if float(arrays[DECAY]) != decay:
        raise InputError(
            "expected histograms with the noise of this epsilon, got others; take the epsilon of their run"
        )
    if len(arrays[KNOWN]) and int(arrays[KNOWN].max()) > n_words:
        raise InputError(f"expected all words of the run before, got {n_words}; words may only be added")
    return {PREFIX + name: array for name, array in arrays.items()}


def carried(memory: Arrays) -> Arrays:
    """What stays in the memory from round to round."""
    return {name: array for name, array in memory.items() if name.startswith(PREFIX)}


def n_tokens(memory: Arrays) -> float:
    """How much text is behind the histograms of earlier runs."""
    return float(memory.get(PREFIX + TOKENS, 0.0))


def parts(memory: Arrays, new: Histograms) -> list[Part]:
    """The histograms of earlier runs, run by run, and the `new` ones."""
    known = memory.get(PREFIX + KNOWN, np.zeros(0, np.int32))
    if not len(known):
        return [Part(new, new.n_words)]
    offsets, words, values = (memory[PREFIX + name] for name in ROWS)
    found = []
    for n_known in np.unique(known).tolist():
        first, last = np.searchsorted(known, [n_known, n_known + 1])
        inside = slice(int(offsets[first]), int(offsets[last]))
        rows = offsets[first : last + 1] - offsets[first], words[inside], values[inside]
        law = new.n_words, new.decay, new.burstiness
        found.append(Part(Histograms(*rows, *law), n_known))
    return [*found, Part(new, new.n_words)]


def expect(
    parts: list[Part],
    documents: Mixtures,
    topics: SizedTopics,
    step: Step,
) -> Expectation:
    """The E step `step` over all parts, whose `documents` follow each other."""
    if len(parts) == 1:
        return step(parts[0].histograms, documents, parts[0].n_known)
    steps, end = [], 0
    for part in parts:
        begin, end = end, end + part.histograms.n_docs
        own = Mixtures(documents.theta[begin:end], documents.lengths[begin:end])
        found = step(part.histograms, own, part.n_known)
        steps.append((found, _filled(found, topics, part.n_known)))
    theta = np.concatenate([found.documents.theta for found, _ in steps])
    lengths = np.concatenate([found.documents.lengths for found, _ in steps])
    counts = np.asarray(sum(counts for _, counts in steps), np.float32)
    return Expectation(Mixtures(theta, lengths), counts, sum(found.log_likelihood for found, _ in steps))


def _filled(found: Expectation, topics: SizedTopics, n_known: int) -> NDArray[Any]:
    """Expected counts of all words, those too that the histograms know nothing of."""
    counts, documents = found.counts.copy(), found.documents
    if n_known == len(counts):
        return counts
    amounts = (documents.lengths[:, None] * documents.theta).sum(axis=0)
    missing = topics.phi[n_known:] * amounts
    rarest = float(counts[:n_known].sum(axis=1).min())
    share = np.minimum(1.0, rarest / np.maximum(missing.sum(axis=1), SMALLEST))
    counts[n_known:] = missing * share[:, None]
    return counts
