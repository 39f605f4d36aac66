"""Runs of a federation, on the coordinator's machine."""

import shutil
from dataclasses import asdict
from pathlib import Path
from time import sleep
from typing import Annotated, Any

import typer

from fedtopics.commands import options
from fedtopics.documents.text.harmless import one_line
from fedtopics.errors import InputError
from fedtopics.network import verification
from fedtopics.network.attestation import PLANNED
from fedtopics.network.coordinator.folder import OPEN, CoordinatorFolder, RunFolder
from fedtopics.network.party import ledger_file
from fedtopics.network.plan import certificates
from fedtopics.network.plan.plan import Plan
from fedtopics.network.verification import Verified, check_record
from fedtopics.privacy.explain import privacy_line
from fedtopics.runs.run import require_free

app = typer.Typer(help=__doc__, no_args_is_help=True)
Name = Annotated[str, typer.Option("--run", help="Name of the run; the newest if not given.")]


@app.command()
def submit(
    folder: options.Coordinator,
    name: Annotated[str | None, typer.Option("--run", help="Small letters, digits, hyphens.")] = None,
) -> None:
    """Start a run of the plan; `fedtopics coordinator start` must be running, or be started later."""
    options.say(_hub(folder).submit(name).name)


@app.command()
def status(folder: options.Coordinator, as_json: options.Json = False) -> None:
    """Show where every run stands."""
    rows: dict[str, Any] = {item.name: asdict(item.status()) for item in _hub(folder).runs()}
    if as_json:
        options.print_json(rows)
        return
    for key, row in rows.items():
        reason = f": {row['reason']}" if row["reason"] else ""
        options.say(f"{key}  {row['state']}, round {row['round']} of {row['n_rounds']}{reason}")


@app.command()
def watch(folder: options.Coordinator, name: Name = "") -> None:
    """Show what happens in a run, line by line, until it ends."""
    chosen, shown = _chosen(folder, name), 0
    while True:
        is_open = chosen.status().state in OPEN
        lines = chosen.lines()
        for line in lines[shown:]:
            options.say(line)
        shown = len(lines)
        if not is_open:
            break
        sleep(0.5)


@app.command()
def abort(folder: options.Coordinator, name: Name = "") -> None:
    """End a run; it can be resumed."""
    chosen = _chosen(folder, name)
    if chosen.status().state not in OPEN:
        raise InputError(f"expected a run that is under way, got {chosen.name}: {chosen.status().state}")
    chosen.abort.touch()
    options.say(f"{chosen.name} will be ended")


@app.command()
def resume(folder: options.Coordinator, name: Name = "") -> None:
    """Go on with a run that failed or was aborted, from its checkpoint."""
    chosen = _chosen(folder, name)
    if chosen.status().state not in ("failed", "aborted"):
        raise InputError(f"expected a failed or aborted run, got {chosen.name}: {chosen.status().state}")
    chosen.log("resumed by the operator")
    chosen.change("submitted", "resumed")
    options.say(f"{chosen.name} goes on from round {chosen.status().round}")


@app.command()
def fetch(
    folder: options.Coordinator,
    out: Annotated[Path, typer.Option(help="New or empty folder for model, record and ledger.")],
    name: Name = "",
) -> None:
    """Copy the result of a finished run."""
    chosen = _chosen(folder, name)
    if chosen.status().state != "finished":
        raise InputError(f"expected a finished run, got {chosen.name}: {chosen.status().state}")
    shutil.copytree(chosen.result, require_free(out), dirs_exist_ok=True)
    options.say(f"{chosen.name} is in {out}")


@app.command()
def verify(
    result: Annotated[Path, typer.Argument(metavar="RESULT", help="As fetched, or as a party keeps it.")],
    ca: Annotated[Path, typer.Option(help="The certificate of the federation's authority: ca.crt.")],
    signing: Annotated[
        Path | None, typer.Option(help="The coordinator's key, where it is not signing.pub beside ca.crt.")
    ] = None,
    plan: Annotated[
        Path | None, typer.Option(help="The plan, to compare parties, method and settings too.")
    ] = None,
    office: Annotated[
        Path | None, typer.Option("--party", help="Folder of a party, to compare its ledger too.")
    ] = None,
) -> None:
    """Check what every party has signed that a run cost it; ends with status 1 where something does not hold.

    Example: fedtopics run verify result --ca office/ca.crt --plan office/plan.toml --party office
    """
    try:
        found = _verified(result, ca, signing or ca.with_name("signing.pub"), plan, office)
    except (InputError, OSError, RecursionError) as error:
        options.say(f"NOT OK: {one_line(str(error))}")
        raise typer.Exit(1) from None
    for name, held in found.items():
        if held is None:
            options.say(f"{one_line(name)}: {PLANNED}")
        else:
            told = privacy_line(held.statement.privacy, held.statement.noise, sent=True)
            options.say(f"{name}: {told}; signed {held.statement.time} with key {held.fingerprint}")
    if None in found.values():
        options.say("NOT OK: some parties have not attested")
        raise typer.Exit(1)
    options.say(f"OK: {len(found)} parties have signed what the record says")


def _verified(
    result: Path, ca: Path, signing: Path, plan: Path | None, office: Path | None
) -> dict[str, Verified | None]:
    check_record(result, signing)
    agreed = None if plan is None else Plan.read(plan)
    found = verification.verified(result, certificates.read_certificate(ca), agreed)
    verification.check_ledger_beside(result, found)
    if office is not None:
        ledger_file.check_ledger(found, ledger_file.read(office / "store", office / ledger_file.ANCHOR))
    return found


def _hub(folder: Path) -> CoordinatorFolder:
    if not (folder / "plan.toml").is_file():
        raise InputError(f"expected the coordinator's folder, got {folder} without a plan.toml")
    return CoordinatorFolder(folder)


def _chosen(folder: Path, name: str) -> RunFolder:
    hub = _hub(folder)
    if name:
        return hub.run(name)
    runs = sorted(hub.runs(), key=lambda item: (item.path / "log.txt").stat().st_ctime)
    if not runs:
        raise InputError(f"expected a run in {folder}, got none; start one with `fedtopics run submit`")
    return runs[-1]
