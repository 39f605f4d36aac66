"""A key that is no secret, and certificates and requests of it: the same bytes in every run."""

from __future__ import annotations

from base64 import encodebytes
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509.oid import NameOID

PEM, DER = serialization.Encoding.PEM, serialization.Encoding.DER
PUBLIC_EXPONENT = 65537
PRIMES = (2**1024 - 105, 2**1024 - 179)


@cache
def _key() -> rsa.RSAPrivateKey:
    p, q = PRIMES
    d = pow(PUBLIC_EXPONENT, -1, (p - 1) * (q - 1))
    numbers = rsa.RSAPublicNumbers(PUBLIC_EXPONENT, p * q)
    return rsa.RSAPrivateNumbers(p, q, d, d % (p - 1), d % (q - 1), pow(q, -1, p), numbers).private_key()


def _name(party: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, party)])


@cache
def certificate_of(party: str) -> x509.Certificate:
    """A certificate that signs itself."""
    return (
        x509.CertificateBuilder(_name(party), _name(party), _key().public_key(), 7)
        .not_valid_before(datetime(2026, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2036, 1, 1, tzinfo=UTC))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(_key(), hashes.SHA256())
    )


def _request() -> x509.CertificateSigningRequest:
    return x509.CertificateSigningRequestBuilder(_name("north")).sign(_key(), hashes.SHA256())


CODE = "01" * 32


def ticket() -> x509.Certificate:
    """A ticket for north, of the authority that signs itself as west."""
    key = ed25519.Ed25519PrivateKey.from_private_bytes(bytes.fromhex(CODE))
    return (
        x509.CertificateBuilder(_name("west"), _name("joining north"), key.public_key(), 8)
        .not_valid_before(datetime(2026, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2036, 1, 1, tzinfo=UTC))
        .sign(_key(), hashes.SHA256())
    )


def certificates() -> list[bytes]:
    return [certificate_of("north").public_bytes(PEM)]


def certificates_der() -> list[bytes]:
    return [certificate_of("north").public_bytes(DER)]


def requests() -> list[bytes]:
    return [_request().public_bytes(PEM)]


def requests_der() -> list[bytes]:
    return [_request().public_bytes(DER)]


def keys() -> list[bytes]:
    others = (
        ed25519.Ed25519PrivateKey.from_private_bytes(b"\1" * 32),
        ec.derive_private_key(7, ec.SECP256R1()),
    )
    form, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return [key.private_bytes(PEM, form, plain) for key in (_key(), *others)]


def armored(use: Callable[[Path], object], kind: str) -> Callable[[Path], object]:
    """A reader of PEM, for the bytes inside: changing those of the armor mostly breaks the armor."""

    def run(path: Path) -> object:
        lines = encodebytes(path.read_bytes())
        path.write_bytes(f"-----BEGIN {kind}-----\n".encode() + lines + f"-----END {kind}-----\n".encode())
        return use(path)

    return run
