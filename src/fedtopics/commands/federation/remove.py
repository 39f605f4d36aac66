"""Take a party out, at once: its key opens nothing from now on, and new runs are planned without it.

A run under way goes on without it where the plan's min_parties allows; while one is, the plan stays as it is.

Example: fedtopics federation remove north --folder hub
"""

from pathlib import Path
from typing import Annotated

import typer

from fedtopics.commands import options
from fedtopics.errors import InputError
from fedtopics.network.coordinator.folder import OPEN, CoordinatorFolder
from fedtopics.network.plan import onboarding
from fedtopics.network.plan.plan import Plan


def remove(
    party: Annotated[str, typer.Argument(metavar="NAME", help="Of a party of the plan.")],
    folder: options.MemberOption = Path("hub"),
    keep_plan: Annotated[
        bool, typer.Option("--keep-plan", help="Revoke alone; the name stays in the plan.")
    ] = False,
) -> None:
    plan = Plan.read(folder / onboarding.PLAN)
    approved = (folder / onboarding.APPROVED / Path(party).name / "party.crt").is_file()
    if party not in plan.parties and not approved:
        raise InputError(
            f"expected a party of {folder}, got {party!r:.60}; they are {', '.join(plan.parties)}"
        )
    if approved:
        onboarding.revoke(folder, party)
    options.say(f"{party} is refused from now on; it need not be told, and nothing has to be started again")
    under_way = [run.name for run in CoordinatorFolder(folder).runs() if run.status().state in OPEN]
    if keep_plan or party not in plan.parties:
        return
    if under_way:
        options.say(f"{', '.join(under_way)} goes on by the old plan; type this again when it has ended")
        return
    try:
        changed = onboarding.without(folder, party)
    except InputError as error:
        options.say(f"its name stays in the plan: {error}")
        return
    options.say(f"the plan is now that of {', '.join(changed.parties)}: {changed.digest}")
    options.say("send each of them its folder in approved/ to accept anew")
