"""Perplexity follows its written protocol, and nothing about the order of the data changes it."""

from collections import Counter

import numpy as np
import pytest
from gensim.models import LdaModel
from planted import corpus_of, drawn_corpus, fold_in_reference, planted_topics

from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.evaluation.perplexity import complete, halves, perplexity, unigram_among, unigram_perplexity
from fedtopics.model import TopicModel

TOPICS = planted_topics(3, 7)
TEST = drawn_corpus(TOPICS, 40, 31, seed=1)


def documents_of(corpus: Corpus) -> list[list[int]]:
    return [list(words) for words in np.split(corpus.words, corpus.offsets[1:-1])]


def test_it_is_the_formula_of_the_protocol():
    seen, hidden = halves(TEST)
    theta = fold_in_reference(seen, TOPICS, np.full(3, 5 / 3), 40)
    likelihoods = (theta[hidden.docs] * TOPICS.T[hidden.words]).sum(axis=1)
    assert perplexity(TOPICS, TEST) == pytest.approx(np.exp(-np.log(likelihoods).mean()), rel=1e-5)


def test_halves_share_out_each_document():
    seen, hidden = halves(TEST)
    assert list(seen.lengths) == [16] * 40
    assert list(hidden.lengths) == [15] * 40
    for whole, first, second in zip(
        documents_of(TEST), documents_of(seen), documents_of(hidden), strict=True
    ):
        assert sorted(whole) == sorted(first + second)


def test_halves_are_drawn_at_random():
    # Word 0 stands once in each of 400 documents of 20 different tokens. It is seen in about half of them:
    # 200 +- 10, and 5 standard deviations are left by chance once in 1.7 million.
    documents = [[0, *range(1 + 19 * number, 20 + 19 * number)] for number in range(400)]
    seen, _ = halves(corpus_of(documents, 1 + 19 * 400))
    assert abs(int((seen.words == 0).sum()) - 200) < 50
    assert not np.array_equal(seen.words, halves(corpus_of(documents, 1 + 19 * 400), seed=1)[0].words)


def test_neither_the_order_of_words_nor_of_documents_matters():
    documents = documents_of(TEST)
    shuffled = corpus_of([sorted(document) for document in reversed(documents)], TEST.n_words)
    assert perplexity(TOPICS, shuffled) == pytest.approx(perplexity(TOPICS, TEST), rel=1e-12)
    parts = [complete(TOPICS, corpus_of(part, TEST.n_words)) for part in (documents[:15], documents[15:])]
    whole = complete(TOPICS, TEST)
    assert sum(part.log_likelihood for part in parts) == pytest.approx(whole.log_likelihood, rel=1e-12)


def test_seed_and_threads():
    assert perplexity(TOPICS, TEST, n_threads=2) == perplexity(TOPICS, TEST)
    assert perplexity(TOPICS, TEST, seed=-1) != perplexity(TOPICS, TEST)


def test_true_topics_beat_no_topics_and_wrong_topics():
    flat = np.full((1, TEST.n_words), 1 / TEST.n_words)
    assert perplexity(flat, TEST) == pytest.approx(TEST.n_words, rel=1e-9)
    assert perplexity(TOPICS, TEST) < 0.7 * perplexity(flat, TEST)
    wrong = TOPICS[:, np.random.default_rng(2).permutation(TEST.n_words)]
    assert perplexity(TOPICS, TEST) < 0.7 * perplexity(wrong, TEST)


def test_foreign_topics_may_hold_zeros_and_need_not_sum_to_one():
    assert perplexity(TOPICS * 1000, TEST) == pytest.approx(perplexity(TOPICS, TEST), rel=1e-9)
    hard = np.where(TOPICS > 0.01, TOPICS, 0.0)
    hard[:, 4] = 0
    hidden = halves(TEST)[1]
    assert (hidden.words == 4).any()
    # All but the word without a topic are scored as if it were not there; it has the probability 1e-10.
    kept = np.maximum(hard / hard.sum(axis=1, keepdims=True), 1e-10)
    assert perplexity(hard, TEST) == pytest.approx(perplexity(kept, TEST), rel=1e-6)
    assert perplexity(hard, corpus_of([[4, 4]], TEST.n_words)) == pytest.approx(1e10, rel=1e-3)


def test_short_documents_are_left_out_and_counted():
    longer = corpus_of([*documents_of(TEST), [4], [], [5]], TEST.n_words)
    assert complete(TOPICS, longer).n_left_out == 3
    assert perplexity(TOPICS, longer) == perplexity(TOPICS, TEST)
    with pytest.raises(InputError, match="2 tokens or more, got none in 2"):
        perplexity(TOPICS, corpus_of([[1], []], TEST.n_words))


def test_unigram_scores_the_same_tokens():
    train = drawn_corpus(TOPICS, 50, 20, seed=3)
    counts = np.bincount(train.words, minlength=train.n_words) + 1
    logs = np.log(counts / counts.sum())[halves(TEST)[1].words]
    assert unigram_perplexity(train, TEST) == pytest.approx(np.exp(-logs.mean()))


def test_unigram_among_documents_leaves_each_of_them_out():
    """Of a corpus in pieces, too, it is the unigram of all others."""
    few = TEST.select(range(6))
    logs = []
    for doc in range(6):
        others = few.select([each for each in range(6) if each != doc])
        counts = np.bincount(others.words, minlength=few.n_words) + 1
        logs.append(np.log(counts / counts.sum())[halves(few.select([doc]))[1].words])
    assert unigram_among(few) == pytest.approx(np.exp(-np.concatenate(logs).mean()))


def test_a_model_and_its_matrix_score_alike_and_vocabularies_must_match():
    model = TopicModel(TOPICS, np.ones(3), TEST.vocabulary)
    assert perplexity(model, TEST) == perplexity(TOPICS, TEST)
    other = Corpus(TEST.words, TEST.offsets, tuple(reversed(TEST.vocabulary)))
    with pytest.raises(InputError, match="vocabulary"):
        perplexity(model, other)
    with pytest.raises(InputError, match="vocabulary"):
        unigram_perplexity(other, TEST)
    with pytest.raises(InputError, match=r"got \(3, 20\)"):
        perplexity(TOPICS[:, 1:], TEST)
    with pytest.raises(InputError, match="finite"):
        perplexity(np.full_like(TOPICS, np.nan), TEST)


def test_topics_of_gensim_are_scored_by_the_same_evaluator():
    train = drawn_corpus(TOPICS, 120, 31, seed=4)
    bags = [sorted(Counter(map(int, document)).items()) for document in documents_of(train)]
    foreign = LdaModel(bags, num_topics=3, passes=20, random_state=0).get_topics()
    assert foreign.dtype == np.float32
    assert perplexity(TOPICS, TEST) < perplexity(foreign, TEST) < unigram_perplexity(train, TEST)
