"""Keys and certificates: who may speak, and under which name. Keys stay where they are made.

    coordinator   ca.key, ca.crt            signs the others; whoever has ca.key decides who takes part
                  server.key, server.crt    name "coordinator", for the addresses that parties use
                  signing.key               Ed25519, signs run records
    party         party.key, party.crt      the party's name; the certificate is signed on request
                  a ticket                  "joining NAME", for some days: all that it opens is the way in

All are PEM (RSA of 3072 bits, SHA-256). A private key is written once, for its owner alone, and never sent,
save that of a ticket (Ed25519), which is nobody's identity: it is the code of an invitation.
"""

import ipaddress
import re
import warnings
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from fedtopics import files
from fedtopics.errors import InputError
from fedtopics.network.tls import COORDINATOR

CERTIFICATE = "certificate"  # what a renewed one is called on the wire
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,40}")
TAKEN = ("server", COORDINATOR, "admin")
JOINING = "joining "  # before the name of an invited party: no party can be called so
AUTHORITY_DAYS, DAYS = 3650, 730
TOLERANCE = timedelta(days=1)  # clocks differ: a certificate holds from a day before it was made
KEY_BITS, LEAST_KEY_BITS = 3072, 2048
PUBLIC_FILE = 0o644
MOST_BYTES = 2**16  # of a certificate, a request or a public key
PublicKey: TypeAlias = rsa.RSAPublicKey | ed25519.Ed25519PublicKey
UNREADABLE = (OSError, ValueError, TypeError, UnsupportedAlgorithm, x509.InvalidVersion, Warning)


def party_name(text: str) -> str:
    """The text, if a party may be called so: names become parts of paths and stand in terminals."""
    if not NAME.fullmatch(text) or text.lower() in TAKEN:
        raise InputError(f"a party's name must be letters, digits, - and _, got {text!r:.60}")
    return text


def make_key(path: Path) -> rsa.RSAPrivateKey:
    """A new private key at `path`; one that is there is not overwritten."""
    if path.exists():
        raise InputError(f"expected no key at {path}, got one; keys are never overwritten")
    key = rsa.generate_private_key(public_exponent=65537, key_size=KEY_BITS)
    form = serialization.PrivateFormat.TraditionalOpenSSL
    plain = serialization.NoEncryption()
    files.write(path, key.private_bytes(serialization.Encoding.PEM, form, plain))
    return key


def make_signing_key(path: Path) -> None:
    """A new Ed25519 key that signs run records, and beside it (.pub) the one that checks them."""
    form, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    key, coding = ed25519.Ed25519PrivateKey.generate(), serialization.Encoding.PEM
    files.write(path, key.private_bytes(coding, form, plain))
    public = key.public_key().public_bytes(coding, serialization.PublicFormat.SubjectPublicKeyInfo)
    files.write(path.with_suffix(".pub"), public, mode=PUBLIC_FILE)


@lru_cache(maxsize=1)
def _parsed_key(content: bytes) -> PrivateKeyTypes:
    """The key in a file; that it is a sound one is looked at once, as it takes a tenth of a second."""
    return serialization.load_pem_private_key(content, None)


def read_key(path: Path) -> rsa.RSAPrivateKey:
    try:
        key = _parsed_key(files.read(path, MOST_BYTES))
    except UNREADABLE:
        raise InputError(f"expected a private key in {path}, got none") from None
    if not isinstance(key, rsa.RSAPrivateKey):
        raise InputError(f"expected an RSA key in {path}, got another kind")
    return key


def read_certificate(path: Path) -> x509.Certificate:
    """The certificate in a file, for one name and a key of a kind that is known."""
    try:
        content = files.read(path, MOST_BYTES)
    except OSError:
        content = b""
    return parse_certificate(content, path)


def parse_certificate(content: bytes, path: Path) -> x509.Certificate:
    try:
        with warnings.catch_warnings():  # what is only put up with for now is refused
            warnings.simplefilter("error")
            found = x509.load_pem_x509_certificate(content)
        _ = found.public_key(), common_name(found.subject)  # are parsed only when they are asked for
        _ = found.not_valid_before_utc, found.not_valid_after_utc
    except UNREADABLE:
        raise InputError(f"expected a certificate in {path}, got none") from None
    return found


