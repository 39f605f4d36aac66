"""Training from a folder gives the bits of training from memory, in far less of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from child_process import run_python
from planted import drawn_corpus, planted_topics, with_sentences

from fedtopics import LDA, train
from fedtopics.documents import Corpus, mapped, read, store
from fedtopics.evaluation import coherence_npmi
from fedtopics.sampling import lda
from fedtopics.sampling.priors import Priors

METHODS: dict[str, dict[str, Any]] = {
    "shared": {"n_rounds": 3, "sampler": "warp"},
    "pooled": {"n_rounds": 2, "n_sweeps": 2, "sampler": "warp"},
    "calm": {"n_rounds": 4},
    "calm sentences": {"n_rounds": 3, "unit": "sentence", "held_out": 0.2},
    "hush": {"n_rounds": 7, "n_frequent": 20, "rank": 4},
}


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    drawn = with_sentences(drawn_corpus(planted_topics(4, 12), 160, 20, seed=0), 5)
    names = [f"p{number % 2}" for number in range(drawn.n_docs)]
    return replace(drawn, parties=tuple(names), ids=tuple(map(str, range(drawn.n_docs))))


@pytest.fixture(scope="module")
def folder(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("on_disk") / "corpus"
    store.save(corpus, path)
    return path


@pytest.mark.parametrize("name", METHODS)
def test_same_bits(name: str, corpus: Corpus, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"n_topics": 4, "seed": 1, "n_threads": 2, "show_progress": False} | METHODS[name]
    method = name.split()[0]
    from_memory = train(corpus, method, **options)
    monkeypatch.setattr(mapped, "AT_ONCE", 500)  # several blocks
    from_folder = train(str(folder), method, **options)
    assert np.array_equal(from_memory.model.topic_word, from_folder.model.topic_word)
    assert from_memory.record["scores"] == from_folder.record["scores"]


def test_lda_and_what_is_read_off_it(corpus: Corpus, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapped, "AT_ONCE", 500)
    found = [
        LDA(n_components=4, max_iter=20, sampler="warp", random_state=0, n_jobs=2).fit(given)
        for given in (corpus, read(folder))
    ]
    assert np.array_equal(found[0].components_, found[1].components_)
    mixtures = [made.transform(given) for made, given in zip(found, (corpus, read(folder)), strict=True)]
    assert np.array_equal(*mixtures)
    assert found[0].perplexity(corpus) == found[1].perplexity(read(folder))
    for window in (None, 5):
        coherences = [coherence_npmi(found[0].model_, each, window=window) for each in (corpus, read(folder))]
        assert np.array_equal(*coherences)


@pytest.mark.parametrize("n_proposals", [1, 3])
def test_the_word_order_on_the_disk_is_that_in_memory(corpus: Corpus, folder: Path, n_proposals: int) -> None:
    """More than a block of the sampler, so that some of it is let go of."""
    times = 400
    large = Corpus(
        np.tile(corpus.words, times),
        np.concatenate([[0], np.cumsum(np.tile(corpus.lengths, times))]),
        corpus.vocabulary,
    )
    store.save(large, folder.with_name(f"large{n_proposals}"))
    states = []
    for given in (large, read(folder.with_name(f"large{n_proposals}"))):
        state, priors = lda.start(given, 5, seed=2), Priors.symmetric(5, 0.1, 0.05)
        options: dict[str, Any] = {"sampler": "warp", "n_proposals": n_proposals, "n_threads": 2}
        states.append(lda.sweep(given, state, priors, seed=3, n_sweeps=2, **options).topics)
    assert np.array_equal(*states)


GROWS = """
import resource, sys
import numpy as np
from pathlib import Path
from fedtopics.documents import Corpus, mapped, read, store
from fedtopics.methods import make
from fedtopics.protocol import in_process
from fedtopics.sampling import lda

def grown(before):
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before

folder, n_tokens = Path(sys.argv[1]), 3_000_000
mapped.AT_ONCE = 2**16
words = mapped.Growing(np.int32, on_disk=True)
for seed in range(n_tokens // 60_000):
    words.append(np.random.default_rng(seed).integers(0, 500, 60_000))
offsets = np.arange(0, n_tokens + 1, 300)
store.save(Corpus(words.array(), offsets, tuple(f"w{i}" for i in range(500))), folder)
corpus = read(folder)
state = lda.start(corpus, 10, seed=0)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
train, test = corpus.split(0.5, seed=0)
in_process.run(make("calm", n_topics=2, n_rounds=2), {"a": corpus}, seed=0)
print(grown(before) * 1024 / n_tokens)
lda.sweep(corpus, state, lda.Priors.symmetric(10, 0.1, 0.05), seed=0, sampler="warp")
print(grown(before) * 1024 / n_tokens)
"""


def test_memory_is_less_than_the_text(tmp_path: Path) -> None:
    """Bytes per token: 4 for the words alone would be 4; the sampler keeps 8, and 4 of topics."""
    ran = run_python(GROWS, tmp_path / "corpus")
    assert ran.returncode == 0, ran.stderr
    blocks, sampler = map(float, ran.stdout.split())
    assert blocks < 4
    assert sampler < 17
