"""Make the coordinator's server certificate anew: before it ends, or for another host in the plan.

Example: fedtopics federation renew hub
"""

from fedtopics.commands import options
from fedtopics.network.plan import certificates
from fedtopics.network.plan.plan import Plan


def renew(folder: options.Member) -> None:
    certificates.make_server(folder, Plan.read(folder / "plan.toml").host)
    ends = certificates.read_certificate(folder / "server.crt").not_valid_after_utc
    options.say(f"{folder / 'server.crt'} now ends {ends:%Y-%m-%d}; start the coordinator again")
