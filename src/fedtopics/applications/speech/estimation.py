"""An n-gram model from plain text, smoothed as Witten and Bell did.

    P(w | h) = (c(h w) + T(h) P(w | h')) / (c(h) + T(h))        T(h): different words seen after h

I. Witten, T. Bell. The zero-frequency problem. IEEE Transactions on Information Theory 37(4), 1991. Rare long
n-grams may be left out; their share goes to the shorter ones, so that probabilities still sum to one.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from fedtopics.applications.speech.ngrams import END, START, UNKNOWN, Gram, NGramModel, backed_off
from fedtopics.errors import InputError


def estimate(
    sentences: Iterable[Sequence[str]], vocabulary: Iterable[str], *, order: int = 3, least: int = 2
) -> NGramModel:
    """The model of `sentences` over the words of `vocabulary`; others are counted as <unk>.

    order   words of the longest n-grams
    least   n-grams of three words and more that occur less often are left out
    """
    if order < 1:
        raise InputError(f"expected n-grams of at least 1 word, got {order}")
    words = [UNKNOWN, START, END, *sorted(set(vocabulary) - {UNKNOWN, START, END})]
    ids = {word: number for number, word in enumerate(words)}
    counts = _counts(sentences, ids, order)
    if not counts[0]:
        raise InputError("expected sentences to count words in, got none")
    probabilities = _unigrams(counts[0], len(words), ids[START])
    back_offs: dict[Gram, float] = {}
    for length in range(2, order + 1):
        _add(counts[length - 1], least if length > 2 else 1, probabilities, back_offs)
    return NGramModel(words, probabilities, back_offs)


def _counts(sentences: Iterable[Sequence[str]], ids: dict[str, int], order: int) -> list[Counter[Gram]]:
    """How often each n-gram occurs, by its length; every sentence begins with <s> and ends with </s>."""
    counts: list[Counter[Gram]] = [Counter() for _ in range(order)]
    for sentence in sentences:
        numbers = [ids[START], *(ids.get(word, ids[UNKNOWN]) for word in sentence), ids[END]]
        for length in range(1, order + 1):
            counts[length - 1].update(zip(*(numbers[start:] for start in range(length)), strict=False))
    return counts


def _unigrams(counts: Counter[Gram], n_words: int, start: int) -> dict[Gram, float]:
    """Word frequencies, mixed with the uniform distribution over all words but <s>."""
    seen = {gram: count for gram, count in counts.items() if gram != (start,)}
    total, kinds = sum(seen.values()), len(seen)
    even = kinds / (n_words - 1)
    words: list[Gram] = [(word,) for word in range(n_words)]
    found = {word: (seen.get(word, 0) + even) / (total + kinds) for word in words}
    return found | {(start,): 0.0}


def _add(
    counts: Counter[Gram], least: int, probabilities: dict[Gram, float], back_offs: dict[Gram, float]
) -> None:
    """Put n-grams of one length behind those one shorter, which are complete."""
    after: dict[Gram, list[tuple[int, int]]] = {}
    for gram, count in counts.items():
        after.setdefault(gram[:-1], []).append((gram[-1], count))
    found: dict[Gram, float] = {}
    weights: dict[Gram, float] = {}
    for history, followers in after.items():
        kept = [(word, count) for word, count in followers if count >= least]
        if not kept:
            continue
        total = sum(count for _, count in followers) + len(kept)
        rest = (total - sum(count for _, count in kept)) / total
        for word, count in kept:
            shorter = backed_off((*history[1:], word), probabilities, back_offs)
            found[(*history, word)] = count / total + rest * shorter
        weights[history] = rest
    probabilities |= found
    back_offs |= weights
