"""A model in the formats of other tools: gensim, pyLDAvis, CSV."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics import files
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.text.harmless import cell
from fedtopics.errors import InputError

# gensim keeps counts, not probabilities: many of them leave its variational inference no room to deviate.
GENSIM_TOKENS_PER_TOPIC = 1e12


def gensim_model(
    topic_word: NDArray[np.float64], alpha: NDArray[np.float64], vocabulary: Sequence[str]
) -> Any:
    """A gensim LdaModel with the same topics and the same prior of a document's topics."""
    try:
        from gensim.corpora import Dictionary
        from gensim.models import LdaModel
    except ImportError:
        raise InputError("to_gensim needs the package gensim; install it with: pip install gensim") from None
    dictionary = Dictionary()
    dictionary.token2id = {word: number for number, word in enumerate(vocabulary)}
    dictionary.id2token = dict(enumerate(vocabulary))
    n_topics, n_words = topic_word.shape
    eta = np.full(n_words, np.finfo(np.float64).tiny)
    model = LdaModel(
        num_topics=n_topics, id2word=dictionary, alpha=alpha.copy(), eta=eta, dtype=np.float64, random_state=0
    )
    model.state.sstats[...] = topic_word * GENSIM_TOKENS_PER_TOPIC
    model.sync_state()
    return model


def pyldavis_input(
    topic_word: NDArray[np.float64], theta: NDArray[np.float32], corpus: Corpus
) -> dict[str, Any]:
    """The arguments of `pyLDAvis.prepare`; words that the documents lack and empty documents are left out."""
    frequency = np.bincount(corpus.words, minlength=corpus.n_words)
    if not frequency.any():
        raise InputError("expected documents with words of the model, got none; give texts like its own")
    used, filled = frequency > 0, corpus.lengths > 0
    topics = topic_word[:, used]
    mixtures = theta[filled].astype(np.float64)
    return {
        "topic_term_dists": topics / topics.sum(axis=1, keepdims=True),
        "doc_topic_dists": mixtures / mixtures.sum(axis=1, keepdims=True),
        "doc_lengths": corpus.lengths[filled],
        "vocab": [corpus.vocabulary[word] for word in np.flatnonzero(used)],
        "term_frequency": frequency[used],
    }


def write_csv(
    path: Path, topic_word: NDArray[np.float64], labels: Sequence[str], vocabulary: Sequence[str]
) -> None:
    """Write one row for each word with its probability in each topic, complete or not at all."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(["word", *map(cell, labels)])
    for word, row in zip(vocabulary, topic_word.T.tolist(), strict=True):
        writer.writerow([cell(word), *row])
    files.publish(path, text.getvalue())
