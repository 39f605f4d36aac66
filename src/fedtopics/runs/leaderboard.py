"""All methods at one true epsilon: what each is worth when all keep the same promise.

The privacy parameter of a method means something else in every paper. Here it is found by bisection on the
method's prices, so that what the ledger proves for the asked relation, all rounds together, is the budget;
the run then has a ledger that would refuse more. A method that proves nothing for the relation, or cannot
come down to the budget, is listed with the reason and has no rank.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import inf
from typing import Any

import numpy as np

from fedtopics import methods
from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.calibration import bisect
from fedtopics.privacy.price.budget import Budget
from fedtopics.privacy.price.cost import FREE, total
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.runs import experiment
from fedtopics.runs.preparing import Data, require_held_out
from fedtopics.runs.run import Run

# What a method may call its privacy parameter, from most noise to least.
PARAMETERS: dict[str, tuple[float, float]] = {
    "epsilon": (1e-3, 2000.0),
    "sigma": (1e3, 0.12),
    "multiplier": (1e3, 0.12),
    "f": (0.999, 1e-6),
}
N_REPORTS = 60  # of a document, where a method sends a sample of words: a budget for a word does not limit it
N_STEPS = 40  # of the grid that looks for settings a method accepts
REFERENCES = ("alone", "shared")  # without privacy, or without a federation: what the ranked ones lie between
COLUMNS = {"perplexity": 1, "coherence": -1, "bytes": 1, "seconds": 1}  # 1: less is better


@dataclass(frozen=True)
class Candidate:
    """A method, or one variant of it, with the setting that spends the budget; `why` it has none."""

    method: str
    variant: str | None
    settings: dict[str, Any]
    why: str = ""

    @property
    def label(self) -> str:
        return self.method if self.variant is None else f"{self.method} ({self.variant})"


@dataclass(frozen=True)
class Place:
    """One line of the board: a candidate with its scores and, for each of them, its rank."""

    candidate: Candidate
    scores: dict[str, float]
    ranks: dict[str, int]
    epsilon: float | None = None  # proved for the relation, from the ledger of the run


def candidates(
    budget: Budget,
    n_words: int,
    names: Sequence[str] | None = None,
    *,
    persons: bool = False,
    **public: Any,
) -> Iterator[Candidate]:
    """Every method that is found, in every variant, at the budget.

    names     some of them: a method, or one variant as "ftm (sound)"
    persons   whether the persons behind the documents are known
    public    settings of whatever method has them (n_topics, max_length, ...)
    """
    Bounds(max_length=public.get("max_length"))
    if budget.relation.startswith("word"):
        public = {"n_reports": N_REPORTS} | public
    for name in names or methods.names():
        method, _, only = name.rstrip(")").partition(" (")
        for variant in (only,) if only else methods.variants(method) or (None,):
            known = methods.settings(method, variant)
            same = {"reduce": True} | public  # as many topics for all
            given = {setting: value for setting, value in same.items() if setting in known}
            chosen = given if variant is None else given | {"variant": variant}
            if budget.relation.startswith("person") and methods.takes(method, variant, unit="person"):
                chosen |= {"unit": "person"}
                if not persons:
                    yield Candidate(method, variant, chosen, "needs persons (--person-column)")
                    continue
            yield _candidate(method, variant, chosen, budget, n_words)


def _candidate(
    name: str, variant: str | None, settings: dict[str, Any], budget: Budget, n_words: int
) -> Candidate:
    if methods.find(name, variant)().privacy_delta is not None:
        settings = {"delta": budget.delta} | settings
    parameters = [p for p in PARAMETERS if p in methods.settings(name, variant)]
    if not parameters:
        spent = total(methods.make(name, **settings).prices(n_words))
        why = "nothing leaves a party" if spent == FREE else "no privacy"
        return Candidate(name, variant, settings, why)
    for parameter in parameters:  # a variant may take one and refuse another
        try:
            value = calibrated(name, parameter, settings, budget, n_words)
            return Candidate(name, variant, settings | {parameter: value})
        except InputError as error:
            why = str(error)
    if _lacks_length(name, variant, settings, budget, n_words):
        why = "needs --max-length (max_length)"
    return Candidate(name, variant, settings, why)


def _lacks_length(
    name: str, variant: str | None, settings: dict[str, Any], budget: Budget, n_words: int
) -> bool:
    """Whether all that a proof lacks is a public maximum of the words of a document."""
    known = methods.settings(name, variant) | settings
    if budget.relation.startswith("word") or "max_length" not in known or known["max_length"] is not None:
        return False
    return not _candidate(name, variant, settings | {"max_length": 1}, budget, n_words).why


def calibrated(name: str, parameter: str, settings: dict[str, Any], budget: Budget, n_words: int) -> float:
    """The value of the method's privacy parameter with the least noise that keeps the budget."""

    @cache
    def spent(value: float) -> float:
        try:
            prices = methods.make(name, **settings | {parameter: value}).prices(n_words)
        except (InputError, ArithmeticError):  # the method takes no such value
            return inf
        return budget.epsilon_of(total(prices))

    quiet, loud = PARAMETERS[parameter]
    grid = np.geomspace(quiet, loud, N_STEPS).tolist()
    kept = [step for step, value in enumerate(grid) if spent(value) <= budget.epsilon]
    if not kept:
        least = min(map(spent, grid))
        raise InputError(
            f"proves nothing for {budget.relation}" if least == inf else f"spends {least:.4g} at least"
        )
    louder = grid[min(kept[-1] + 1, N_STEPS - 1)]
    return bisect(spent, grid[kept[-1]], louder, budget.epsilon, budget.relation)


