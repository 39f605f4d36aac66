"""A listener who counts what every user reports, round after round, and names the words of their documents.

`listen` runs a method on users and overhears all that they send; what is public about their reports the
method itself says (`Method.hearing`).
Over a run a word that is in a document is reported some times more often than one that is not: `hits` more
often for each time that it occurs, over the `false` reports that the channel makes up. Counts of independent
reports are nearly Poisson, so the listener names a word when

    count * ln(1 + hits / false) - hits + ln(prior odds) > 0

and names only words that were reported. How well this works is known from the documents: recall is the share
of their different words that are named, precision the share of the named words that are there, and the error
of theta the total variation between the topic mixtures of the true and of the named documents. `bound` is the
largest expected recall that reports made once allow anyone who names only reported words. Words that a method
never reads (FedLDA as printed: those beyond M) are not counted.
"""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from logging.handlers import BufferingHandler
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedtopics import methods
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.privacy.price.release import Release
from fedtopics.progress import track
from fedtopics.protocol import in_process
from fedtopics.protocol.hearing import TYPICAL_WORDS, Hearing
from fedtopics.protocol.method import Method
from fedtopics.protocol.turn import Arrays
from fedtopics.sampling import lda

Ints: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Heard:
    """How often each user reported each word: counts[i] times word words[i] by user users[i]."""

    users: Ints
    words: Ints
    counts: Ints
    n_words: int


@dataclass(frozen=True)
class Recovered:
    """How much of the documents the listener has; `n_named` words, without which there is no precision."""

    recall: float
    precision: float
    theta_error: float
    n_named: int


@dataclass(frozen=True)
class Overheard:
    """What the listener has after `n_rounds`, and the most that single reports allow."""

    recovered: Recovered
    bound: float
    n_rounds: int


def listen(method: Method, corpus: Corpus, *, seed: int = 0, n_threads: int = 1) -> Overheard:
    """Run the method with every document as a user, and attack what was sent."""
    answers: list[Arrays] = []

    def overhear(number: int, party: str, told: Arrays, release: Release[Arrays]) -> None:
        if release.value:
            answers.append(release.value)

    model = in_process.run(method, {"users": corpus}, seed=seed, n_threads=n_threads, overhear=overhear).model
    hearing = None if model is None else method.hearing(model)
    if model is None or hearing is None:
        raise InputError(f"expected a method of users who report words, got {type(method).__name__}")
    heard = tally(((hearing.senders(sent), sent["words"].reshape(-1)) for sent in answers), corpus.n_words)
    odds = TYPICAL_WORDS / max(1, corpus.n_words - TYPICAL_WORDS)
    named = name_words(heard, hearing.hits, hearing.false, odds)
    found = recovered(named, hearing.reported(corpus), model.topic_word, model.alpha)
    return Overheard(found, recall_bound(hearing, corpus), method.n_rounds)


def local_methods() -> list[tuple[str, dict[str, Any]]]:
    """Every method whose users report words themselves, with the settings that it is heard with."""
    return [
        (name, {"variant": variant, **given})
        for name in methods.names()
        for variant in reversed(methods.variants(name) or (None,))
        for given in methods.find(name, variant).heard_with
    ]


def attacks(
    corpus: Corpus, *, n_topics: int, n_rounds: int, seed: int, n_threads: int
) -> list[dict[str, Any]]:
    """What the listener gets of every local method: a row each, with its settings and what it warns of."""
    rows: list[dict[str, Any]] = []
    known = local_methods()
    for name, given in track(known, "Listening", total=len(known)):
        method = methods.make(name, n_topics=n_topics, n_rounds=n_rounds, **given)
        with _warnings_kept() as told:
            heard = listen(method, corpus, seed=seed, n_threads=n_threads)
        row = {"method": name, "channel": "bits"} | given | {"bound": heard.bound} | asdict(heard.recovered)
        warned = [record.getMessage() for record in told]
        rows.append(row | {"notes": [*method.notes(corpus.n_words), *warned]})
    return rows


@contextmanager
def _warnings_kept() -> Iterator[list[logging.LogRecord]]:
    """The warnings that are logged meanwhile, which nobody else gets to see."""
    kept, logger = BufferingHandler(10**6), logging.getLogger("fedtopics")
    kept.setLevel(logging.WARNING)
    before, logger.propagate = logger.propagate, False
    logger.addHandler(kept)
    try:
        yield kept.buffer
    finally:
        logger.removeHandler(kept)
        logger.propagate = before


def recall_bound(hearing: Hearing, corpus: Corpus) -> float:
    """Largest expected recall of one report of every document; 1 where users report again and again."""
    pairs = np.unique(corpus.docs.astype(np.int64) * corpus.n_words + corpus.words)
    distinct = np.diff(pairs.searchsorted(np.arange(corpus.n_docs + 1) * corpus.n_words))
    if hearing.right is None or not distinct.sum():
        return 1.0
    return float(min(1.0, hearing.right(corpus.lengths, distinct).sum() / distinct.sum()))


def tally(rounds: Iterable[tuple[NDArray[Any], NDArray[Any]]], n_words: int) -> Heard:
    """The reports of several rounds, (users, words) each; symbols that are no words are left out."""
    total, cells = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for users, words in rounds:
        known = words < n_words
        new, often = np.unique(users[known].astype(np.int64) * n_words + words[known], return_counts=True)
        cells, where = np.unique(np.concatenate([cells, new]), return_inverse=True)
        total = np.bincount(where, np.concatenate([total, often]), len(cells)).astype(np.int64)
    return Heard(cells // n_words, cells % n_words, total, n_words)


def name_words(heard: Heard, hits: float, false: ArrayLike, prior_odds: float) -> Heard:
    """Reports of words that the listener believes to be in the document; `false` of each word, or of all."""
    expected = np.broadcast_to(np.asarray(false, np.float64), (heard.n_words,))[heard.words]
    evidence = heard.counts * np.log1p(hits / np.maximum(expected, 1e-12)) - hits + np.log(prior_odds)
    chosen = evidence > 0
    return Heard(heard.users[chosen], heard.words[chosen], heard.counts[chosen], heard.n_words)


def recovered(named: Heard, documents: Corpus, topic_word: NDArray[Any], alpha: NDArray[Any]) -> Recovered:
    """How close the named words are to the documents, user i being document i."""
    true = np.unique(documents.docs.astype(np.int64) * documents.n_words + documents.words)
    guessed = named.users * named.n_words + named.words
    n_right = int(np.isin(guessed, true, assume_unique=True).sum())
    order = np.argsort(named.users, kind="stable")
    lengths = np.bincount(named.users, minlength=documents.n_docs)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    guess = Corpus(named.words[order].astype(np.int32), offsets, documents.vocabulary)
    mixtures = [lda.fold_in(corpus, topic_word, alpha) for corpus in (documents, guess)]
    distance = 0.5 * np.abs(mixtures[0] - mixtures[1]).sum(axis=1)
    return Recovered(
        n_right / max(1, len(true)),
        n_right / max(1, len(guessed)),
        float(distance.mean()) if len(distance) else 0.0,
        len(guessed),
    )
