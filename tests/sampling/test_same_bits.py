"""The same seed gives the same bits, whatever the number of threads and the instruction set."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from planted import drawn_corpus, planted_topics

from fedtopics.documents.corpus import Corpus
from fedtopics.sampling import lda, noisy_words

pytestmark = pytest.mark.usefixtures("on_the_processor")

INSTRUCTION_SETS = ("plain", "avx2", "avx512")
OPTIONS = {
    "gibbs": {"sampler": "gibbs"},
    "weighted gibbs": {"sampler": "gibbs", "weights": True},
    "metropolis": {"sampler": "metropolis", "others": True},
    "warp": {"sampler": "warp", "n_proposals": 3},
    "warp with others": {"sampler": "warp", "n_proposals": 2, "others": True},
    "warp with one proposal": {"sampler": "warp", "n_proposals": 1},
}


@cache
def corpus() -> Corpus:
    """Large enough for several blocks of tokens, with rare words and common ones."""
    rng = np.random.default_rng(0)
    words = (rng.zipf(1.3, 60_000) % 997).astype(np.int32)
    offsets = np.concatenate([[0], np.sort(rng.integers(0, 60_000, 400)), [60_000]])
    return Corpus(words, offsets, tuple(f"w{i}" for i in range(997)))


def topics_after(name: str, n_topics: int, n_threads: int = 1) -> bytes:
    options, rng = dict(OPTIONS[name]), np.random.default_rng(1)
    if options.pop("others", False):
        options["others"] = rng.gamma(0.3, 5.0, (997, n_topics))
    if options.pop("weights", False):
        options["weights"] = rng.gamma(2.0, 0.5, 60_000)
    priors = lda.Priors(rng.gamma(1.0, 0.1, n_topics) + 0.01, 0.01)
    state = lda.start(corpus(), n_topics, seed=5)
    return lda.sweep(
        corpus(), state, priors, seed=6, n_sweeps=3, n_threads=n_threads, **options
    ).topics.tobytes()


def fingerprints() -> dict[str, str]:
    """What every kernel computes, in short."""
    results = {f"{name} {k}": topics_after(name, k) for name in OPTIONS for k in (3, 50, 700)}
    topics = planted_topics(n_topics=37, words_per_topic=5)
    documents = drawn_corpus(topics, n_docs=50, length=30, seed=2)
    alpha = np.linspace(0.01, 1, 37)
    results["fold in"] = lda.fold_in(documents, topics, alpha).tobytes()
    for sampler in ("gibbs", "metropolis"):
        results[f"assign by {sampler}"] = lda.assign(
            documents, lda.start(documents, 37, 0), topics, alpha, seed=1, sampler=sampler
        ).topics.tobytes()
    priors = lda.Priors(alpha, 0.01)
    results["noisy words"] = noisy_words.sweep(
        documents, lda.start(documents, 37, 0), priors, background=0.002, seed=1, n_sweeps=3
    ).topics.tobytes()
    return {name: hashlib.sha256(result).hexdigest() for name, result in results.items()}


def python(script: str, instruction_set: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    paths = {"FEDTOPICS_ISA": instruction_set, "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, script, *arguments]
    return subprocess.run(command, env=os.environ | paths, capture_output=True, text=True)


@pytest.mark.parametrize("n_topics", [3, 50, 700])
@pytest.mark.parametrize("name", [name for name in OPTIONS if name.startswith("warp")])
def test_threads_change_nothing(name, n_topics):
    alone = topics_after(name, n_topics)
    assert topics_after(name, n_topics, n_threads=2) == alone
    assert topics_after(name, n_topics, n_threads=5) == alone


def test_instruction_sets_change_nothing():
    expected, tried = fingerprints(), []
    for name in INSTRUCTION_SETS:
        done = python(__file__, name)
        if "FEDTOPICS_ISA must be" in done.stderr:
            continue
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines() == [f"{k}: {v}" for k, v in expected.items()], name
        tried.append(name)
    assert "plain" in tried


def test_an_unknown_instruction_set_is_refused():
    done = python(__file__, "mmx")
    assert "FEDTOPICS_ISA must be plain, avx2 or avx512" in done.stderr


if __name__ == "__main__":
    print("\n".join(f"{name}: {value}" for name, value in fingerprints().items()))
