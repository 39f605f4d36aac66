"""What a GPU computes has the bits of the processor: samplers, E step, mixtures, cut sums."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from planted import drawn_corpus, planted_topics
from sampling.gpu.played import PlayedGpu

import fedtopics
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.sampling import channel_em, clipped_counts, lda
from fedtopics.sampling.gpu import channel_em as em_on_gpu
from fedtopics.sampling.gpu import device, launches, warp
from fedtopics.sampling.gpu.using import using
from fedtopics.sampling.histograms import Histograms

N_WORDS = 60
FEW, MANY = 40, 300  # topics whose rows are in registers, and in shared memory


def some_corpus(n_docs: int = 40, length: int = 30) -> Corpus:
    return drawn_corpus(planted_topics(3, N_WORDS // 3), n_docs=n_docs, length=length, seed=0)


def some_priors(n_topics: int, *, uniform: bool = True) -> lda.Priors:
    return lda.Priors(np.full(n_topics, 0.1) if uniform else np.linspace(0.05, 3.0, n_topics), 0.02)


def swept(corpus: Corpus, priors: lda.Priors, first: int = 0, **options: int) -> tuple[lda.State, np.ndarray]:
    state = lda.State(lda.start(corpus, priors.n_topics, 1).topics, first)
    for n_sweeps in (1, 2):
        state = lda.sweep(corpus, state, priors, seed=5, n_sweeps=n_sweeps, sampler="warp", **options)
    return state, lda.word_topic_counts(corpus, state.topics, priors.n_topics)


def histograms(n_docs: int, **law: float) -> Histograms:
    """Documents of distinct words, some empty, every other one with large counts, and one with very large."""
    random = np.random.default_rng(1)
    rows = [np.sort(random.choice(N_WORDS, random.integers(0, 45), replace=False)) for _ in range(n_docs)]
    most = [(4, 30)[d % 2] if d else 600 for d in range(n_docs)]
    values = [random.integers(1, most[d], len(row)) for d, row in enumerate(rows)]
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)
    words, counts = np.concatenate(rows).astype(np.int32), np.concatenate(values).astype(np.int32)
    return Histograms(offsets, words, counts, N_WORDS, **law)


def some_topics(n_topics: int, n_words: int = N_WORDS) -> channel_em.SizedTopics:
    return channel_em.maximize(np.random.default_rng(0).gamma(1, size=(n_words, n_topics)), 0.1)


@pytest.mark.parametrize(
    ("n_topics", "uniform", "n_proposals", "first"),
    [(FEW, True, 3, 0), (FEW, False, 3, 7), (3, True, 1, 0), (MANY, True, 2, 0)],
)
def test_the_sampler(gpu: device.Device, n_topics: int, uniform: bool, n_proposals: int, first: int) -> None:
    corpus, priors = some_corpus(), some_priors(n_topics, uniform=uniform)
    expected = swept(corpus, priors, first, n_proposals=n_proposals)
    with using("cuda"):
        found = swept(corpus, priors, first, n_proposals=n_proposals)
    assert np.array_equal(found[0].topics, expected[0].topics)
    assert np.array_equal(found[1], expected[1])
    assert found[0].n_sweeps == first + 3


@pytest.mark.parametrize(("uniform", "n_proposals"), [(True, 3), (False, 2), (True, 1)])
def test_the_sampler_on_long_rows(
    gpu: device.Device, monkeypatch: pytest.MonkeyPatch, uniform: bool, n_proposals: int
) -> None:
    """Rows that a whole block shares: its half-warps jump along one stream of random numbers."""
    monkeypatch.setattr(launches, "LEAST_LONG", 20)
    monkeypatch.setattr(launches, "ROWS_OF_A_PASS", 10**9)
    corpus, priors = some_corpus(12, 150), some_priors(FEW, uniform=uniform)
    expected = swept(corpus, priors, n_proposals=n_proposals)
    with using("cuda"):
        found = swept(corpus, priors, n_proposals=n_proposals)
    assert np.array_equal(found[0].topics, expected[0].topics)
    if isinstance(gpu, PlayedGpu):
        kernels = {launch[0] for launch in gpu.launches}
        assert {"long_rows", "short_rows"} <= kernels


@pytest.mark.parametrize("longest", [20, 4096])
def test_a_corpus_larger_than_the_memory(
    gpu: device.Device, monkeypatch: pytest.MonkeyPatch, longest: int
) -> None:
    monkeypatch.setattr(launches, "LEAST_LONG", longest)
    monkeypatch.setattr(launches, "ROWS_OF_A_PASS", 10**9)
    corpus, priors = some_corpus(60, 30), some_priors(FEW)
    room = launches.RESERVE + 12 * (corpus.n_docs + corpus.n_words + 2) + 64 * FEW + launches.TOKEN * 500
    monkeypatch.setattr(gpu, "card", replace(gpu.card, memory=room))
    state = lda.start(corpus, FEW, 1)
    sampler = warp.Warp(gpu, corpus, state, priors, seed=5)
    assert len(sampler._records.blocks) == 4
    sampler.sweep(2)
    expected = lda.sweep(corpus, state, priors, seed=5, n_sweeps=2, sampler="warp")
    assert np.array_equal(sampler.state.topics, expected.topics)
    counts = lda.word_topic_counts(corpus, expected.topics, FEW)
    assert np.array_equal(sampler.word_topic_counts(), counts)


def test_the_sampler_goes_on_where_it_stands(gpu: device.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tokens are brought once, for other priors and seeds too; a state of before is seen for what it is."""
    corpus, priors, others = some_corpus(), some_priors(FEW), some_priors(FEW, uniform=False)
    made: list[object] = []
    remembered = warp.Warp.__init__
    monkeypatch.setattr(
        warp.Warp, "__init__", lambda self, *a, **k: (made.append(1), remembered(self, *a, **k))[1]
    )
    start = lda.start(corpus, FEW, 1)

    def states() -> list[np.ndarray]:
        one = lda.sweep(corpus, start, priors, seed=5, sampler="warp")
        two = lda.sweep(corpus, one, others, seed=5, sampler="warp")
        three = lda.sweep(corpus, two, others, seed=5, sampler="warp")
        moved = lda.State(three.topics, 40)
        four = lda.sweep(corpus, moved, others, seed=6, sampler="warp")
        again = lda.sweep(corpus, one, others, seed=5, sampler="warp")
        return [state.topics for state in (one, two, three, four, again)]

    expected = states()
    with using("cuda"):
        found = states()
        backward = Corpus(corpus.words[::-1].copy(), corpus.offsets, corpus.vocabulary)
        counts = lda.word_topic_counts(backward, found[4], FEW)
    assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))
    assert np.array_equal(found[1], found[4])
    assert len(made) == 2
    assert np.array_equal(counts, lda.word_topic_counts(backward, expected[4], FEW))


