"""Certificates: whom they name, for which key, and for how long."""

from __future__ import annotations

import shutil
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from network.approved import offer

from fedtopics.errors import InputError
from fedtopics.network.plan import certificates, readiness
from fedtopics.network.plan.readiness import NotReadyError

NOW = datetime.now(UTC)


def test_the_coordinator_is_known_by_its_host(here: Path) -> None:
    server = certificates.read_certificate(here / "hub" / "server.crt")
    names = server.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert "hub.example.org" in names.get_values_for_type(x509.DNSName)
    assert certificates.common_name(server.subject) == "coordinator"
    certificates.check_issued(server, certificates.read_certificate(here / "hub" / "ca.crt"))


def test_certificates_end(here: Path) -> None:
    path = here / "hub" / "server.crt"
    readiness.check_certificate(path, NOW)
    with pytest.raises(NotReadyError, match="that ended"):
        readiness.check_certificate(path, NOW + timedelta(days=731))
    with pytest.raises(NotReadyError, match="check the clock"):
        readiness.check_certificate(path, NOW - timedelta(days=2))


def test_the_certificate_of_another_key_is_noticed(here: Path) -> None:
    offer(here).accept()
    shutil.copy(here / "other" / "party.key", here / "north" / "party.key")
    with pytest.raises(NotReadyError, match="that of another key"):
        readiness.check_identity(here / "north")


def test_clocks_may_differ_a_little() -> None:
    readiness.check_clock(1000.0, 1030.0, "north")
    with pytest.raises(NotReadyError, match="that of north 100 s behind"):
        readiness.check_clock(1000.0, 1100.0, "north")
    with pytest.raises(NotReadyError, match="that of north 100 s ahead"):
        readiness.check_clock(1100.0, 1000.0, "north")
    with pytest.raises(NotReadyError):
        readiness.check_clock(float("nan"), 1000.0, "north")


def test_a_certificate_that_the_library_only_puts_up_with_is_refused(here: Path) -> None:
    """A serial number below one, which the standard forbids."""
    from cryptography.hazmat.primitives.serialization import Encoding

    path = here / "hub" / "approved" / "north" / "party.crt"
    der = bytearray(certificates.read_certificate(path).public_bytes(Encoding.DER))
    serial = certificates.read_certificate(path).serial_number
    length = (serial.bit_length() + 8) // 8
    place = der.index(serial.to_bytes(length, "big"))
    der[place] |= 0x80
    path.write_text(ssl.DER_cert_to_PEM_cert(bytes(der)))
    with pytest.raises(InputError, match="expected a certificate"):
        certificates.read_certificate(path)
