"""Deal SOURCE to parties, give each its own processes, keys and folder, and train over mutual TLS.

[bold]Examples[/bold]

  fedtopics federation simulate sotu --epsilon 6 --topics 20 --rounds 30 --out runs/eras

  fedtopics federation simulate sotu --epsilon 6 --topics 20 --web --out runs/eras-live
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fedtopics import methods
from fedtopics.commands import options, price, report, tables, watching
from fedtopics.documents import lengths
from fedtopics.network.coordinator.watching import RunWatch
from fedtopics.progress import Bar, bar
from fedtopics.report.live.pages import View
from fedtopics.report.live.serving import served
from fedtopics.runs.run import Run, require_free

if TYPE_CHECKING:
    from fedtopics.network.coordinator.folder import RunFolder
    from fedtopics.network.local import LocalFederation

LOOK = 0.5  # seconds between two looks at what a run is doing


@dataclass(frozen=True)
class Dealt(options.Reading):
    """Where the documents are, and how they are dealt."""

    parties: Annotated[int | None, typer.Option(help="Deal the documents to this many parties.")] = None
    party_column: Annotated[str | None, typer.Option(help="Column that names each document's party.")] = None
    person_column: options.PersonColumn = None
    language: Annotated[str, typer.Option(help="Of the texts, where no column says it.")] = "en"
    test_fraction: options.TestFraction = 0.1

    def options(self) -> dict[str, Any]:
        given = super().options()
        return given | {"n_parties": given.pop("parties")}


@options.takes(Dealt, "reading")
@options.takes(options.Settings, "settings")
def simulate(
    source: options.Source,
    reading: Dealt,
    settings: options.Settings,
    out: Annotated[Path, typer.Option(help="New or empty folder for coordinator and parties.")],
    method: options.MethodName = methods.DEFAULT,
    topics: options.TopicCount = 20,
    vocabulary: options.PublicWords = None,
    vocabulary_epsilon: options.AgreementEpsilon = None,
    consistency: options.RelationFile = None,
    consistency_tau: options.ConsistencyTau = None,
    seed: options.Seed = 0,
    secure: options.Secure = False,
    secure_sum: options.SecureSum = None,
    noise: options.NoiseOf = None,
    accept_cost: price.AcceptCost = False,
    patience: Annotated[float, typer.Option(help="Seconds until a run is given up.")] = 900,
    web: Annotated[
        bool,
        typer.Option(
            "--web", help="Live pages of coordinator and parties, on this machine only; prints the address."
        ),
    ] = False,
    port: watching.Port = 0,
    texts: options.TextsOption = lengths.LONG,
    title: options.Title = None,
) -> None:
    from fedtopics.network import local

    require_free(out)
    relation = options.related(consistency, consistency_tau)
    began = perf_counter()
    with bar("Reading, and dealing to parties"):
        texted = local.dealt(source, seed=seed, secure=secure, **reading.options())
    public = options.public_words(vocabulary, vocabulary_epsilon, texted.language, texts=texts)
    tables.print_dealing(texted.dealing)
    given = {"n_topics": topics, **settings.given()}
    plan = local.plan_for(
        texted,
        method,
        methods.for_texts(texts, method, given),
        words=local.planned_words(public, vocabulary_epsilon),
        simulation_seed=None if secure else seed,
        secure_sum=options.summing(secure_sum, noise),
        consistency=relation,
    )
    price.require_plan_wanted(plan, accepted=accept_cost)
    with bar("Keys, certificates, plans accepted"):
        made = local.establish(out, plan, texted, public, consistency)
    with made as federation:
        _run(federation, patience, port if web else None, title)
        options.say(f"{perf_counter() - began:.0f} s in all")


def _run(federation: "LocalFederation", patience: float, port: int | None, title: str | None) -> None:
    """One run and its page, and live pages where they are to have a port."""
    run = federation.hub.submit()
    with nullcontext() if port is None else _shown(federation, run, port):
        _train(federation, run, patience)
        federation.stop()
        _write_pages(federation, run, title)
        if port is not None and sys.stdout.isatty():
            watching.until_interrupted()


def _train(federation: "LocalFederation", run: "RunFolder", patience: float) -> None:
    """One run of the federation, and what came out of it."""
    plan = federation.hub.plan
    tables.print_note(f"plan {plan.digest:.16}, parties {', '.join(plan.parties)}, {plan.coordinator}")
    federation.start()
    with bar("Starting processes", total=plan.method().n_rounds) as shown:
        federation.wait(run, patience, Following(RunWatch(federation.hub, run), shown).look)
    trained = Run.load(run.result)
    tables.print_runs([trained])
    tables.print_topics(trained.model)


def _write_pages(federation: "LocalFederation", run: "RunFolder", title: str | None) -> None:
    """The page of every participant, now that none of them is at work."""
    page = report.put_beside(run.result, title=title)
    for party in federation.hub.plan.parties:
        kept = federation.folder / party / "models" / run.name
        if (kept / "run.json").is_file():
            report.put_beside(kept, title=title)
        tables.console.print(f"{party}: model, ledger and report.html in {kept}", soft_wrap=True)
    tables.console.print(f"report: {page}", soft_wrap=True)


@contextmanager
def _shown(federation: "LocalFederation", run: "RunFolder", port: int) -> Iterator[None]:
    """The pages of coordinator and parties, which elsewhere would be on machines of their own."""
    from fedtopics.network.party.watching import PartyWatch

    views = {"coordinator": View("Coordinator", RunWatch(federation.hub, run).look)}
    for party in federation.hub.plan.parties:
        watched = PartyWatch(federation.folder / party)
        views[f"party-{party}"] = View(f"Party {party}", watched.look, watched.stop)
    with served(views, port) as address, watching.announced(address):
        yield


@dataclass
class Following:
    """Says what a run is doing: on its bar, or line by line where there is none."""

    watched: RunWatch
    shown: Bar
    _done: int = field(default=0, init=False)
    _lines: int = field(default=0, init=False)
    _at: float = field(default=0.0, init=False)

    def look(self) -> None:
        """Say what has happened since, at most twice a second."""
        if perf_counter() - self._at < LOOK:
            return
        self._at = perf_counter()
        if not sys.stderr.isatty():
            lines = self.watched.run.lines()
            for line in lines[self._lines :]:
                options.say(line)
            self._lines = len(lines)
            return
        state = self.watched.look()
        here = sum(party["state"] not in ("missing", "not connected") for party in state["parties"])
        told = f"{state['run']['phase']}, {here} of {len(state['parties'])} parties"
        self.shown.call(f"{told:<44.44}")
        done = state["run"]["n_rounds"] if state["run"]["state"] == "finished" else state["run"]["round"]
        self.shown.advance(max(0, done - self._done))
        self._done = max(done, self._done)