def leaderboard(
    data: Data,
    budget: Budget,
    *,
    names: Sequence[str] | None = None,
    n_topics: int = 50,
    seeds: Sequence[int] = (0,),
    n_threads: int | None = None,
    **public: Any,
) -> list[Place]:
    """The ranked methods by perplexity, then the references, then the others; means over the `seeds`.

    data        what `prepare` gave
    budget      relation, epsilon and delta that every party's ledger keeps
    names       some methods only
    n_topics    number of topics
    n_threads   default: all cores; the result does not depend on it
    public      settings of all methods that have them, such as `max_length`
    """
    require_held_out(data)
    limited = replace(data, ledger=Ledger(budgets=(budget,), delta=budget.delta))
    places = []
    persons = data.amounts.n_persons is not None
    for candidate in candidates(
        budget, data.test.n_words, names, persons=persons, n_topics=n_topics, **public
    ):
        if candidate.why and candidate.method not in REFERENCES:
            places.append(Place(candidate, {}, {}))
            continue
        source = data if candidate.why else limited
        runs = [
            experiment.train(source, candidate.method, seed=seed, n_threads=n_threads, **candidate.settings)
            for seed in seeds
        ]
        ledger = runs[0].ledger
        proved = (budget.epsilon_of(ledger.spent(party)) for party in ledger.parties)
        spent = None if candidate.why else max(proved)
        places.append(Place(candidate, _scores(runs), {}, spent))
    return ranked(places)


def _scores(runs: Sequence[Run]) -> dict[str, float]:
    """Means over the runs: what the columns show, what topics must beat, the spread of perplexity, topics."""
    perplexities = [run.scores["perplexity"] for run in runs]
    sent = [sum(entry["bytes_up"] + entry["bytes_down"] for entry in run.record["rounds"]) for run in runs]
    return {
        "perplexity": float(np.mean(perplexities)),
        "perplexity_unigram": float(np.mean([run.scores["perplexity_unigram"] for run in runs])),
        "spread": float(np.ptp(perplexities)),
        "coherence": float(np.mean([run.scores["coherence_npmi"] for run in runs])),
        "chance": float(np.mean([run.scores["coherence_npmi_chance"] for run in runs])),
        "bytes": float(np.mean(sent)),
        "seconds": float(np.mean([run.record["processor_seconds"] for run in runs])),
        "topics": float(np.mean([run.record["n_topics"] for run in runs])),
    }


def ranked(places: Sequence[Place]) -> list[Place]:
    """The places in order, with ranks by every column among those that keep the budget."""
    rivals = [place for place in places if not place.candidate.why]

    def rank(place: Place, column: str) -> int:
        sign = COLUMNS[column]
        return 1 + sum(sign * other.scores[column] < sign * place.scores[column] for other in rivals)

    def with_ranks(place: Place) -> Place:
        return replace(place, ranks={column: rank(place, column) for column in COLUMNS})

    return sorted((with_ranks(place) if place in rivals else place for place in places), key=_order)


def _order(place: Place) -> tuple[bool, bool, float, str]:
    return (
        bool(place.candidate.why),
        not place.scores,
        place.scores.get("perplexity", inf),
        place.candidate.label,
    )
