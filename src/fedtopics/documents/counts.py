"""Matrices of counts, documents x words, as tokens; the counts may be fractions."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.documents.text.harmless import may_be_text, quoted, showing_no_text
from fedtopics.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

TEXTS = (
    "expected a matrix of counts or a Corpus, got texts; give fedtopics.Corpus.from_texts(texts), or put a "
    "CountVectorizer in front"
)
_ARRAY = re.compile(r":\narray=.*\n(?=Reshape)", re.DOTALL)  # where one has another number of dimensions
_NO_SEED = "cannot be used to seed a numpy.random.RandomState instance"
STEPS = 64  # fractions are read in steps of 1/64 where tokens cannot have weights


@contextmanager
def hiding_texts() -> Iterator[None]:
    """Errors of scikit-learn without what was given: texts, names of columns, counts of a document."""
    try:
        with showing_no_text(TEXTS):
            yield
    except ValueError as error:
        if str(error).endswith(_NO_SEED):
            raise InputError("expected a number as random_state, got something else") from None
        lines = _ARRAY.sub(". ", str(error)).split("\n")
        shown = [f"- {quoted(line[2:])}" if _is_text(line) else line for line in lines]
        if "\n".join(shown) == str(error):
            raise
        raise InputError("\n".join(shown)) from None


def _is_text(line: str) -> bool:
    return line.startswith("- ") and may_be_text(line[2:])


class Tokens(NamedTuple):
    """Documents and how much each token counts (None: 1)."""

    corpus: Corpus
    weights: NDArray[np.float64] | None


def weighted_tokens(counts: "csr_array", vocabulary: tuple[str, ...]) -> Tokens:
    """As many tokens as each count rounded up, which together weigh as much as the count: 2.4 is 3 x 0.8."""
    n_tokens = np.ceil(counts.data).astype(np.int64)
    corpus = _repeated(counts, n_tokens, vocabulary)
    if np.array_equal(n_tokens, counts.data):
        return Tokens(corpus, None)
    shares = counts.data / np.maximum(n_tokens, 1)
    return Tokens(corpus, np.repeat(shares.astype(np.float64), n_tokens))


def scaled_tokens(counts: "csr_array", vocabulary: tuple[str, ...]) -> tuple[Corpus, int]:
    """Tokens of whole counts, or of counts times a scale where some are fractions; and the scale."""
    scale = 1 if np.array_equal(np.rint(counts.data), counts.data) else STEPS
    return _repeated(counts, np.rint(counts.data * scale).astype(np.int64), vocabulary), scale


def whole_tokens(counts: "csr_array", vocabulary: tuple[str, ...]) -> Corpus:
    """Tokens of the counts rounded to whole numbers."""
    return _repeated(counts, np.rint(counts.data).astype(np.int64), vocabulary)


def _repeated(counts: "csr_array", times: NDArray[np.int64], vocabulary: tuple[str, ...]) -> Corpus:
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(times)])
    return Corpus(np.repeat(counts.indices.astype(np.int32), times), before[counts.indptr], vocabulary)
