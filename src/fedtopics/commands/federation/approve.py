"""Sign the certificate of a party of the plan, once its fingerprint was compared.

Example: fedtopics federation approve north.csr --folder hub
"""

from pathlib import Path
from typing import Annotated

import typer

from fedtopics.commands import options
from fedtopics.errors import InputError
from fedtopics.network.plan import certificates, onboarding


def approve(
    request_file: Annotated[Path, typer.Argument(metavar="NAME.csr", help="What the party sent.")],
    folder: options.MemberOption = Path("hub"),
    fingerprint: Annotated[
        str | None, typer.Option(help="As the party read it out; asked for where not given.")
    ] = None,
) -> None:
    party, asked = certificates.read_request(request_file)
    known = certificates.fingerprint(asked.public_key())
    options.say(f"request of party {party}")
    told = typer.prompt("fingerprint, as the party reads it out") if fingerprint is None else fingerprint
    if told.replace(" ", "").lower() != known.replace(" ", ""):
        raise InputError(f"expected the fingerprint of this request, got another; do not approve {party}")
    target = onboarding.approve(folder, request_file)
    authority = certificates.read_certificate(folder / "ca.crt").public_key()
    options.say(f"send the folder {target} to {party}; it holds nothing secret")
    options.say(
        f"fingerprint of the authority, for {party} to compare: {certificates.fingerprint(authority)}"
    )
