"""The picture of docs/methods/calm.md: perplexity relative to training without privacy, against epsilon.

python benchmarks/quality_picture.py    reads benchmarks/results/quality_*.json, writes docs/methods/calm.svg
"""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from quality import EPSILONS, RESULTS

PICTURE = Path(__file__).parents[1] / "docs" / "methods" / "calm.svg"


def main() -> None:
    plt.rcParams["svg.hashsalt"] = "calm"
    figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    for path in sorted(RESULTS.glob("quality_*.json")):
        result = json.loads(path.read_text())
        base = np.mean([run["perplexity"] for run in result["runs"]["shared"]])
        runs = [[run["perplexity"] / base for run in result["runs"][f"calm {e:g}"]] for e in EPSILONS]
        means = [float(np.mean(ratios)) for ratios in runs]
        spread = [[mean - min(x) for mean, x in zip(means, runs, strict=True)]]
        spread += [[max(x) - mean for mean, x in zip(means, runs, strict=True)]]
        words = f"{result['set']} ({result['distinct_words']:.0f} of {result['n_words']} words)"
        axes.errorbar(EPSILONS, means, yerr=spread, marker="o", capsize=3, label=words)
    axes.axhline(1, color="gray", linewidth=0.8)
    axes.set(xlabel="epsilon (word add/remove)", ylabel="perplexity / shared", xticks=EPSILONS)
    axes.legend(title="set (distinct words per document)", frameon=False, fontsize="small")
    figure.savefig(PICTURE, metadata={"Date": None})
    print(PICTURE)


if __name__ == "__main__":
    main()
