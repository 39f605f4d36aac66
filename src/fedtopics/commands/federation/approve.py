"""Approve those who ask to join, once their fingerprints were compared; without a name, one after another.

Examples: fedtopics federation approve --folder hub
fedtopics federation approve north.csr --folder hub
"""

from pathlib import Path
from time import sleep
from typing import Annotated

import typer

from fedtopics.commands import options
from fedtopics.commands.federation.invite import outside
from fedtopics.errors import InputError
from fedtopics.network.coordinator.guests import Guest, Guests
from fedtopics.network.plan import certificates, onboarding

LOOK = 1.0  # seconds between two looks at who waits


def approve(
    who: Annotated[
        str | None,
        typer.Argument(metavar="[NAME|NAME.csr]", help="One who waits, or a request that was sent."),
    ] = None,
    folder: options.MemberOption = Path("hub"),
    fingerprint: Annotated[
        str | None, typer.Option(help="As the party read it out; asked for where not given.")
    ] = None,
    show: Annotated[bool, typer.Option("--list", help="Only show who waits.")] = False,
    wait: Annotated[
        bool, typer.Option("--wait", help="Go on until every party of the plan is approved.")
    ] = False,
) -> None:
    if who is not None and (who.endswith(".csr") or Path(who).is_file()):
        _approve_file(folder, Path(who), fingerprint)
        return
    options.say(f"fingerprint of the authority, to read out: {_authority(folder)}")
    later: set[Path] = set()
    while True:
        waiting = [each for each in Guests(folder).waiting() if who in (None, each.party)]
        for each in [each for each in waiting if each.request not in later]:
            options.say(f"{each.party} waits since {each.since.astimezone():%Y-%m-%d %H:%M:%S}")
            if not show and not _approved(folder, each, fingerprint):
                later.add(each.request)
        if not wait or not outside(folder):
            break
        sleep(LOOK)
    if who is not None and not waiting:
        raise InputError(f"expected {who!r:.60} to wait for approval, got nobody of this name")
    if not waiting and not wait:
        options.say("nobody waits for approval")


def _approved(folder: Path, waiting: Guest, fingerprint: str | None) -> bool:
    """Whether the fingerprint that is typed is that of who waits, who is then approved."""
    told = fingerprint or typer.prompt(
        f"fingerprint of {waiting.party}, as it reads it out (Enter: later)", default="", show_default=False
    )
    if not told:
        return False
    _require_same(told, waiting.fingerprint, waiting.party)
    onboarding.approve(folder, waiting.request)
    Guests(folder).approved(waiting.party)
    options.say(f"{waiting.party} is approved; it goes on by itself")
    return True


def _approve_file(folder: Path, request_file: Path, fingerprint: str | None) -> None:
    party, asked = certificates.read_request(request_file)
    options.say(f"request of party {party}")
    told = typer.prompt("fingerprint, as the party reads it out") if fingerprint is None else fingerprint
    _require_same(told, certificates.fingerprint(asked.public_key()), party)
    target = onboarding.approve(folder, request_file)
    options.say(f"send the folder {target} to {party}; it holds nothing secret")
    options.say(f"fingerprint of the authority, for {party} to compare: {_authority(folder)}")


def _require_same(told: str, known: str, party: str) -> None:
    if told.replace(" ", "").lower() != known.replace(" ", ""):
        raise InputError(f"expected the fingerprint of this request, got another; do not approve {party}")


def _authority(folder: Path) -> str:
    return certificates.fingerprint(certificates.read_certificate(folder / "ca.crt").public_key())
