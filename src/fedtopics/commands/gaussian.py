"""Account for Gaussian noise on word counts by two accountants side by side, or find its sigma.

Example: fedtopics gaussian --sigma 0.25 --rounds 35
"""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from fedtopics.audit import moments
from fedtopics.commands import options, tables
from fedtopics.errors import InputError
from fedtopics.privacy.price.cost import check_relation


def gaussian(
    sigma: Annotated[float | None, typer.Option(help="Deviation of the noise on every count.")] = None,
    epsilon: Annotated[
        float | None, typer.Option(help="Or a budget: prints the sigma that keeps it.")
    ] = None,
    relation: Annotated[str, typer.Option(help="What the budget protects.")] = "word add/remove",
    rounds: Annotated[int, typer.Option(help="Number of fresh releases.")] = 1,
    delta: options.Delta = 1e-5,
    as_json: options.Json = False,
) -> None:
    if (sigma is None) == (epsilon is None):
        raise InputError(f"expected --sigma or --epsilon, got {'neither' if sigma is None else 'both'}")
    rows: list[dict[str, Any]] = []
    if epsilon is not None:
        found = moments.sigma_for(epsilon, check_relation(relation), rounds, delta)
        rows = [{"accountant": name.upper(), "sigma": value} for name, value in found.items()]
    elif sigma is not None:
        rows = [asdict(row) for row in moments.accounts(sigma, rounds, delta)]
    if as_json:
        options.print_json(rows)
    else:
        tables.print_rows(rows)
