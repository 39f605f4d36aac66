"""Texts as numbers of the words of one vocabulary, cut natively where they can be: for trained models.

Nothing is learned of the words that the vocabulary lacks, so that texts may come without end.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.cores import batched
from fedtopics.documents.text.given import check_text, check_texts
from fedtopics.documents.text.harmless import HALF
from fedtopics.documents.text.tokens import PlainTokenizer, Tokenizer, has_markup, without_markup
from fedtopics.errors import InputError

_Cut: TypeAlias = tuple[Sequence[int] | NDArray[np.int32], int]
CHARACTERS, TEXTS = 2**21, 5_000  # of a batch, at most


class Known(NamedTuple):
    """Some texts: their known words, where each begins (and the last ends), and how many words in all."""

    words: NDArray[np.int32]
    offsets: NDArray[np.int64]
    n_tokens: int


def reader(vocabulary: Sequence[str], tokenizer: Tokenizer) -> Callable[[list[str]], Known]:
    """What reads texts over a `vocabulary`; several threads may share it."""
    place = {word: number for number, word in enumerate(vocabulary)}

    def cut(text: str) -> _Cut:
        words = tokenizer(text)
        return [place[word] for word in words if word in place], len(words)

    if not isinstance(tokenizer, PlainTokenizer):
        return lambda texts: _joined(list(map(cut, texts)))
    native = tokenizer.known(vocabulary)

    def read(texts: list[str]) -> Known:
        try:
            words, sizes, n_tokens = native.read(texts, True)
        except UnicodeEncodeError:
            raise InputError(HALF) from None
        left = np.flatnonzero(n_tokens < 0).tolist()
        if not left:
            return Known(words, _ends(sizes), int(n_tokens.sum()))
        parts = _split(words, sizes)
        found: dict[int, _Cut] = {}
        marked = [number for number in left if has_markup(texts[number])]
        plain, some, total = native.read([without_markup(texts[number]) for number in marked], False)
        for number, part, n_cut in zip(marked, _split(plain, some), total.tolist(), strict=True):
            if n_cut >= 0:
                found[number] = part, n_cut
        for number in left:
            if number not in found:
                found[number] = cut(texts[number])
        pairs = zip(parts, n_tokens.tolist(), strict=True)
        return _joined([found.get(number, pair) for number, pair in enumerate(pairs)])

    return read


def batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Texts that come one by one, some at a time, about as many characters in each batch."""
    check_texts(texts)
    return batched(map(check_text, texts), len, CHARACTERS, TEXTS)


def joined(parts: Iterable[Known]) -> Known:
    """Several parts as one."""
    words, sizes, n_tokens = [np.empty(0, np.int32)], [np.empty(0, np.int64)], 0
    for part in parts:
        words.append(part.words)
        sizes.append(np.diff(part.offsets))
        n_tokens += part.n_tokens
    return Known(np.concatenate(words), _ends(np.concatenate(sizes)), n_tokens)


def _joined(parts: list[_Cut]) -> Known:
    words = [np.asarray(part, np.int32) for part, _ in parts]
    sizes = np.fromiter(map(len, words), np.int64, len(words))
    return Known(np.concatenate([np.empty(0, np.int32), *words]), _ends(sizes), sum(n for _, n in parts))


def _split(words: NDArray[np.int32], sizes: NDArray[np.int64]) -> list[NDArray[np.int32]]:
    return np.split(words, np.cumsum(sizes)[:-1]) if len(sizes) else []


def _ends(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
