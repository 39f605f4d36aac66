"""How often the top words of a topic stand together: the counts behind every coherence.

A window is a whole document, or `window` successive tokens of it: a document of n tokens has n - window + 1
of them, and a document shorter than the window is one window (Röder, Both, Hinneburg, WSDM 2015).

Words of short windows are counted as gensim counts them, so that numbers can be compared: a word enters the
sliding window with each of its occurrences and leaves it with each of them, even while another one is inside.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.documents.pieces import pieces
from fedtopics.errors import InputError

Floats: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class Cooccurrences:
    """In how many windows each two words of a topic stand together.

    joint      a symmetric matrix for each topic; its diagonal holds the windows with the word at all
    n_windows  number of windows
    """

    joint: tuple[Floats, ...]
    n_windows: int

    def of(self, topics: slice) -> "Cooccurrences":
        """Those of some of the topics."""
        return Cooccurrences(self.joint[topics], self.n_windows)

    def __add__(self, other: "Cooccurrences") -> "Cooccurrences":
        """Counts over the windows of both."""
        joint = tuple(a + b for a, b in zip(self.joint, other.joint, strict=True))
        return Cooccurrences(joint, self.n_windows + other.n_windows)


def cooccurrences(
    topics: Sequence[Sequence[str]], reference: Corpus, window: int | None = None
) -> Cooccurrences:
    """Counts in a reference corpus of topics given by their top words; words it does not know count 0."""
    if window is not None:
        _check_window(window, reference)
    return reduce(add, (_counted(topics, piece, window) for piece in pieces(reference)))


def _counted(topics: Sequence[Sequence[str]], reference: Corpus, window: int | None) -> Cooccurrences:
    known = {word for topic in topics for word in topic}
    ids = {word: number for number, word in enumerate(reference.vocabulary) if word in known}
    spans = _spans(reference, np.array(sorted(ids.values()), np.int64), window)
    joint = tuple(_joint([spans.get(ids.get(word, -1)) for word in topic]) for topic in topics)
    return Cooccurrences(joint, int(_windows(reference, window).sum()))


def _spans(reference: Corpus, relevant: Places, window: int | None) -> dict[int, tuple[Places, Places]]:
    """First and last window of each stretch of windows with a word, for each relevant word."""
    is_relevant = np.zeros(reference.n_words, np.bool_)
    is_relevant[relevant] = True
    tokens = np.flatnonzero(is_relevant[reference.words])
    tokens = tokens[np.argsort(reference.words[tokens], kind="stable")]
    words, docs = reference.words[tokens], reference.docs[tokens]
    first, last = _stretches(reference, tokens, words, docs, window)
    # Stretches of one word may overlap but start and end in order: each begins after the one before it ended.
    same_word = words[1:] == words[:-1]
    first[1:] = np.where(same_word, np.maximum(first[1:], last[:-1] + 1), first[1:])
    kept = first <= last
    words, first, last = words[kept], first[kept], last[kept]
    bounds = np.searchsorted(words, np.stack([relevant, relevant + 1]))
    return {
        int(word): (first[start:end], last[start:end])
        for word, start, end in zip(relevant, *bounds, strict=True)
    }


def _stretches(
    reference: Corpus, tokens: Places, words: NDArray[np.int32], docs: NDArray[np.int32], window: int | None
) -> tuple[Places, Places]:
    """Windows in which each token keeps its word, numbered through the corpus."""
    n_windows = _windows(reference, window)
    base = np.concatenate([np.zeros(1, np.int64), np.cumsum(n_windows)])[docs]
    if window is None:
        return base, base.copy()
    entry = np.maximum(reference.offsets[docs], tokens - window + 1)
    # The word leaves with its first occurrence at or after the entry; keys ascend by word, then by place.
    scale = reference.n_tokens + 1
    leaving = tokens[np.searchsorted(words * np.int64(scale) + tokens, words * np.int64(scale) + entry)]
    starts = reference.offsets[docs]
    return base + entry - starts, base + np.minimum(leaving - starts, n_windows[docs] - 1)


def _windows(reference: Corpus, window: int | None) -> Places:
    """Number of windows of each document."""
    if window is None:
        return np.ones(reference.n_docs, np.int64)
    return np.maximum(1, reference.lengths - window + 1)


def _joint(spans: Sequence[tuple[Places, Places] | None]) -> Floats:
    """Number of windows shared by each two words, given by their stretches of windows (None: nowhere).

    A sweep over the ends of stretches: between two of them the set of present words does not change.
    """
    present = [(column, span) for column, span in enumerate(spans) if span is not None]
    if not present:
        return np.zeros((len(spans), len(spans)))
    places = np.concatenate([end for _, (first, last) in present for end in (first, last + 1)])
    columns = np.concatenate([np.full(2 * len(first), column) for column, (first, _) in present])
    steps = np.concatenate([np.repeat([1, -1], len(first)) for _, (first, _) in present])
    order = np.argsort(places, kind="stable")
    changes = np.zeros((len(places), len(spans)), np.int8)
    changes[np.arange(len(places)), columns[order]] = steps[order]
    states = np.cumsum(changes, axis=0, dtype=np.int8).astype(np.float64)
    durations = np.diff(places[order], append=places[order][-1:])
    joint: Floats = (states * durations[:, None]).T @ states
    return joint


def _check_window(window: int, reference: Corpus) -> None:
    if window < 1:
        raise InputError(f"expected a window of 1 token or more, got {window}; None takes whole documents")
    if reference.sentence_offsets is None and _is_bag(reference):
        raise InputError("expected reading order, got bags of words; window=None takes whole documents")


def _is_bag(reference: Corpus) -> bool:
    """Whether equal words of the first documents stand side by side, as only those of a count file do."""
    n_tokens = int(reference.offsets[min(1000, reference.n_docs)])
    pairs = reference.docs[:n_tokens].astype(np.int64) * reference.n_words + reference.words[:n_tokens]
    n_runs = np.count_nonzero(np.diff(pairs, prepend=-1))
    return bool(len(np.unique(pairs)) == n_runs < n_tokens)
