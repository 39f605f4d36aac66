"""FTM on real corpora: its quality by round, its matching threshold, the papers' variant, sentences.

Three unequal parties by what documents are about; held-out document completion; epsilon is for a
word added or removed.
"""

from __future__ import annotations

from functools import cache, partial
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks import corpora, stored
from benchmarks.case import Steps, case
from benchmarks.drawing import line_charts
from benchmarks.watching import Watched
from fedtopics import methods
from fedtopics.documents.reading import read
from fedtopics.evaluation.perplexity import perplexity, unigram_perplexity
from fedtopics.evaluation.scores import scores
from fedtopics.methods import ftm
from fedtopics.protocol import in_process
from fedtopics.report.svg import Line, line_chart
from fedtopics.runs.preparing import Data, prepare

SETS, SEEDS = ("kos", "ap", "ohsumed"), (0, 1, 2)
UNEQUAL = {"party-1": 20, "party-2": 35, "party-3": 60}
TAUS, EPSILONS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5), (8.0, 9.0, 10.0, 11.0)


@cache
def held(name: str) -> Data:
    """A corpus among three parties: whole, a small part of KOS, or news with sentences."""
    if name == "small kos":
        return corpora.part(corpora.dealt("kos", max_words=1000), 0.2, name)
    if name == "reuters":
        corpus = read(str(corpora.path("reuters")), max_words=5000)
        return corpora.part(prepare(corpus.select(corpus.lengths >= 30), n_parties=3), 0.4, name)
    return corpora.dealt(name)


def facts(name: str) -> dict[str, float]:
    """The sizes of a corpus, and what a model without topics reaches."""
    data = held(name)
    unigram = unigram_perplexity(data.train, data.test)
    return {"n_words": data.test.n_words, "n_docs": data.train.n_docs, "unigram": unigram}


def measured(
    corpus: str, name: str, seed: int = 0, *, coherence: bool = False, **settings: Any
) -> dict[str, Any]:
    """Perplexity of the global model after each round, of each party's model, and what was sent."""
    data, began = held(corpus), perf_counter()
    watched = Watched(methods.make(name, **settings), data.test, every=1 if name == "ftm" else 200)
    outcome = in_process.run(watched, data.parties, seed=seed)  # type: ignore[arg-type]
    local = {party: perplexity(model, data.test) for party, model in outcome.local_models.items()}
    result = {
        "settings": {"method": name, "seed": seed} | settings,
        "by_round": watched.perplexities,
        "perplexity": watched.perplexities[-1] if watched.perplexities else min(local.values()),
        "n_topics": None if outcome.model is None else outcome.model.n_topics,
        "local": local,
        "bytes_up": outcome.rounds[-1].bytes_up,
        "bytes_down": outcome.rounds[-1].bytes_down,
        "seconds": perf_counter() - began,
    }
    if coherence and outcome.model is not None:
        result["coherence_npmi"] = scores(outcome.model, data.train, data.test)["coherence_npmi"]
    return result


def draw_rounds() -> str:
    panels = {}
    for name, runs in stored.values("ftm_rounds").items():
        curves = [run["by_round"] for run in runs["ftm"].values()]
        mean = np.mean(curves, axis=0).tolist()
        at = list(range(1, len(mean) + 1))
        flat = [
            Line(label, [1, len(mean)], [runs[key]["0"]["perplexity"]] * 2)
            for key, label in (("alone", "best party alone"), ("shared", "shared, 200 rounds"))
        ]
        panels[name] = [Line("FTM sound, epsilon 8", at, mean), *flat]
    return line_charts(panels, "global rounds")


def draw_paper() -> str:
    results, lines = stored.values("ftm_paper"), []
    for tau in (0.0, 0.2, 0.5):
        runs = [run for run in results["paper"].values() if run["settings"]["tau"] == tau]
        lines.append(_by_epsilon(f"paper, tau {tau:g}", runs))
    lines.append(Line("unigram", [EPSILONS[0], EPSILONS[-1]], [results["facts"]["unigram"]] * 2))
    for label, key in (("same vectors, sound", "tokens"), ("sound", "sound")):
        lines.append(_by_epsilon(label, list(results[key].values())))
    return line_chart(
        lines,
        title="FTM as printed and repaired",
        x_label="epsilon (word add/remove)",
        y_label="perplexity",
        width=640,
        height=380,
    )


