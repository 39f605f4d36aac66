"""`check_method` names what a broken method breaks; ours pass it in `tests/protocol/test_contract.py`."""

from __future__ import annotations

import sys
from subprocess import run
from typing import Any

import pytest
from checks import broken_methods as broken

from fedtopics.checks import check_method
from fedtopics.checks.played import ContractError
from fedtopics.methods.calm import Calm

BROKEN = {
    broken.ChangesItsState: "`combine` changes what it is given in place: state",
    broken.ChangesWhatItIsTold: "`contribute` changes what it is given in place: told",
    broken.PaysForNothing: "round 0 sends what depends on the documents, and has no price",
    broken.AnnouncesLess: "what is charged is not what `prices` announced",
    broken.PaysUnannounced: "`prices` is empty, and releases have a price",
    broken.DrawsAnew: "what is charged is not what `prices` announced",
    broken.TellsWhatIsNotDeclared: "round 1 tells what `may_be_told` does not",
    broken.HasTopicsTooMany: "a model must have 3 to 3 topics of 60 words, as `model_sizes` says, got shape",
    broken.AddsWhatItDoesNotName: "`sums` must name what is sent, got unigram, tokens, n_docs beside it",
    broken.NeedsMoreThanSums: "round 0 cannot be made of a sum: KeyError",
    broken.HasNoTopics: "neither `model` nor `local_model` gives topics",
    broken.IgnoresTheSeed: "another seed changes no topic",
    broken.DrawsFromNowhere: "the same seed gives other bytes: round 0",
    broken.CountsItsThreads: "another number of threads gives other bytes",
    broken.SendsALength: "at epsilon 0 something leaves that depends on what is not public: round 0",
    broken.SendsAList: "`contribute` must give arrays of numbers by their names, got list as 'list'",
    broken.SendsNegativeNumbers: "below is sent with numbers below 0; name it in `may_be_negative`",
    broken.NeedsEveryParty: "a party that misses a round, or joins late, stops it",
    broken.SaysWhatNoRecordHolds: "`in_force` and `forecast` must be ready for JSON",
    broken.SendsWhatItDoesNotDeclare: "round 0 sends what `may_be_sent` does not",
    broken.NamesAPriceOfItsOwn: "`price_of` must be one of `prices`, or free",
    broken.SaysOtherSumsThanItSends: "`before_noise` must give the integers that noise is added to",
    broken.KeepsInVain: "`kept` is of no use to a method without `continued`",
    broken.LosesWhatItKept: "it does not go on from its own model: KeyError",
    broken.SaysNothingOfItself: "`about` must say all of its parts",
    broken.HasNothingToSay: "`about` must say all of its parts",
    broken.AnnouncesNoList: "`prices` must give a list of costs, got None",
    broken.ForgetsTheMemory: "`contribute` must give a Release and the party's memory, got Release",
    broken.SendsWhatIsNoNumber: "n_docs is sent with numbers that are not finite",
    broken.SendsCountsForNothing: "round 0 sends what depends on the documents, and has no price",
    broken.SaysNothingOfSums: "SaysNothingOfSums says neither `combine` nor `combine_total`",
    broken.GoesOnFromNothing: "`continued` must give arrays of numbers by their names, got NoneType",
    broken.SimulatesInEarnest: "noise is simulated in round 0 though the turn asks for secure noise",
    broken.RefusesTheBlindfold: "epsilon 0 must be taken, as noise without end: epsilon must be above 0",
    broken.SortsItsWords: "a model must have the words that it was given, in their order",
    broken.WantsItsDecorator: "scale is no setting: write @dataclass(frozen=True) above WantsItsDecorator",
    broken.NotesOneText: "`notes` must give texts, got 'all is well'",
    broken.ShowsANumber: "`shows` must give texts, got (3,)",
    broken.ForeseesOneText: "`outlook` must give texts, got 'all is well'",
    broken.RemarksOneText: "`remarks` must give texts, got 'all is well'",
    broken.MeasuresInWords: "measure 'likelihood' must be a finite number, got 'good'",
    broken.ListsTopicsOfParties: "`party_topics` must give an amount for each topic, got list of north",
    broken.SaysANumberOfSizes: "`model_sizes` must give a range, got 3",
    broken.Thawed: "a method is frozen",
}


@pytest.mark.parametrize("method", BROKEN, ids=lambda method: str(method.__name__))
def test_what_is_broken_is_named(method: Any) -> None:
    with pytest.raises(ContractError) as caught:
        check_method(method)
    assert str(caught.value).startswith(BROKEN[method])


def test_what_is_no_method_is_refused() -> None:
    with pytest.raises(ContractError, match="inherits from Method, got int"):
        check_method(int)  # type: ignore[arg-type]


def test_an_object_is_checked_with_its_own_settings() -> None:
    check_method(Calm(epsilon=2.0, n_topics=4, n_rounds=12, held_out=0.2, unit="sentence", max_length=9))


def test_a_stranger_needs_no_test_package() -> None:
    """What the checks import is installed with the package."""
    code = "import fedtopics.checks, sys; sys.exit('pytest' in sys.modules or 'hypothesis' in sys.modules)"
    assert run([sys.executable, "-c", code], check=False).returncode == 0
