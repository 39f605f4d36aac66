"""The result of every method: topics as distributions over words."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.documents.reading import from_table, is_table
from fedtopics.documents.reading.columns import Columns
from fedtopics.documents.reading.frames import is_numeric, named_counts
from fedtopics.documents.text.harmless import showing_no_text
from fedtopics.documents.text.known_words import Known, batches, joined, reader
from fedtopics.documents.text.languages import several
from fedtopics.documents.text.tokens import Tokenizer, tokenizer_for
from fedtopics.errors import InputError
from fedtopics.model import exports, files
from fedtopics.model.checks import check, check_amount, checked_company, plain_copy
from fedtopics.model.inference import in_order
from fedtopics.model.matching import subtract_base
from fedtopics.model.shown import Shown
from fedtopics.sampling import lda
from fedtopics.sampling.gpu.using import using

if TYPE_CHECKING:
    from scipy.sparse import sparray, spmatrix

Floats: TypeAlias = NDArray[np.float64]
TextColumn: TypeAlias = str | Sequence[str] | None
Documents: TypeAlias = "Corpus | Sequence[str] | NDArray[Any] | spmatrix | sparray"


@dataclass(frozen=True, eq=False)
class TopicModel(Shown):
    """Topics over a vocabulary.

    topic_word    probability of each word in each topic, shape (n_topics, n_words); rows sum to one
    alpha         Dirichlet prior of a document's topics, shape (n_topics,)
    vocabulary    the word behind each column
    labels        a name for each topic, None before they are given
    topic_shares  share of the training tokens in each topic, None where unknown
    n_tokens      tokens behind the topics, as they were released; None where unknown
    language      whose default tokenizer made the words of the training texts; None where another one did
    company       ids of words of each topic that are in the same documents, shape (n_topics, n), to be shown
                  first; None where the method cannot tell
    card          what a reader of the model should know, as plain JSON values: what it was trained on (in
                  aggregate terms), method, privacy statement; never a document

    >>> model = TopicModel.from_counts([[3, 1, 0], [0, 1, 4]], ["tax", "law", "war"], alpha=0.5, beta=0.1)
    >>> model.top_words(2)
    [['tax', 'law'], ['war', 'law']]
    """

    topic_word: Floats
    alpha: Floats
    vocabulary: tuple[str, ...]
    labels: tuple[str, ...] | None = None
    topic_shares: Floats | None = None
    language: str | None = "en"
    card: Mapping[str, Any] = field(default_factory=dict)
    n_tokens: float | None = None
    company: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "topic_word", _frozen(self.topic_word))
        object.__setattr__(self, "alpha", _frozen(self.alpha))
        object.__setattr__(self, "vocabulary", tuple(self.vocabulary))
        if self.topic_shares is not None:
            object.__setattr__(self, "topic_shares", _frozen(self.topic_shares))
        check(self.topic_word, self.alpha, self.vocabulary, self.labels, self.topic_shares, self.language)
        check_amount(self.n_tokens)
        if self.company is not None:
            object.__setattr__(self, "company", checked_company(self.company, self.topic_word.shape))
        object.__setattr__(self, "card", plain_copy(self.card))

    @classmethod
    def from_counts(
        cls,
        topic_word_counts: ArrayLike,
        vocabulary: Sequence[str],
        *,
        alpha: ArrayLike = 0.1,
        beta: ArrayLike = 0.01,
        language: str | None = "en",
        card: Mapping[str, Any] | None = None,
    ) -> "TopicModel":
        """Posterior mean of the topics given counts; noise below zero counts as zero.

        topic_word_counts   shape (n_topics, n_words)
        beta                Dirichlet prior of a topic's words, added to every count
        """
        counts = np.maximum(_numbers(topic_word_counts), 0.0)
        smoothed = counts + np.asarray(beta, np.float64)
        if counts.ndim != 2 or not (smoothed.sum(axis=-1) > 0).all():
            raise InputError("expected counts (n_topics, n_words) with some in each topic, or beta above 0")
        sums = smoothed.sum(axis=1, keepdims=True)
        total = counts.sum()
        return cls(
            topic_word=smoothed / sums,
            alpha=np.broadcast_to(np.asarray(alpha, np.float64), counts.shape[:1]),
            vocabulary=tuple(vocabulary),
            topic_shares=counts.sum(axis=1) / total if total > 0 else None,
            language=language,
            card=card or {},
            n_tokens=float(total) if total > 0 else None,
        )

    @property
    def counts(self) -> Floats:
        """Tokens of each word in each topic as far as the model tells, shape (n_topics, n_words)."""
        if self.n_tokens is None or self.topic_shares is None:
            raise InputError("expected a model that says how much text is behind its topics; train it anew")
        above = subtract_base(self.topic_word)
        return np.asarray(above * (self.topic_shares * self.n_tokens)[:, None])

    def __repr__(self) -> str:
        return f"TopicModel({self.n_topics} topics, {self.n_words} words)"

    def read(
        self, documents: Documents, *, tokenizer: Tokenizer | None = None, text_column: TextColumn = None
    ) -> Corpus:
        """Documents over the vocabulary of the model; words that it does not know are left out.

        documents  a corpus; texts, which may come one by one; a table with a column of texts (a data frame,
                   rows as mappings); or counts: a matrix with a column for each word of the vocabulary, or
                   a data frame whose columns are called by their words
        tokenizer  for texts: needed where the model was trained with one of your own
        text_column   of a table: its texts, where the column is not called text; several are joined
        """
        if isinstance(documents, Corpus):
            same = documents.vocabulary == self.vocabulary
            return documents if same else documents.with_vocabulary(self.vocabulary)
        texts = _texts(documents, text_column)
        if texts is None:
            words = named_counts(documents)
            if words is None or not set(words) & set(self.vocabulary):
                return Corpus.from_sparse(documents, self.vocabulary)
            return Corpus.from_sparse(np.asarray(documents), words).with_vocabulary(self.vocabulary)
        known = joined(in_order(self._reader(tokenizer), batches(texts), os.cpu_count() or 1))
        return Corpus(known.words, known.offsets, self.vocabulary)

    def transform(
        self,
        documents: Documents,
        *,
        tokenizer: Tokenizer | None = None,
        text_column: TextColumn = None,
        n_threads: int | None = None,
        device: str | None = None,
    ) -> NDArray[np.float32]:
        """Topic mixtures of `documents` (`tokenizer`, `text_column`: see `read`), shape (n_docs, n_topics).

        Rows sum to one. A document without a word that the model knows gets the mean of the prior. The result
        is the same, bit for bit, on every machine, with any `n_threads` (default: all cores), and on a GPU
        (`device`: "cpu", "cuda" or "auto").
        """
        with using(device):
            return self._mixtures(documents, tokenizer, text_column, n_threads)

    def _mixtures(
        self,
        documents: Documents,
        tokenizer: Tokenizer | None,
        text_column: TextColumn,
        n_threads: int | None,
    ) -> NDArray[np.float32]:
        texts = None if isinstance(documents, Corpus) else _texts(documents, text_column)
        if texts is not None:
            parts = self.transform_stream(texts, tokenizer=tokenizer, n_threads=n_threads)
            return np.concatenate([np.empty((0, self.n_topics), np.float32), *parts])
        corpus = self.read(documents, tokenizer=tokenizer)
        return lda.fold_in(corpus, self.topic_word, self.alpha, n_threads=n_threads or os.cpu_count() or 1)

    def transform_stream(
        self, texts: Iterable[str], *, tokenizer: Tokenizer | None = None, n_threads: int | None = None
    ) -> Iterator[NDArray[np.float32]]:
        """The mixtures of `texts` that come one by one, some thousands at a time, in their order.

        Memory holds a few batches, however many texts there are. `tokenizer`, `n_threads`: see `transform`.
        """
        _texts(texts)
        read = self._reader(tokenizer)
        threads = n_threads or os.cpu_count() or 1
        yield from in_order(lambda batch: self.folded(read(batch)), batches(texts), threads)

    def folded(self, known: Known) -> NDArray[np.float32]:
        """The mixtures of texts whose words are `known` (see `documents.text.known_words`), by one thread."""
        corpus = Corpus(known.words, known.offsets, self.vocabulary)
        return lda.fold_in(corpus, self.topic_word, self.alpha)

    def to_gensim(self) -> Any:
        """The same topics as a gensim `LdaModel`."""
        return exports.gensim_model(self.topic_word, self.alpha, self.vocabulary)

    def to_pyldavis(self, documents: Documents, *, tokenizer: Tokenizer | None = None) -> dict[str, Any]:
        """What pyLDAvis draws the topics from: `pyLDAvis.prepare(**model.to_pyldavis(documents))`.

        documents, tokenizer   as for `read`
        """
        corpus = self.read(documents, tokenizer=tokenizer)
        return exports.pyldavis_input(self.topic_word, self.transform(corpus), corpus)

    def to_csv(self, path: str | Path) -> None:
        """Write to `path` a table with one row for each word and its probability in each topic."""
        labels = [self.label(topic) for topic in range(self.n_topics)]
        exports.write_csv(Path(path), self.topic_word, labels, self.vocabulary)

    def save(self, directory: str | Path, *, overwrite: bool = False) -> None:
        """Write `model.safetensors` and `model.json` into `directory`; those there only if `overwrite`."""
        arrays = {"topic_word": self.topic_word, "alpha": self.alpha}
        if self.topic_shares is not None:
            arrays["topic_shares"] = self.topic_shares
        if self.company is not None:
            arrays["company"] = self.company.astype(np.float64)
        description = {
            "n_topics": self.n_topics,
            "n_words": self.n_words,
            "n_tokens": self.n_tokens,
            "language": self.language,
            "card": dict(self.card),
            "labels": self.labels,
            "vocabulary": self.vocabulary,
        }
        files.write(Path(directory), arrays, description, overwrite=overwrite)

    @classmethod
    def load(cls, directory: str | Path) -> "TopicModel":
        """The model that `save` wrote into `directory`; a file changed since is an InputError."""
        arrays, description = files.read(Path(directory))
        try:
            labels, words = description["labels"], description["vocabulary"]
            if not isinstance(words, list) or not isinstance(labels, list | None):
                raise TypeError("words and labels are lists")
            return cls(
                topic_word=arrays["topic_word"],
                alpha=arrays["alpha"],
                vocabulary=tuple(words),
                labels=None if labels is None else tuple(labels),
                topic_shares=arrays.get("topic_shares"),
                language=description["language"],
                card=description["card"],
                n_tokens=description.get("n_tokens"),
                company=cast(Any, arrays.get("company")),
            )
        except (KeyError, TypeError) as error:
            raise InputError(f"model files in {directory} are incomplete ({error}); save it anew") from None

    def _reader(self, tokenizer: Tokenizer | None = None) -> Callable[[list[str]], Known]:
        if tokenizer is None and self.language is None:
            raise InputError("expected the tokenizer of the training texts, got none; give tokenizer=")
        if tokenizer is None and several(self.language):
            raise InputError(
                f"expected documents with their languages ({self.language}), got texts; give a corpus, by "
                f"read(..., language_column=..., language={self.language!r})"
            )
        return reader(self.vocabulary, tokenizer or tokenizer_for(self.language or "en"))


def _texts(documents: Any, text_column: TextColumn = None) -> Iterable[str] | None:
    """The texts, where these are texts and not counts."""
    if isinstance(documents, str | bytes | os.PathLike):
        kind = {str: "one string", bytes: "bytes"}.get(type(documents), "a path")
        raise InputError(f"expected a list of texts, got {kind}; put texts in a list, or read() a file")
    if is_table(documents) and not is_numeric(documents):
        return (document.text for document in from_table(documents, Columns(text_column)))
    return None if len(getattr(documents, "shape", ())) == 2 else documents


def _frozen(values: ArrayLike) -> Floats:
    """Float64 copy that cannot be written to."""
    array = np.array(_numbers(values), order="C")
    array.flags.writeable = False
    return array


def _numbers(values: ArrayLike) -> Floats:
    with showing_no_text("expected topics of numbers, got texts; train() makes topics of texts"):
        return np.asarray(values, np.float64)
