"""`fedtopics.LDA` behaves as scikit-learn expects, finds planted topics and repeats itself bit for bit."""

import numpy as np
import pandas
import pytest
from planted import drawn_corpus, planted_topics
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from fedtopics.errors import InputError
from fedtopics.estimator import LDA
from fedtopics.evaluation.perplexity import perplexity, unigram_perplexity

TOPICS = planted_topics(4, 10)
TRAIN, TEST = drawn_corpus(TOPICS, 150, 40, seed=1), drawn_corpus(TOPICS, 50, 40, seed=2)


def counts_of(corpus):
    return corpus.to_sparse().astype(np.float64)


@pytest.fixture(scope="module")
def fitted():
    return LDA(4, max_iter=60, random_state=7).fit(TRAIN)


@parametrize_with_checks([LDA(n_components=2, max_iter=20, random_state=0)])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def test_planted_topics_are_found(fitted):
    distances = np.abs(fitted.model_.topic_word[:, None, :] - TOPICS[None]).sum(axis=2) / 2
    rows, columns = linear_sum_assignment(distances)
    assert distances[rows, columns].max() < 0.15
    assert fitted.perplexity(TEST) < 1.05 * perplexity(TOPICS, TEST) < unigram_perplexity(TRAIN, TEST)
    assert fitted.score(TEST) == pytest.approx(-np.log(fitted.perplexity(TEST)))


def test_components_are_the_tokens_of_each_word_plus_the_prior(fitted):
    assert fitted.components_.shape == (4, 40)
    n_words = np.bincount(TRAIN.words, minlength=40)
    assert fitted.components_.sum(axis=0) == pytest.approx(n_words + 4 * fitted.topic_word_prior_)
    normalized = fitted.components_ / fitted.components_.sum(axis=1, keepdims=True)
    assert np.allclose(fitted.model_.topic_word, normalized)


@pytest.mark.parametrize("n_topics", [4, 12])  # "auto" takes another sampler for many topics
def test_same_seed_same_bits_whatever_n_jobs(n_topics):
    models = [LDA(n_topics, max_iter=15, random_state=3, n_jobs=n).fit(TRAIN) for n in (None, 2, -1)]
    assert len({model.components_.tobytes() for model in models}) == 1
    assert len({model.transform(TEST).tobytes() for model in models}) == 1
    other = LDA(n_topics, max_iter=15, random_state=4).fit(TRAIN)
    assert other.components_.tobytes() != models[0].components_.tobytes()


def test_matrices_and_corpora_give_mixtures_of_the_same_documents(fitted):
    from_corpus = fitted.transform(TEST)
    from_matrix = LDA(4, max_iter=60, random_state=7).fit(counts_of(TRAIN)).transform(counts_of(TEST))
    assert from_corpus.shape == from_matrix.shape == (50, 4)
    assert fitted.model_.vocabulary == TRAIN.vocabulary
    assert list(fitted.get_feature_names_out()) == ["lda0", "lda1", "lda2", "lda3"]
    refitted = LDA(4, max_iter=60, random_state=7).fit(TRAIN.with_vocabulary(TRAIN.vocabulary))
    assert np.array_equal(refitted.transform(TEST), from_corpus)


def test_fractions_weigh_as_much_as_they_say():
    halves = LDA(4, max_iter=60, random_state=0).fit(counts_of(TRAIN) / 2)
    assert halves.components_.sum() == pytest.approx(TRAIN.n_tokens / 2 + 160 * halves.topic_word_prior_)
    assert halves.perplexity(counts_of(TEST)) < 1.1 * perplexity(TOPICS, TEST)


def test_mixtures_of_fractions_follow_the_formula(fitted):
    counts = np.random.default_rng(3).integers(0, 40, 40) / 16
    theta, phi = np.full(4, 0.25), fitted.model_.topic_word
    for _ in range(40):
        theta = fitted.doc_topic_prior_ + theta * (phi @ (counts / (theta @ phi)))
        theta /= theta.sum()
    named = pandas.DataFrame([counts], columns=TRAIN.vocabulary)
    assert fitted.transform(named)[0] == pytest.approx(theta, abs=1e-5)


def test_partial_fit_learns_from_batch_after_batch():
    batches = [drawn_corpus(TOPICS, 50, 40, seed=seed) for seed in (11, 12, 13)]
    online = LDA(4, max_iter=30, random_state=5)
    seen = []
    for batch in batches:
        online.partial_fit(batch)
        seen.append(online.perplexity(TEST))
    total = sum(batch.n_tokens for batch in batches)
    assert online.components_.sum() == pytest.approx(total + 160 * online.topic_word_prior_)
    assert seen[-1] < seen[0]
    assert seen[-1] < 1.05 * perplexity(TOPICS, TEST)


