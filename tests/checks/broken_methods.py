"""Methods that are broken in one way each; `test_method.py` says how `check_method` names it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.methods.calm import Calm
from fedtopics.methods.shared import Shared
from fedtopics.model import TopicModel
from fedtopics.privacy.mechanisms.clipped_sum import ClippedSum
from fedtopics.privacy.price.cost import INFINITE, Cost
from fedtopics.privacy.price.release import Release, reuse
from fedtopics.protocol.method import About, Amounts, BeforeNoise, Method
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


class SimulatesInEarnest(Calm):
    def contribute(self, party: Party, told: Arrays, turn: Turn) -> Answer:
        return super().contribute(party, told, replace(turn, secure=False))


class RefusesTheBlindfold(Calm):
    sums = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.epsilon:
            raise InputError("epsilon must be above 0, got 0")


class SortsItsWords(Calm):
    def model(self, state: Arrays, vocabulary: tuple[str, ...]) -> TopicModel:
        return super().model(state, tuple(sorted(vocabulary)))


class WantsItsDecorator(Calm):
    scale: float = 2.0


class NotesOneText(Calm):
    def notes(self, n_words: int) -> Any:
        return "all is well"


class ShowsANumber(Calm):
    def shows(self) -> Any:
        return (3,)


class ForeseesOneText(Calm):
    def outlook(self, amounts: Amounts) -> Any:
        return "all is well"


class RemarksOneText(Calm):
    def remarks(self, state: Arrays) -> Any:
        return "all is well"


class MeasuresInWords(Calm):
    def measures(self, state: Arrays) -> Any:
        return {"likelihood": "good"}


class ListsTopicsOfParties(Calm):
    def party_topics(self, state: Arrays) -> Any:
        return {"north": [1, 2, 3]}


class SaysANumberOfSizes(Calm):
    def model_sizes(self, parties: tuple[str, ...]) -> Any:
        return 3


@dataclass
class Thawed(Method):
    n_topics: int = 3
    n_rounds: int = 3
    about = Calm.about
    prices = start = contribute = combine = model = None  # type: ignore[assignment]  # never asked


WITHOUT: dict[str, Any] = {"alpha": np.full(4, 0.1), "topic_shares": None, "company": None}
