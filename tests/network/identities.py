"""Certificates of parties for tests without folders: one key for all names, as making keys takes time."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from fedtopics.network.party.sums import Identity
from fedtopics.network.plan import certificates


@cache
def authority(which: int) -> tuple[x509.Certificate, rsa.RSAPrivateKey]:
    """The certificate of an authority and its key; others for another number."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(certificates, "KEY_BITS", 2048)
        place = Path(folder)
        certificates.make_authority(place, f"test {which}")
        return certificates.read_certificate(place / "ca.crt"), certificates.read_key(place / "ca.key")


@cache
def identity(name: str, which: int = 0, other_key: bool = False) -> Identity:
    """Who a party is, by an authority; with a key of its own, or all with the authority's."""
    known, key = authority(which)
    own = authority(99)[1] if other_key else key
    with TemporaryDirectory() as folder:
        place = Path(folder)
        for file, held in (("ca.key", key), ("party.key", own)):
            (place / file).write_bytes(
                held.private_bytes(
                    serialization.Encoding.PEM,
                    serialization.PrivateFormat.TraditionalOpenSSL,
                    serialization.NoEncryption(),
                )
            )
        (place / "ca.crt").write_bytes(known.public_bytes(serialization.Encoding.PEM))
        request = certificates.read_request(certificates.make_request(place, name))[1]
        certificate = certificates.sign_request(place, request)

    def sign(content: bytes) -> str:
        return own.sign(content, certificates._padding(), hashes.SHA256()).hex()

    return Identity(certificate.public_bytes(serialization.Encoding.PEM), known, sign)
