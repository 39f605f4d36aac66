"""The record of a run and the card of its model: one builder of both, whichever engine has trained.

A record (`run.schema.json`) is made of facts about the run: here those that every run has, and what only its
engine knows beside them. A card is the part that says how the model was trained, and nothing of documents.
"""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fedtopics
from fedtopics.evaluation.usefulness import unsure, warnings
from fedtopics.model import TopicModel
from fedtopics.model.merging import SAME, changes, matched, merge, still_called, widened
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.protocol.engine import Round
from fedtopics.protocol.method import Method
from fedtopics.protocol.summing import Summing
from fedtopics.related_words import RelatedWords
from fedtopics.runs.run import SCHEMA

CARD = (
    "method",
    "variant",
    "settings",
    "consistency",
    "secure_sum",
    "vocabulary",
    "privacy",
    "noise",
    "versions",
)


def made(
    name: str,
    method: Method,
    *,
    n_words: int,
    rounds: Sequence[Round],
    party_topics: Mapping[str, NDArray[Any]],
    remarks: Sequence[str] = (),
    **facts: Any,
) -> dict[str, Any]:
    """The record of a run with the `facts` that its engine knows; `with_scores` adds what is known later."""
    settings = method.in_force(n_words)
    return {
        "schema": SCHEMA,
        "method": name,
        "variant": method.variant,
        "n_words": n_words,
        "settings": settings,
        **({"protects": method.protects} if "epsilon" in settings else {}),
        "notes": [*method.notes(n_words), *remarks],
        "forecast": method.forecast(n_words),
        "rounds": [
            {
                name: list(value) if isinstance(value, tuple) else value
                for name, value in asdict(entry).items()
            }
            for entry in rounds
        ],
        "party_topics": {name: amounts.tolist() for name, amounts in party_topics.items()},
        "versions": {
            "fedtopics": fedtopics.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
        **facts,
    }


def summed(summing: Summing, n_parties: int, ledger: Ledger, n_least: int | None = None) -> dict[str, Any]:
    """What a record says of a secure sum: who sees what, and what holds before the coordinator alone.

    Where nothing is said of `n_least`, all parties were in every sum.
    """
    told = summing.to_dict(n_parties, n_parties if n_least is None else n_least)
    return told | ({"alone": ledger.statements(alone=True)} if summing.noise == "together" else {})


def drawn_towards(relation: RelatedWords, tau: float) -> dict[str, Any]:
    """What the record says of a word relation, so that it can be found and judged."""
    return {
        "source": relation.source,
        "sha256": relation.sha256,
        "tau": tau,
        "n_known": relation.n_known,
        "n_weights": int(relation.weights.nnz),
    }


def with_scores(record: dict[str, Any], model: TopicModel, scores: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a run whose `model` has these `scores`: what they warn of, and what their noise hides."""
    found = {"n_topics": model.n_topics, "scores": dict(scores), "warnings": warnings(scores)}
    return record | found | {"notes": list(dict.fromkeys([*record["notes"], *unsure(scores)]))}


def merged(
    record: dict[str, Any], model: TopicModel, before: TopicModel
) -> tuple[dict[str, Any], TopicModel]:
    """Record and `model` of a run that began anew, with its topics among those of the model `before`."""
    joined = merge(before, model)
    became = matched(widened(before, joined.vocabulary), widened(model, joined.vocabulary), SAME)
    amounts = {
        name: np.bincount(became, row, joined.n_topics).tolist()
        for name, row in record["party_topics"].items()
    }
    return record | {"party_topics": amounts}, replace(joined, card=model.card, language=before.language)


def with_update(
    record: dict[str, Any], model: TopicModel, before: TopicModel, notes: Sequence[str] = (), **facts: Any
) -> tuple[dict[str, Any], TopicModel]:
    """Record and `model` of a run that went on from the model `before`: what became of its topics.

    These keep the names that they were given. `facts` are of the run before, `notes` of going on from it.
    """
    became = changes(before, model)
    model = still_called(before, model, became)
    notes = [*record["notes"], *notes, *became.told(model.names)]
    return record | {"update": facts | became.to_dict(), "notes": notes}, model


def with_card(model: TopicModel, record: Mapping[str, Any], language: str | None) -> TopicModel:
    card = {name: record[name] for name in CARD if name in record} | {"n_parties": len(record["parties"])}
    return replace(model, card=card, language=language)