def test_the_number_of_topics_can_be_searched_for():
    search = GridSearchCV(LDA(max_iter=30, random_state=0), {"n_components": [2, 4]}, cv=2)
    assert search.fit(counts_of(TRAIN)).best_params_ == {"n_components": 4}


def test_priors_may_differ_by_topic():
    model = LDA(3, doc_topic_prior=[0.1, 0.2, 0.3], topic_word_prior=0.2, max_iter=2, random_state=0).fit(
        TRAIN
    )
    assert model.model_.alpha.tolist() == [0.1, 0.2, 0.3]
    assert model.topic_word_prior_ == 0.2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_components": 0}, "n_components"),
        ({"max_iter": 0}, "max_iter"),
        ({"doc_topic_prior": [0.1, 0.2]}, "doc_topic_prior"),
        ({"doc_topic_prior": -1.0}, "alpha"),
        ({"topic_word_prior": 0.0}, "beta"),
        ({"sampler": "fast"}, "sampler"),
        ({"seed_words": [["missing"]]}, "'missing'"),
        ({"seed_words": {99: ["w1"]}}, "topic 99"),
        ({"seed_words": [["w1"], ["w1"]]}, "one in two"),
    ],
)
def test_bad_settings_are_named(settings, message):
    with pytest.raises(InputError, match=message):
        LDA(**settings).fit(TRAIN)


def test_priors_can_be_fitted_to_the_data():
    # The documents were drawn with 0.2 for every topic; ten noise words share 2 % of a topic with 30 others.
    start = {"doc_topic_prior": 2.0, "topic_word_prior": 1.0, "max_iter": 100, "random_state": 0}
    kept = LDA(4, **start).fit(TRAIN)
    fitted = LDA(4, optimize_doc_topic_prior=True, optimize_topic_word_prior=True, **start).fit(TRAIN)
    assert (kept.doc_topic_prior_ == 2.0).all()
    assert kept.topic_word_prior_ == 1.0
    assert 0.1 < fitted.doc_topic_prior_.mean() < 0.4
    assert len(set(fitted.doc_topic_prior_)) == 4
    assert 0.05 < fitted.topic_word_prior_ < 0.5
    assert np.array_equal(fitted.model_.alpha, fitted.doc_topic_prior_)
    only_alpha = LDA(4, optimize_doc_topic_prior=True, **start).fit(TRAIN)
    assert only_alpha.topic_word_prior_ == 1.0


STORIES = ["wheat rain harvest farm", "ship port sea captain", "rain farm wheat field", "sea ship"] * 10


def test_topics_of_a_pipeline_have_the_words_of_its_vectorizer():
    words = CountVectorizer()
    lda = LDA(2, max_iter=30, random_state=0, vocabulary=words, seed_words=[["wheat"], ["ship"]])
    pipeline = make_pipeline(words, lda).fit(STORIES)
    assert {"wheat", "rain"} < set(lda.model_.top_words(4)[0])
    assert {"ship", "sea"} < set(lda.model_.top_words(4)[1])
    assert pipeline.transform(["a ship at sea"])[0].argmax() == 1
    assert lda.model_.transform(["a ship at sea"])[0].argmax() == 1


def test_words_can_be_named_by_a_list_and_a_search_of_settings_works():
    counts = CountVectorizer().fit(STORIES)
    names = counts.get_feature_names_out()
    fitted = LDA(2, max_iter=20, random_state=0, vocabulary=names).fit(counts.transform(STORIES))
    assert fitted.model_.vocabulary == tuple(names)
    with pytest.raises(InputError, match="expected a word for each of 9 columns, got 1"):
        LDA(2, vocabulary=["rain"]).fit(counts.transform(STORIES))
    with pytest.raises(InputError, match="got 'wheat'; columns have no names: give vocabulary="):
        LDA(2, seed_words=[["wheat"]]).fit(counts.transform(STORIES))
    seeded = LDA(2, vocabulary=(words := CountVectorizer()), seed_words=[["wheat"]])
    with pytest.raises(InputError, match="a list, in searches"):  # a copy has a vectorizer that nobody fits
        clone(make_pipeline(words, seeded)).fit(STORIES)
    fixed = CountVectorizer(vocabulary=list(names))
    pipeline = make_pipeline(fixed, LDA(2, max_iter=5, vocabulary=fixed))
    search = GridSearchCV(pipeline, {"lda__max_iter": [5, 10]}, cv=2).fit(STORIES)
    assert search.best_estimator_[-1].model_.vocabulary == tuple(names)
    unfitted = make_pipeline(words := CountVectorizer(), LDA(2, max_iter=5, vocabulary=words))
    found = GridSearchCV(unfitted, {"lda__max_iter": [5]}, cv=2).fit(STORIES).best_estimator_[-1]
    assert found.model_.vocabulary[0] == "x0"
