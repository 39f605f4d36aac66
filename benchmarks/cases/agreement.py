"""Held-out perplexity of the delayed-count sampler against exact Gibbs as sweeps go on, three seeds each.

    python benchmarks/agreement.py [set ...]

Both start from the same random topics and keep their priors. What is scored after a number of sweeps is the
mean of ten samples, ten sweeps apart, the last of them then. A sweep with delayed counts costs about a fifth
of an exact one and moves less far: early rows say how fast the two get there, late ones where they end.
Writes benchmarks/results/agreement.json.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from typing import Any

import numpy as np
from corpora import RESULTS, available, load

from fedtopics.evaluation.perplexity import perplexity
from fedtopics.sampling import lda

N_TOPICS, N_SEEDS, N_SAMPLES, APART = 50, 3, 10, 10
SCORED = {"gibbs": (125, 250, 500, 1000), "warp": (125, 250, 500, 1000, 2000)}  # sweeps

loaded = cache(load)


def curve(name: str, sampler: str, seed: int) -> list[float]:
    """Perplexity after each number of sweeps in SCORED."""
    train, test = loaded(name)
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


def compared(name: str, pool: ProcessPoolExecutor) -> dict[str, Any]:
    """Perplexities by sampler, seed and number of sweeps, and the ratios of their means."""
    found = {s: np.array(list(pool.map(partial(curve, name, s), range(N_SEEDS)))) for s in SCORED}
    result: dict[str, Any] = {s: values.tolist() for s, values in found.items()}
    means = {s: values.mean(axis=0) for s, values in found.items()}
    n_common = len(SCORED["gibbs"])
    result["warp_over_gibbs_at_equal_sweeps"] = (means["warp"][:n_common] / means["gibbs"]).tolist()
    result["warp_over_gibbs_at_the_end"] = float(means["warp"][-1] / means["gibbs"][-1])
    return result


def main() -> None:
    results: dict[str, Any] = {"n_topics": N_TOPICS, "sweeps": SCORED}
    names = sys.argv[1:] or [name for name in available() if name != "imdb"]
    with ProcessPoolExecutor(2) as pool:
        for name in names:
            results[name] = compared(name, pool)
            print(name, json.dumps(results[name]), flush=True)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "agreement.json").write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