@pytest.mark.parametrize("n_topics", [3, FEW, MANY])
def test_mixtures(gpu: device.Device, n_topics: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    topics, alpha = random.dirichlet(np.ones(N_WORDS), n_topics), random.random(n_topics) + 0.01
    topics[:, 0] = 0  # a word that no topic explains
    some = some_corpus(30, 43)
    offsets = np.concatenate((some.offsets[:10], [some.offsets[9]], some.offsets[10:]))  # an empty document
    corpus = Corpus(some.words, offsets, some.vocabulary)
    expected = lda.fold_in(corpus, topics, alpha, n_iterations=7)
    with using("cuda"):
        assert np.array_equal(lda.fold_in(corpus, topics, alpha, n_iterations=7), expected)
        # As many documents at a time as there is memory for.
        small = topics.nbytes + 4000 * (4 + n_topics // 10)
        monkeypatch.setattr(gpu, "card", replace(gpu.card, memory=small))
        assert np.array_equal(lda.fold_in(corpus, topics, alpha, n_iterations=7), expected)
        topics[:] = topics[::-1].copy()  # the same array with other numbers
        found = lda.fold_in(corpus, topics, alpha, n_iterations=7)
    assert np.array_equal(found, lda.fold_in(corpus, topics, alpha, n_iterations=7))


def expectation(
    data: Histograms, n_topics: int, n_rounds: int = 1, *, exclude: bool = True
) -> tuple[np.ndarray, ...]:
    alpha, topics = np.full(n_topics, 0.1, np.float32), some_topics(n_topics, data.n_words)
    known = channel_em.start(data, n_topics, 40)
    for _ in range(n_rounds):
        step = channel_em.expect(data, known, topics, alpha, exclude=exclude)
        known = step.documents
    return step.documents.theta, step.documents.lengths, step.counts, np.array(step.log_likelihood)


LAWS = {
    "geometric": {"decay": 0.1},
    "geometric with bursts": {"decay": 0.0025, "burstiness": 0.3},
    "gaussian": {"sigma": 0.5},
    "gaussian with little noise": {"sigma": 0.12},
    "none": {},
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("n_topics", [FEW, MANY])
def test_the_e_step(gpu: device.Device, law: str, n_topics: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice, as what is known of the documents stays on the card; and words whose sums are split."""
    data = histograms(30, **LAWS[law])
    expected = expectation(data, n_topics, 2, exclude=law != "none")
    for least in (10, 10**6):
        monkeypatch.setattr(em_on_gpu, "LEAST_HOT", least)
        monkeypatch.setattr(em_on_gpu, "_stored", em_on_gpu.Kept())
        with using("cuda"):
            found = expectation(data, n_topics, 2, exclude=law != "none")
        assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


def test_the_same_entries_may_stand_for_more_words_and_for_other_noise(gpu: device.Device) -> None:
    """As in an update whose words have become more."""
    known = histograms(10, decay=0.1)
    others = (known, replace(known, n_words=N_WORDS + 9), replace(known, decay=1e-6))
    expected = [expectation(data, FEW) for data in others]
    with using("cuda"):
        found = [expectation(data, FEW) for data in others]
    for one, other in zip(found, expected, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.nightly
@pytest.mark.parametrize("least", [64, 10**6])
def test_the_e_step_in_several_blocks(
    gpu: device.Device, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The processor adds its counts up block by block of documents, in single precision within a block."""
    data = histograms(900, decay=0.05)
    assert len(em_on_gpu.bounds(data.offsets, N_WORDS)) == 4
    monkeypatch.setattr(em_on_gpu, "LEAST_HOT", least)
    monkeypatch.setattr(em_on_gpu, "WORDS_AT_ONCE", 10**6)
    expected = expectation(data, 3)
    with using("cuda"):
        found = expectation(data, 3)
    assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


def test_the_score_of_held_out_histograms(gpu: device.Device) -> None:
    data, alpha = histograms(20, decay=0.1), np.full(FEW, 0.1, np.float32)
    expected = channel_em.score(data, some_topics(FEW), alpha, seed=0, n_steps=3)
    with using("cuda"):
        assert channel_em.score(data, some_topics(FEW), alpha, seed=0, n_steps=3) == expected


@pytest.mark.parametrize("n_topics", [FEW, MANY])
@pytest.mark.parametrize("units", ["documents", "persons"])
def test_sums_of_cut_units(gpu: device.Device, n_topics: int, units: str) -> None:
    data, random = histograms(20), np.random.default_rng(0)
    bounds = np.arange(21) if units == "documents" else np.array([0, 3, 3, 10, 20])
    phi, expected, weights = random.random((3, N_WORDS, n_topics)).astype(np.float32)
    entries = (data.words, data.values, data.offsets, bounds)
    options: dict[str, float] = {"alpha": 0.1, "n_steps": 3, "cap": 2.0, "clip": 0.1, "resolution": 1 << 26}
    wanted = clipped_counts.sum_of_differences(*entries, phi, expected, weights, **options)
    with using("cuda"):
        found = clipped_counts.sum_of_differences(*entries, phi, expected, weights, **options)
        assert np.array_equal(found, wanted)
        assert wanted.any()
        options["alpha"] = 1e38
        with pytest.raises(InputError, match="finite numbers inside their norm"):
            clipped_counts.sum_of_differences(*entries, 100 * phi, expected, weights, **options)


def test_lda(gpu: device.Device) -> None:
    counts = np.random.default_rng(0).poisson(0.7, (30, N_WORDS))
    options = {"n_components": 12, "max_iter": 25, "random_state": 0, "optimize_doc_topic_prior": True}
    expected = fedtopics.LDA(**options).fit(counts)
    found = fedtopics.LDA(**options, device="cuda", sampler="warp").fit(counts)
    assert np.array_equal(found.components_, expected.set_params(sampler="warp").fit(counts).components_)
    assert np.array_equal(found.transform(counts), expected.transform(counts))
    assert found.perplexity(counts) == expected.perplexity(counts)


@pytest.mark.parametrize(
    ("method", "settings"),
    [("calm", {"epsilon": 6.0, "n_rounds": 6}), ("pooled", {"n_rounds": 6})],
)
def test_methods(
    gpu: device.Device, method: str, settings: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, brought = some_corpus(40, 30), list[int]()
    bring = em_on_gpu.Stored.__init__
    monkeypatch.setattr(
        em_on_gpu.Stored, "__init__", lambda self, *given: (brought.append(1), bring(self, *given))[1]
    )
    options = {"n_topics": 9, "n_parties": 2, **settings}
    expected = fedtopics.train(corpus, method, **options)
    found = fedtopics.train(corpus, method, **options, device="cuda")
    assert np.array_equal(found.model.topic_word, expected.model.topic_word)
    assert found.record["scores"] == expected.record["scores"]
    if isinstance(gpu, PlayedGpu):  # not the scores alone
        assert ("words" if method == "calm" else "short_rows") in {launch[0] for launch in gpu.launches}
    assert len(brought) == (2 if method == "calm" else 0)  # once for each party, not in every round
