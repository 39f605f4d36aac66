"""Make this party's key, which stays here, and the request that goes to the coordinator.

Example: fedtopics federation request north --folder office
"""

from pathlib import Path
from typing import Annotated

import typer

from fedtopics.commands import options
from fedtopics.network.plan import certificates, onboarding


def request(
    party: Annotated[str, typer.Argument(metavar="NAME", help="Of this party, as in the plan.")],
    folder: options.MemberOption = Path("party"),
) -> None:
    path = onboarding.request(folder, party)
    key = certificates.read_request(path)[1].public_key()
    options.say(f"send {path} to the coordinator; {folder / 'party.key'} stays here")
    options.say(f"fingerprint to compare on the telephone: {certificates.fingerprint(key)}")
