"""Who holds, steals, alters or replays an invitation: real TLS on loopback, hostile hands on either side."""

from __future__ import annotations

import shutil
import ssl
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import sleep

import pytest
from attacks import hostile
from network import processes
from network.guests import Invited, message, other_authority

from fedtopics.errors import InputError
from fedtopics.network.party.joining import Joining, NotInvitedError
from fedtopics.network.plan import certificates, onboarding
from fedtopics.network.plan.invitation import Invitation
from fedtopics.network.plan.text import policy_template


def test_a_party_joins_with_what_it_was_sent_and_waits_for_approval(invited: Invited, north: Joining) -> None:
    assert north.ask() is None
    assert [(each.party, each.fingerprint) for each in invited.guests.waiting()] == [("north", north.begin())]
    assert not north.is_accepted
    invited.approve()
    assert north.wait(lambda line: None).digest == north.invitation.agreed.digest
    assert north.is_accepted
    assert invited.guests.waiting() == []
    own = (north.folder / "party.key").read_bytes().splitlines()[2]
    assert not any(own in content for content in hostile.files(invited.hub).values())


def test_the_coordinator_keeps_no_code(invited: Invited, north: Joining) -> None:
    north.ask()
    code = north.invitation.code.encode()
    held = [name for name, content in hostile.files(invited.hub).items() if code in content]
    assert held == ["invitations/north.invitation"]
    invited.approve()
    invited.guests.arrived(("north",))
    assert not any(code in content for content in hostile.files(invited.hub).values())


def test_a_stolen_invitation_is_of_no_use_once_another_key_has_asked(
    invited: Invited, north: Joining
) -> None:
    north.ask()
    thief = invited.joining(north.invitation, "thief")
    with pytest.raises(NotInvitedError, match="another key has used this invitation already"):
        thief.ask()
    assert any("another key has used" in line for line in invited.lines)
    [waiting] = invited.guests.waiting()
    assert waiting.fingerprint == north.begin() != thief.begin()
    invited.approve()
    with pytest.raises(NotInvitedError, match="another key has this name already"):
        thief.ask()


def test_a_thief_that_asks_first_is_not_approved_by_a_fingerprint(invited: Invited, north: Joining) -> None:
    """The operator types what north reads out; the request that waits is another's."""
    from typer.testing import CliRunner

    from fedtopics.commands.application import app

    invited.joining(north.invitation, "thief").ask()
    given = ["federation", "approve", "north", "--folder", str(invited.hub), "--fingerprint", north.begin()]
    with pytest.raises(InputError, match="do not approve north"):
        CliRunner().invoke(app, given, catch_exceptions=False)
    assert invited.guests.given("north") is None


def test_an_invitation_ends_with_the_first_visit_of_its_party(invited: Invited, north: Joining) -> None:
    north.ask()
    invited.approve()
    assert north.ask() is not None  # as often as it needs to: what it is given is public
    invited.guests.arrived(("south",))
    assert north.ask() is not None
    invited.guests.arrived(("north", "south"))
    with pytest.raises(NotInvitedError, match="was used, replaced or withdrawn"):
        north.ask()
    assert any("'north' was used" in line for line in invited.lines)


def test_a_new_invitation_and_a_withdrawal_end_the_old_one(invited: Invited, north: Joining) -> None:
    north.ask()
    newer = invited.joining(invited.invite())
    assert invited.guests.waiting() == []
    with pytest.raises(NotInvitedError):
        north.ask()
    assert newer.ask() is None
    invited.guests.withdraw("north")
    with pytest.raises(NotInvitedError):
        newer.ask()


@pytest.mark.parametrize("ending", [("revoke",), ("remove", "--keep-plan")])
def test_an_invitation_ends_with_the_approval_that_is_taken_back(
    invited: Invited, north: Joining, ending: tuple[str, ...]
) -> None:
    from typer.testing import CliRunner

    from fedtopics.commands.application import app

    north.ask()
    invited.approve()
    given = ["federation", *ending, "north", "--folder", str(invited.hub)]
    assert CliRunner().invoke(app, given, catch_exceptions=False).exit_code == 0
    with pytest.raises(NotInvitedError, match="was used, replaced or withdrawn"):
        north.ask()
    assert invited.guests.waiting() == []


