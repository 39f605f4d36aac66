"""Check what the coordinator sent against this party's key, policy and ledger, and sign the plan.

Example: fedtopics federation accept received/north --folder office
"""

from pathlib import Path
from typing import Annotated

import typer

from fedtopics.commands import options
from fedtopics.commands.plan_shown import print_plan
from fedtopics.errors import InputError
from fedtopics.network.plan import certificates


def accept(
    received: Annotated[Path, typer.Argument(metavar="RECEIVED", help="The folder from the coordinator.")],
    folder: options.MemberOption = Path("party"),
    digest: Annotated[
        str | None, typer.Option(help="Accept the plan with this digest without asking (all 64 digits).")
    ] = None,
) -> None:
    from fedtopics.network.party.offer import Offer

    offer = Offer.read(folder, received)
    print_plan(offer.plan)
    options.say(f"authority  {certificates.fingerprint(offer.authority.public_key())}")
    if digest is None:
        typer.confirm(f"accept this plan for party {offer.party}?", abort=True)
    elif digest != offer.plan.digest:
        raise InputError(f"expected the plan {digest}, got {offer.plan.digest}; nothing was accepted")
    accepted = offer.accept()
    options.say(f"accepted by {accepted.party} at {accepted.time}; signed in {folder / 'acceptance.json'}")
