"""Check what every party has signed that a run cost it; ends with status 1 where something does not hold.

Example: fedtopics federation run verify result --ca office/ca.crt --plan office/plan.toml --party office
"""

from pathlib import Path
from typing import Annotated

import typer

from fedtopics.commands import options
from fedtopics.documents.text.harmless import one_line
from fedtopics.errors import InputError
from fedtopics.network import verification
from fedtopics.network.attestation import PLANNED
from fedtopics.network.party import ledger_file
from fedtopics.network.plan import certificates
from fedtopics.network.plan.plan import Plan
from fedtopics.network.verification import Verified, check_record
from fedtopics.privacy.explain import privacy_line


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