def make_authority(folder: Path, federation: str) -> None:
    """The coordinator's authority: ca.key and ca.crt, which signs itself."""
    key = make_key(folder / "ca.key")
    name = _name(f"{federation} authority", federation)
    usage = x509.KeyUsage(True, False, False, False, False, True, True, False, False)
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    built = _builder(name, name, key.public_key(), AUTHORITY_DAYS)
    built = built.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    built = built.add_extension(usage, critical=True).add_extension(identifier, critical=False)
    _write(folder / "ca.crt", built.sign(key, hashes.SHA256()))


def make_server(folder: Path, host: str) -> None:
    """The certificate of the coordinator's server, with a key where there is none yet."""
    key_file, hosts = folder / "server.key", [COORDINATOR, "localhost", "127.0.0.1", host]
    key = read_key(key_file) if key_file.exists() else make_key(key_file)
    _write(folder / "server.crt", _signed(folder, _name(COORDINATOR, COORDINATOR), key.public_key(), hosts))


def make_request(folder: Path, party: str) -> Path:
    """The party's key, where there is none yet, and a request that its certificate be signed."""
    key_file = folder / "party.key"
    request = x509.CertificateSigningRequestBuilder().subject_name(_name(party_name(party), party))
    key = read_key(key_file) if key_file.exists() else make_key(key_file)
    path = folder / f"{party}.csr"
    signed = request.sign(key, hashes.SHA256())
    files.write(path, signed.public_bytes(serialization.Encoding.PEM), mode=PUBLIC_FILE)
    return path


def make_ticket(folder: Path, party: str, days: float) -> tuple[bytes, str]:
    """A certificate that lets a party of this name ask for its own, and the code that is its key."""
    key, subject = ed25519.Ed25519PrivateKey.generate(), _name(JOINING + party_name(party), party)
    signed = _signed(folder, subject, key.public_key(), (JOINING.strip(),), days)
    return signed.public_bytes(serialization.Encoding.PEM), key.private_bytes_raw().hex()


def ticket_key(code: str) -> ed25519.Ed25519PrivateKey:
    """The key that a code stands for."""
    try:
        return ed25519.Ed25519PrivateKey.from_private_bytes(bytes.fromhex(code))
    except (ValueError, TypeError):
        raise InputError(
            "expected the code of an invitation, got something else; ask for a new one"
        ) from None


def write_ticket(folder: Path, ticket: bytes, code: str) -> None:
    """Ticket and key as files for TLS, for their owner alone."""
    form, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    key = ticket_key(code).private_bytes(serialization.Encoding.PEM, form, plain)
    files.write(folder / "ticket.crt", ticket)
    files.write(folder / "ticket.key", key)


def read_request(path: Path) -> tuple[str, x509.CertificateSigningRequest]:
    """The name and the request in a file, if its sender has the key."""
    return parse_request(files.read(path, MOST_BYTES, links=False), path)


def parse_request(content: bytes, path: Path) -> tuple[str, x509.CertificateSigningRequest]:
    """The same of a request that came from `path`."""
    try:
        request = x509.load_pem_x509_csr(content)
        whole, key, name = request.is_signature_valid, request.public_key(), common_name(request.subject)
    except UNREADABLE:
        raise InputError(f"expected a certificate request in {path}, got none") from None
    if not whole or not isinstance(key, rsa.RSAPublicKey) or key.key_size < LEAST_KEY_BITS:
        raise InputError(f"expected a request signed by its own RSA key in {path}, got another")
    return party_name(name), request


def sign_request(folder: Path, request: x509.CertificateSigningRequest) -> x509.Certificate:
    """The party's certificate: its name and key, and nothing else that the request may ask for."""
    party, key = common_name(request.subject), request.public_key()
    if not isinstance(key, rsa.RSAPublicKey):
        raise InputError("expected an RSA key in the request, got another kind")
    return _signed(folder, _name(party, party), key, (party,))


