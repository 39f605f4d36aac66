"""`fedtopics coordinator`, `party` and `run`: the machines of a federation, and the runs on them."""

from __future__ import annotations

import shutil
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fedtopics import files
from fedtopics.commands import options
from fedtopics.errors import InputError
from fedtopics.runs.run import require_free

if TYPE_CHECKING:
    from fedtopics.network.coordinator.folder import CoordinatorFolder, RunFolder
    from fedtopics.network.verification import Verified

coordinator = typer.Typer(help="The coordinator of a federation.", no_args_is_help=True)
party = typer.Typer(help="A party of a federation.", no_args_is_help=True)
run = typer.Typer(help="Runs of a federation, on the coordinator's machine.", no_args_is_help=True)

Hub = Annotated[Path, typer.Argument(metavar="FOLDER", help="Of the coordinator.")]
Name = Annotated[str, typer.Option("--run", help="Name of the run; the newest if not given.")]


@coordinator.command("start")
def start_coordinator(folder: Hub) -> None:
    """Serve the federation until this command is stopped; open runs go on where they stood.

    Example: fedtopics coordinator start hub
    """
    from fedtopics.network.coordinator.folder import CoordinatorFolder
    from fedtopics.network.keeper import Kept, until_told_to_stop
    from fedtopics.network.operator_log import say
    from fedtopics.network.plan.readiness import check_certificate

    hub = CoordinatorFolder(folder)
    plan = hub.plan
    plan.words(folder)
    for name in ("ca", "server"):
        check_certificate(folder / f"{name}.crt")
    say(f"plan {plan.digest} of {', '.join(plan.parties)}")
    with Kept("coordinator", folder, say) as worker:
        worker.keep_going(until_told_to_stop())


@party.command("start")
@options.takes(options.Reading, "reading")
def start_party(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Of this party.")],
    data: Annotated[str, typer.Option(help="The party's documents: a file, a folder or a database.")],
    reading: options.Reading,
    plan: Annotated[
        Path | None, typer.Option(help="The plan that was accepted, where it is not FOLDER/plan.toml.")
    ] = None,
    policy: Annotated[
        Path | None, typer.Option(help="What this party allows, where it is not FOLDER/policy.toml.")
    ] = None,
) -> None:
    """Take part in the federation until this command is stopped.

    Example: fedtopics party start ward --data letters.csv --text-column body
    """
    from fedtopics.network.keeper import Kept, until_told_to_stop
    from fedtopics.network.operator_log import say
    from fedtopics.network.party.folder import PartyFolder

    place = PartyFolder(folder)
    _take_over(folder, plan, policy)
    place.note_source(data, reading.options())
    place.check()
    with place.store() as store:
        store.require(place.plan.costs(place.plan.vocabulary.most_words))
    say(f"party {place.name}: {place.check_source()} documents, plan {place.plan.digest}")
    with Kept("party", folder, say) as worker:
        worker.keep_going(until_told_to_stop())


@party.command()
def forget(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Of this party.")],
    name: Annotated[str, typer.Option("--run", help="A run that is finished.")],
) -> None:
    """Delete what a finished run has left in the party's store, save its lines in the ledger.

    Example: fedtopics party forget ward --run run-1
    """
    from fedtopics.network.party.folder import PartyFolder

    if not (folder / "models" / name).is_dir():
        raise InputError(f"expected a finished run, got {name!r} without a folder in {folder / 'models'}")
    with PartyFolder(folder).store() as store:
        store.forget(name)
    options.say(f"releases and memory of {name} are deleted; its price stays in the ledger")


@run.command()
def submit(
    folder: Hub,
    name: Annotated[str | None, typer.Option("--run", help="Small letters, digits, hyphens.")] = None,
) -> None:
    """Start a run of the plan; `fedtopics coordinator start` must be running, or be started later."""
    options.say(_hub(folder).submit(name).name)


@run.command()
def status(folder: Hub, as_json: options.Json = False) -> None:
    """Show where every run stands."""
    from dataclasses import asdict

    rows: dict[str, Any] = {item.name: asdict(item.status()) for item in _hub(folder).runs()}
    if as_json:
        options.print_json(rows)
        return
    for key, row in rows.items():
        reason = f": {row['reason']}" if row["reason"] else ""
        options.say(f"{key}  {row['state']}, round {row['round']} of {row['n_rounds']}{reason}")


