"""What the page shows of each topic, and the index behind its search box."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedtopics.model import TopicModel

N_LISTED, N_MORE = 10, 20
N_NEIGHBORS = N_TELLING = 2
NEAR = 0.3  # similarity from which topics are called neighbors
INDEX_BYTES = 1_200_000
TOPICS_PER_WORD = 3
Floats = NDArray[np.float64]
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Word:
    """A word of a topic: its probability, also relative to that of the topic's first word."""

    text: str
    probability: float
    weight: float


@dataclass(frozen=True)
class Card:
    """One topic as the page shows it; `words` is empty where the topic has none of its own."""

    number: int
    label: str | None
    share: float | None
    words: tuple[Word, ...]
    more: tuple[str, ...]
    neighbors: tuple[int, ...]
    telling: tuple[str, ...]

    @property
    def name(self) -> str:
        """Label, or else the most telling words."""
        return self.label or ", ".join(self.telling) or "no words of its own"


def cards(model: TopicModel, alike: Floats) -> list[Card]:
    """Every topic, the largest first; `alike` is the `similarity` of the topics."""
    ids = model.top_word_ids(N_LISTED + N_MORE)
    near = neighbors(alike)
    mean = model.word_frequencies
    made = [_card(model, topic, ids[topic], near[topic], mean) for topic in range(model.n_topics)]
    return sorted(made, key=lambda card: (-(card.share or 0.0), card.number))


def similarity(model: TopicModel) -> Floats:
    """Bhattacharyya coefficient of each pair of topics: 1 where equal, 0 where they share no word."""
    roots = np.sqrt(model.topic_word)
    return np.asarray(np.clip(roots @ roots.T, 0.0, 1.0))


def neighbors(alike: Floats) -> list[tuple[int, ...]]:
    """The most similar other topics of each topic, if they are similar at all."""
    alike = alike - np.eye(len(alike))
    order = np.argsort(-alike, axis=1, kind="stable")[:, :N_NEIGHBORS]
    return [
        tuple(int(other) for other in row if alike[topic, other] >= NEAR) for topic, row in enumerate(order)
    ]


def word_index(model: TopicModel) -> dict[str, object]:
    """The likeliest topics of each word, packed as text: what the search box reads.

    `words` are joined by line feeds, the most probable word first. `topics` holds, for each word,
    `per_word` times a topic number of `width` digits in base 36 and two decimal digits of percent.
    """
    shares = np.full(model.n_topics, 1 / model.n_topics) if model.topic_shares is None else model.topic_shares
    joint = model.topic_word * np.maximum(shares, 1e-12)[:, None]
    totals = joint.sum(axis=0)
    per_word = min(TOPICS_PER_WORD, model.n_topics)
    likely = np.argsort(-joint, axis=0, kind="stable")[:per_word] if model.n_topics <= 8 else _top(joint)
    percent = np.take_along_axis(joint, likely, axis=0) / np.maximum(totals, 1e-300) * 100
    width = len(_base36(model.n_topics - 1))
    codes = [_base36(topic).rjust(width, "0") for topic in range(model.n_topics)]
    words: list[str] = []
    packed: list[str] = []
    size = 0
    for word in np.argsort(-totals, kind="stable").tolist():
        text = " ".join(model.vocabulary[word].split())
        size += len(text.encode("utf-8", "replace")) + 1 + per_word * (width + 2)
        if size > INDEX_BYTES:
            break
        words.append(text)
        pairs = zip(likely[:, word].tolist(), percent[:, word].tolist(), strict=True)
        packed.append("".join(f"{codes[topic]}{min(99, round(share)):02d}" for topic, share in pairs))
    return {"words": "\n".join(words), "topics": "".join(packed), "per_word": per_word, "width": width}


def _top(joint: Floats) -> NDArray[np.int64]:
    """The likeliest topics of each word, the first first, without sorting all of them."""
    some = np.argpartition(-joint, TOPICS_PER_WORD, axis=0)[:TOPICS_PER_WORD]
    order = np.argsort(-np.take_along_axis(joint, some, axis=0), axis=0, kind="stable")
    return np.take_along_axis(some, order, axis=0)


def _card(model: TopicModel, topic: int, ids: NDArray[np.int64], near: tuple[int, ...], mean: Floats) -> Card:
    row = model.topic_word[topic]
    share = None if model.topic_shares is None else float(model.topic_shares[topic])
    listed = [word for word in ids.tolist() if row[word] > 0]
    # Where all words are equally likely, the order of the vocabulary is all that a list would show.
    empty = share == 0 or (model.n_words > 1 and np.ptp(row) <= 1e-12)
    words = [] if empty else listed
    best = float(row[words[0]]) if words else 1.0
    return Card(
        number=topic,
        label=None if model.labels is None else model.labels[topic],
        share=share,
        words=tuple(
            Word(model.vocabulary[word], float(row[word]), float(row[word]) / best)
            for word in words[:N_LISTED]
        ),
        more=tuple(model.vocabulary[word] for word in words[N_LISTED:]),
        neighbors=near,
        telling=_telling(model, row, words[:N_LISTED], mean),
    )


def _telling(model: TopicModel, row: Floats, words: list[int], mean: Floats) -> tuple[str, ...]:
    """The listed words that set the topic apart most: frequent in it, and more so than in all text."""
    gain = {word: np.sqrt(row[word]) * np.log(row[word] / max(float(mean[word]), 1e-300)) for word in words}
    return tuple(model.vocabulary[word] for word in sorted(words, key=lambda word: -gain[word])[:N_TELLING])


def _base36(number: int) -> str:
    text = ""
    while True:
        number, digit = divmod(number, 36)
        text = DIGITS[digit] + text
        if not number:
            return text
