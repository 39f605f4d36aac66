"""Held-out perplexity of the delayed-count sampler against exact Gibbs as sweeps go on, three seeds each.

Both start from the same random topics and keep their priors. What is scored after a number of sweeps is the
mean of ten samples, ten sweeps apart, the last of them then. A sweep with delayed counts costs about a fifth
of an exact one and moves less far: early rows say how fast the two get there, late ones where they end.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks import stored
from benchmarks.case import Steps, case
from benchmarks.corpora import pooled
from fedtopics import sampling
from fedtopics.evaluation.perplexity import perplexity
from fedtopics.sampling import lda

SETS, SEEDS = ("nips", "20newsgroups"), (0, 1, 2)
N_TOPICS, N_SAMPLES, APART = 50, 10, 10
SCORED = {"gibbs": (125, 250, 500, 1000), "warp": (125, 250, 500, 1000, 2000)}  # sweeps


def curve(name: str, sampler: str, seed: int) -> list[float]:
    """Perplexity after each number of sweeps in SCORED."""
    train, test = pooled(name)
    priors = lda.Priors.symmetric(N_TOPICS)
    state = lda.start(train, N_TOPICS, seed)
    found = []
    for end in SCORED[sampler]:
        counts = np.zeros((train.n_words, N_TOPICS))
        for until in range(end - (N_SAMPLES - 1) * APART, end + 1, APART):
            n_sweeps = until - state.n_sweeps
            state = lda.sweep(train, state, priors, seed=seed, n_sweeps=n_sweeps, sampler=sampler)
            counts += lda.word_topic_counts(train, state.topics, N_TOPICS)
        found.append(perplexity((counts / N_SAMPLES + priors.beta).T, test))
    return found


def summary() -> str:
    """Mean perplexity of delayed counts over that of exact Gibbs."""
    lines = []
    for name, found in stored.values("agreement").items():
        gibbs, warp = (np.mean(list(found[sampler].values()), axis=0) for sampler in SCORED)
        ratios = ", ".join(f"{ratio:.4f}" for ratio in warp[: len(gibbs)] / gibbs)
        lines.append(f"{name}: {ratios} at equal sweeps, {warp[-1] / gibbs[-1]:.4f} at the end")
    return "\n".join(lines)


@case(
    "agreement",
    measures=(sampling,),
    minutes=40,
    seeds=SEEDS,
    corpora=SETS,
    pages=("docs/evidence/speed.md", "docs/decisions/0010-delayed-counts-by-default.md"),
    summary=summary,
)
def steps() -> Steps:
    """Perplexity of the delayed-count sampler over that of exact Gibbs, as sweeps go on."""
    return {
        f"{name}/{sampler}/{seed}": partial(curve, name, sampler, seed)
        for name in SETS
        for sampler in SCORED
        for seed in SEEDS
    }