def test_an_invitation_is_for_one_name(invited: Invited, north: Joining) -> None:
    place = north.folder.parent / "other"
    shutil.copytree(north.folder, place)
    certificates.make_request(place, "south")
    stolen = (place / "south.csr").read_text()
    heard = invited.said(invited.ticket(north.invitation), message(north, request=stolen))
    assert heard.startswith(b"HTTP/1.1 409")
    assert b"another name than the invitation" in heard
    assert invited.guests.waiting() == []
    told = asdict(north.invitation)
    with pytest.raises(InputError, match="one for another name"):
        Invitation(**told | {"party": "south"})


def test_an_invitation_that_has_ended_opens_nothing(invited: Invited) -> None:
    invitation = invited.invite(days=2e-5)  # 1.7 seconds
    late = invited.joining(invitation)
    while datetime.now(UTC) <= invitation.ends + timedelta(seconds=1):
        sleep(0.1)
    with pytest.raises(InputError, match="got one that ended"):
        late.wait(lambda line: None)
    with pytest.raises((OSError, InputError)):
        late.ask()
    processes.until(lambda: any("expired" in line for line in invited.lines), "the line about it", 5)
    with pytest.raises(InputError, match="has ended"):
        invited.guests.expected(invitation.ticket_certificate)
    assert invited.guests.waiting() == []


def test_a_plan_that_was_changed_since_needs_a_new_invitation(invited: Invited, north: Joining) -> None:
    path = invited.hub / "plan.toml"
    path.write_text(path.read_text().replace("n_rounds = 40", "n_rounds = 41"))
    with pytest.raises(NotInvitedError, match="the plan was changed since"):
        north.ask()
    assert invited.guests.waiting() == []


def test_an_invitation_with_another_plan_is_refused_by_the_coordinator(invited: Invited) -> None:
    """Somebody on the way makes the plan look cheaper; the party agrees to what it was shown."""
    honest = invited.invite()
    altered = replace(honest, plan=honest.plan.replace("n_rounds = 40", "n_rounds = 4"))
    with pytest.raises(NotInvitedError, match="the plan was changed since"):
        invited.joining(altered).ask()


def test_a_coordinator_that_gives_another_plan_than_it_showed_gets_no_acceptance(
    invited: Invited, north: Joining
) -> None:
    north.ask()
    invited.approve()
    plan = invited.hub / onboarding.APPROVED / "north" / "plan.toml"
    plan.write_text(plan.read_text().replace("n_rounds = 40", "n_rounds = 39"))
    with pytest.raises(InputError, match="expected the plan that was agreed to, got another"):
        north.wait(lambda line: None)
    assert not (north.folder / "acceptance.json").exists()
    assert not north.is_accepted


def test_nothing_is_sent_before_the_plan_was_agreed_to(invited: Invited) -> None:
    shy = invited.joining(invited.invite(), agree=False)
    with pytest.raises(InputError, match="nothing was sent"):
        shy.wait(pytest.fail)  # it says what it asks, and would wait for an answer
    assert invited.guests.waiting() == []


