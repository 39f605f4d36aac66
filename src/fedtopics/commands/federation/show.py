"""Print the plan of a folder, its digest and whether it was accepted, and until when certificates hold.

Example: fedtopics federation show office
"""

from fedtopics.commands import options
from fedtopics.commands.plan_shown import print_plan
from fedtopics.network.plan import acceptance, certificates
from fedtopics.network.plan.plan import Plan


def show(folder: options.Member) -> None:
    plan = Plan.read(folder / "plan.toml")
    print_plan(plan)
    for path in sorted([*folder.glob("*.crt"), *folder.glob("approved/*/party.crt")]):
        found = certificates.read_certificate(path)
        who = certificates.common_name(found.subject)
        options.say(f"{path.relative_to(folder)}: {who}, until {found.not_valid_after_utc:%Y-%m-%d}")
    if (folder / "party.key").exists():
        accepted = acceptance.check(folder, plan)
        options.say(f"accepted by {accepted.party} at {accepted.time}")
