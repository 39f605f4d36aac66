"""Topics over time: known events of the speeches of the presidents peak in their decades.

Speeches are cut into passages of 100 words, dealt to three parties in turn, and trained with CALM at epsilon
6 on 50 topics. The topic of an event is the one that most of its word's text is in; it peaks where its share
of the text of a decade is largest. Words and decades were written down before the first run.
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
    """The decade in which the topic of each event peaks."""
    corpus, years = passages()
    named = replace(corpus, parties=tuple(f"party-{number % 3 + 1}" for number in range(corpus.n_docs)))
    data = prepare(named, test_fraction=0.05)
    made = make("calm", n_topics=N_TOPICS, epsilon=6.0)
    run = train_on(Data(data.parties, data.test, "speeches"), "calm", made, seed=seed)
    found = over_time(run.model, corpus, years, period="decade")
    place = {word: number for number, word in enumerate(corpus.vocabulary)}
    amounts = run.model.counts
    topics = {word: int(np.argmax(amounts[:, place[word]])) for word in EVENTS}
    return {word: {"decade": int(found.peak(topic)[:4]), "topic": topic} for word, topic in topics.items()}


def shown() -> str:
    """Each event, and the decade in which its topic peaks, by seed."""
    seeds = list(stored.values("time").get("calm", {}).values())
    if not seeds:
        return "Not measured yet."
    rows = [
        [
            word,
            event,
            ", ".join(f"{decade}s" for decade in decades),
            ", ".join(f"{each[word]['decade']}s" for each in seeds),
            f"{sum(each[word]['decade'] in decades for each in seeds)} of {len(seeds)}",
        ]
        for word, (event, decades) in EVENTS.items()
    ]
    return table(["word", "event", "decades", "its topic peaks in, by seed", "right"], rows)


def summary() -> str:
    """How many of the events peak in their decades."""
    seeds = list(stored.values("time").get("calm", {}).values())
    right = sum(each[word]["decade"] in decades for each in seeds for word, (_, decades) in EVENTS.items())
    return f"{right} of {len(seeds) * len(EVENTS)} events peak in their decades"


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
    return {f"calm/seed {seed}": partial(peaks, seed) for seed in SEEDS}
