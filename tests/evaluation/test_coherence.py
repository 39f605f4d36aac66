"""Coherence equals gensim's on the same input, and a plain count over windows."""

import numpy as np
import pytest
from gensim.corpora import Dictionary
from gensim.models import CoherenceModel
from planted import corpus_of, drawn_corpus, planted_topics

from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.evaluation.coherence import coherence_cv, coherence_npmi, coherence_umass
from fedtopics.evaluation.cooccurrence import cooccurrences
from fedtopics.model import TopicModel

N_WORDS = 40


def ragged_corpus(seed: int) -> Corpus:
    """Documents from empty to long, of unevenly frequent words, so that words repeat within windows."""
    rng = np.random.default_rng(seed)
    frequencies = 1 / np.arange(1, N_WORDS + 1)
    lengths = [0, 1, 2, 3, *rng.integers(4, 60, 60), 109, 110, 111, 300]
    draw = [list(rng.choice(N_WORDS, length, p=frequencies / frequencies.sum())) for length in lengths]
    return corpus_of(draw, N_WORDS)


def texts_of(corpus: Corpus) -> list[list[str]]:
    return [[corpus.vocabulary[word] for word in doc] for doc in np.split(corpus.words, corpus.offsets[1:-1])]


def random_topics(seed: int, n_topics: int = 7, n_words: int = 10) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    return [[f"w{word}" for word in rng.permutation(N_WORDS)[:n_words]] for _ in range(n_topics)]


def gensim_coherence(topics, corpus, measure, window=None):
    texts = texts_of(corpus)
    model = CoherenceModel(
        topics=topics,
        texts=texts,
        dictionary=Dictionary([list(corpus.vocabulary)]),
        coherence=measure,
        window_size=window,
        processes=1,
    )
    return model.get_coherence_per_topic()


@pytest.mark.parametrize("seed", range(3))
def test_umass_is_gensims(seed):
    topics, corpus = random_topics(seed), ragged_corpus(seed)
    expected = gensim_coherence(topics, corpus, "u_mass")
    assert coherence_umass(topics, corpus) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("window", [1, 2, 3, 10, 110, 1000])
def test_npmi_is_gensims(seed, window):
    topics, corpus = random_topics(seed), ragged_corpus(seed)
    expected = gensim_coherence(topics, corpus, "c_npmi", window)
    assert coherence_npmi(topics, corpus, window=window) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("window", [5, 110])
def test_c_v_is_gensims(seed, window):
    topics, corpus = random_topics(seed), ragged_corpus(seed)
    expected = gensim_coherence(topics, corpus, "c_v", window)
    assert coherence_cv(topics, corpus, window=window) == pytest.approx(expected, abs=1e-9)


def test_whole_documents_are_windows_longer_than_any():
    topics, corpus = random_topics(9), ragged_corpus(9)
    assert coherence_npmi(topics, corpus) == pytest.approx(coherence_npmi(topics, corpus, window=10**6))


@pytest.mark.parametrize("window", [None, 4])
def test_counts_of_words_that_never_repeat_are_those_of_a_plain_loop(window):
    rng = np.random.default_rng(3)
    corpus = corpus_of([list(rng.permutation(N_WORDS)[: rng.integers(0, 30)]) for _ in range(50)], N_WORDS)
    topic = [f"w{word}" for word in range(6)]
    expected, n_windows = np.zeros((6, 6)), 0
    for text in texts_of(corpus):
        size = min(window or len(text), len(text))
        for start in range(len(text) - size + 1):
            present = np.array([word in text[start : start + size] for word in topic], float)
            expected += np.outer(present, present)
            n_windows += 1
    counts = cooccurrences([topic], corpus, window)
    assert np.array_equal(counts.joint[0], expected)
    assert counts.n_windows == n_windows


def test_counts_add_up_over_corpora():
    topics, one, two = random_topics(1), ragged_corpus(1), ragged_corpus(2)
    both = corpus_of([list(d) for c in (one, two) for d in np.split(c.words, c.offsets[1:-1])], N_WORDS)
    total = cooccurrences(topics, one, 5) + cooccurrences(topics, two, 5)
    whole = cooccurrences(topics, both, 5)
    assert total.n_windows == whole.n_windows
    assert np.array_equal(total.joint, whole.joint)


def test_planted_topics_are_more_coherent_than_mixed_ones():
    topics = planted_topics(4, 10)
    corpus = drawn_corpus(topics, 300, 40, seed=4)
    planted = TopicModel(topics, np.ones(4), corpus.vocabulary)
    mixed = TopicModel(topics[:, np.random.default_rng(0).permutation(40)], np.ones(4), corpus.vocabulary)
    for measure in (coherence_umass, coherence_npmi, coherence_cv):
        assert measure(planted, corpus).min() > measure(mixed, corpus).max()


def test_words_unknown_to_the_reference_count_lowest():
    corpus = corpus_of([[0, 1], [1, 0], [2], [1]], 3)
    assert coherence_npmi([["w0", "missing"]], corpus) == [-1]
    assert coherence_umass([["missing", "w0"]], corpus) == [0]
    assert coherence_umass([["w0", "missing"]], corpus) == pytest.approx([np.log(1e-12 / 0.5)])
    assert np.isfinite(coherence_cv([["w0", "missing", "w1"]], corpus)).all()
    assert coherence_npmi([["gone", "missing"]], corpus) == [-1]


def test_bags_of_words_have_no_short_windows():
    bags = corpus_of([sorted(doc) for doc in np.array_split(ragged_corpus(0).words, 20)], N_WORDS)
    assert np.isfinite(coherence_npmi(random_topics(0), bags)).all()
    with pytest.raises(InputError, match="bags of words"):
        coherence_cv(random_topics(0), bags)


def test_bad_input_is_named():
    with pytest.raises(InputError, match="got 1"):
        coherence_npmi([["w0"]], ragged_corpus(0))
    with pytest.raises(InputError, match="got 0"):
        coherence_npmi([], ragged_corpus(0))
    with pytest.raises(InputError, match="got 0"):
        coherence_npmi(random_topics(0), ragged_corpus(0), window=0)
