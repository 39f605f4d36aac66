"""`check_method` names what a broken method breaks; ours pass it in `tests/protocol/test_contract.py`."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from subprocess import run
from typing import Any

import numpy as np
import pytest

from fedtopics.checks import check_method
from fedtopics.checks.played import ContractError
from fedtopics.documents.corpus import Corpus
from fedtopics.methods.calm import Calm
from fedtopics.methods.shared import Shared
from fedtopics.model import TopicModel
from fedtopics.privacy.mechanisms.clipped_sum import ClippedSum
from fedtopics.privacy.price.cost import INFINITE, Cost
from fedtopics.privacy.price.release import Release, reuse
from fedtopics.protocol.method import About, BeforeNoise, Method
from fedtopics.protocol.summing import Total
from fedtopics.protocol.told import Form, Numbers
from fedtopics.protocol.turn import Arrays, Party, Turn

Answer = tuple[Release[Arrays], Arrays]


class ChangesItsState(Calm):
    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        after = super().combine(state, sent, turn)
        if "counts" in state:
            state["counts"] += 1.0
        return after


class ChangesWhatItIsTold(Calm):
    def contribute(self, party: Party, told: Arrays, turn: Turn) -> Answer:
        answer = super().contribute(party, told, turn)
        told.clear()
        return answer


class PaysForNothing(Calm):
    def contribute(self, party: Party, told: Arrays, turn: Turn) -> Answer:
        release, memory = super().contribute(party, told, turn)
        return reuse(release.value), memory

    def prices(self, n_words: int) -> list[Cost]:
        return []


class AddsWhatItDoesNotName(Calm):
    sums = {"counts": 16}  # noqa: RUF012


class NeedsMoreThanSums(Shared):
    def combine_total(self, state: Arrays, total: Total, turn: Turn) -> Arrays:
        return {"n_wk": total.arrays["n_wk/north"]}

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        return {"n_wk": sum((arrays["n_wk"] for arrays in sent.values()), start=state["n_wk"] * 0)}


class AnnouncesLess(Calm):
    def prices(self, n_words: int) -> list[Cost]:
        return Calm(self.epsilon / 2).prices(n_words)


class PaysUnannounced(Calm):
    def prices(self, n_words: int) -> list[Cost]:
        return []


class DrawsAnew(Calm):
    def contribute(self, party: Party, told: Arrays, turn: Turn) -> Answer:
        return super().contribute(replace(party, memory={}), told, turn)


class TellsWhatIsNotDeclared(Calm):
    def may_be_told(self, n_words: int, party: str) -> list[Form]:
        return [{}]


class HasTopicsTooMany(Calm):
    def model(self, state: Arrays, vocabulary: tuple[str, ...]) -> TopicModel:
        whole = super().model(state, vocabulary)
        return replace(whole, topic_word=np.vstack([whole.topic_word, whole.topic_word[:1]]), **WITHOUT)


class HasNoTopics(Calm):
    def model(self, state: Arrays, vocabulary: tuple[str, ...]) -> Any:
        return None


class IgnoresTheSeed(Calm):
    def contribute(self, party: Party, told: Arrays, turn: Turn) -> Answer:
        return super().contribute(party, told, replace(turn, run_seed=0))

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        return super().combine(state, sent, replace(turn, run_seed=0))


class DrawsFromNowhere(Calm):
    def contribute(self, party: Party, told: Arrays, turn: Turn) -> Answer:
        return super().contribute(party, told, replace(turn, secure=True))


class CountsItsThreads(Calm):
    def contribute(self, party: Party, told: Arrays, turn: Turn) -> Answer:
        release, memory = super().contribute(party, told, turn)
        return release.map(lambda sent: sent | {"threads": np.array(turn.n_threads)}), memory


class SendsALength(Calm):
    def contribute(self, party: Party, told: Arrays, turn: Turn) -> Answer:
        release, memory = super().contribute(party, told, turn)
        return release.map(lambda sent: sent | {"length": np.array(float(party.corpus.n_tokens))}), memory


class SendsAList(Calm):
    def contribute(self, party: Party, told: Arrays, turn: Turn) -> Answer:
        release, memory = super().contribute(party, told, turn)
        return release.map(lambda sent: sent | {"list": [1, 2]}), memory  # type: ignore[dict-item]


class SendsNegativeNumbers(Calm):
    def contribute(self, party: Party, told: Arrays, turn: Turn) -> Answer:
        release, memory = super().contribute(party, told, turn)
        return release.map(lambda sent: sent | {"below": np.array([-1.0])}), memory


class NeedsEveryParty(Shared):
    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        return super().combine(state, {name: sent[name] for name in ("north", "south", "west")}, turn)


class SaysWhatNoRecordHolds(Calm):
    def in_force(self, n_words: int) -> dict[str, Any]:
        return {"words": np.zeros(n_words)}


class SendsWhatItDoesNotDeclare(Calm):
    def may_be_sent(self, told: Arrays, number: int) -> Form | None:
        return {"counts": Numbers("int8", (2,))}


class NamesAPriceOfItsOwn(Calm):
    def price_of(self, told: Arrays) -> Cost | None:
        return INFINITE


class SaysOtherSumsThanItSends(Calm):
    def before_noise(self, corpus: Corpus, told: Arrays, n_threads: int) -> BeforeNoise | None:
        return BeforeNoise("counts", np.zeros(3, np.int64), ClippedSum(1.0))


class KeepsInVain(Shared):
    goes_on = False


class LosesWhatItKept(Calm):
    def resumed(self, kept: Arrays, n_words: int) -> Arrays:
        return {"rows": kept["nothing"]}


class SaysNothingOfItself(Calm):
    about = About("", "", "")


class HasNothingToSay(Calm):
    about = None  # type: ignore[assignment]


class AnnouncesNoList(Calm):
    def prices(self, n_words: int) -> list[Cost]:
        return None  # type: ignore[return-value]


class ForgetsTheMemory(Calm):
    def contribute(self, party: Party, told: Arrays, turn: Turn) -> Answer:
        return super().contribute(party, told, turn)[0]  # type: ignore[return-value]


class SendsWhatIsNoNumber(Calm):
    def contribute(self, party: Party, told: Arrays, turn: Turn) -> Answer:
        release, memory = super().contribute(party, told, turn)
        return release.map(lambda value: value | {"n_docs": np.array(np.nan)}), memory


class SendsCountsForNothing(Calm):
    def contribute(self, party: Party, told: Arrays, turn: Turn) -> Answer:
        release, memory = super().contribute(party, told, turn)
        return reuse(release.value), memory


class SaysNothingOfSums(Calm):
    def combine_total(self, state: Arrays, total: Total, turn: Turn) -> Arrays:
        return Method.combine_total(self, state, total, turn)


class GoesOnFromNothing(Calm):
    def continued(self, model: TopicModel) -> Arrays:
        return {"counts": None}  # type: ignore[dict-item]


@dataclass
class Thawed(Method):
    n_topics: int = 3
    n_rounds: int = 3
    about = Calm.about
    prices = start = contribute = combine = model = None  # type: ignore[assignment]  # never asked


WITHOUT: dict[str, Any] = {"alpha": np.full(4, 0.1), "topic_shares": None, "company": None}
BROKEN = {
    ChangesItsState: "`combine` changes what it is given in place: state",
    ChangesWhatItIsTold: "`contribute` changes what it is given in place: told",
    PaysForNothing: "round 0 sends what depends on the documents, and has no price",
    AnnouncesLess: "what is charged is not what `prices` announced",
    PaysUnannounced: "`prices` is empty, and releases have a price",
    DrawsAnew: "what is charged is not what `prices` announced",
    TellsWhatIsNotDeclared: "round 1 tells what `may_be_told` does not",
    HasTopicsTooMany: "a model must have 3 to 3 topics of 60 words, as `model_sizes` says, got shape",
    AddsWhatItDoesNotName: "`sums` must name what is sent, got unigram, tokens, n_docs beside it",
    NeedsMoreThanSums: "round 0 cannot be made of a sum: KeyError",
    HasNoTopics: "neither `model` nor `local_model` gives topics",
    IgnoresTheSeed: "another seed changes no topic",
    DrawsFromNowhere: "the same seed gives other bytes: round 0",
    CountsItsThreads: "another number of threads gives other bytes",
    SendsALength: "at epsilon 0 something leaves that depends on what is not public: round 0",
    SendsAList: "`contribute` must give arrays of numbers by their names, got list as 'list'",
    SendsNegativeNumbers: "below is sent with numbers below 0; name it in `may_be_negative`",
    NeedsEveryParty: "a party that misses a round, or joins late, stops it",
    SaysWhatNoRecordHolds: "`in_force` and `forecast` must be ready for JSON",
    SendsWhatItDoesNotDeclare: "round 0 sends what `may_be_sent` does not",
    NamesAPriceOfItsOwn: "`price_of` must be one of `prices`, or free",
    SaysOtherSumsThanItSends: "`before_noise` must give the integers that noise is added to, in round 0",
    KeepsInVain: "`kept` is of no use to a method without `continued`",
    LosesWhatItKept: "it does not go on from its own model: KeyError",
    SaysNothingOfItself: "`about` must say all of its parts",
    HasNothingToSay: "`about` must say all of its parts",
    AnnouncesNoList: "`prices` must give a list of costs, got None",
    ForgetsTheMemory: "`contribute` must give a Release and the party's memory, got Release",
    SendsWhatIsNoNumber: "n_docs is sent with numbers that are not finite",
    SendsCountsForNothing: "round 0 sends what depends on the documents, and has no price",
    SaysNothingOfSums: "SaysNothingOfSums says neither `combine` nor `combine_total`",
    GoesOnFromNothing: "`continued` must give arrays of numbers by their names, got NoneType as 'counts'",
    Thawed: "a method is frozen",
}


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: str(broken.__name__))
def test_what_is_broken_is_named(broken: Any) -> None:
    with pytest.raises(ContractError) as caught:
        check_method(broken)
    assert str(caught.value).startswith(BROKEN[broken])


def test_what_is_no_method_is_refused() -> None:
    with pytest.raises(ContractError, match="inherits from Method, got int"):
        check_method(int)  # type: ignore[arg-type]


def test_an_object_is_checked_with_its_own_settings() -> None:
    check_method(Calm(epsilon=2.0, n_topics=4, n_rounds=12, held_out=0.2, unit="sentence", max_length=9))


def test_a_stranger_needs_no_test_package() -> None:
    """What the checks import is installed with the package."""
    code = "import fedtopics.checks, sys; sys.exit('pytest' in sys.modules or 'hypothesis' in sys.modules)"
    assert run([sys.executable, "-c", code], check=False).returncode == 0
