"""Engine: all parties in this process, one after another. The reference for every other engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus, require_words
from fedtopics.documents.text.words import check_words
from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.privacy.price.release import Ledger, Release
from fedtopics.protocol.method import Method
from fedtopics.protocol.turn import Arrays, Party, Turn


@dataclass(frozen=True)
class Round:
    """One line of a run's log."""

    round: int
    seconds: float
    bytes_up: int
    bytes_down: int
    measures: dict[str, float] = field(default_factory=dict)


# Given the number of a round, a party, what it is told and what it answers.
Overhear: TypeAlias = Callable[[int, str, Arrays, Release[Arrays]], None]
# Given the number of a round and a way to have its model made: more measures of that round.
Monitor: TypeAlias = Callable[[int, Callable[[], TopicModel | None]], dict[str, float]]


@dataclass(frozen=True)
class Outcome:
    """What a run leaves behind: topics, what was spent, the log, and who contributed to which topic."""

    model: TopicModel | None
    local_models: dict[str, TopicModel]
    ledger: Ledger
    rounds: list[Round]
    party_topics: dict[str, NDArray[Any]] = field(default_factory=dict)


def run(
    method: Method,
    corpora: Mapping[str, Corpus],
    *,
    seed: int,
    ledger: Ledger | None = None,
    n_threads: int = 1,
    secure: bool = False,
    on_round: Callable[[Round], None] = lambda _: None,
    monitor: Monitor = lambda number, model: {},
    overhear: Overhear = lambda number, party, told, release: None,
) -> Outcome:
    """Train `method` on one corpus per party name.

    The ledger must afford the method's plan before any document is looked at, and is charged with every
    release. Noise comes from the seed, which protects nobody who knows it, unless `secure`. `overhear` is
    given what every party is told and answers.
    """
    vocabulary = _shared_vocabulary(corpora)
    require_words(len(vocabulary))
    check_words(vocabulary, "the vocabulary")
    ledger = Ledger() if ledger is None else ledger
    ledger.check_parties(corpora)
    for name in corpora:
        ledger.require(name, method.prices(len(vocabulary)))
    rounds: list[Round] = []
    parties = {name: Party(name, corpora[name], memory={}) for name in sorted(corpora)}
    turn = Turn(seed, "server", n_threads=n_threads, secure=secure)
    state = method.start(len(vocabulary), turn)
    for number in range(method.n_rounds):
        began, turn = perf_counter(), replace(turn, round=number)
        sent: dict[str, Arrays] = {}
        down = 0
        for name, party in parties.items():
            told = method.tell(state, name)
            release, memory = method.contribute(party, told, replace(turn, role="party", party=name))
            ledger.charge(name, number, release.cost, content=_digest(release.value))
            overhear(number, name, told, release)
            sent[name], parties[name] = release.value, replace(party, memory=memory)
            down += _size(told)
        state = method.combine(state, sent, turn)
        seconds, up = perf_counter() - began, sum(map(_size, sent.values()))
        seen = method.measures(state) | monitor(number, partial(method.model, state, vocabulary))
        rounds.append(Round(number, seconds, up, down, seen))
        on_round(rounds[-1])
    local = {name: method.local_model(party) for name, party in parties.items()}
    kept = {name: model for name, model in local.items() if model is not None}
    return Outcome(method.model(state, vocabulary), kept, ledger, rounds, method.party_topics(state))


def _shared_vocabulary(corpora: Mapping[str, Corpus]) -> tuple[str, ...]:
    vocabularies = {corpus.vocabulary for corpus in corpora.values()}
    if len(vocabularies) != 1:
        raise InputError(
            f"all parties must use one vocabulary, got {len(vocabularies)} different ones; "
            "build the corpora with vocabulary=..."
        )
    return vocabularies.pop()


def _size(arrays: Arrays) -> int:
    return sum(array.nbytes for array in arrays.values())


def _digest(arrays: Arrays) -> str:
    """SHA-256 of what is sent, so that the ledger can tell a retry from a second release."""
    digest = sha256()
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