@run.command()
def watch(folder: Hub, name: Name = "") -> None:
    """Show what happens in a run, line by line, until it ends."""
    from fedtopics.network.coordinator.folder import OPEN

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


@run.command()
def abort(folder: Hub, name: Name = "") -> None:
    """End a run; it can be resumed."""
    from fedtopics.network.coordinator.folder import ABORT, OPEN

    chosen = _chosen(folder, name)
    if chosen.status().state not in OPEN:
        raise InputError(f"expected a run that is under way, got {chosen.name}: {chosen.status().state}")
    chosen.ask(ABORT)
    options.say(f"{chosen.name} will be ended")


@run.command()
def resume(folder: Hub, name: Name = "") -> None:
    """Go on with a run that failed or was aborted, from its checkpoint."""
    chosen = _chosen(folder, name)
    if chosen.status().state not in ("failed", "aborted"):
        raise InputError(f"expected a failed or aborted run, got {chosen.name}: {chosen.status().state}")
    chosen.log("resumed by the operator")
    chosen.change("submitted", "resumed")
    options.say(f"{chosen.name} goes on from round {chosen.status().round}")


@run.command()
def fetch(
    folder: Hub,
    out: Annotated[Path, typer.Option(help="New or empty folder for model, record and ledger.")],
    name: Name = "",
) -> None:
    """Copy the result of a finished run."""
    chosen = _chosen(folder, name)
    if chosen.status().state != "finished":
        raise InputError(f"expected a finished run, got {chosen.name}: {chosen.status().state}")
    shutil.copytree(chosen.result, require_free(out), dirs_exist_ok=True)
    options.say(f"{chosen.name} is in {out}")


@run.command()
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
    from fedtopics.documents.text.harmless import one_line
    from fedtopics.network.attestation import PLANNED
    from fedtopics.runs.run import privacy_line

    try:
        found = _verified(result, ca, signing or ca.with_name("signing.pub"), plan, office)
    except (InputError, OSError, RecursionError) as error:
        options.say(f"NOT OK: {one_line(str(error))}")
        raise typer.Exit(1) from None
    for name, held in found.items():
        if held is None:
            options.say(f"{one_line(name)}: {PLANNED}")
        else:
            told = privacy_line(held.statement.privacy, held.statement.noise)
            options.say(f"{name}: {told}; signed {held.statement.time} with key {held.fingerprint}")
    if None in found.values():
        options.say("NOT OK: some parties have not attested")
        raise typer.Exit(1)
    options.say(f"OK: {len(found)} parties have signed what the record says")


def _verified(
    result: Path, ca: Path, signing: Path, plan: Path | None, office: Path | None
) -> dict[str, Verified | None]:
    from fedtopics.network import verification
    from fedtopics.network.party import ledger_file
    from fedtopics.network.plan import certificates
    from fedtopics.network.plan.plan import Plan
    from fedtopics.network.signed_record import check_record

    check_record(result, signing)
    agreed = None if plan is None else Plan.read(plan)
    found = verification.verified(result, certificates.read_certificate(ca), agreed)
    verification.check_ledger_beside(result, found)
    if office is not None:
        ledger_file.check_ledger(found, ledger_file.read(office / "store", office / ledger_file.ANCHOR))
    return found


def _take_over(folder: Path, plan: Path | None, policy: Path | None) -> None:
    """Put plan and policy from elsewhere into the party's folder, once they are checked."""
    from fedtopics.network.plan import acceptance
    from fedtopics.network.plan.plan import Plan
    from fedtopics.network.plan.policy import Policy

    read = Plan.read(plan or folder / "plan.toml")
    acceptance.check(folder, read)
    Policy.read(policy or folder / "policy.toml").check(read)
    for given, name in ((plan, "plan.toml"), (policy, "policy.toml")):
        if given is not None and given.resolve() != (folder / name).resolve():
            files.publish(folder / name, files.read(given))


def _hub(folder: Path) -> CoordinatorFolder:
    from fedtopics.network.coordinator.folder import CoordinatorFolder

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
