"""What training together is worth: alone, private, pooled, in one picture from two stored cases."""

from __future__ import annotations

from statistics import fmean

from benchmarks import stored
from benchmarks.dot_charts import Rows, dot_chart, height_of, in_a_row

SPAM = {"enron_spam": "mails (Enron)", "sms_spam": "text messages"}
SETS = {"kos": "KOS", "ap": "AP", "ohsumed": "ohsumed", "nips": "NIPS", "imdb": "imdb"}
ALONE, PRIVATE, POOLED = "each party alone", "together, private", "pooled, no privacy"


def spam() -> Rows:
    """AUC of a spam filter on topics: means over the seeds, a dot for each party that is alone."""
    rows = {}
    for name, title in SPAM.items():
        seeds = list(stored.values("classification")[name]["seeds"].values())
        areas = {kind: fmean(seed[kind]["auc"][0] for seed in seeds) for kind in seeds[0]}
        alone = [area for kind, area in areas.items() if kind.startswith("alone: ")]
        rows[title] = {ALONE: alone, PRIVATE: [areas["calm, epsilon 6"]], POOLED: [areas["pooled"]]}
    return rows


def perplexity() -> Rows:
    """Perplexity relative to Gibbs sampling of all documents in one place, means over the seeds."""
    rows = {}
    for name, title in SETS.items():
        runs = stored.values("quality")[name]["runs"]
        means = {label: fmean(run["perplexity"] for run in of.values()) for label, of in runs.items()}
        pooled = means["tomotopy"]
        best = [means["alone"] / pooled]
        rows[title] = {ALONE: best, PRIVATE: [means["calm 6"] / pooled], POOLED: [1.0]}
    return rows


def picture() -> str:
    """Both charts, as the README shows them."""
    areas = dot_chart(
        spam(),
        (0.8, 0.85, 0.9, 0.95, 1.0),
        title="Spam filter on topics",
        x_label="AUC: farther right is better",
    )
    ratios = dot_chart(
        perplexity(),
        (0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6),
        title="Predicting unseen text (alone: the best party)",
        x_label="perplexity relative to pooled: farther left is better",
        text="{:.3g}",
    )
    return in_a_row([areas, ratios], "Alone, private, pooled", height_of(len(SETS)))
