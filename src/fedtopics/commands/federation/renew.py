"""Make certificates anew: the coordinator's, or those of the parties that are named, for the keys they have.

A running coordinator does so by itself 30 days before one ends, and sends a party its own.

Example: fedtopics federation renew hub --party north
"""

from typing import Annotated

import typer

from fedtopics.commands import options
from fedtopics.network.plan import certificates, onboarding
from fedtopics.network.plan.plan import Plan


def renew(
    folder: options.Member,
    parties: Annotated[
        list[str] | None, typer.Option("--party", help="Renew that of an approved party; may be repeated.")
    ] = None,
) -> None:
    for party in parties or ():
        ends = onboarding.renew(folder, party).not_valid_after_utc
        place = folder / onboarding.APPROVED / party
        options.say(f"the certificate of {party} now ends {ends:%Y-%m-%d}; send it {place / 'party.crt'}")
    if not parties:
        certificates.make_server(folder, Plan.read(folder / "plan.toml").host)
        ends = certificates.read_certificate(folder / "server.crt").not_valid_after_utc
        options.say(f"{folder / 'server.crt'} now ends {ends:%Y-%m-%d}; start the coordinator again")
