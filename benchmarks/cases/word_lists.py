"""What CALM at epsilon 6 gains or loses by a public word list in place of an agreement on words.

Three parties by topic, 50 topics, one seed. Perplexities over different words do not compare: each list is
compared with the agreement at 4 on the words that both have, by the topics of both cut to these words, and on
the same held-out documents ("ratio": below 1 the list is better). "covers": the share of the words of the
documents, stop words aside, that the vocabulary has. "epsilon": of the whole, words and method, for a word
added or removed.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks import corpora, stored
from benchmarks.case import Steps, case
from benchmarks.markdown_tables import table
from fedtopics import privacy
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.reading import read
from fedtopics.documents.text import word_lists
from fedtopics.evaluation.perplexity import perplexity
from fedtopics.methods import calm
from fedtopics.runs.experiment import train
from fedtopics.runs.preparing import prepare
from fedtopics.runs.run import Run

SETS = ("reuters", "ohsumed")
AGREED, LISTS = (4.0, 1.0), ("english-5000", "english-10000", "english-20000")
EPSILON, N_TOPICS, SEED = 6.0, 50, 0


def compared(name: str) -> dict[str, dict[str, float]]:
    """All vocabularies on one set."""
    source = str(corpora.path(name))
    full = read(source, min_df=1, max_df=1.0, sentences=False)
    chosen: dict[str, dict[str, Any]] = {f"agreed at {e:g}": {"vocabulary_epsilon": e} for e in AGREED}
    chosen |= {listed: {"vocabulary": listed} for listed in LISTS}
    found: dict[str, dict[str, float]] = {}
    first: tuple[Run, Corpus] | None = None
    for label, words in chosen.items():
        data = prepare(source, n_parties=3, seed=SEED, sentences=False, **words)
        run = train(data, "calm", n_topics=N_TOPICS, epsilon=EPSILON, seed=SEED)
        first = first or (run, data.test)
        bounds = [e for e in run.privacy if e["relation"] == "word add/remove" and e["basis"] == "proved"]
        found[label] = {
            "n_words": run.model.n_words,
            "covers": full.with_vocabulary(run.model.vocabulary).n_tokens / full.n_tokens,
            "epsilon": max(float(entry["epsilon"]) for entry in bounds),
            "ratio": on_both(run, *first),
            "npmi": run.scores["coherence_npmi"],
            "above_chance": run.scores["coherence_npmi"] - run.scores["coherence_npmi_chance"],
            "of_unigram": run.scores["perplexity"] / run.scores["perplexity_unigram"],
        }
    return found


def on_both(run: Run, other: Run, test: Corpus) -> float:
    """Perplexity by a run over that by another, on the words that both have."""
    shared = tuple(word for word in other.model.vocabulary if word in set(run.model.vocabulary))
    documents = test.with_vocabulary(shared)
    one, two = (perplexity(_cut(each, shared), documents, n_threads=2) for each in (run, other))
    return one / two


def _cut(run: Run, words: tuple[str, ...]) -> np.ndarray:
    place = {word: number for number, word in enumerate(run.model.vocabulary)}
    return run.model.topic_word[:, [place[word] for word in words]]


def rows() -> str:
    """The table of docs/how-to/word-lists.md."""
    lines = [
        [
            name,
            label,
            f"{found['n_words']:,.0f}",
            f"{100 * found['covers']:.0f} %",
            f"{found['epsilon']:.1f}",
            f"{found['ratio']:.3f}",
            f"{found['npmi']:.3f}",
        ]
        for name, rows in stored.values("word_lists").items()
        for label, found in rows.items()
    ]
    head = [
        "",
        "words",
        "number",
        "covers",
        "epsilon in all (word add/remove)",
        "perplexity, agreed at 4 = 1",
        "NPMI",
    ]
    return table(head, lines)


@case(
    "word_lists",
    measures=(word_lists, calm, privacy),
    minutes=3,
    seeds=(SEED,),
    corpora=SETS,
    pages=("docs/how-to/word-lists.md",),
    shows={"word-lists": rows},
    summary=rows,
)
def steps() -> Steps:
    """CALM over public word lists, beside words that the parties agree on."""
    return {name: partial(compared, name) for name in SETS}
