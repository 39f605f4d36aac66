"""Small runs to make reports of: quick, and with words that try to break a page."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
from planted import drawn_corpus, planted_topics

from fedtopics.model import TopicModel
from fedtopics.report import run_page
from fedtopics.runs.experiment import compare
from fedtopics.runs.preparing import Data
from fedtopics.runs.run import Run

PAGES = ("run", "hostile", "many", "comparison")  # that are looked at in a browser

HOSTILE = (
    "<script>document.title='broken'</script>",
    "</script><img src=x onerror=alert(1)>",
    "a&b\"c'd",
    "שלום",
    "مرحبا",
    "図書館",
    "{{ 7 * 7 }}",
    "x" * 100,
)


@cache
def small_data() -> Data:
    """Planted topics, in two parties."""
    topics = planted_topics(4, 30)
    parties = {name: drawn_corpus(topics, 60, 30, seed) for seed, name in enumerate(["north", "south <b>"])}
    return Data(parties, drawn_corpus(topics, 30, 30, 9), "planted <i>letters</i>")


@cache
def small_runs() -> tuple[Run, ...]:
    """`shared` and `calm` at two epsilons and two seeds on planted topics, in two parties."""
    return tuple(
        compare(
            small_data(),
            ["alone", "shared", "calm"],
            epsilon=[2.0, 8.0],
            n_seeds=2,
            n_topics=4,
            n_rounds=6,
            own={"calm": {"distinct_words": 12}},
        )
    )


def small_run(method: str = "calm", epsilon: float | None = 8.0) -> Run:
    """One of them."""
    return next(run for run in small_runs() if (run.record["method"], run.epsilon) == (method, epsilon))


def with_model(run: Run, model: TopicModel) -> Run:
    """The run as if it had ended with another model."""
    record = run.record | {"n_topics": model.n_topics, "n_words": model.n_words, "party_topics": {}}
    return replace(run, record=record, model=model)


def hostile_run() -> Run:
    """Words with markup, scripts and unusual characters, an empty topic, and labels no better."""
    words = (*HOSTILE, *(f"word{number}" for number in range(20)))
    counts = np.random.default_rng(0).gamma(0.3, size=(5, len(words))) * 100
    counts[:, : len(HOSTILE)] += 50
    counts[3] = 0
    model = TopicModel.from_counts(counts, words)
    labels = {0: "<script>alert('label')</script>", 1: "[bold]topic"}
    return with_model(small_run(), model.set_topic_labels(labels))


@cache
def many_topics_run() -> Run:
    """Thirty topics of two kinds, of different sizes, which two parties share unevenly."""
    rng = np.random.default_rng(3)
    words = [f"{first}{second}" for first in ("tax", "war", "sea", "law", "farm") for second in range(60)]
    kinds = rng.gamma(0.3, size=(2, len(words)))
    counts = np.stack([kinds[k % 2] * 20 + rng.gamma(0.08, size=len(words)) * 900 for k in range(30)])
    run = with_model(small_run(), TopicModel.from_counts(counts * rng.uniform(1, 6, 30)[:, None], words))
    amounts = {name: rng.gamma(1.0, size=30).tolist() for name in ("north", "south <b>")}
    return replace(run, record=run.record | {"party_topics": amounts})


@cache
def large_page() -> str:
    """The page of a run as large as they get; it takes seconds, so it is made once."""
    return run_page(large_run(200, 50_000))


def large_run(n_topics: int, n_words: int) -> Run:
    """As large as models get: the words have the lengths and frequencies of English ones."""
    rng = np.random.default_rng(0)
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    lengths = rng.integers(4, 15, n_words)
    words = {"".join(rng.choice(letters, length)): None for length in lengths}
    words |= {f"word{number}": None for number in range(n_words - len(words))}
    frequency = 1 / np.arange(1, n_words + 1)
    counts = rng.gamma(0.05, size=(n_topics, n_words)) * frequency * 1e6
    counts *= rng.lognormal(0, 0.7, n_topics)[:, None]
    return with_model(small_run(), TopicModel.from_counts(counts, list(words)))
