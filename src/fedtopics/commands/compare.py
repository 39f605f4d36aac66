"""
Train several methods on the same data and print one table; with --out also write a page that compares them.

[bold]Examples[/bold]

  fedtopics compare sotu --methods alone,calm,shared,pooled --epsilon 6 --topics 30

  fedtopics compare sotu --methods alone,calm,ftm,shared --epsilons 4,6,8 --seeds 3 --out runs/curves

  fedtopics compare letters.csv --text-column body --person-column author --methods calm,hush --unit person

  fedtopics compare docword.kos.txt.gz --methods alone,shared,pooled --parties 3 --json > kos.json
"""

from pathlib import Path
from typing import Annotated

import typer

from fedtopics import methods
from fedtopics.commands import options, report, tables
from fedtopics.errors import InputError
from fedtopics.runs import experiment
from fedtopics.runs.preparing import prepare
from fedtopics.runs.run import require_free


@options.takes(options.Dealing, "dealing")
def compare(
    source: options.Source,
    dealing: options.Dealing,
    names: Annotated[
        str, typer.Option("--methods", help="Methods, with commas between.")
    ] = "alone,calm,shared,pooled",
    epsilon: options.Epsilon = None,
    epsilons: Annotated[
        str | None, typer.Option(help="Several of them, with commas between.", show_default=False)
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Number of seeds for each method.")] = 1,
    topics: options.TopicCount = 50,
    rounds: options.Rounds = None,
    unit: options.Unit = None,
    threads: options.Threads = None,
    out: Annotated[
        Path | None, typer.Option(help="New or empty folder for a page, records and models.")
    ] = None,
    title: options.Title = None,
    as_json: options.Json = False,
) -> None:
    chosen = [name.strip() for name in names.split(",")]
    given = options.method_settings(None, None, rounds, None)
    prices = _prices(epsilon, epsilons)
    own = _units(chosen, unit)
    for name in chosen:
        methods.make(name, n_topics=topics, **given, **own.get(name, {}))
    if out is not None:
        require_free(out)
    data = prepare(source, **dealing.options())
    if not as_json:
        tables.print_parties(data.parties, data.dealing)
    runs = experiment.compare(
        data,
        chosen,
        epsilon=prices,
        seed=dealing.seed,
        n_seeds=seeds,
        n_topics=topics,
        n_threads=threads,
        own=own,
        **given,
    )
    page = None if out is None else report.save_comparison(runs, out, title)
    if as_json:
        options.print_json({"runs": [run.record for run in runs]})
        return
    tables.print_runs(runs)
    if page is not None:
        tables.console.print(f"report: {page}", soft_wrap=True)


def _units(names: list[str], unit: str | None) -> dict[str, dict[str, str]]:
    """The setting `unit` of those methods that take this one."""
    if unit is None:
        return {}
    found = {name: {"unit": unit} for name in names if methods.takes(name, unit=unit)}
    if not found:
        raise InputError(
            f"--unit: none of {', '.join(names)} takes {unit!r:.60}; see `fedtopics methods NAME`"
        )
    return found


def _prices(epsilon: float | None, epsilons: str | None) -> list[float] | None:
    if epsilons is None:
        return None if epsilon is None else [epsilon]
    if epsilon is not None:
        raise InputError("expected --epsilon or --epsilons, got both; leave one out")
    try:
        return [float(number) for number in epsilons.split(",")]
    except ValueError:
        raise InputError(f"--epsilons expects numbers with commas between, got {epsilons!r}") from None
