"""Who holds, steals, alters or replays an invitation: real TLS on loopback, hostile hands on either side."""

from __future__ import annotations

import json
import shutil
import ssl
from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic, sleep

import pytest
from attacks import hostile
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from network import processes
from network.guests import Invited, founded, message, posted, served

from fedtopics.errors import InputError
from fedtopics.network.coordinator import reception, server
from fedtopics.network.local import HUB, LocalFederation
from fedtopics.network.party.joining import Joining, NotInvitedError
from fedtopics.network.plan import certificates, onboarding
from fedtopics.network.plan.invitation import Invitation
from fedtopics.network.plan.text import policy_template
from fedtopics.network.tls import Credentials


@pytest.fixture(scope="module")
def federation(tmp_path_factory: pytest.TempPathFactory) -> LocalFederation:
    return founded(tmp_path_factory.mktemp("joining"))


@pytest.fixture
def invited(federation: LocalFederation, tmp_path: Path) -> Iterator[Invited]:
    hub = federation.folder / HUB
    plan = (hub / "plan.toml").read_text()
    with served(federation, tmp_path) as made:
        yield made
    (hub / "plan.toml").write_text(plan)
    for name in ("north",):
        made.guests.withdraw(name)
        shutil.rmtree(hub / onboarding.APPROVED / name, ignore_errors=True)


@pytest.fixture
def north(invited: Invited) -> Joining:
    return invited.joining(invited.invite())


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


def test_a_ticket_opens_nothing_but_the_way_in(invited: Invited, north: Joining) -> None:
    held = invited.ticket(north.invitation)
    for path in ("/turn", "/", "/join/", "/invited/north.json", "http://localhost/turn", "/../ca.key"):
        assert invited.said(held, posted(b"{}", path)).startswith(b"HTTP/1.1 400"), path
    for method in ("GET", "PUT", "CONNECT", "DELETE"):
        asked = f"{method} /join HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n".encode()
        assert invited.said(held, asked).startswith(b"HTTP/1.1 501"), method
    assert invited.desk.parties == ()
    party = hostile.credentials(invited.federation, "south")
    assert invited.said(party, message(north)).startswith(b"HTTP/1.1 400")
    assert invited.guests.waiting() == []


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{}", b"[]", b"null", b"nonsense", b"\xff\xfe", b"[" * 8000, b'{"request": 1, "plan": 2}'),
        json.dumps({"request": "x", "plan": "0" * 64}).encode(),
        json.dumps({"request": "x", "plan": "0" * 64, "path": "/etc/passwd"}).encode(),
        json.dumps({"request": "é", "plan": "0" * 64}).encode(),
    ],
)
def test_what_is_no_request_to_join_is_refused(invited: Invited, north: Joining, body: bytes) -> None:
    assert invited.said(invited.ticket(north.invitation), posted(body)).startswith(b"HTTP/1.1 400")
    assert invited.guests.waiting() == []


def test_a_swollen_request_is_not_even_read(invited: Invited, north: Joining) -> None:
    held = invited.ticket(north.invitation)
    for length in ("8193", str(2**40), "9" * 5000, "-1"):
        asked = f"POST /join HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n{{".encode()
        began = monotonic()
        assert invited.said(held, asked).startswith(b"HTTP/1.1 400"), length
        assert monotonic() - began < 2
    chunked = (
        b"POST /join HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"
    )
    assert invited.said(held, chunked).startswith(b"HTTP/1.1 400")


def test_a_guest_that_drips_bytes_is_cut_off_and_has_one_connection(
    invited: Invited, north: Joining, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "GUEST", 1.0)
    held = invited.ticket(north.invitation)
    with hostile.connection(invited.federation, held) as first:
        first.sendall(b"POST /jo")
        began = monotonic()
        with hostile.connection(invited.federation, held) as second:
            first.settimeout(3)
            assert _ended(first)
            while monotonic() - began < 5 and not _ended(second, b"P"):
                sleep(0.1)
            assert 0.5 < monotonic() - began < 4
    assert north.ask() is None


def _ended(talk: ssl.SSLSocket, said: bytes = b"") -> bool:
    """Whether the other side has ended the connection, as far as a moment tells."""
    try:
        if said:
            talk.sendall(said)
            talk.settimeout(0.05)
        return talk.recv(100) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


def test_a_guest_says_only_so_much_in_a_minute(
    invited: Invited, north: Joining, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reception, "MOST", 3)
    held = invited.ticket(north.invitation)
    heard = [invited.said(held, posted(b"{}"))[:12] for _ in range(5)]
    assert heard == [b"HTTP/1.1 400"] * 3 + [b"HTTP/1.1 429"] * 2


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


def other_authority(folder: Path, federation: LocalFederation) -> Path:
    """A federation of the same plan by somebody else."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certificates, "KEY_BITS", 2048)
        onboarding.found(folder / "stranger", federation.hub.plan, federation.folder / HUB / "words.txt")
    return folder / "stranger"


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


def test_a_ticket_of_another_authority_or_made_up_opens_nothing(
    invited: Invited, north: Joining, tmp_path: Path
) -> None:
    stranger = other_authority(tmp_path, invited.federation)
    ticket, code = certificates.make_ticket(stranger, "north", 1)
    certificates.write_ticket(tmp_path, ticket, code)
    forged = Credentials(tmp_path / "ticket.crt", tmp_path / "ticket.key", invited.hub / "ca.crt")
    assert not invited.said(forged, message(north)).startswith(b"HTTP/1.1 200")
    again, other = certificates.make_ticket(invited.hub, "north", 1)  # of the authority, and never given out
    certificates.write_ticket(tmp_path, again, other)
    assert invited.said(forged, message(north)).startswith(b"HTTP/1.1 403")
    assert invited.guests.waiting() == []


def test_a_ticket_is_no_certificate_of_a_party(invited: Invited, north: Joining) -> None:
    """Neither at the door, nor for statements, nor before other parties: its name is nobody's."""
    ticket = north.invitation.ticket_certificate
    name = certificates.common_name(ticket.subject)
    with pytest.raises(InputError):
        certificates.party_name(name)
    assert not certificates.is_signed(ticket, b"statement", "00" * 64)
    assert ticket.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value._usages == [
        x509.oid.ExtendedKeyUsageOID.CLIENT_AUTH
    ]
    assert not ticket.extensions.get_extension_for_class(x509.BasicConstraints).value.ca


def test_a_request_without_its_key_is_not_taken(invited: Invited, north: Joining) -> None:
    """Somebody else's public key under north's name: the request is not signed by it."""
    request = certificates.read_request(north.folder / "north.csr")[1]
    der = bytearray(request.public_bytes(serialization.Encoding.DER))
    der[-1] ^= 1
    forged = ssl.DER_cert_to_PEM_cert(bytes(der)).replace("CERTIFICATE", "CERTIFICATE REQUEST")
    heard = invited.said(invited.ticket(north.invitation), message(north, request=forged))
    assert heard.startswith(b"HTTP/1.1 400")
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
