"""Rounds of a method, with the parties that are there in each."""

from __future__ import annotations

from fedtopics.documents.corpus import Corpus
from fedtopics.privacy.price.release import Release
from fedtopics.protocol.method import Method
from fedtopics.protocol.turn import Arrays, Party, Turn


def played(
    method: Method, corpora: list[dict[str, Corpus]]
) -> tuple[Arrays, list[dict[str, Release[Arrays]]], dict[str, Arrays]]:
    """The last state, what every party sends in each round, and its memory; round t sees corpora[t]."""
    memory: dict[str, Arrays] = {}
    state = method.start(next(iter(corpora[0].values())).n_words, Turn(5, "server"))
    rounds = []
    for number, present in enumerate(corpora):
        sent = {}
        for name, documents in present.items():
            party = Party(name, documents, memory.get(name, {}))
            told = method.tell(state, name)
            sent[name], memory[name] = method.contribute(party, told, Turn(5, "party", number, name))
        values = {name: release.value for name, release in sent.items()}
        state = method.combine(state, values, Turn(5, "server", number))
        rounds.append(sent)
    return state, rounds, memory