def renewed(folder: Path, known: x509.Certificate) -> x509.Certificate:
    """A certificate of the authority in `folder` for the name and key of one that it has signed before."""
    check_issued(known, read_certificate(folder / "ca.crt"))
    party, key = common_name(known.subject), known.public_key()
    if not isinstance(key, rsa.RSAPublicKey):
        raise InputError("expected a certificate of an RSA key, got another kind")
    return _signed(folder, _name(party, party), key, (party,))


def check_issued(certificate: x509.Certificate, authority: x509.Certificate) -> None:
    try:
        certificate.verify_directly_issued_by(authority)
    except (InvalidSignature, *UNREADABLE):
        raise InputError(
            "expected a certificate signed by the coordinator's authority, got another"
        ) from None


def fingerprint(key: object) -> str:
    """SHA-256 of a public key in groups of four digits: what two people compare on the telephone."""
    if not isinstance(key, rsa.RSAPublicKey):
        raise InputError(f"expected an RSA key, got {type(key).__name__}")
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    digest = hashes.Hash(hashes.SHA256())
    digest.update(key.public_bytes(serialization.Encoding.DER, form))
    text = digest.finalize().hex()[:32]
    return " ".join(text[place : place + 4] for place in range(0, 32, 4))


def common_name(name: x509.Name) -> str:
    """The one name of a certificate or request."""
    found = name.get_attributes_for_oid(NameOID.COMMON_NAME)
    if len(found) != 1:
        raise InputError(f"expected one name in a certificate, got {len(found)}")
    return str(found[0].value)


def sign(key_file: Path, content: bytes) -> str:
    """The signature of a party's key under these bytes."""
    return read_key(key_file).sign(content, _padding(), hashes.SHA256()).hex()


def is_signed(certificate: x509.Certificate, content: bytes, signature: str) -> bool:
    """Whether the owner of the certificate has signed these bytes."""
    key = certificate.public_key()
    if not isinstance(key, rsa.RSAPublicKey):
        return False
    try:
        key.verify(bytes.fromhex(signature), content, _padding(), hashes.SHA256())
    except (InvalidSignature, ValueError, TypeError):
        return False
    return True


def _padding() -> padding.PSS:
    return padding.PSS(padding.MGF1(hashes.SHA256()), padding.PSS.DIGEST_LENGTH)


def _name(common: str, organization: str) -> x509.Name:
    parts = [(NameOID.COMMON_NAME, common), (NameOID.ORGANIZATION_NAME, organization)]
    return x509.Name([x509.NameAttribute(kind, value) for kind, value in parts])


def _signed(
    folder: Path, subject: x509.Name, key: PublicKey, hosts: Sequence[str], days: float | None = None
) -> x509.Certificate:
    """A certificate of the authority in `folder`, for one subject at these addresses."""
    authority, authority_key = read_certificate(folder / "ca.crt"), read_key(folder / "ca.key")
    usages = [ExtendedKeyUsageOID.CLIENT_AUTH]
    usages += [ExtendedKeyUsageOID.SERVER_AUTH] if common_name(subject) == COORDINATOR else []
    names = x509.SubjectAlternativeName([_address(host) for host in dict.fromkeys(hosts)])
    issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key())
    built = _builder(subject, authority.subject, key, DAYS if days is None else days)
    built = built.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    built = built.add_extension(names, critical=False).add_extension(issuer, critical=False)
    built = built.add_extension(x509.ExtendedKeyUsage(usages), critical=False)
    return built.sign(authority_key, hashes.SHA256())


def _builder(subject: x509.Name, issuer: x509.Name, key: PublicKey, days: float) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - TOLERANCE)
        .not_valid_after(now + timedelta(days=days))
    )


def _address(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _write(path: Path, certificate: x509.Certificate) -> None:
    files.write(path, certificate.public_bytes(serialization.Encoding.PEM), mode=PUBLIC_FILE)
