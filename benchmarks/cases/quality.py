"""Perplexity and coherence of CALM against training without privacy, on real corpora.

    python benchmarks/quality.py                     every set, three seeds, with a table at the end
    python benchmarks/quality.py kos ap --seeds 1    some sets, one seed
    python benchmarks/quality.py --fresh             forget the stored results first

Reads the corpora from FEDTOPICS_DATA (default: ../shared/data) and skips those that are not there. One JSON
file per set goes to benchmarks/results, written after each training: what was stopped goes on where it was.
Three unequal parties by what their documents are about; held-out document completion; `shared` is collapsed
Gibbs sampling over exact counts of all parties (no privacy), `alone` the best single party, tomotopy (where
installed) an independent check of `shared` on the pooled documents.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.corpus import Corpus
from fedtopics.evaluation.scores import scores as score_topics
from fedtopics.experiment import Data, prepare, train
from fedtopics.model import TopicModel
from fedtopics.privacy.forecast import predicted_ratio

DATA = Path(os.environ.get("FEDTOPICS_DATA", Path(__file__).parents[1] / ".." / "shared" / "data"))
RESULTS = Path(__file__).parent / "results"
EPSILONS = (8.0, 6.0, 4.0)

# path, number of topics, reading options
SETS: dict[str, tuple[str, int, dict[str, Any]]] = {
    "kos": ("uci_kos", 50, {}),
    "ap": ("ap/ap.dat.gz", 50, {"max_words": 8000}),
    "ohsumed": ("ohsumed_medical", 50, {"max_words": 8000}),
    "nips": ("uci_nips_reduced/docword.nips7605.txt.gz", 50, {}),
    "imdb": ("imdb", 30, {"max_words": 5000}),
}

# Label: method, settings.
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "shared": ("shared", {"n_rounds": 300, "sampler": "gibbs"}),
    **{f"calm {epsilon:g}": ("calm", {"epsilon": epsilon}) for epsilon in EPSILONS},
    "alone": ("alone", {"n_rounds": 30}),
    "tomotopy": ("tomotopy", {}),
}


def measure(name: str, labels: list[str], n_seeds: int, n_threads: int) -> None:
    """The runs on one set that are not stored yet: scores per method and seed."""
    path, n_topics, reading = SETS[name]
    data = prepare(str(DATA / path), n_parties=3, **reading)
    file = RESULTS / f"quality_{name}.json"
    about = {
        "set": name,
        "n_topics": n_topics,
        "n_words": data.test.n_words,
        "n_docs": [party.n_docs for party in data.parties.values()],
        "distinct_words": _distinct_words(data.train),
    }
    runs = json.loads(file.read_text())["runs"] if file.exists() else {}
    for seed in range(n_seeds):
        for label in labels:
            if len(runs.setdefault(label, [])) > seed:
                continue
            scores = _scored(data, label, n_topics, seed, n_threads)
            if scores is None:
                continue
            runs[label].append(scores)
            kept = {label: runs[label] for label in METHODS if runs.get(label)}
            file.write_text(json.dumps(about | {"runs": kept}, indent=1) + "\n")
            print(f"{name:8} {label:9} seed {seed}  perplexity {scores['perplexity']:7.1f}", flush=True)


def _scored(data: Data, label: str, n_topics: int, seed: int, n_threads: int) -> dict[str, float] | None:
    method, settings = METHODS[label]
    began, spent = perf_counter(), process_time()
    if method == "tomotopy":
        scores = _tomotopy(data, n_topics, seed)
    else:
        options: dict[str, Any] = {"n_topics": n_topics, "seed": seed, "n_threads": n_threads} | settings
        scores = train(data, method, show_progress=False, **options).record["scores"]
    times = {"seconds": perf_counter() - began, "cpu_seconds": process_time() - spent}
    return None if scores is None else scores | times


def _distinct_words(corpus: Corpus) -> float:
    pairs = np.unique(corpus.docs.astype(np.int64) * corpus.n_words + corpus.words)
    return len(pairs) / corpus.n_docs


def _tomotopy(data: Data, n_topics: int, seed: int) -> dict[str, float] | None:
    try:
        model = tomotopy_model(data.train, n_topics, seed)
    except ImportError:
        return None
    model.train(400, workers=1)
    topics = tomotopy_topics(model, data.test.n_words)
    trained = TopicModel(
        topics / topics.sum(axis=1, keepdims=True), np.full(n_topics, 0.1), data.test.vocabulary
    )
    return score_topics(trained, data.train, data.test)


def tomotopy_model(corpus: Corpus, n_topics: int, seed: int = 0) -> Any:
    """tomotopy's collapsed Gibbs sampler with the documents of all parties, before training."""
    import tomotopy

    model = tomotopy.LDAModel(k=n_topics, alpha=0.1, eta=0.05, seed=seed + 1)
    for first, last in zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True):
        if first < last:
            model.add_doc([str(word) for word in corpus.words[first:last]])
    return model


def tomotopy_topics(model: Any, n_words: int) -> NDArray[np.float64]:
    """The topics of a tomotopy model, (n_topics, n_words)."""
    topics = np.zeros((model.k, n_words))
    known = [int(word) for word in model.used_vocabs]
    for k in range(model.k):
        topics[k, known] = model.get_topic_word_dist(k)
    return topics


def table(results: list[dict[str, Any]]) -> str:
    """Mean and spread over the seeds, and the ratio to `shared`, as Markdown."""
    lines = [
        "| set | method | perplexity | ratio | predicted | NPMI | ratio |",
        "|---|---|---|---|---|---|---|",
    ]
    for result in results:
        base, coherent = (
            _mean(result["runs"]["shared"], score) for score in ("perplexity", "coherence_npmi")
        )
        for label, runs in result["runs"].items():
            mean, spread = _mean(runs, "perplexity"), float(np.ptp([run["perplexity"] for run in runs]))
            npmi = _mean(runs, "coherence_npmi")
            lines.append(
                f"| {result['set']} | {label} | {mean:.0f} (spread {spread:.0f}) | {mean / base:.3f} "
                f"| {_predicted(result, label)} | {npmi:.3f} | {npmi / coherent:.2f} |"
            )
    return "\n".join(lines)


def _predicted(result: dict[str, Any], label: str) -> str:
    if not label.startswith("calm "):
        return ""
    ratio = predicted_ratio(float(label.split()[1]), result["n_words"], result["distinct_words"])
    return f"{ratio:.3f}"


def _mean(runs: list[dict[str, float]], score: str) -> float:
    return float(np.mean([run.get(score, np.nan) for run in runs]))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", nargs="*", default=list(SETS), help=", ".join(SETS))
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--fresh", action="store_true", help="forget the stored results first")
    parser.add_argument("--table", action="store_true", help="only print the stored results")
    options = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    for name in [] if options.table else options.sets:
        if not (DATA / SETS[name][0]).exists():
            print(f"{name}: no data at {DATA / SETS[name][0]}; set FEDTOPICS_DATA")
            continue
        if options.fresh:
            (RESULTS / f"quality_{name}.json").unlink(missing_ok=True)
        measure(name, options.methods, options.seeds, options.threads)
    stored = [RESULTS / f"quality_{name}.json" for name in options.sets]
    print(table([json.loads(path.read_text()) for path in stored if path.exists()]))


if __name__ == "__main__":
    main()
