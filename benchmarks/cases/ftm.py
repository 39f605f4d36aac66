"""FTM on real corpora: its quality by round, its matching threshold, the papers' variant, sentences.

    python benchmarks/ftm.py                       every part, three seeds where they are repeated
    python benchmarks/ftm.py rounds --seeds 1      one part: rounds, thresholds, paper or sentences

Reads the corpora from FEDTOPICS_DATA (default: ../shared/data) and skips those that are not there. One JSON
file per part goes to benchmarks/results, charts to docs/methods. Three unequal parties by what documents
are about; held-out document completion; epsilon is for a word added or removed.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from fedtopics import methods
from fedtopics.corpus import Corpus
from fedtopics.evaluation.perplexity import perplexity, unigram_perplexity
from fedtopics.evaluation.scores import scores
from fedtopics.experiment import Data, prepare
from fedtopics.federation import in_process
from fedtopics.federation.protocol import Arrays, Method, Turn
from fedtopics.reading import read
from fedtopics.report.svg import Line, line_chart, side_by_side

DATA = Path(os.environ.get("FEDTOPICS_DATA", Path(__file__).parents[1] / ".." / "shared" / "data"))
RESULTS = Path(__file__).parent / "results"
PICTURES = Path(__file__).parents[1] / "docs" / "methods"
SETS: dict[str, tuple[str, dict[str, Any]]] = {
    "kos": ("uci_kos", {}),
    "ap": ("ap/ap.dat.gz", {"max_words": 8000}),
    "ohsumed": ("ohsumed_medical", {"max_words": 8000}),
}
UNEQUAL = {"party-1": 20, "party-2": 35, "party-3": 60}
TAUS, EPSILONS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5), (8.0, 9.0, 10.0, 11.0)


@dataclass
class Watched:
    """A method that scores its model every so many rounds; all else is the method's own."""

    method: Method
    test: Corpus
    every: int = 1  # rounds
    perplexities: list[float] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.method, name)

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        state = self.method.combine(state, sent, turn)
        due = (turn.round + 1) % self.every == 0
        if due and (model := self.method.model(state, self.test.vocabulary)) is not None:
            self.perplexities.append(perplexity(model, self.test))
        return state


def measured(
    data: Data, name: str, seed: int = 0, *, coherence: bool = False, **settings: Any
) -> dict[str, Any]:
    """Perplexity of the global model after each round, of each party's model, and what was sent."""
    began = perf_counter()
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
    print(f"{data.source} {result['settings']} -> {result['perplexity']:.0f}", flush=True)
    return result


def prepared(name: str, **reading: Any) -> Data | None:
    path, options = SETS[name]
    if not (DATA / path).exists():
        print(f"{name}: no data at {DATA / path}; set FEDTOPICS_DATA")
        return None
    data = prepare(str(DATA / path), n_parties=3, **options | reading)
    return Data(data.parties, data.test, name)


def rounds(n_seeds: int) -> dict[str, Any]:
    """FTM against each party alone and against counts shared at every sweep."""
    results: dict[str, Any] = {}
    for name in SETS:
        data = prepared(name)
        if data is None:
            continue
        results[name] = {
            "unigram": unigram_perplexity(data.train, data.test),
            "alone": [measured(data, "alone", n_topics=50, n_rounds=20)],
            "shared": [measured(data, "shared", n_topics=50, n_rounds=200)],
            "ftm": [measured(data, "ftm", seed, n_topics=50, n_rounds=10) for seed in range(n_seeds)],
            "small": [measured(data, "ftm", seed, n_topics=20, n_rounds=5) for seed in range(n_seeds)],
            "unequal": [
                measured(data, "ftm", seed, topics_per_party=UNEQUAL, n_rounds=5) for seed in range(n_seeds)
            ],
        }
    return results


def thresholds(n_seeds: int) -> dict[str, Any]:
    """How much is merged: the global model and the parties' models by xi."""
    data = prepared("ap")
    if data is None:
        return {}
    given: list[dict[str, Any]] = [{"xi": xi} for xi in (0.3, 0.4, 0.5, 0.65, 0.8)]
    given += [{"matching": "jaccard", "xi": xi} for xi in (0.1, 0.2, 0.3)]
    return {"ap": [measured(data, "ftm", n_topics=50, **settings) for settings in given]}


