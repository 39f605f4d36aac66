"""Our engines pass the check that strangers run on theirs, and engines with plausible bugs do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from network.rehearsal import wired

from fedtopics import methods
from fedtopics.checks import check_engine
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.protocol import in_process
from fedtopics.protocol.engine import Engine, Outcome
from fedtopics.protocol.method import Method
from fedtopics.protocol.turn import Party, Turn

ONE = [methods.make("shared", n_topics=3, n_rounds=2)]


def test_the_reference_passes() -> None:
    check_engine(in_process.run)


def test_the_two_sides_of_the_wire_pass(tmp_path: Path) -> None:
    check_engine(wired(tmp_path))


def a_page(
    *,
    charge: str = "before",
    requires: bool = True,
    checks_names: bool = True,
    order: int = 1,
    remembers: bool = True,
    rounds: int = 0,
    stand_in: bool = False,
    role: str = "party",
    per_party: bool = True,
) -> Engine:
    """The shortest engine there is, with places for bugs."""

    def engine(method: Method, corpora: Mapping[str, Corpus], *, seed: int, ledger: Ledger) -> Outcome:
        if len({corpus.vocabulary for corpus in corpora.values()}) != 1:
            raise InputError("one vocabulary")
        vocabulary = next(iter(corpora.values())).vocabulary
        if checks_names:
            ledger.check_parties(corpora)
        if requires:
            for name in corpora:
                ledger.require(name, method.prices(len(vocabulary)))
        parties = {name: Party(name, corpora[name], {}) for name in sorted(corpora)[::order]}
        turn, log = Turn(seed, "server"), []
        state = method.start(len(vocabulary), turn) | method.known_words(vocabulary)
        for number in range(method.n_rounds + rounds):
            turn, sent = replace(turn, round=number), {}
            for name, party in parties.items():
                own = replace(turn, role=role, party=name if per_party else "any")
                try:
                    told = method.tell(state, name)
                    release, memory = method.contribute(party, told, own)
                except InputError:
                    if not stand_in:
                        raise
                    sent[name] = {"numbers": np.zeros(5, int)}
                    continue
                if charge == "before":
                    ledger.charge(name, number, release.cost, content=f"{name} {number}")
                sent[name] = release.value
                parties[name] = replace(party, memory=memory if remembers else {})
            state = method.combine(state, sent, turn)
            if charge == "after":
                for name in sent:
                    cost = method.prices(len(vocabulary))[number]
                    ledger.charge(name, number, cost, content=f"{name} {number}")
            log.append(in_process.Round(number, 0.0, 0, 0))
        local = {name: method.local_model(party) for name, party in parties.items()}
        kept = {name: model for name, model in local.items() if model is not None}
        return Outcome(method.model(state, vocabulary), kept, ledger, log)

    return engine


def test_an_engine_of_one_page_passes() -> None:
    check_engine(a_page())


@pytest.mark.parametrize(
    ("bug", "got"),
    [
        ({"charge": "never"}, "although its price could not be charged"),
        ({"charge": "after"}, "although its price could not be charged"),
        ({"requires": False}, "something sent where a budget that is too small"),
        ({"checks_names": False}, "a budget of an unknown party"),
        ({"order": -1}, "parties .'west'"),
        ({"remembers": False}, "of north in round 1"),
        ({"rounds": -1}, "1 rounds that were combined"),
        ({"stand_in": True}, "of a party that failed"),
        ({"role": "server"}, "of north in round 0"),
        ({"per_party": False}, "of north in round 0"),
    ],
    ids=lambda bug: "-".join(bug) if isinstance(bug, dict) else "",
)
def test_an_engine_with_a_bug_does_not_pass(bug: dict[str, Any], got: str) -> None:
    with pytest.raises(AssertionError, match=got):
        check_engine(a_page(**bug), methods=[])


@pytest.mark.parametrize(
    ("bug", "got"),
    [({"charge": "never"}, "other charges"), ({"remembers": False}, "another"), ({"rounds": -1}, "another")],
    ids=["charge", "remembers", "rounds"],
)
def test_methods_find_bugs_too(bug: dict[str, Any], got: str) -> None:
    with pytest.raises(AssertionError, match=got):
        check_engine(a_page(**bug), ONE)
