"""Plant canaries in copies of some documents, attack, and print lower bounds beside the proved ones.

Ends with status 1 where an attack shows that a proof does not hold.

Example: fedtopics audit sotu --epsilon 6
"""

import os
from typing import Annotated, Any

import typer

from fedtopics import methods
from fedtopics.audit.auditing import VIEWS, Audit, View
from fedtopics.audit.auditing import audit as audited
from fedtopics.audit.telling import sentences
from fedtopics.commands import options, tables
from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.runs.preparing import prepare


@options.takes(options.Dealing, "dealing")
@options.takes(options.Settings, "settings")
def audit(
    source: options.Source,
    dealing: options.Dealing,
    settings: options.Settings,
    method: options.MethodName = methods.DEFAULT,
    topics: options.TopicCount = 50,
    view: Annotated[
        list[str] | None, typer.Option(help="messages or model; both where not given. May be repeated.")
    ] = None,
    secure_sum: options.SecureSum = None,
    noise: options.NoiseOf = None,
    threads: options.Threads = None,
    as_json: options.Json = False,
) -> None:
    made = methods.make(method, n_topics=topics, **settings.given())
    summing = options.summing(secure_sum, noise, method=made)
    views = _views(view)
    data = prepare(source, **dealing.options())
    n_threads = threads or os.cpu_count() or 1
    found = audited(made, data.parties, views=views, seed=dealing.seed, n_threads=n_threads, summing=summing)
    show(found, as_json=as_json)
    if found.refuted:
        raise typer.Exit(1)


def show(found: Audit, *, as_json: bool) -> None:
    """The attacks as a table, and in sentences."""
    if as_json:
        options.print_json(found.to_dict())
        return
    tables.print_rows([row(attack) for attack in found.to_dict()["attacks"]])
    for line in sentences(found.to_dict()):
        tables.print_note(line)
    tables.print_note(
        f"lower bounds at 95 % confidence, in {found.seconds:.0f} s; a proof counts as refuted where one "
        "exceeds it at 1 - 1e-6"
    )


def row(attack: dict[str, Any]) -> dict[str, float | str | None]:
    """One attack as a line of a table."""
    proved = attack["proved"]
    return {
        "relation": attack["relation"],
        "from": attack["view"],
        "attack": attack["attack"],
        "claimed": attack.get("claimed"),
        "proved at most": "no bound" if proved == "inf" else proved,
        "reached at least": attack["epsilon"],
        "AUC": attack["auc"],
        "canaries": f"{attack['n_canaries']:,}",
        "bound": attack["bound"],
    }


def _views(given: list[str] | None) -> tuple[View, ...]:
    for name in given or ():
        if name not in VIEWS:
            raise InputError(f"view must be one of {', '.join(VIEWS)}, got {quoted(name)}")
    return tuple(name for name in VIEWS if not given or name in given)