def _by_epsilon(label: str, runs: list[dict[str, Any]]) -> Line:
    return Line(label, [run["settings"]["epsilon"] for run in runs], [run["perplexity"] for run in runs])


training = partial(case, measures=(ftm,), pages=("docs/methods/ftm.md",))


@training("ftm_rounds", minutes=12, seeds=SEEDS, corpora=SETS, shows={"methods/ftm_rounds.svg": draw_rounds})
def rounds() -> Steps:
    """FTM against each party alone and against counts shared at every sweep."""
    made: Steps = {}
    for name in SETS:
        made |= {
            f"{name}/facts": partial(facts, name),
            f"{name}/alone/0": partial(measured, name, "alone", n_topics=50, n_rounds=20),
            f"{name}/shared/0": partial(measured, name, "shared", n_topics=50, n_rounds=200),
        }
        for seed in SEEDS:
            train = partial(measured, name, "ftm", seed)
            made[f"{name}/ftm/{seed}"] = partial(train, n_topics=50, n_rounds=10)
            made[f"{name}/small/{seed}"] = partial(train, n_topics=20, n_rounds=5)
            made[f"{name}/unequal/{seed}"] = partial(train, topics_per_party=UNEQUAL, n_rounds=5)
    return made


@training("ftm_thresholds", minutes=4, corpora=("ap",))
def thresholds() -> Steps:
    """FTM on AP by its matching threshold: the global model and the parties' models."""
    given: list[dict[str, Any]] = [{"xi": xi} for xi in (0.3, 0.4, 0.5, 0.65, 0.8)]
    given += [{"matching": "jaccard", "xi": xi} for xi in (0.1, 0.2, 0.3)]
    return {
        f"ap/{' '.join(map(str, settings.values()))}": partial(measured, "ap", "ftm", n_topics=50, **settings)
        for settings in given
    }


@training("ftm_paper", minutes=4, corpora=("kos",), shows={"methods/ftm_paper.svg": draw_paper})
def paper() -> Steps:
    """FTM as printed by epsilon and tau on a small corpus, and the same vectors read as they are."""
    train = partial(measured, "small kos", n_topics=20)
    made: Steps = {
        "facts": partial(facts, "small kos"),
        "alone": partial(train, name="alone"),
        "shared": partial(train, name="shared"),
    }
    printed = partial(train, name="ftm", variant="paper", n_rounds=4, n_local=8)
    for epsilon in EPSILONS:
        for tau in TAUS:
            made[f"paper/epsilon {epsilon:g}, tau {tau:g}"] = partial(printed, epsilon=epsilon, tau=tau)
        made[f"sound/epsilon {epsilon:g}"] = partial(train, name="ftm", epsilon=epsilon)
        tokens = partial(train, name="ftm", release="tokens", n_local=15)
        made[f"tokens/epsilon {epsilon:g}"] = partial(tokens, epsilon=epsilon)
    return made


@training("ftm_sentences", minutes=9, seeds=SEEDS, corpora=("reuters",))
def sentences() -> Steps:
    """FTM's SentenceLDA against its LDA on news with real sentences, both sound, at one epsilon."""
    given: dict[str, dict[str, Any]] = {
        "word": {},
        "sentence": {"unit": "sentence", "n_local": 40},
        "sentence, little noise": {"unit": "sentence", "n_local": 40, "epsilon": 20.0},
        "word, little noise": {"epsilon": 20.0},
    }
    train = partial(measured, "reuters", "ftm", coherence=True, n_topics=50)
    made: Steps = {
        f"{label}/{seed}": partial(train, seed=seed, **settings)
        for label, settings in given.items()
        for seed in SEEDS
    }
    return made | {"facts": partial(facts, "reuters")}
