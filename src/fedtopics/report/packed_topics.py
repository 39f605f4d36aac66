"""The topics as a page carries them: each word with the topics that it is likely in, in about a megabyte.

    words    the vocabulary, the most frequent first, joined by line feeds
    peaks    of each word the largest probability p in any topic, as -log2 p in steps of 1/2048 (16 bits)
    rests    the mean probability in all topics that are not listed, as -log2 of its ratio to the peak in
             steps of 1/10 (8 bits; 255: none)
    counts   how many topics are listed
    topics   their numbers (8 bits, or 16 where there are more than 256)
    ratios   how likely the word is there, as -log2 of the ratio to the peak in steps of 1/20 (8 bits)

A listed probability is off by at most 1.8 %. Topics in which a word is less than 1/6,800 as likely as at its
peak are left to the rest, and where not all fit into the page those with the smallest ratios are.
"""

from base64 import b64encode

import numpy as np
from numpy.typing import NDArray

from fedtopics.model import TopicModel

Floats = NDArray[np.float64]

MOST_BYTES = 1_400_000  # of all that is packed, as text
PEAK_STEPS, REST_STEPS, RATIO_STEPS = 2048, 10, 20
NO_REST = 255
MOST_LISTED = 64  # topics of one word
LEAST_LISTED = 3  # for which there is room, or the rarest words are left out
PADDING = 32  # of base64, and what is beside the lists
TINY = 2.0**-31


def packed_topics(model: TopicModel) -> dict[str, object]:
    """What the page reads: see above. Everything that is in it is in the model."""
    order = packed_order(model)
    texts = [" ".join(model.vocabulary[word].split()) for word in order.tolist()]
    width = 1 if model.n_topics <= 256 else 2
    n_words, left = _room(texts, width)
    values = np.ascontiguousarray(model.topic_word[:, order[:n_words]].T)
    likely, kept = _listed(values, left * 3 // 4 // (width + 1))
    peaks = np.maximum(values[np.arange(n_words), likely[:, 0]], TINY)
    listed = np.take_along_axis(values, likely, axis=1)
    counts = kept.sum(axis=1)
    ratios = np.rint(-RATIO_STEPS * np.log2(np.maximum(listed / peaks[:, None], TINY)))
    return {
        "words": "\n".join(texts[:n_words]),
        "peaks": _text(np.rint(-PEAK_STEPS * np.log2(peaks)), "<u2"),
        "rests": _text(_rests(values, listed * kept, counts, peaks), "u1"),
        "counts": _text(counts, "u1"),
        "topics": _text(likely[kept], "u1" if width == 1 else "<u2"),
        "ratios": _text(ratios[kept], "u1"),
        "width": width,
    }


def packed_order(model: TopicModel) -> NDArray[np.int64]:
    """Ids of the words in the order in which a page carries them."""
    return np.argsort(-model.word_frequencies, kind="stable")


def _room(texts: list[str], width: int) -> tuple[int, int]:
    """How many of the words fit, and how many bytes of text they leave for their topics."""
    fixed = 4 * 4 / 3
    sizes = np.cumsum([len(text.encode("utf-8", "replace")) + 1 + fixed for text in texts])
    listed = LEAST_LISTED * (width + 1) * 4 / 3 * np.arange(1, len(texts) + 1)
    n_words = max(1, int(np.searchsorted(sizes + listed, MOST_BYTES, side="right")))
    n_words = min(n_words, len(texts))
    return n_words, int(MOST_BYTES - sizes[n_words - 1]) - PADDING


def _listed(values: Floats, most: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Topics of each word, the likeliest first, and which of them are listed: `most` in all."""
    width = min(values.shape[1], MOST_LISTED)
    some = np.argpartition(-values, width - 1, axis=1)[:, :width]
    inside = np.argsort(-np.take_along_axis(values, some, axis=1), axis=1, kind="stable")
    likely = np.take_along_axis(some, inside, axis=1)
    listed = np.take_along_axis(values, likely, axis=1)
    ratios = listed / np.maximum(listed[:, :1], TINY)
    least = 2.0 ** -(255 / RATIO_STEPS)
    if (ratios > least).sum() > most:
        least = max(least, float(np.partition(ratios.ravel(), -most)[-most]))
    kept = ratios > least
    kept[:, 0] = True
    return likely, kept


def _rests(values: Floats, listed: Floats, counts: NDArray[np.int64], peaks: Floats) -> Floats:
    n_rest = values.shape[1] - counts
    mean = np.maximum(values.sum(axis=1) - listed.sum(axis=1), 0.0) / np.maximum(n_rest, 1)
    steps = np.rint(-REST_STEPS * np.log2(np.maximum(mean / peaks, TINY)))
    return np.where((n_rest > 0) & (mean > 0), np.minimum(steps, NO_REST - 1), NO_REST)


def _text(values: NDArray[np.generic], kind: str) -> str:
    limits = np.iinfo(kind)
    return b64encode(np.clip(values, limits.min, limits.max).astype(kind).tobytes()).decode()
