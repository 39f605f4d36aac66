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
from fedtopics.checks.engine import check_refusals, check_same_result, invented_corpora
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.protocol import in_process
from fedtopics.protocol.engine import Engine, Outcome, Round
from fedtopics.protocol.method import Method
from fedtopics.protocol.turn import Party, Turn

SMALL = methods.make("calm", n_topics=3, n_rounds=2)


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
    knows_words: bool = True,
    tells_all: bool = True,
    shows: bool = True,
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
        state = method.start(len(vocabulary), turn) | (method.known_words(vocabulary) if knows_words else {})
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
                    content = f"{name} {number}" if shows else ""
                    ledger.charge(name, number, release.cost, content=content)
                sent[name] = release.value
                parties[name] = replace(party, memory=memory if remembers else {})
            state = method.combine(state, sent, turn)
            if charge == "after":
                for name in sent:
                    cost = method.prices(len(vocabulary))[number]
                    ledger.charge(name, number, cost, content=f"{name} {number}")
            log.append(Round(number, 0.0, 0, 0, method.measures(state)))
        local = {name: model for name, party in parties.items() if (model := method.local_model(party))}
        found = Outcome(method.model(state, vocabulary), local, ledger, log)
        if not tells_all:
            return found
        left = {name: kept for name, party in parties.items() if (kept := method.kept(party))}
        topics, remarks = method.party_topics(state), method.remarks(state)
        return replace(found, party_topics=topics, remarks=remarks, kept=left)

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
        ({"knows_words": False}, "of north in round 0, .* `known_words`"),
    ],
    ids=lambda bug: "-".join(bug) if isinstance(bug, dict) else "",
)
def test_an_engine_with_a_bug_does_not_pass(bug: dict[str, Any], got: str) -> None:
    with pytest.raises(AssertionError, match=got):
        check_engine(a_page(**bug), methods=[])


@pytest.mark.parametrize(
    ("bug", "got"),
    [
        ({"charge": "never"}, "other charges"),
        ({"remembers": False}, "another model of Calm"),
        ({"rounds": -1}, "another model"),
        ({"tells_all": False}, "other `party_topics` of Calm"),
        ({"shows": False}, "a charge of north in round 0 without `content`"),
    ],
    ids=["charge", "remembers", "rounds", "tells_all", "shows"],
)
def test_methods_find_bugs_too(bug: dict[str, Any], got: str) -> None:
    with pytest.raises(AssertionError, match=got):
        check_same_result(a_page(**bug), SMALL, invented_corpora())


def test_an_engine_that_gives_nothing_or_breaks_is_told_so() -> None:
    def nothing(method: Method, corpora: Mapping[str, Corpus], *, seed: int, ledger: Ledger) -> Any:
        return None

    def broken(method: Method, corpora: Mapping[str, Corpus], *, seed: int, ledger: Ledger) -> Any:
        raise InputError("never") if corpora else KeyError("north")

    with pytest.raises(AssertionError, match="got None with Probe, which is no Outcome"):
        check_engine(nothing)
    with pytest.raises(AssertionError, match=r"got KeyError.* where no party at all is refused"):
        check_refusals(broken, invented_corpora())
