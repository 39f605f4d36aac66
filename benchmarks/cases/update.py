"""New documents, same topics: the older half of a set, updated with the newer, against training on all.

Training on all is the same method with the same settings, epsilon and words on all documents, in all its
rounds. Both halves pay epsilon for their own documents, as all do when they are trained at once. Perplexity
is of held-out documents of both halves, over the words of both. The first run has the words of the older half
alone; those of the newer join in the update, and the first run's topics give them what they give the rarest.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from benchmarks import dated, stored
from benchmarks.case import Steps, case
from benchmarks.markdown_tables import table
from fedtopics.documents.corpus import concatenate
from fedtopics.evaluation import perplexity
from fedtopics.methods import calm, make, shared
from fedtopics.methods.calm import earlier_histograms
from fedtopics.methods.parts import continuing
from fedtopics.methods.shared import earlier_documents
from fedtopics.model.merging import widened
from fedtopics.runs import updating
from fedtopics.runs.experiment import train_on
from fedtopics.runs.preparing import Data
from fedtopics.runs.run import Run

SEEDS = (0, 1, 2)
METHODS: dict[str, dict[str, Any]] = {"calm": {"epsilon": 6.0}, "shared": {}}
WITHOUT_PRIVACY = ("reuters",)  # sets that `shared` is measured on
N_TOPICS = 50


def measured(name: str, method: str, seed: int) -> dict[str, Any]:
    """Perplexity, processor time and stable topics of each way."""
    older, newer, first_words = dated.halves(name)
    both = Data(
        {party: concatenate([half.parties[party] for half in (older, newer)]) for party in older.parties},
        concatenate([older.test, newer.test]),
        "both halves",
    )
    words, made = both.test.vocabulary, make(method, n_topics=N_TOPICS, **METHODS[method])
    whole = train_on(both, method, made, seed=seed)
    first = train_on(_over(older, first_words), method, made, seed=seed, keep=True)
    options: dict[str, Any] = {"words": words, "seed": seed + 100}
    runs = {"on all": whole, "the older half": first, "updated": first.update(newer, **options)}
    runs["updated from counts"] = replace(first, kept={}).update(newer, **options)
    return {way: _scored(run, both, words) for way, run in runs.items()}


def _over(data: Data, words: tuple[str, ...]) -> Data:
    parties = {name: corpus.with_vocabulary(words) for name, corpus in data.parties.items()}
    return replace(data, parties=parties, test=data.test.with_vocabulary(words))


def _scored(run: Run, both: Data, words: tuple[str, ...]) -> dict[str, float]:
    found = {
        "perplexity": float(perplexity(widened(run.model, words), both.test)),
        "processor_seconds": run.record["processor_seconds"],
    }
    update = run.record.get("update")
    return found if update is None else found | {"stable": len(update["stable"]) / N_TOPICS}


def shown() -> str:
    """Each way against training on all, the mean over the seeds."""
    found, rows = stored.values("update"), []
    for name in dated.HALVES:
        for method in METHODS:
            seeds = list(found.get(name, {}).get(method, {}).values())
            if not seeds:
                continue
            for way in ("the older half", "updated from counts", "updated"):
                ratios = [each[way]["perplexity"] / each["on all"]["perplexity"] for each in seeds]
                times = [
                    each[way]["processor_seconds"] / each["on all"]["processor_seconds"] for each in seeds
                ]
                stable = [each[way].get("stable") for each in seeds]
                mean = sum(ratios) / len(ratios)
                kept = "" if stable[0] is None else f"{sum(stable) / len(stable):.0%} ({min(stable):.0%})"
                spread = f"{mean:.3f} ({min(ratios):.3f} to {max(ratios):.3f})"
                rows.append(
                    [name, method, way, str(len(seeds)), spread, f"{sum(times) / len(times):.2f}", kept]
                )
    head = [
        "set",
        "method",
        "trained on",
        "seeds",
        "perplexity / on all",
        "time / on all",
        "ids stable (least)",
    ]
    return table(head, rows)


@case(
    "update",
    measures=(updating, continuing, earlier_histograms, earlier_documents, calm, shared),
    minutes=11,
    seeds=SEEDS,
    corpora=("reuters", "20newsgroups"),
    pages=("docs/how-to/model.md",),
    shows={"update": shown},
    summary=shown,
)
def steps() -> Steps:
    """An older half updated with the newer one: perplexity, time, stable topics, beside training on all."""
    return {
        f"{name}/{method}/seed {seed}": partial(measured, name, method, seed)
        for name in dated.HALVES
        for method in METHODS
        for seed in SEEDS
        if method == "calm" or name in WITHOUT_PRIVACY
    }
