"""Hush beside private topics of others, all at (8, 1e-6) for a whole document added or removed.

CALM and PC-TD are priced for documents by a public maximum of their words: longer documents are cut to it.
DP-EM and VIPS stand in `hush_baselines.py`. Settings are the best that `hush_tuning` finds on Reuters.
"""

from collections.abc import Mapping
from functools import partial
from time import process_time
from typing import Any

from benchmarks.case import Steps
from benchmarks.cases import hush_tables
from benchmarks.cases.hush import (
    DELTA,
    N_TOPICS,
    SEEDS,
    about_hush,
    by_dealing,
    documents,
    hushed,
    measured,
    trained,
)
from benchmarks.cases.hush_baselines import Setting, dp_em, vips
from fedtopics import evaluation, sampling
from fedtopics.evaluation.scores import scores
from fedtopics.methods import pctd
from fedtopics.methods.calm import Calm
from fedtopics.methods.shared import Shared
from fedtopics.privacy.price.budget import Budget
from fedtopics.runs.leaderboard import candidates

COMPARED = ("enron_spam", "imdb")
BUDGET = Budget("document add/remove", 8.0, DELTA)
CALM_ROUNDS = 40  # its price does not depend on them; noise fills the histograms, and a round takes seconds
LENGTHS = {"calm": 8, "pctd (sound)": 4}  # words of a document: the best of those tried
CHOSEN: dict[str, dict[str, Any]] = {
    "DP-EM": {"n_rounds": 5, "clip": 3.0},
    "VIPS": {"n_rounds": 10, "clip": 3.0, "chance": 0.9, "kappa": 0.5},
}
TRIED: dict[str, list[dict[str, Any]]] = {
    "DP-EM": [{"n_rounds": rounds, "clip": clip} for rounds in (3, 5, 10, 20) for clip in (1.0, 3.0, 10.0)],
    "VIPS": [
        {"n_rounds": rounds, "clip": clip, "chance": chance, "kappa": kappa}
        for chance, rounds in ((0.1, 50), (0.3, 20), (0.5, 10), (0.9, 10))
        for clip in (1.0, 3.0)
        for kappa in (0.5, 0.7)
    ],
}


def at_budget(name: str, label: str, max_length: int, seed: int) -> dict[str, Any]:
    """A method of the package that is priced for documents by a public maximum of their words."""
    data = documents(name)
    public = {"n_topics": N_TOPICS, "max_length": max_length}
    (found,) = candidates(BUDGET, data.test.n_words, [label], **public)
    settings = found.settings | ({"n_rounds": CALM_ROUNDS} if found.method == "calm" else {})
    return trained(data, found.method, seed, **settings) | {"settings": settings}


def of_others(name: str, label: str, setting: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """A baseline that is not a method of the package, by the same scores."""
    data, began = documents(name), process_time()
    topics = {"DP-EM": dp_em, "VIPS": vips}[label]
    model = topics(data.train, N_TOPICS, BUDGET.epsilon, DELTA, seed, Setting(**setting))
    found = scores(model, data.train, data.test, n_threads=1)
    return {**found, "settings": dict(setting), "cpu_seconds": process_time() - began}


baselines = partial(about_hush, measures=(sampling, evaluation, Calm, pctd))


@baselines(
    "hush_tuning", minutes=15, seeds=(0,), corpora=("reuters",), shows={"hush-tuning": hush_tables.tuning}
)
def tuning_steps() -> Steps:
    """Settings of private topics by others at a budget for documents, tried on Reuters."""
    made: Steps = {
        f"{label}/max_length {length}": partial(at_budget, "reuters", label, length, 0)
        for label in LENGTHS
        for length in (1, 2, 4, 8)
    }
    for label, settings in TRIED.items():
        for setting in settings:
            said = ", ".join(f"{name} {value:g}" for name, value in setting.items())
            made[f"{label}/{said}"] = partial(of_others, "reuters", label, setting, 0)
    return made


@baselines(
    "hush_baselines",
    measures=(*measured, Calm, pctd, Shared),
    minutes=20,
    corpora=COMPARED,
    shows={"hush-baselines": hush_tables.baselines},
    summary=hush_tables.baselines,
)
def baselines_steps() -> Steps:
    """Hush, CALM, PC-TD, DP-EM and VIPS at (8, 1e-6) for a document added or removed."""
    made: Steps = {}
    for name in COMPARED:
        for seed in SEEDS:
            made[f"{name}/shared/{seed}"] = partial(by_dealing, name, 1, "shared", seed)
            made[f"{name}/hush/{seed}"] = partial(by_dealing, name, 1, "hush", seed, **hushed(8.0))
            for label, length in LENGTHS.items() if seed == 0 else ():  # slow, and far behind
                made[f"{name}/{label}/{seed}"] = partial(at_budget, name, label, length, seed)
            for label, setting in CHOSEN.items():
                made[f"{name}/{label}/{seed}"] = partial(of_others, name, label, setting, seed)
    return made