def paper(n_seeds: int) -> dict[str, Any]:
    """The papers' variant by epsilon and tau on a small corpus, and the same vectors read as they are."""
    data = prepared("kos", max_words=1000)
    if data is None:
        return {}
    data = Data({name: _some(party, 0.2) for name, party in data.parties.items()}, data.test, "small kos")
    common = {"n_topics": 20, "n_rounds": 4, "n_local": 8}
    curve = [
        measured(data, "ftm", variant="paper", epsilon=epsilon, tau=tau, **common)
        for epsilon in EPSILONS
        for tau in TAUS
    ]
    sound = [measured(data, "ftm", epsilon=epsilon, n_topics=20) for epsilon in EPSILONS]
    tokens = [
        measured(data, "ftm", epsilon=epsilon, n_topics=20, release="tokens", n_local=15)
        for epsilon in EPSILONS
    ]
    return {
        "n_words": data.test.n_words,
        "n_docs": data.train.n_docs,
        "unigram": unigram_perplexity(data.train, data.test),
        "alone": measured(data, "alone", n_topics=20),
        "shared": measured(data, "shared", n_topics=20),
        "paper": curve,
        "sound": sound,
        "tokens": tokens,
    }


def sentences(n_seeds: int) -> dict[str, Any]:
    """SentenceLDA against LDA on news with real sentences, both sound, at one epsilon."""
    path = DATA / "reuters21578" / "reuters21578.jsonl.xz"
    if not path.exists():
        print(f"reuters21578: no data at {path}; set FEDTOPICS_DATA")
        return {}
    corpus = read(str(path), max_words=5000)
    data = prepare(corpus.select(corpus.lengths >= 30), n_parties=3)
    data = Data({name: _some(party, 0.4) for name, party in data.parties.items()}, data.test, "reuters")
    given: dict[str, dict[str, Any]] = {
        "word": {},
        "sentence": {"unit": "sentence", "n_local": 40},
        "sentence, little noise": {"unit": "sentence", "n_local": 40, "epsilon": 20.0},
        "word, little noise": {"epsilon": 20.0},
    }
    results: dict[str, Any] = {
        label: [
            measured(data, "ftm", seed, coherence=True, n_topics=50, **settings) for seed in range(n_seeds)
        ]
        for label, settings in given.items()
    }
    return results | {"unigram": unigram_perplexity(data.train, data.test), "n_docs": data.train.n_docs}


def _some(corpus: Corpus, share: float) -> Corpus:
    return corpus.select(np.arange(corpus.n_docs) < max(2, int(share * corpus.n_docs)))


def draw_rounds(results: dict[str, Any]) -> str:
    charts = []
    for name, runs in results.items():
        curves = [run["by_round"] for run in runs["ftm"]]
        mean = np.mean(curves, axis=0).tolist()
        at = list(range(1, len(mean) + 1))
        flat = [
            Line(label, [1, len(mean)], [runs[key][0]["perplexity"]] * 2)
            for key, label in (("alone", "best party alone"), ("shared", "shared, 200 rounds"))
        ]
        charts.append(
            line_chart(
                [Line("FTM sound, epsilon 8", at, mean), *flat],
                title=name,
                x_label="global rounds",
                y_label="perplexity",
            )
        )
    return side_by_side(charts)


def draw_paper(results: dict[str, Any]) -> str:
    lines = []
    for tau in (0.0, 0.2, 0.5):
        runs = [run for run in results["paper"] if run["settings"]["tau"] == tau]
        lines.append(_by_epsilon(f"paper, tau {tau:g}", runs))
    lines.append(Line("unigram", [EPSILONS[0], EPSILONS[-1]], [results["unigram"]] * 2))
    lines += [_by_epsilon("same vectors, sound", results["tokens"]), _by_epsilon("sound", results["sound"])]
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


PARTS: dict[str, Callable[[int], dict[str, Any]]] = {
    "rounds": rounds,
    "thresholds": thresholds,
    "paper": paper,
    "sentences": sentences,
}
CHARTS = {"rounds": draw_rounds, "paper": draw_paper}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", default=list(PARTS), help=", ".join(PARTS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--charts", action="store_true", help="only draw the stored results")
    options = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    for part in options.parts:
        file = RESULTS / f"ftm_{part}.json"
        if not options.charts and (results := PARTS[part](options.seeds)):
            file.write_text(json.dumps(results, indent=1) + "\n")
        if part in CHARTS and file.exists():
            PICTURES.mkdir(exist_ok=True)
            (PICTURES / f"ftm_{part}.svg").write_text(CHARTS[part](json.loads(file.read_text())) + "\n")


if __name__ == "__main__":
    main()
