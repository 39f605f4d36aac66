"""
Train several methods on the same data and print one table; with --out also write a page that compares them.

[bold]Examples[/bold]

  fedtopics compare sotu --methods alone,calm,shared,pooled --epsilon 6 --topics 30

  fedtopics compare sotu --methods alone,calm,ftm,shared --epsilons 4,6,8 --seeds 3 --out runs/curves

  fedtopics compare letters.csv --text-column body --person-column author --methods calm,hush --unit person

  fedtopics compare sotu --methods lplda,fedlda --variant paper --set fedlda.n_rounds=20 --epsilon 10

  fedtopics compare docword.kos.txt.gz --methods alone,shared,pooled --parties 3 --json > kos.json
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from fedtopics import methods
from fedtopics.commands import options, report, tables
from fedtopics.documents import lengths
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
    variant: options.Variant = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="[METHOD.]NAME=VALUE",
            help="Any other setting, of one method or of all that take it; may be repeated.",
        ),
    ] = None,
    texts: options.TextsOption = lengths.LONG,
    threads: options.Threads = None,
    out: Annotated[
        Path | None, typer.Option(help="New or empty folder for a page, records and models.")
    ] = None,
    title: options.Title = None,
    as_json: options.Json = False,
) -> None:
    chosen = [name.strip() for name in names.split(",")]
    given = options.Settings(rounds=rounds).given()
    others = options.Settings(variant=variant, settings=settings, unit=unit).given()
    own = {name: methods.for_texts(texts, name, found) for name, found in _own(chosen, others).items()}
    for name in chosen:
        methods.make(name, n_topics=topics, **given, **own.get(name, {}))
    if out is not None:
        require_free(out)
    data = prepare(source, **lengths.reading(texts, dealing.options()))
    if not as_json:
        tables.print_parties(data.parties, data.dealing)
    runs = experiment.compare(
        data,
        chosen,
        epsilon=_prices(epsilon, epsilons),
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


def _own(names: list[str], wanted: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The settings of each method: METHOD.NAME goes to that one, others to all that take them."""
    found: dict[str, dict[str, Any]] = {name: {} for name in names}
    for setting, value in wanted.items():
        method, dot, key = setting.partition(".")
        if dot:
            if method not in found:
                raise InputError(f"--set {setting:.60}: expected one of {', '.join(names)} before the point")
            found[method][key] = value
            continue
        fitting = [name for name in names if methods.takes(name, **found[name] | {setting: value})]
        if not fitting:
            option = f"--{setting}" if setting in ("unit", "variant") else f"--set {setting:.60}"
            raise InputError(
                f"{option}: none of {', '.join(names)} takes {value!r:.60}; see `fedtopics methods NAME`"
            )
        for name in fitting:
            found[name][setting] = value
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
