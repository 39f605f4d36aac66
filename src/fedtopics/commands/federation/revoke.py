"""Take a party's approval back, at once: the coordinator need not be started again.

Example: fedtopics federation revoke north --folder hub
"""

from pathlib import Path
from typing import Annotated

import typer

from fedtopics.commands import options
from fedtopics.network.coordinator.guests import Guests
from fedtopics.network.plan import onboarding


def revoke(
    party: Annotated[str, typer.Argument(metavar="NAME", help="Of an approved party.")],
    folder: options.MemberOption = Path("hub"),
) -> None:
    kept = onboarding.revoke(folder, party)
    Guests(folder).withdraw(party)
    options.say(f"{party} is refused from now on; its certificate is kept in {kept}")
    options.say("to let it back in, approve a request of it; to be rid of its name, change the plan")
