"""The words that topics are shown by: do they go together, and does one tell a stranger among them?

"probable": the ten most probable words of each topic. "shown": those that terminal, report and `top_words`
show. "npmi": how often words of a topic are together in the documents, of training and held-out ones.
"intruders": the share of strangers among five words that a judge finds who knows the vectors of general
English and nothing else (20 questions a topic); so words that only look well by the counts of these documents
are found out. The topics are the same in both, so perplexity is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import corpora, stored
from benchmarks.case import Steps, case
from benchmarks.markdown_tables import table
from fedtopics.evaluation import intrusion
from fedtopics.evaluation.intrusion import Question
from fedtopics.methods import calm
from fedtopics.model import TopicModel, distinctive
from fedtopics.related_words import general_english
from fedtopics.runs.experiment import train

SETS = {"ap": "AP", "reuters": "Reuters", "ohsumed": "ohsumed"}
METHODS: dict[str, dict[str, Any]] = {
    "calm": {"epsilon": 6.0},
    "ftm": {"epsilon": 6.0},
    "pooled": {},
}
SEEDS, N_TOPICS, N_SHEETS = (0, 1, 2), 50, 20
ORDERS = {"probable": "probable", "shown": "distinctive"}


def words(name: str, method: str, seed: int) -> dict[str, Any]:
    """Both orders of the words of one model."""
    run = train(corpora.dealt(name), method, n_topics=N_TOPICS, seed=seed, **METHODS[method])
    scores = run.scores
    return {
        "perplexity": scores["perplexity"],
        "npmi": {"probable": scores["coherence_npmi"], "shown": scores["coherence_npmi_shown"]},
        "intruders": {order: intruders(run.model, by) for order, by in ORDERS.items()},
    }


def intruders(model: TopicModel, by: str) -> float:
    """Share of the strangers that are found by vectors."""
    vectors = general_english.vectors(model.vocabulary).astype(np.float64)
    known = vectors.any(axis=1)
    sheets = [intrusion.questions(model, seed=seed, by=by, known=known) for seed in range(N_SHEETS)]
    return float(np.mean([judged(sheet, vectors, model.vocabulary) for sheet in sheets]))


def judged(asked: Sequence[Question], vectors: NDArray[np.floating], vocabulary: Sequence[str]) -> float:
    """Share of the intruders that are least like the other words, by `vectors` of the `vocabulary`."""
    place = {word: number for number, word in enumerate(vocabulary)}
    units = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    right = 0
    for question in asked:
        rows = units[[place[word] for word in question.words]]
        alike = (rows @ rows.T).sum(axis=1) - (rows * rows).sum(axis=1)
        right += question.words[int(np.argmin(alike))] == question.intruder
    return right / max(1, len(asked))


def rows() -> str:
    """The table of docs/how-to/model.md."""
    lines = []
    for method in METHODS:
        for name, title in SETS.items():
            found = stored.values("words").get(method, {}).get(name)
            if found is not None:
                lines.append([title, _called(method), *_row(list(found.values()))])
    head = ["", "method", "NPMI, probable", "NPMI, shown", "times", "intruders, probable", "intruders, shown"]
    return table(head, lines)


def _called(method: str) -> str:
    epsilon = METHODS[method].get("epsilon")
    return method if epsilon is None else f"{method}, epsilon {epsilon:g}"


def _row(found: list[dict[str, Any]]) -> list[str]:
    mean = {
        (score, order): float(np.mean([each[score][order] for each in found]))
        for score in ("npmi", "intruders")
        for order in ORDERS
    }
    times = [each["npmi"]["shown"] / each["npmi"]["probable"] for each in found]
    spread = f"{np.mean(times):.2f} ({min(times):.2f} to {max(times):.2f})"
    return [
        f"{mean['npmi', 'probable']:.3f}",
        f"{mean['npmi', 'shown']:.3f}",
        spread,
        f"{mean['intruders', 'probable']:.2f}",
        f"{mean['intruders', 'shown']:.2f}",
    ]


@case(
    "words",
    measures=(distinctive, calm, intrusion),
    minutes=12,
    seeds=SEEDS,
    corpora=tuple(SETS),
    pages=("docs/how-to/model.md",),
    shows={"words": rows},
    summary=rows,
)
def steps() -> Steps:
    """Coherence of the words shown beside the most probable ones, and strangers told among them."""
    return {
        f"{method}/{name}/{seed}": partial(words, name, method, seed)
        for method in METHODS
        for name in SETS
        for seed in SEEDS
    }
