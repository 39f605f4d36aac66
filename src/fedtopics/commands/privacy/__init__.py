"""What a run costs in privacy, before it is run and after."""

from dataclasses import asdict, replace
from inspect import signature
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from fedtopics import methods
from fedtopics.audit import moments
from fedtopics.commands import options, party_ledger, tables
from fedtopics.commands.privacy import audit, audit_mechanism
from fedtopics.commands.privacy.statement import statement
from fedtopics.documents.reading import read
from fedtopics.errors import InputError
from fedtopics.network.party import ledger_file
from fedtopics.privacy.explain import priced
from fedtopics.privacy.forecast import PublicFacts, explain_plan
from fedtopics.privacy.mechanisms import calibration
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.mechanism import INPUTS, OUTPUTS, every, find_mechanism
from fedtopics.privacy.price.cost import check_relation
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.protocol.method import Amounts

app = typer.Typer(help=__doc__, no_args_is_help=True)
app.command()(statement)
app.command()(audit.audit)
app.command()(audit_mechanism.audit_mechanism)


@app.command()
def explain(
    method: Annotated[str, typer.Argument(help="A method, as `fedtopics methods` lists them.")],
    words: options.VocabularySize = 10_000,
    topics: options.TopicCount = 20,
    documents: Annotated[int | None, typer.Option(help="Documents in all, roughly.")] = None,
    persons: Annotated[int | None, typer.Option(help="Persons who wrote them, roughly.")] = None,
    parties: Annotated[
        int, typer.Option(min=1, help="Parties that hold them, each with noise of its own.")
    ] = 1,
    distinct: Annotated[int | None, typer.Option(help="Different words of a document, roughly.")] = None,
    epsilon: options.Epsilon = None,
    variant: options.Variant = None,
    rounds: options.Rounds = None,
    unit: options.Unit = None,
    settings: options.Setting = None,
    delta: Annotated[
        float | None,
        typer.Option(help="Chance that the promise may fail; the method's own, or 1e-6, where not given."),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Say what a planned run would cost and mean. No data is read.

    Example: fedtopics privacy explain calm --epsilon 6 --words 8000 --distinct 120
    """
    given = options.method_settings(variant, epsilon, rounds, settings, unit)
    planned = methods.make(method, n_topics=topics, **given)
    if delta is not None and planned.hides_documents:
        planned = methods.make(method, n_topics=topics, **given | {"delta": delta})
    facts = PublicFacts(words, topics, documents, distinct)
    delta = planned.privacy_delta if delta is None else delta
    found = explain_plan(planned.prices(words), facts, 1e-6 if delta is None else delta)
    if documents is not None or persons is not None:
        found = replace(found, outlook=planned.outlook(_amounts(words, documents, persons, parties)))
    if as_json:
        options.print_json(asdict(found))
        return
    if found.statements:
        tables.print_rows(found.statements)
    for title in ("public", "meaning", "outlook", "warnings"):
        for line in getattr(found, title):
            tables.print_titled(title, f"  {line}")


def _amounts(words: int, documents: int | None, persons: int | None, parties: int) -> Amounts:
    """What was said of the documents; there are at least as many as persons."""
    if documents is not None and persons is not None and persons > documents:
        raise InputError(f"expected at most {documents} persons, as there are documents, got {persons}")
    return Amounts(words, documents or persons or 0, persons, parties)


@app.command()
def audit_claims(as_json: options.Json = False) -> None:
    """Compute what the papers claim, what is proved, what an attack reaches, and why they differ."""
    from fedtopics.audit import claims

    findings = claims.audit()
    if as_json:
        options.print_json([asdict(finding) for finding in findings])
    else:
        tables.print_rows(
            [
                {
                    "method": f.method,
                    "the paper claims": f.claimed,
                    "proved": f.proved,
                    "an attack reached": f.reached,
                    "why": f.why,
                }
                for f in findings
            ]
        )


@app.command()
def mechanisms(as_json: options.Json = False) -> None:
    """List the mechanisms: what goes in, what comes out, and the parameter that sets how private each is.

    Example: fedtopics privacy mechanisms
    """
    rows = [
        {"mechanism": name, "takes": INPUTS[m.takes], "gives": OUTPUTS[m.gives], "parameter": m.parameter}
        for name, m in every().items()
    ]
    if as_json:
        options.print_json(rows)
    else:
        tables.print_rows(rows)


@app.command()
def calibrate(
    mechanism: Annotated[str, typer.Argument(help="One that `fedtopics privacy mechanisms` lists.")],
    epsilon: Annotated[float, typer.Option(help="The budget.")],
    relation: Annotated[str, typer.Option(help="What the budget protects, as 'word add/remove'.")],
    delta: options.Delta = 0.0,
    rounds: Annotated[int, typer.Option(help="Number of fresh releases.")] = 1,
    words: options.VocabularySize = 10_000,
    max_length: Annotated[int | None, typer.Option(help="Public maximum of words of a document.")] = None,
    max_documents: Annotated[int | None, typer.Option(help="Public maximum of texts of a person.")] = None,
) -> None:
    """Print the parameter of a mechanism with the least noise that keeps a budget.

    Example: fedtopics privacy calibrate histogram --epsilon 9 --relation "document replace" --max-length 50
    """
    known = find_mechanism(mechanism if mechanism in every() else mechanism.replace("-", " "))
    public: dict[str, Any] = {"n_words": words} if "n_words" in signature(known.make).parameters else {}
    if (max_length, max_documents) != (None, None):
        public["bounds"] = Bounds(max_length, max_documents)
    found = calibration.calibrate(known.name, check_relation(relation), epsilon, delta, rounds, **public)
    releases = "1 fresh release costs" if rounds == 1 else f"{rounds} fresh releases cost"
    bound = priced(relation, epsilon, delta)
    options.say(f"{known.name} with {known.parameter} {found:.6g}: {releases} at most {bound}")


@app.command()
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
    """Account for Gaussian noise on word counts by two accountants side by side, or find its sigma.

    Example: fedtopics privacy gaussian --sigma 0.25 --rounds 35
    """
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


@app.command()
@options.takes(options.Preparing, "preparing")
def attack(
    source: options.Source,
    preparing: options.Preparing,
    topics: options.TopicCount = 20,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds that the listener hears.")] = 40,
    users: Annotated[int, typer.Option(min=2, help="Documents drawn at random; each is a user.")] = 1000,
    seed: options.Seed = 0,
    threads: options.Threads = None,
    as_json: options.Json = False,
) -> None:
    """Let a listener count what users with one document each report, for every local method.

    Example: fedtopics privacy attack docword.kos.txt.gz --max-words 3000 --rounds 40
    """
    from fedtopics.audit.listener import attacks

    corpus = read(source, progress=None, **preparing.options())
    corpus = corpus.select(np.sort(np.random.default_rng(seed).permutation(corpus.n_docs)[:users]))
    rows = attacks(corpus, n_topics=topics, n_rounds=rounds, seed=seed, n_threads=threads or 1)
    if as_json:
        options.print_json({"rounds": rounds, "users": corpus.n_docs, "attacks": rows})
        return
    tables.print_rows([_attack_row(row) for row in rows])
    tables.console.print(
        f"{corpus.n_docs} users, {rounds} rounds. recall: share of a document's words that are named (fedlda "
        "paper: of its first 150); bound: the largest expected recall that reports made once allow, which "
        "chance may exceed, 1 where users report in every round. epsilon: fedlda paper, nominal for one "
        "tuple; fedlda sound, document replaced; lplda, word replaced.",
        soft_wrap=True,
    )
    for note in dict.fromkeys(note for row in rows for note in row["notes"]):
        told_by = [row for row in rows if note in row["notes"]]
        named = ", ".join("{method} {variant} {channel}".format(**row) for row in told_by)
        tables.print_titled(named, f": {note}")


def _attack_row(row: dict[str, Any]) -> dict[str, str]:
    numbers = {name: f"{row[name]:.3f}" for name in ("recall", "bound", "precision", "theta_error")}
    if not row["n_named"]:
        numbers["precision"] = "–"
    settings = {name: row[name] for name in ("method", "variant", "channel")}
    told = settings | {"epsilon": f"{row['epsilon']:g}"} | numbers
    return {name.replace("_", " "): value for name, value in told.items()}


@app.command()
def ledger(
    path: Annotated[
        Path,
        typer.Argument(metavar="LEDGER", help="A ledger file, or the folder of a run or of a party."),
    ],
    policy: Annotated[
        Path | None, typer.Option(help="A party's policy.toml, to show what is left of its budgets.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Check the hash chain of a ledger and print what each party has spent.

    Example: fedtopics privacy ledger runs/demo/ledger.json
    """
    store = path / party_ledger.STORE
    known = (path / ledger_file.LINES, store / ledger_file.LINES, path / ledger_file.ANCHOR)
    if any(file.is_file() for file in known):  # a party's, in its folder or in its store
        party_ledger.show(path, policy, as_json=as_json)
        return
    path = path / "ledger.json" if path.is_dir() else path
    found = Ledger.from_json(path.read_text(encoding="utf-8"))
    if as_json:
        options.print_json({"statements": found.statements(), "head": found.head})
    else:
        tables.console.print(found.table(), soft_wrap=True)
        tables.console.print(f"hash chain of {len(found.entries)} releases holds; head {found.head}")
