"""Deal SOURCE to parties, give each its own processes, keys and folder, and train over mutual TLS.

[bold]Example[/bold]

  fedtopics federation simulate sotu --epsilon 6 --topics 20 --rounds 30 --out runs/eras
"""

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from fedtopics import methods
from fedtopics.commands import options, price, report, tables
from fedtopics.errors import InputError
from fedtopics.runs.run import Run, require_free

if TYPE_CHECKING:
    from fedtopics.network.coordinator.folder import RunFolder
    from fedtopics.network.local import LocalFederation


@options.takes(options.Reading, "reading")
def simulate(
    source: options.Source,
    reading: options.Reading,
    out: Annotated[Path, typer.Option(help="New or empty folder for coordinator and parties.")],
    method: Annotated[str, typer.Option(help="See `fedtopics methods`.")] = methods.DEFAULT,
    variant: options.Variant = None,
    epsilon: options.Epsilon = None,
    topics: options.TopicCount = 20,
    rounds: options.Rounds = None,
    unit: options.Unit = None,
    settings: options.Setting = None,
    vocabulary: options.PublicWords = None,
    vocabulary_epsilon: options.AgreementEpsilon = None,
    parties: Annotated[int | None, typer.Option(help="Deal the documents to this many parties.")] = None,
    party_column: Annotated[str | None, typer.Option(help="Column that names each document's party.")] = None,
    person_column: options.PersonColumn = None,
    test_fraction: options.TestFraction = 0.1,
    seed: options.Seed = 0,
    secure: options.Secure = False,
    secure_sum: options.SecureSum = None,
    noise: options.NoiseOf = None,
    accept_cost: price.AcceptCost = False,
    patience: Annotated[float, typer.Option(help="Seconds until a run is given up.")] = 900,
    title: options.Title = None,
) -> None:
    from fedtopics.network import local

    require_free(out)
    if reading.language_column is not None:
        raise InputError("expected documents in one language, got --language-column; found a federation")
    public = options.public_words(vocabulary, vocabulary_epsilon)
    began = perf_counter()
    texted = local.dealt(
        source,
        n_parties=parties,
        test_fraction=test_fraction,
        seed=seed,
        secure=secure,
        party_column=party_column,
        person_column=person_column,
        **reading.options(),
    )
    tables.print_dealing(texted.dealing)
    given = {"n_topics": topics, **options.method_settings(variant, epsilon, rounds, settings, unit)}
    plan = local.plan_for(
        texted,
        method,
        given,
        words=local.planned_words(public, vocabulary_epsilon),
        simulation_seed=None if secure else seed,
        secure_sum=options.summing(secure_sum, noise),
    )
    price.require_plan_wanted(plan, accepted=accept_cost)
    with local.found(out, plan, texted, public) as federation:
        run = _train(federation, patience)
    _write_pages(federation, run, title)
    tables.console.print(f"{perf_counter() - began:.0f} s in all")


def _train(federation: "LocalFederation", patience: float) -> "RunFolder":
    """One run of the federation, and what came out of it."""
    plan = federation.hub.plan
    tables.console.print(f"plan {plan.digest:.16}, parties {', '.join(plan.parties)}, {plan.coordinator}")
    federation.start()
    run = federation.hub.submit()
    federation.wait(run, patience)
    for line in run.lines():
        tables.console.print(line)
    trained = Run.load(run.result)
    tables.print_runs([trained])
    tables.print_topics(trained.model)
    return run


def _write_pages(federation: "LocalFederation", run: "RunFolder", title: str | None) -> None:
    """The page of every participant, now that none of them is at work."""
    page = report.put_beside(run.result, title=title)
    for party in federation.hub.plan.parties:
        kept = federation.folder / party / "models" / run.name
        if (kept / "run.json").is_file():
            report.put_beside(kept, title=title)
        tables.console.print(f"{party}: model, ledger and report.html in {kept}", soft_wrap=True)
    tables.console.print(f"report: {page}", soft_wrap=True)
