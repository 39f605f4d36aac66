"""Check the hash chain of a ledger and print what each party has spent.

Example: fedtopics privacy ledger runs/demo/ledger.json
"""

from math import isinf
from pathlib import Path
from typing import Annotated

import typer

from fedtopics.commands import options, tables
from fedtopics.network.party import ledger_file
from fedtopics.network.party.ledger_file import LedgerFile
from fedtopics.network.plan.policy import Policy
from fedtopics.privacy.price.budget import Budget
from fedtopics.privacy.price.cost import FREE
from fedtopics.privacy.price.ledger import Entry, Ledger

STORE, POLICY = "store", "policy.toml"


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
    if _is_party(path):
        _show_party(path, policy, as_json=as_json)
        return
    path = path / "ledger.json" if path.is_dir() else path
    found = Ledger.from_json(path.read_text(encoding="utf-8"))
    if as_json:
        options.print_json({"statements": found.statements(), "head": found.head})
    else:
        tables.console.print(found.table(), soft_wrap=True)
        tables.console.print(f"hash chain of {len(found.entries)} releases holds; head {found.head}")


def _is_party(path: Path) -> bool:
    """Whether a party's ledger is there: in the party's folder or in its store."""
    known = (path / ledger_file.LINES, path / STORE / ledger_file.LINES, path / ledger_file.ANCHOR)
    return any(file.is_file() for file in known)


def _show_party(path: Path, policy: Path | None, *, as_json: bool) -> None:
    """Verify the chain and say what was released, what it costs, and what the policy leaves."""
    anchor = path / ledger_file.ANCHOR
    folder = path / STORE if (path / STORE).is_dir() or anchor.is_file() else path
    found = ledger_file.read(folder, anchor if anchor.is_file() else None)
    budgets = _budgets(path, policy)
    delta = max((budget.delta for budget in budgets), default=0.0) or Ledger.delta
    ledger = Ledger(entries=list(found.entries), delta=delta)
    left = _left(ledger, found.party, budgets)
    if as_json:
        options.print_json(
            {"party": found.party, "runs": _runs(found), "statements": ledger.statements()}
            | {"left": left, "head": found.head, "cut_short": bool(found.torn)}
        )
        return
    say = tables.console.print
    say(f"party {found.party}: {len(found.entries)} releases in {len(_runs(found))} runs")
    for run, told in _runs(found).items():
        say(f"  {run}: {told}", soft_wrap=True)
    if found.entries:
        say(ledger.table(), soft_wrap=True)
    for row in left:
        spent = f"epsilon {row['spent']} of {row['allowed']:.4g} spent at delta {row['delta']:g}"
        say(f"{row['relation']}: {spent}", soft_wrap=True)
    if found.torn:
        say("the last line is cut short by a crash; it is completed when the party starts again")
    say(f"hash chain of {len(found.entries)} releases holds; head {found.head}", soft_wrap=True)


def _runs(found: LedgerFile) -> dict[str, str]:
    """What was released in each run, in words."""
    told: dict[str, list[Entry]] = {}
    for entry in found.entries:
        told.setdefault(entry.run.split("/", 1)[0], []).append(entry)
    return {run: _in_words(entries) for run, entries in told.items()}


def _in_words(entries: list[Entry]) -> str:
    priced = [entry for entry in entries if entry.cost != FREE]
    steps = ", ".join(f"{entry.run.split('/', 1)[1]} of round {entry.round}" for entry in priced)
    return f"{len(entries)} releases, of which {len(priced)} cost budget" + (f": {steps}" if steps else "")


def _budgets(path: Path, policy: Path | None) -> tuple[Budget, ...]:
    beside = path / POLICY
    if policy is None and not beside.is_file():
        return ()
    return Policy.read(policy or beside).budget


def _left(ledger: Ledger, party: str, budgets: tuple[Budget, ...]) -> list[dict[str, float | str]]:
    spent = ledger.spent(party)
    return [
        {
            "relation": budget.relation,
            "delta": budget.delta,
            "allowed": budget.epsilon,
            "spent": _shown(budget.epsilon_of(spent)),
        }
        for budget in budgets
    ]


def _shown(epsilon: float) -> float | str:
    return "inf" if isinf(epsilon) else float(f"{epsilon:.4g}")