@pytest.mark.parametrize(
    ("own", "refusal"),
    [
        ("secure_sum = true", "takes part in secure sums only"),
        ("# more than enough, decided by the board", "the coordinator was asked"),
    ],
)
def test_an_invitation_replaces_no_limit_that_a_party_has(
    invited: Invited, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: str, refusal: str
) -> None:
    """A second invitation, to a plan that costs more or hides less: the party's own policy decides."""
    from typer.testing import CliRunner

    from fedtopics.commands.application import app

    def ask(joining: Joining, say: object) -> None:
        raise InputError("the coordinator was asked")

    monkeypatch.setattr(Joining, "wait", ask)
    invitation = invited.invite()
    office = invited.joining(invitation, agree=False).folder
    limits = f"{own}\n{policy_template(invitation.agreed, simulation=True)}"
    (office / "policy.toml").write_text(limits)
    (tmp_path / "letters.txt").write_text("a letter\n")
    sent = str(invited.hub / "invitations" / "north.invitation")
    given = ["federation", "party", "join", sent, "--data", str(tmp_path / "letters.txt")]
    agreeing = "y\n" * 5 + "\ny\n\n"  # to all that is asked, with the budget that is proposed
    with pytest.raises(InputError, match=refusal):
        CliRunner().invoke(app, [*given, "--folder", str(office)], input=agreeing, catch_exceptions=False)
    assert (office / "policy.toml").read_text() == limits


def test_a_party_asks_nobody_but_the_coordinator_of_its_invitation(
    invited: Invited, north: Joining, tmp_path: Path
) -> None:
    """Someone else answers at the address: with another authority, or with a party's good certificate."""
    stranger = other_authority(tmp_path, invited.federation)
    pem = (stranger / "ca.crt").read_text()
    ticket, code = certificates.make_ticket(stranger, "north", 1)
    theirs = replace(north.invitation, authority=pem, ticket=ticket.decode(), code=code)
    with pytest.raises(ssl.SSLCertVerificationError):
        replace(north, invitation=theirs).ask()
    with pytest.raises(InputError, match="signed by the coordinator's authority"):
        replace(north.invitation, authority=pem)
    with pytest.raises(InputError, match="expected the code of this ticket"):
        replace(north.invitation, code=code)
    assert invited.guests.waiting() == []


def test_joining_goes_on_where_it_was_interrupted(invited: Invited, north: Joining) -> None:
    assert north.ask() is None
    again = Joining(north.folder, Invitation.read(invited.hub / "invitations" / "north.invitation"))
    assert again.is_agreed
    assert again.begin() == invited.guests.waiting()[0].fingerprint
    invited.approve()
    again.wait(lambda line: None)
    assert Joining(north.folder, north.invitation).is_accepted
    path = invited.hub / "plan.toml"
    path.write_text(path.read_text().replace("n_rounds = 40", "n_rounds = 41"))
    other = Joining(north.folder, invited.invite())  # another plan asks anew
    assert not other.is_agreed
    assert not other.is_accepted


def test_a_policy_that_refuses_the_plan_sends_nothing(invited: Invited) -> None:
    north = invited.joining(invited.invite(), agree=False)
    given = policy_template(north.invitation.agreed, simulation=True)
    for old, new in (("max_rounds = 40", "max_rounds = 39"), ("epsilon = 100.0", "epsilon = 0.5")):
        assert old in given
        with pytest.raises(InputError):
            north.agree(given.replace(old, new))
        assert not north.is_agreed
    assert not (north.folder / onboarding.POLICY).exists()
    assert invited.guests.waiting() == []


def test_nobody_joins_unattended_without_the_fingerprint_of_the_authority(invited: Invited) -> None:
    from typer.testing import CliRunner

    from fedtopics.commands.application import app

    sent, office = invited.guests.invite("north", 7.0), invited.folder / "office"
    data, policy = invited.folder / "letters.csv", invited.folder / "policy.toml"
    data.write_text("text\ntopical words\n")
    policy.write_text(policy_template(Invitation.read(sent).agreed, simulation=True))
    given = ["federation", "party", "join", str(sent), "--data", str(data), "--policy", str(policy)]
    given += ["--folder", str(office), "--only-join"]
    for more, told in (
        ([], "expected --authority beside --policy"),
        (["--authority", "17ec aeba b640"], "another fingerprint; do not join"),
    ):
        with pytest.raises(InputError, match=told):
            CliRunner().invoke(app, [*given, *more], catch_exceptions=False)
        assert not (office / onboarding.POLICY).exists()
    assert invited.guests.waiting() == []
