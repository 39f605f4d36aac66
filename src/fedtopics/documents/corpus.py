"""Documents as flat arrays: the one input format of every part of the package."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedtopics.documents import known
from fedtopics.documents.known import KNOWN, Column
from fedtopics.documents.mapped import is_mapped
from fedtopics.documents.persons import by_person, contents, drawn, held_out
from fedtopics.documents.text import indexing
from fedtopics.documents.text.given import check_text, check_texts
from fedtopics.documents.text.indexing import Indexed
from fedtopics.documents.text.preparation import TextOptions, prepare, prepare_languages, read_vocabulary
from fedtopics.documents.text.word_filter import WordFilter
from fedtopics.errors import InputError
from fedtopics.progress import track

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Ints: TypeAlias = NDArray[np.int32]
Offsets: TypeAlias = NDArray[np.int64]


class Document(NamedTuple):
    """One `text` and what is known of it: `id`, `label`, `party`, the `person` behind it, `language`."""

    text: str
    id: str | None = None
    label: str | None = None
    party: str | None = None
    person: str | None = None
    language: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Documents over one vocabulary, token after token. The arrays are read-only.

    words             word id of each token in reading order, shape (n_tokens,)
    offsets           document d owns the tokens offsets[d]:offsets[d+1], shape (n_docs + 1,)
    vocabulary        the word behind each id
    sentence_offsets  sentence s owns the tokens sentence_offsets[s]:sentence_offsets[s+1]; a sentence stays,
                      empty, when the vocabulary has none of its words, so that their number tells no word
    document_sentences   document d owns the sentences document_sentences[d]:document_sentences[d+1], shape
                      (n_docs + 1,); both are None where sentences are unknown (bags of words)
    ids, labels, parties, persons   one string per document, None where unknown
    sentence_unit     what the sentences are: "sentence", or "paragraph" where texts were cut at blank lines
    language          whose tokenizer cut the texts, or "de+en"; None for counted words and your own tokenizer
    """

    words: Ints
    offsets: Offsets
    vocabulary: tuple[str, ...]
    sentence_offsets: Offsets | None = None
    document_sentences: Offsets | None = None
    ids: Column = None
    labels: Column = None
    parties: Column = None
    persons: Column = None
    language: str | None = None
    sentence_unit: str = "sentence"

    def __post_init__(self) -> None:
        for name, values in indexing.checked(self._indexed)._asdict().items():
            object.__setattr__(self, name, values)
        for name in KNOWN:
            values = getattr(self, name)
            if values is not None and len(values) != self.n_docs:
                raise InputError(f"expected {name} for {self.n_docs} documents, got {len(values)}")

    def __repr__(self) -> str:
        parties = f", {len(set(self.parties))} parties" if self.parties else ""
        persons = "" if self.persons is None else f", {self.n_persons} persons"
        sizes = f"{self.n_docs} documents, {self.n_tokens} tokens, {self.n_words} words"
        return f"<Corpus: {sizes}{parties}{persons}>"

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str],
        *,
        ids: Sequence[object] | None = None,
        labels: Sequence[object] | None = None,
        parties: Sequence[object] | None = None,
        persons: Sequence[object] | None = None,
        progress: bool | None = False,
        **options: Unpack[TextOptions],
    ) -> "Corpus":
        """A corpus of these texts.

        texts      strings, which may come one by one
        ids, labels, parties, persons   one of each for every text
        progress   a progress bar on standard error: True, False, or None for "if it is a terminal"
        options    vocabulary, tokenizer, language, stop_words, min_df, max_df, max_words, sentences:
                   see `fedtopics.documents.TextOptions`

        >>> corpus = Corpus.from_texts(["The dog barks. A cat sleeps.", "Cats and dogs!"])
        >>> corpus.vocabulary
        ('barks', 'cat', 'cats', 'dog', 'dogs', 'sleeps')
        >>> corpus.words.tolist(), corpus.offsets.tolist(), corpus.sentence_offsets.tolist()
        ([3, 0, 1, 5, 2, 4], [0, 4, 6], [0, 2, 4, 6])
        """
        check_texts(texts)
        tracked = track(texts, "Reading texts", shown=progress)
        corpus = cls.from_documents((Document(text) for text in tracked), **options)
        return corpus._with(ids=ids, labels=labels, parties=parties, persons=persons)

    @classmethod
    def from_documents(
        cls, documents: Iterable[Document], *, on_disk: bool = False, **options: Unpack[TextOptions]
    ) -> "Corpus":
        """A corpus of `documents` that come one by one, perhaps `on_disk` (`options`: see `from_texts`)."""
        about = known.Collected()
        first = next(coming := iter(documents), None)

        def texts() -> Iterator[str]:
            for document in () if first is None else chain([first], coming):
                text = check_text(document.text)
                about.add(*document[1:])
                yield text

        language = None if options.get("tokenizer") else options.get("language", "en")
        if first is not None and first.language is not None:
            indexed, language = prepare_languages(about.with_language(texts()), **options)
        else:
            indexed = prepare(texts(), on_disk=on_disk, **options)
        unit = "paragraph" if options.get("sentences") == "paragraphs" else "sentence"
        return cls(*indexed, **about.columns(), language=language, sentence_unit=unit)

    @classmethod
    def from_sparse(
        cls,
        counts: object,
        vocabulary: Sequence[str],
        *,
        ids: Sequence[object] | None = None,
        labels: Sequence[object] | None = None,
        parties: Sequence[object] | None = None,
        persons: Sequence[object] | None = None,
    ) -> "Corpus":
        """A corpus from a matrix of `counts`, documents x words (any scipy sparse format, or dense).

        >>> Corpus.from_sparse([[2, 0], [0, 1]], ["tax", "war"]).words.tolist()
        [0, 0, 1]
        """
        from scipy.sparse import csr_array

        try:
            (matrix := csr_array(counts)).sum_duplicates()
        except (ValueError, TypeError):
            raise InputError("expected a matrix of counts, got something else in it") from None
        with np.errstate(invalid="ignore"):
            whole = matrix.data.astype(np.int64)
        if (whole != matrix.data).any() or (whole < 0).any():
            raise InputError("expected counts that are whole numbers and not negative, got others")
        if matrix.shape[1] != len(vocabulary):
            raise InputError(f"expected {matrix.shape[1]} words, one for each column, got {len(vocabulary)}")
        before = np.concatenate([[0], np.cumsum(whole)])
        words = np.repeat(matrix.indices.astype(np.int32), whole)
        corpus = cls(words, before[matrix.indptr], read_vocabulary(vocabulary))
        return corpus._with(ids=ids, labels=labels, parties=parties, persons=persons)

    @property
    def n_docs(self) -> int:
        return len(self.offsets) - 1

    @property
    def n_tokens(self) -> int:
        return len(self.words)

    @property
    def n_words(self) -> int:
        """Size of the vocabulary."""
        return len(self.vocabulary)

    @property
    def n_empty(self) -> int:
        """Number of documents without a word of the vocabulary."""
        return int((self.lengths == 0).sum())

    @property
    def n_persons(self) -> int | None:
        """Number of different persons; None where they are unknown."""
        return None if self.persons is None else len(set(self.persons))

    @cached_property
    def lengths(self) -> Offsets:
        """Number of tokens of each document."""
        return np.diff(self.offsets)

    @cached_property
    def docs(self) -> Ints:
        """Document id of each token."""
        return np.repeat(np.arange(self.n_docs, dtype=np.int32), self.lengths)

    @property
    def name(self) -> str | None:
        """The party that owns every document; None where there are several or none is known."""
        return self.parties[0] if self.parties and len(set(self.parties)) == 1 else None

    def documents_by_person(self) -> tuple[Offsets, Offsets]:
        """(order, offsets): person i wrote the documents order[offsets[i]:offsets[i+1]], in their order.

        Persons are in order of their names; that of every document must be known.
        """
        return by_person(self.persons)

    def contents(self) -> tuple[str, ...]:
        """The words of each document in one string, never empty."""
        return contents(self.vocabulary, self.sound.words, self.offsets)

    def to_sparse(self) -> "csr_array":
        """The counts as a sparse matrix (CSR), documents x words."""
        return indexing.counted(self.sound._indexed)

    def document_frequency(self) -> NDArray[np.int64]:
        """Number of documents that each word occurs in."""
        return indexing.document_frequency(self.sound._indexed)

    def with_vocabulary(self, vocabulary: Sequence[str]) -> "Corpus":
        """The same documents and sentences over another vocabulary; words it lacks are left out."""
        words = vocabulary if isinstance(vocabulary, tuple) else tuple(vocabulary)
        return replace(self, **indexing.with_vocabulary(self.sound._indexed, words)._asdict())

    def filtered(self, word_filter: WordFilter) -> "Corpus":
        """The same documents over the words that `word_filter` keeps."""
        return self.with_vocabulary(
            word_filter.chosen(self.vocabulary, self.document_frequency(), self.n_docs)
        )

    def select(self, documents: ArrayLike) -> "Corpus":
        """`documents` are positions, which say the order too, or a boolean mask."""
        positions = np.asarray(documents)
        if positions.size and positions.dtype.kind not in "biuf":
            raise InputError("expected positions of documents or a mask, got other values")
        if positions.dtype == bool and len(positions) != self.n_docs:
            raise InputError(f"expected a mask of {self.n_docs} documents, got {len(positions)}")
        chosen = np.flatnonzero(positions) if positions.dtype == bool else positions.astype(np.int64)
        if len(chosen) and not (chosen.min() >= 0 and chosen.max() < self.n_docs):
            raise InputError(
                f"expected positions from 0 to {self.n_docs - 1}, got {chosen.min()} to {chosen.max()}"
            )
        columns: dict[str, Any] = {name: known.chosen(getattr(self, name), chosen) for name in KNOWN}
        return replace(self, **indexing.select(self.sound._indexed, chosen)._asdict(), **columns)

    def split(self, test_fraction: float, seed: int, by_content: bool = False) -> "tuple[Corpus, Corpus]":
        """(train, test): about `test_fraction` of the documents, drawn by `seed`, is for testing.

        Where persons are known each is on one side with all documents, and it is about that share of persons.
        `by_content` a document's side depends on its words alone: when one comes or goes, no other moves.
        """
        if self.persons is not None or by_content:
            is_test = held_out(
                self.persons or self.contents(), test_fraction, seed, both_sides=not by_content
            )
            if is_test.all() or not is_test.any():
                raise InputError(
                    "expected documents on both sides, got none on one; take another seed or share"
                )
            return self.select(~is_test), self.select(is_test)
        is_test = drawn(self.n_docs, test_fraction, seed)
        return self.select(~is_test), self.select(is_test)

    def _with(self, **columns: Sequence[object] | None) -> "Corpus":
        return replace(self, **{name: known.strings(column) for name, column in columns.items()})  # type: ignore[arg-type]

    @property
    def _indexed(self) -> Indexed:
        sentences = self.sentence_offsets, self.document_sentences
        return Indexed(self.words, self.offsets, self.vocabulary, *sentences)

    @cached_property
    def sound(self) -> "Corpus":
        """This corpus, once its numbers were checked: those on the disk are when they are first needed."""
        if is_mapped(self.words):
            indexing.check_numbers(self._indexed)
        return self


def require_words(n_words: int) -> None:
    """Refuse a vocabulary with nothing to choose from: topics are how words differ."""
    if n_words < 2:
        raise InputError(f"a vocabulary of at least 2 words was expected, got {n_words}")


def concatenate(corpora: Sequence[Corpus]) -> "Corpus":
    """One corpus with the documents of all `corpora`, in order; they must share one vocabulary."""
    first = corpora[0]
    if any(corpus.vocabulary != first.vocabulary for corpus in corpora):
        raise InputError("expected corpora over one vocabulary, got several; use with_vocabulary first")
    columns = ([getattr(corpus, name) for corpus in corpora] for name in KNOWN)
    joined: dict[str, Any] = dict(zip(KNOWN, map(known.joined, columns), strict=True))
    return replace(first, **indexing.join([corpus.sound._indexed for corpus in corpora])._asdict(), **joined)
