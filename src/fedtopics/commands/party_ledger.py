"""What `fedtopics ledger` says of a party's own ledger: releases, what they cost, what is left."""

from pathlib import Path

from fedtopics.commands import options, tables
from fedtopics.network.party import ledger_file
from fedtopics.network.phases import logged
from fedtopics.network.plan.policy import Policy
from fedtopics.privacy.price.budget import Budget, in_json
from fedtopics.privacy.price.cost import FREE
from fedtopics.privacy.price.ledger import Entry, Ledger

STORE, POLICY = "store", "policy.toml"


def show(path: Path, policy: Path | None, *, as_json: bool) -> None:
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


def _runs(found: ledger_file.LedgerFile) -> dict[str, str]:
    """What was released in each run, in words."""
    told: dict[str, list[Entry]] = {}
    for entry in found.entries:
        told.setdefault(entry.run.split("/", 1)[0], []).append(entry)
    return {run: _in_words(entries) for run, entries in told.items()}


def _in_words(entries: list[Entry]) -> str:
    paid = [entry for entry in entries if entry.cost != FREE]
    steps = ", ".join(f"{entry.run.split('/', 1)[1]} of {logged(entry.round)}" for entry in paid)
    return f"{len(entries)} releases, of which {len(paid)} cost budget" + (f": {steps}" if steps else "")


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
            "spent": in_json(float(f"{budget.epsilon_of(spent):.4g}")),
        }
        for budget in budgets
    ]
