"""Texts as numbers of their words, some texts at a time: the part of indexing that any core can do."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.tokens import PlainTokenizer, Tokenizer, has_markup, without_markup

Splitter: TypeAlias = Callable[[str], list[str]]


class Part(NamedTuple):
    """Some documents.

    words              the number of each token's word, by first appearance among these documents
    offsets            where documents begin, and where the last ends
    sentence_offsets   the same of sentences
    document_sentences the number of the first sentence of each document, and of all
    vocabulary         the words behind the numbers
    """

    words: NDArray[np.int32]
    offsets: NDArray[np.int64]
    sentence_offsets: NDArray[np.int64]
    document_sentences: NDArray[np.int64]
    vocabulary: Sequence[str]


class _Numbering(dict[str, int]):
    """Gives a word it has not met the next free number."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


def numbered(texts: Iterable[str], tokenizer: Tokenizer, splitter: Splitter | None) -> Part:
    """The words of all texts and their sentences; without a splitter a text is one.

    A sentence without a word is kept, as how many there are must not tell which words they have; the space
    between paragraphs is none.
    """
    indexer = _Native(tokenizer) if isinstance(tokenizer, PlainTokenizer) else _Plain(tokenizer)
    offsets, sentence_offsets, document_sentences = array("q", [0]), array("q", [0]), array("q", [0])
    n_tokens = 0
    for text in texts:
        for sentence in filter(str.strip, splitter(text) if splitter else (text,)):
            n_tokens = indexer(sentence)
            sentence_offsets.append(n_tokens)
        offsets.append(n_tokens)
        document_sentences.append(len(sentence_offsets) - 1)
    return Part(
        indexer.tokens(),
        np.array(offsets, np.int64),
        np.array(sentence_offsets, np.int64),
        np.array(document_sentences, np.int64),
        indexer.words(),
    )


class _Native:
    """Western texts are cut and numbered natively, others cut in Python, where all of Unicode is known."""

    def __init__(self, tokenizer: PlainTokenizer) -> None:
        self._tokenizer, self._indexer = tokenizer, tokenizer.indexer()
        self.tokens, self.words = self._indexer.tokens, self._indexer.words

    def __call__(self, sentence: str) -> int:
        n_tokens = self._indexer.add(sentence, True)
        if n_tokens < 0 and has_markup(sentence):
            n_tokens = self._indexer.add(without_markup(sentence), False)
        return n_tokens if n_tokens >= 0 else self._indexer.number(self._tokenizer(sentence))


class _Plain:
    """Any tokenizer."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer, self._number, self._tokens = tokenizer, _Numbering(), array("i")

    def __call__(self, sentence: str) -> int:
        self._tokens.extend(map(self._number.__getitem__, self._tokenizer(sentence)))
        return len(self._tokens)

    def tokens(self) -> NDArray[np.int32]:
        return np.array(self._tokens, np.int32)

    def words(self) -> Sequence[str]:
        return list(self._number)


class Merged:
    """Numbers words by first appearance over all parts, as if they had been one."""

    def __init__(self) -> None:
        self._number = _Numbering()

    def __call__(self, part: Part) -> NDArray[np.int32]:
        """The words of the next part by their numbers in the whole."""
        numbers = np.fromiter(map(self._number.__getitem__, part.vocabulary), np.int32, len(part.vocabulary))
        return numbers[part.words]

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return tuple(self._number)
