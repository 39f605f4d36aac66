"""Whoever holds a ticket gets no further than the way in, and keeps nobody else out."""

from __future__ import annotations

import json
import ssl
from pathlib import Path
from time import monotonic, sleep

import pytest
from attacks import hostile
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from network.guests import Invited, message, other_authority, posted

from fedtopics.errors import InputError
from fedtopics.network.coordinator import reception, server
from fedtopics.network.party.joining import Joining
from fedtopics.network.plan import certificates
from fedtopics.network.tls import Credentials


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
