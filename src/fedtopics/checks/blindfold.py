"""At epsilon 0 a mechanism ignores its input: whatever still differs went round the mechanism.

A method with a setting `epsilon` is played at 0 on two federations that agree in all that is public (the
vocabulary, the number of documents, the number of sentences in each) and in nothing else: what leaves must be
equal byte for byte. Lengths differ where something is proved of a word that comes or goes: there they must
not show. A method that proves nothing promises nothing, and is left alone.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, cast

from fedtopics.checks.played import N_WORDS, Played, documents, require_same
from fedtopics.errors import InputError
from fedtopics.privacy.price.cost import RELATIONS, Cost, Relation
from fedtopics.privacy.price.events import NonPrivate
from fedtopics.protocol.method import Method


def check_blindfold(method: Method) -> None:
    """Raise `ContractError` where at epsilon 0 something leaves that depends on what is not public."""
    blind = blindfolded(method)
    if blind is None:
        return
    hidden = all(_bounds(cost, "word add/remove") for cost in blind.prices(N_WORDS))
    one, other = (
        Played(
            blind,
            {
                name: documents(blind, seed, seed if hidden else 0)
                for name, seed in zip(("north", "south"), seeds, strict=True)
            },
        ).whole()
        for seeds in ((1, 2), (3, 4))
    )
    require_same("at epsilon 0 something leaves that depends on what is not public", one, other)


def blindfolded(method: Method) -> Method | None:
    """The method at epsilon 0; None where it takes no epsilon or proves nothing with one."""
    if "epsilon" not in {field.name for field in fields(cast(Any, method))}:
        return None
    try:
        blind: Method = replace(cast(Any, method), epsilon=0.0)
    except InputError:
        return None
    return blind if all(map(_promises, blind.prices(N_WORDS))) else None


def _promises(cost: Cost) -> bool:
    return any(_bounds(cost, relation) for relation in RELATIONS)


def _bounds(cost: Cost, relation: Relation) -> bool:
    return all(loss.event != NonPrivate() for loss in cost.losses_of(relation))
