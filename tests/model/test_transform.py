"""Mixtures of new documents: the same formula, the same bits, whatever form the documents come in."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from planted import corpus_of, drawn_corpus, fold_in_reference, planted_topics
from scipy.sparse import csr_array

from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.model import TopicModel

TOPICS = planted_topics(3, 5)
NEW = drawn_corpus(TOPICS, 30, 25, seed=8)
MODEL = TopicModel(TOPICS, np.array([0.1, 0.2, 0.3]), NEW.vocabulary)


def test_it_is_the_fold_in_formula():
    expected = fold_in_reference(NEW, TOPICS, MODEL.alpha, 40)
    assert np.allclose(MODEL.transform(NEW), expected, atol=1e-5)


def test_documents_go_to_the_topic_of_their_words():
    pure = corpus_of([[0, 1, 2, 3], [5, 6, 7, 7, 9], [10, 14]], 15)
    assert MODEL.transform(pure).argmax(axis=1).tolist() == [0, 1, 2]


def test_a_document_without_known_words_gets_the_prior():
    theta = MODEL.transform(corpus_of([[], [0]], 15))
    assert theta[0] == pytest.approx(MODEL.alpha / MODEL.alpha.sum())


def test_saved_and_loaded_models_transform_alike_with_any_number_of_threads(tmp_path):
    MODEL.save(tmp_path)
    loaded = TopicModel.load(tmp_path)
    bits = {loaded.transform(NEW, n_threads=n).tobytes() for n in (1, 2, 5)}
    assert bits == {MODEL.transform(NEW).tobytes()}


def test_another_machine_gives_the_same_bits(tmp_path):
    # The plainest instruction set stands for a machine that lacks those of this one.
    MODEL.save(tmp_path)
    texts = ["w0 w1 w7", "w12 w12 w3", ""]
    code = (
        "import sys; from fedtopics import TopicModel; "
        f"print(TopicModel.load(sys.argv[1]).transform({texts!r}).tobytes().hex())"
    )
    environment = os.environ | {"FEDTOPICS_ISA": "plain"}
    command = [sys.executable, "-c", code, str(tmp_path)]
    there = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert there.strip() == MODEL.transform(texts).tobytes().hex()


def test_corpora_over_another_vocabulary_are_translated():
    words = ("unknown", *reversed(NEW.vocabulary))
    other = Corpus(np.array([15, 0, 14, 3], np.int32), np.array([0, 3, 4]), words)
    assert [words[word] for word in other.words] == ["w0", "unknown", "w1", "w12"]
    assert np.array_equal(MODEL.transform(other), MODEL.transform(corpus_of([[0, 1], [12]], 15)))


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_counts_are_documents_too(form):
    counts = np.zeros((NEW.n_docs, NEW.n_words), np.int64)
    np.add.at(counts, (NEW.docs, NEW.words), 1)
    assert np.allclose(MODEL.transform(form(counts)), MODEL.transform(NEW), atol=1e-6)
    with pytest.raises(InputError, match="15"):
        MODEL.transform(form(counts[:, 1:]))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_of_counts_go_by_their_names(frame):
    counts = np.zeros((NEW.n_docs, NEW.n_words), np.int64)
    np.add.at(counts, (NEW.docs, NEW.words), 1)
    named = {word: counts[:, number] for number, word in reversed(list(enumerate(MODEL.vocabulary)))}
    named["unknown"] = counts[:, 0]
    assert np.allclose(MODEL.transform(frame(named)), MODEL.transform(NEW), atol=1e-6)
    numbered = pd.DataFrame(counts)  # without names they are in the order of the vocabulary
    assert np.allclose(MODEL.transform(numbered), MODEL.transform(NEW), atol=1e-6)


def test_texts_are_cut_by_the_tokenizer_of_the_training_texts(tmp_path):
    texts = ["w0 W1, w2. w99", "nothing known", ""]
    expected = MODEL.transform(corpus_of([[0, 1, 2], [], []], 15))
    assert np.array_equal(MODEL.transform(texts), expected)
    with pytest.raises(InputError, match="one string"):
        MODEL.transform("w0 w1")


def test_texts_of_an_own_tokenizer_need_it_again(tmp_path):
    own = TopicModel(TOPICS, MODEL.alpha, NEW.vocabulary, language=None)
    own.save(tmp_path)
    own = TopicModel.load(tmp_path)
    with pytest.raises(InputError, match="tokenizer="):
        own.transform(["w0-w1"])
    expected = own.transform(corpus_of([[0, 1]], 15))
    assert np.array_equal(own.transform(["w0-w1"], tokenizer=lambda text: text.split("-")), expected)
