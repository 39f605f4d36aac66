"""Release two neighbors by the toss of a coin, guess which by the likelihood ratio, and count.

Ends with status 1 where that shows that the price does not hold.

Example: fedtopics audit-mechanism histogram --at 6
"""

from inspect import signature
from math import inf
from typing import Annotated, Any

import typer

from fedtopics.audit import mechanisms
from fedtopics.audit.mechanisms import N_TRIALS, proved
from fedtopics.commands import options, tables
from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.mechanism import every, find_mechanism
from fedtopics.privacy.price.cost import Relation, check_relation


def audit_mechanism(
    mechanism: Annotated[str, typer.Argument(help="One that `fedtopics mechanisms` lists.")],
    at: Annotated[
        float, typer.Option(help="The parameter that sets how private it is, as epsilon or sigma.")
    ],
    relation: Annotated[
        list[str] | None, typer.Option(help="As 'word replace'; all that are priced where not given.")
    ] = None,
    delta: options.Delta = 0.0,
    max_length: Annotated[int | None, typer.Option(help="Public maximum of words of a document.")] = None,
    trials: Annotated[
        int, typer.Option(min=100, help="Releases to learn from, and as many to guess.")
    ] = N_TRIALS,
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    known = find_mechanism(mechanism if mechanism in every() else mechanism.replace("-", " "))
    if known.parameter is None:
        raise InputError(f"expected a mechanism with a parameter, got {known.name}")
    takes = signature(known.make).parameters
    facts: dict[str, Any] = {known.parameter: at}
    facts |= {"n_words": max(4, 2 * (max_length or 1))} if "n_words" in takes else {}
    facts |= {"bounds": Bounds(max_length)} if max_length is not None else {}
    made = known.make(**facts)
    rows: list[dict[str, float | str | None]] = []
    refuted = False
    for name in map(check_relation, relation) if relation else _attacked(made.price().relations):
        found = mechanisms.audit_mechanism(known, made, name, n_trials=trials, delta=delta, seed=seed)
        bound = proved(made, name, delta)
        refuted |= found.surely > bound
        rows.append(
            {
                "relation": name,
                "proved at most": "no bound" if bound == inf else bound,
                "reached at least": found.epsilon,
                "at 1 - 1e-6": found.surely,
                "bound": found.how,
                "trials": f"{found.n_canaries:,}",
            }
        )
    if as_json:
        options.print_json(rows)
    else:
        tables.print_rows(rows)
    if refuted:
        raise typer.Exit(1)


def _attacked(relations: tuple[Relation, ...]) -> tuple[Relation, ...]:
    """Those of words and documents; a person is several documents."""
    return tuple(name for name in relations if name.startswith(("word", "document")))
