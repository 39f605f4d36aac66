"""Write an invitation for each party: one file with all that it needs to join, for some days and for one key.

Send it by a way that only the party reads; the fingerprints are compared on the telephone all the same.

Example: fedtopics federation invite north --folder hub
"""

from pathlib import Path
from typing import Annotated

import typer

from fedtopics.commands import options
from fedtopics.network.coordinator.guests import DAYS, Guests
from fedtopics.network.plan import certificates
from fedtopics.network.plan.onboarding import APPROVED
from fedtopics.network.plan.plan import Plan


def invite(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Of parties of the plan; all who are not approved."),
    ] = None,
    folder: options.MemberOption = Path("hub"),
    days: Annotated[float, typer.Option(help="For how long it holds.")] = DAYS,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="End these invitations at once.")] = False,
) -> None:
    guests = Guests(folder)
    for name in names or outside(folder):
        if withdraw:
            guests.withdraw(name)
            options.say(f"the invitation of {name} is withdrawn")
            continue
        path = guests.invite(name, days)
        options.say(
            f"send {path} to {name}, who types: fedtopics federation party join {path.name} --data SOURCE"
        )
    authority = certificates.read_certificate(folder / "ca.crt").public_key()
    options.say(f"fingerprint of the authority, to read out: {certificates.fingerprint(authority)}")


def outside(folder: Path) -> list[str]:
    """The parties of the plan that are not approved."""
    parties = Plan.read(folder / "plan.toml").parties
    return [name for name in parties if not (folder / APPROVED / name / "party.crt").is_file()]
