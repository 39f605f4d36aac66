"""Join a federation with an invitation: key, plan, consent, request, approval, and take part.

It may be interrupted and typed again. Without --policy it asks for your budget and your consent, line by
line; nothing is sent before you agree.

Example: fedtopics federation party join north.invitation --data letters.csv --text-column body
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fedtopics import files
from fedtopics.commands import options
from fedtopics.commands.federation.party.start import take_part
from fedtopics.commands.plan_shown import print_plan
from fedtopics.commands.questions import ask_consent, asked_policy
from fedtopics.errors import InputError
from fedtopics.network.plan import certificates
from fedtopics.network.plan.invitation import Invitation
from fedtopics.network.plan.onboarding import POLICY

if TYPE_CHECKING:
    from fedtopics.network.party.joining import Joining


@options.takes(options.Reading, "reading")
def join(
    invitation: Annotated[Path, typer.Argument(metavar="INVITATION", help="As the coordinator sent it.")],
    data: Annotated[str, typer.Option(help="The party's documents: a file, a folder or a database.")],
    reading: options.Reading,
    folder: Annotated[
        Path | None, typer.Option(help="Where this party keeps everything; its name if not given.")
    ] = None,
    policy: Annotated[
        Path | None, typer.Option(help="What this party allows, for a set-up without questions.")
    ] = None,
    authority: Annotated[
        str | None, typer.Option(help="Its fingerprint, as the coordinator reads it out; asked for.")
    ] = None,
    proxy: Annotated[
        str | None, typer.Option(help="http://host:port to call the coordinator through (HTTP CONNECT).")
    ] = None,
    person_column: options.PersonColumn = None,
    language: options.LanguageOfAll = None,
    only_join: Annotated[
        bool, typer.Option("--only-join", help="End when the plan is accepted, for a service to start it.")
    ] = False,
    metrics: options.Metrics = None,
) -> None:
    from fedtopics.network.keeper import say
    from fedtopics.network.party.folder import PartyFolder, found_documents
    from fedtopics.network.party.joining import Joining

    invited = Invitation.read(invitation)
    joining = Joining(folder or Path(invited.party), invited)
    source = reading.options() | {"person_column": person_column, "language": language}
    if not joining.is_accepted:
        invited.check_time()
        options.say(f"{invited.party}: {found_documents(invited.agreed, data, source)}, which stay here")
        own = joining.begin()
        if not joining.is_agreed:
            _check_authority(invited, authority, ask=policy is None)
            joining.agree(_policy(joining, policy, own, proxy))
        options.say(f"fingerprint of {invited.party}, to read out on the telephone: {own}")
        options.say("Ctrl-C ends the waiting; the same command goes on with it")
        accepted = joining.wait(say)
        say(f"approved; plan accepted by {accepted.party} and signed")
    PartyFolder(joining.folder).note_source(data, source)
    if only_join:
        options.say(f"next: fedtopics federation party start {joining.folder}, or a service: party service")
        return
    take_part(joining.folder, metrics)


def _policy(joining: "Joining", named: Path | None, fingerprint: str, proxy: str | None) -> str:
    """What this party allows: what it names, what it has decided before, or else what it answers now."""
    plan, known = joining.invitation.agreed, joining.folder / POLICY
    if named is not None:
        print_plan(plan)
        return files.read(named, 2**20).decode()
    ask_consent(plan)
    if not known.is_file():
        return asked_policy(plan, joining.invitation.party, fingerprint, proxy)
    options.say(f"your own limits stay as they are in {known}; only you change them")  # no plan does
    if proxy is not None:
        raise InputError(
            f"expected the proxy in {known}, got --proxy; write it there, nothing is overwritten"
        )
    return files.read(known, 2**20).decode()


def _check_authority(invited: Invitation, told: str | None, *, ask: bool) -> None:
    """Compare whose invitation it is: by telephone, or with what was given."""
    known = certificates.fingerprint(invited.authority_certificate.public_key())
    options.say(f"authority of {invited.agreed.name} at {invited.coordinator}: {known}")
    if told is not None and told.replace(" ", "").lower() != known.replace(" ", ""):
        raise InputError("expected the authority of the invitation, got another fingerprint; do not join")
    if told is None and not ask:
        raise InputError(
            "expected --authority beside --policy: the fingerprint that the coordinator reads out, as nobody "
            "is asked to compare it, and another invitation in the place of this one would not be noticed"
        )
    if told is None:
        typer.confirm("does the coordinator read out the same on the telephone?", abort=True)
