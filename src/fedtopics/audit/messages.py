"""What the coordinator gets of canaries from all messages of a run.

    reference   a run on a copy of some documents, with the party of the canaries in it: what every party is
                told in every round
    replay      the party of the canaries answers what was told there, round after round, with new coins and
                new noise: the coordinator hears it all
    evidence    of a canary, a number from each message: what it holds of the canary's words, in sums, or in
                the reports of the canary's document
    score       the direction in which canaries that are there differ most from those that are not (Fisher
                1936), or the one message that says most, by replays whose coins are known

A coordinator may tell a party what he likes, and the guarantee holds: so what was told once is told again.
Where a secure sum carries the messages, he hears the total of the parties that do not help him: that of the
canaries, and others whose one document is empty, which add nothing but noise.
Coins are tossed anew in each replay, and all replays together are one release of so many canaries, each of
which is in one of them alone: the bound of one run holds for them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.audit.canaries import PARTY, Canaries, in_one_document
from fedtopics.audit.guesses import Scored, area
from fedtopics.documents.corpus import Corpus
from fedtopics.methods.parts.reports import senders
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.privacy.price.release import Release
from fedtopics.protocol import in_process
from fedtopics.protocol.method import Method
from fedtopics.protocol.summing import Summing, added_in_steps
from fedtopics.protocol.turn import Arrays, Party, Turn

Floats: TypeAlias = NDArray[np.float64]
Senders: TypeAlias = Callable[[Arrays], NDArray[np.int64]]
_EMPTY: dict[str, Any] = {  # one document without words
    "words": np.zeros(0, np.int32),
    "offsets": np.zeros(2, np.int64),
    "sentence_offsets": np.zeros(2, np.int64),
    "document_sentences": np.arange(2),
    "persons": ("",),
}
RIDGE = 1e-3  # of the variance of each message: many say nearly the same


@dataclass(frozen=True, eq=False)
class Reference:
    """What the party of the canaries was told in each round, and what its users' reports are like.

    senders   None where parties send sums
    n_words   that were reported of one document of 100 words, in one round
    summing   how `n_parties` are added up; None: each is heard
    """

    method: Method
    told: list[Arrays]
    ledger: Ledger
    senders: Senders | None
    n_words: int
    n_parties: int
    summing: Summing | None

    @property
    def unknown(self) -> tuple[str, ...]:
        """The parties in what is heard whose noise the coordinator does not know."""
        n_unknown = 1 if self.summing is None else self.n_parties - self.summing.threshold
        return (PARTY, *(f"{PARTY} {number}" for number in range(1, n_unknown)))

    def turn(self, seed: int, number: int, n_threads: int) -> Turn:
        """The turn of the party of the canaries in a round of a replay."""
        together = None if self.summing is None else self.summing.together(self.n_parties)
        return Turn(seed, "party", number, PARTY, n_threads, together=together)


def reference(
    method: Method, copies: Mapping[str, Corpus], *, seed: int, n_threads: int, summing: Summing | None = None
) -> Reference:
    """One run on the copies and a party of canaries, added up by `summing` where it is given."""
    method = method if summing is None else method.for_sums()
    vocabulary = next(iter(copies.values())).vocabulary
    planted = in_one_document("word add/remove", vocabulary, 100).planted(
        np.ones(min(100, len(vocabulary)), bool)
    )
    told: list[Arrays] = []
    reports: list[int] = []

    def overhear(number: int, party: str, heard: Arrays, release: Release[Arrays]) -> None:
        if party == PARTY:
            told.append(heard)
            reports.append(release.value["words"].size if "words" in release.value else 0)

    ledger = Ledger() if method.privacy_delta is None else Ledger(delta=method.privacy_delta)
    outcome = in_process.run(
        method,
        {**copies, PARTY: planted},
        seed=seed,
        ledger=ledger,
        n_threads=n_threads,
        summing=summing,
        overhear=overhear,
    )
    hearing = None if outcome.model is None else method.hearing(outcome.model)
    by_user = senders if hearing is None else hearing.senders
    most = max(reports, default=0)
    return Reference(method, told, outcome.ledger, by_user if most else None, most, len(copies) + 1, summing)


def replay(
    reference: Reference, canaries: Canaries, coins: NDArray[np.bool_], *, seed: int, n_threads: int
) -> Iterator[Arrays]:
    """What is heard of the party of the canaries in every round: its answer, or the total it is part of."""
    empty = replace(canaries.planted(coins), **_EMPTY)
    parties = {name: Party(name, empty, memory={}) for name in reference.unknown}
    parties[PARTY] = Party(PARTY, canaries.planted(coins), memory={})
    for number, told in enumerate(reference.told):
        turn = reference.turn(seed, number, n_threads)
        sent: dict[str, Arrays] = {}
        for name, party in parties.items():
            release, memory = reference.method.contribute(party, told, replace(turn, party=name))
            sent[name], parties[name] = release.value, replace(party, memory=memory)
        if reference.summing is None:
            yield sent[PARTY]
        else:
            yield added_in_steps(sent, reference.method.sums or {}, reference.n_parties).arrays


def evidence(sent: Arrays, canaries: Canaries, by_user: Senders | None) -> Iterator[Floats]:
    """Of one answer: for each array that speaks of words, what it holds of each canary."""
    if by_user is not None and "words" in sent:
        yield _reported(sent, canaries, by_user)
        return
    n_words = len(canaries.vocabulary)
    weights = [array for array in sent.values() if array.ndim == 1 and len(array) != n_words]
    for array in sent.values():
        if n_words not in array.shape:
            continue
        rows = np.moveaxis(array, array.shape.index(n_words), 0).reshape(n_words, -1).astype(np.float64)
        yield _of_canaries(rows.sum(axis=1), canaries)
        yield from (_of_canaries(rows @ w, canaries) for w in weights if len(w) == rows.shape[1])


def _of_canaries(by_word: Floats, canaries: Canaries) -> Floats:
    return np.asarray(by_word[canaries.there].sum(axis=1) - by_word[canaries.otherwise].sum(axis=1))


def _reported(sent: Arrays, canaries: Canaries, by_user: Senders) -> Floats:
    """How often the user of each canary reported its words."""
    n_words = len(canaries.vocabulary)
    words = sent["words"].reshape(-1).astype(np.int64)
    cells, often = np.unique(by_user(sent) * (n_words + 1) + words, return_counts=True)

    def counted(asked: NDArray[Any]) -> NDArray[Any]:
        wanted = canaries.documents[:, None] * (n_words + 1) + asked
        place = np.minimum(np.searchsorted(cells, wanted), len(cells) - 1)
        return np.asarray(np.where(cells[place] == wanted, often[place], 0).sum(axis=1))

    if not len(cells):
        return np.zeros(len(canaries))
    return np.asarray(counted(canaries.there) - counted(canaries.otherwise), np.float64)


def overheard(
    reference: Reference, canaries: Canaries, *, n_replays: int, seed: int, n_threads: int
) -> tuple[Floats, NDArray[np.bool_]]:
    """Evidence (canaries of all replays, messages) and the coins."""
    generator = np.random.default_rng(seed)
    found, tossed = [], []
    for number in range(n_replays):
        coins = canaries.toss(generator)
        answers = replay(reference, canaries, coins, seed=seed + number, n_threads=n_threads)
        columns = [each for sent in answers for each in evidence(sent, canaries, reference.senders)]
        found.append(np.column_stack(columns) if columns else np.zeros((len(canaries), 1)))
        tossed.append(coins)
    return np.concatenate(found), np.concatenate(tossed)


def scored(
    known: tuple[Floats, NDArray[np.bool_]], guessed: tuple[Floats, NDArray[np.bool_]]
) -> tuple[Scored, Scored]:
    """Both, in the direction that separates the known canaries best."""
    features, there = known
    scale = features.std(axis=0) + 1e-12
    shift = (features[there].mean(axis=0) - features[~there].mean(axis=0)) / scale
    within = (
        np.concatenate([part - part.mean(axis=0) for part in (features[there], features[~there])]) / scale
    )
    covariance = within.T @ within / len(within)
    fisher = np.linalg.solve(covariance + RIDGE * np.eye(len(scale)), shift)
    single = np.eye(len(scale))[np.argmax(np.abs(shift))] * np.sign(shift[np.argmax(np.abs(shift))])
    best = max((fisher, single), key=lambda direction: area(Scored(features / scale @ direction, there)))
    first, second = (Scored(np.asarray(each / scale @ best), coins) for each, coins in (known, guessed))
    return first, second
