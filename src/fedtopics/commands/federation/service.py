"""Write a systemd unit that runs this coordinator: a user of its own, its folder and one port, nothing else.

Example: fedtopics federation service hub --out fedtopics-hub.service
"""

from fedtopics.commands import options, unit_written
from fedtopics.errors import InputError
from fedtopics.network.plan.plan import Plan
from fedtopics.network.service import Service


def service(
    folder: options.Coordinator,
    out: unit_written.Out = None,
    user: unit_written.User = "fedtopics",
    name: unit_written.Name = "",
    metrics: options.Metrics = None,
) -> None:
    if not (folder / "ca.key").is_file():
        raise InputError(
            f"expected the folder of a coordinator, got {folder} without a ca.key; "
            "for a party: fedtopics federation party service"
        )
    port = Plan.read(folder / "plan.toml").port
    unit_written.write(Service("coordinator", folder, name, user, metrics=metrics, port=port), out)
