"""Topics over time: known events of the speeches of the presidents peak in their decades.

Speeches are cut into passages of 100 words, dealt to three parties in turn, and trained with CALM at epsilon
6 on 50 topics. The topic of an event is the one that most of its word's text is in. Two courses are measured:
that of the whole topic, whose share of the text of a decade is largest in the peak, and that of the event in
it (`over_time(..., events=...)`). Words and decades were written down before the first run.
"""

from __future__ import annotations

import json
import lzma
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks import corpora, stored
from benchmarks.case import Steps, case
from benchmarks.markdown_tables import table
from fedtopics.documents.corpus import Corpus
from fedtopics.evaluation.over_time import over_time
from fedtopics.methods import calm, make
from fedtopics.runs.experiment import train_on
from fedtopics.runs.preparing import Data, prepare

SEEDS = (0, 1, 2)
LENGTH, N_WORDS, N_TOPICS = 100, 8000, 50
EVENTS = {  # a word, the event, decades that it belongs to
    "texas": ("annexation of Texas, war with Mexico", (1840,)),
    "kansas": ("Kansas, slavery in the territories", (1850,)),
    "rebellion": ("Civil War", (1860,)),
    "silver": ("free coinage of silver", (1870, 1880, 1890)),
    "philippine": ("war with Spain, the Philippines", (1890, 1900)),
    "japanese": ("Second World War", (1940,)),
    "communist": ("the Cold War begins", (1940, 1950)),
    "vietnam": ("Vietnam", (1960, 1970)),
    "inflation": ("inflation", (1970, 1980)),
    "soviet": ("Soviet Union", (1940, 1950, 1960, 1970, 1980)),
    "terrorists": ("terror, Iraq", (2000,)),
    "medicare": ("health insurance", (1990, 2000)),
}

# Written down from general knowledge before anything was run on them, and measured once, with the settings
# that the events above had led to. A word that is not in the vocabulary counts as missed.
MORE_EVENTS = {
    "embargo": ("embargo, war of 1812", (1800, 1810)),
    "cherokees": ("removal of the Indians", (1820, 1830)),
    "oregon": ("boundary of Oregon", (1840,)),
    "freedmen": ("after slavery", (1860, 1870)),
    "polygamy": ("Mormons of Utah", (1870, 1880)),
    "panama": ("Panama Canal is built", (1900, 1910)),
    "trusts": ("trusts are broken up", (1900, 1910)),
    "prohibition": ("alcohol is forbidden", (1920,)),
    "depression": ("Great Depression", (1930,)),
    "korea": ("war in Korea", (1950,)),
    "energy": ("energy crisis", (1970, 1980)),
    "drugs": ("war on drugs", (1980, 1990)),
}


@cache
def passages() -> tuple[Corpus, tuple[int, ...]]:
    """Passages of the speeches, and the year of each."""
    with lzma.open(corpora.path("sotu"), "rt", encoding="utf-8") as file:
        speeches = [json.loads(line) for line in file]
    texts, years = [], []
    for speech in speeches:
        words = speech["text"].split()
        pieces = [" ".join(words[place : place + LENGTH]) for place in range(0, len(words), LENGTH)]
        texts += pieces
        years += [int(speech["year"])] * len(pieces)
    return Corpus.from_texts(texts, max_words=N_WORDS), tuple(years)


def peaks(seed: int) -> dict[str, Any]:
    """The decades in which the topic of each event peaks, the event in its topic, and it is said there."""
    corpus, years = passages()
    named = replace(corpus, parties=tuple(f"party-{number % 3 + 1}" for number in range(corpus.n_docs)))
    data = prepare(named, test_fraction=0.05)
    made = make("calm", n_topics=N_TOPICS, epsilon=6.0)
    run = train_on(Data(data.parties, data.test, "speeches"), "calm", made, seed=seed)
    events = [word for word in (*EVENTS, *MORE_EVENTS) if word in corpus.vocabulary]
    found = over_time(run.model, corpus, years, period="decade", events=events)
    place = {word: number for number, word in enumerate(corpus.vocabulary)}
    amounts = run.model.counts
    reached: dict[str, Any] = {}
    for event in found.events:
        topic = int(np.argmax(amounts[:, place[event.name]]))
        said = [
            int(period)
            for period, topics in zip(found.periods, found.said, strict=True)
            if event.name in topics[event.topic]
        ]
        reached[event.name] = {
            "decade": int(found.peak(topic)),
            "topic": topic,
            "event": int(event.peak),
            "event_topic": event.topic,
            "said": said,
        }
    return reached


def counted() -> dict[str, int]:
    """The decade in which each word is the largest part of all words, without any topic."""
    corpus, years = passages()
    decades = np.array(years) // 10 * 10
    of_tokens = decades[corpus.docs]
    found = {}
    for word in (*EVENTS, *MORE_EVENTS):
        if word in corpus.vocabulary:
            own = of_tokens[corpus.words == corpus.vocabulary.index(word)]
            shares = {
                int(each): np.sum(own == each) / np.sum(of_tokens == each) for each in np.unique(decades)
            }
            found[word] = max(shares, key=lambda decade: shares[decade])
    return found


def shown() -> str:
    """Each event, and the decades in which its topic and it itself peak, by seed."""
    found = stored.values("time")
    seeds = list(found.get("calm", {}).values())
    if not seeds:
        return "Not measured yet."
    rows = []
    for events in (EVENTS, MORE_EVENTS):
        for word, (event, decades) in events.items():
            rows.append([word, event, ", ".join(f"{decade}s" for decade in decades)])
            rows[-1] += [
                ", ".join(f"{each[word][course]}s" if word in each else "unknown" for each in seeds)
                for course in ("decade", "event")
            ]
            rows[-1].append(", ".join(f"{decade}s" for decade in _always_said(word, seeds)))
        rows.append(["", "**right**", "", _right(events, "decade"), _right(events, "event"), ""])
    head = [
        "word",
        "event",
        "decades",
        "its topic peaks in, by seed",
        "it peaks in its topic in",
        "said there in",
    ]
    return table(head, rows)


def _always_said(word: str, seeds: list[dict[str, Any]]) -> list[int]:
    """The decades in which, with every seed, the word is among five that set what its topic says apart."""
    said = [set(each[word]["said"]) if word in each else set() for each in seeds]
    return sorted(set.intersection(*said))


def _right(events: dict[str, tuple[str, tuple[int, ...]]], course: str) -> str:
    seeds = list(stored.values("time").get("calm", {}).values())
    right = sum(
        word in each and each[word][course] in decades
        for each in seeds
        for word, (_, decades) in events.items()
    )
    return f"{right} of {len(seeds) * len(events)}"


def summary() -> str:
    """How many of the events peak in their decades."""
    by_word = stored.values("time").get("counted", {})
    lines = []
    for name, events in (("first", EVENTS), ("further", MORE_EVENTS)):
        alone = sum(by_word.get(word) in decades for word, (_, decades) in events.items())
        lines.append(
            f"{name} events that peak in their decades: {_right(events, 'event')}; the whole topic "
            f"{_right(events, 'decade')}; the word without topics {alone} of {len(events)}"
        )
    return "\n".join(lines)


@case(
    "time",
    measures=(over_time, calm),
    minutes=2,
    seeds=SEEDS,
    corpora=("sotu",),
    pages=("docs/how-to/model.md",),
    shows={"time": shown},
    summary=summary,
)
def steps() -> Steps:
    """Known events of the presidents' speeches: the decade in which the topic of each peaks."""
    return {"counted": counted} | {f"calm/seed {seed}": partial(peaks, seed) for seed in SEEDS}
