r"""The secure sum: masks that cancel each other, so that a coordinator sees totals and no party's numbers.

    once a run    party i   draws a key pair (X25519) and signs the public key with the key of its certificate
                  all       are told all public keys, and check signatures, certificates and names
    every round   i and j   have a key  K_ij = HKDF-SHA256(X25519(i, j); plan, run, round, both names, all
                            parties of the sum, names and shapes of the arrays, and what both were told)
                  party i   sends  y_i = x_i + sum_{j > i} G(K_ij) - sum_{j < i} G(K_ij)   mod 2^64,
                            G(K) the key stream of ChaCha20 under K
                  server    adds up: every mask is in the total once with + and once with -

To who has no K_ij of two parties, what these two send is uniform but for its sum: with all others of a sum
on its side a coordinator sees one party, with all but two no more than these two together. A key is used for
one sum alone, as round and parties are part of it: no two messages have a mask in common. What a party was
told is part of it too: if a coordinator told some of them something else, to tell their answers apart in the
total (Pasquini, Francati, Ateniese, CCS 2022), it would get noise.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from numpy.typing import NDArray

from fedtopics.errors import InputError
from fedtopics.network.plan import certificates
from fedtopics.network.plan.readiness import check_period
from fedtopics.protocol.turn import Arrays

FORMAT = "fedtopics/secure-sum/1"
PREFIX = b"fedtopics key of a secure sum\n"
KEY_BYTES = 32
INTRODUCTION, MOST_BYTES = "introduction", 2**16  # as an array on the wire, and its size
Sign: TypeAlias = Callable[[bytes], str]


class PeersError(InputError):
    """A key that is not of the party it is said to be, or another one than before."""


@dataclass(frozen=True)
class Introduction:
    """A party's public key of one run, signed by the key of its certificate; keys and signature in hex."""

    party: str
    key: str
    certificate: str
    signature: str

    def to_bytes(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> "Introduction":
        """What came over the wire, not checked yet."""
        try:
            found = cls(**json.loads(content))
            fits = all(isinstance(text, str) for text in asdict(found).values())
            fits = fits and len(bytes.fromhex(found.key)) == KEY_BYTES
        except (ValueError, TypeError, RecursionError):
            fits = False
        if not fits or len(content) > MOST_BYTES:
            raise PeersError("expected a party's key with its signature, got other bytes")
        return found

    def checked(self, party: str, run: str, plan: str, authority: x509.Certificate) -> "Peer":
        """Whom it introduces, if the party's own certificate of this federation says so."""
        place = Path(f"certificate of {party}")
        own = certificates.parse_certificate(self.certificate.encode(), place)
        certificates.check_issued(own, authority)
        check_period(own, place)
        if (self.party, certificates.common_name(own.subject)) != (party, party):
            raise PeersError(f"expected the key of {party}, got that of another party")
        if not certificates.is_signed(own, _signed(party, run, plan, self.key), self.signature):
            raise PeersError(f"expected a key signed by {party}, got another signature")
        _secret(X25519PrivateKey.generate(), self.key, party)
        return Peer(self.key, certificates.fingerprint(own.public_key()))


@dataclass(frozen=True)
class Peer:
    """A party's public key of one run, and the fingerprint of who signed it."""

    key: str
    fingerprint: str


def introduced(
    party: str, run: str, plan: str, private: bytes, certificate: bytes, sign: Sign
) -> Introduction:
    """The party's key of a run as it shows it to others."""
    public = X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw().hex()
    signature = sign(_signed(party, run, plan, public))
    return Introduction(party, public, certificate.decode(), signature)


def new_key() -> bytes:
    """A private key, from the operating system."""
    return X25519PrivateKey.generate().private_bytes_raw()


def _signed(party: str, run: str, plan: str, key: str) -> bytes:
    return PREFIX + json.dumps([FORMAT, plan, run, party, key]).encode()


@dataclass(frozen=True)
class SecureSum:
    """What a party masks its numbers with: its name and private key, and the public keys of the others."""

    party: str
    private: bytes = field(repr=False)
    keys: Mapping[str, str]  # hex, by party
    plan: str
    run: str

    def masked(self, steps: Arrays, number: int, parties: Sequence[str], told: str = "") -> Arrays:
        """What this party sends in round `number` as its part of the sum over `parties`, in steps.

        told   digest of what it was told, and about which words
        """
        names = sorted(parties)
        if self.party not in names or len(set(names)) != len(names) or len(names) < 2:
            raise InputError(f"expected a sum over {self.party} and others, got {', '.join(names)}")
        total = {name: np.array(steps[name], np.uint64, order="C") for name in sorted(steps)}
        for other in names:
            if other != self.party:
                key = self._key(other, [*_about(total, number, names, self.plan, self.run), told])
                _add_stream(total, key, subtract=other < self.party)
        return total

    def _key(self, other: str, about: list[object]) -> bytes:
        """What this party and another one know alone, for one sum."""
        if other not in self.keys:
            raise PeersError(f"expected a key of {other}, got none")
        shared = _secret(X25519PrivateKey.from_private_bytes(self.private), self.keys[other], other)
        info = json.dumps([FORMAT, sorted((self.party, other)), *about]).encode()
        return HKDF(hashes.SHA256(), KEY_BYTES, salt=None, info=info).derive(shared)


def _secret(own: X25519PrivateKey, key: str, other: str) -> bytes:
    """What only the owners of the two keys can compute."""
    try:
        return own.exchange(X25519PublicKey.from_public_bytes(bytes.fromhex(key)))
    except ValueError:  # a point of small order: everybody would know the secret
        raise PeersError(f"expected a key of {other}, got one that makes no secret") from None


def _about(steps: Arrays, number: int, names: Sequence[str], plan: str, run: str) -> list[object]:
    """Everything that a mask is bound to beside the two who know it."""
    return [plan, run, number, list(names), [[name, list(array.shape)] for name, array in steps.items()]]


def _add_stream(total: Arrays, key: bytes, *, subtract: bool) -> None:
    """Add the key stream to the arrays, in the order of their names, or take it away."""
    stream = Cipher(algorithms.ChaCha20(key, bytes(16)), mode=None).encryptor()
    for array in total.values():
        mask: NDArray[np.uint64] = np.frombuffer(stream.update(bytes(array.nbytes)), "<u8")
        flat = array.reshape(-1)
        (np.subtract if subtract else np.add)(flat, mask, out=flat)


def opened(sent: Mapping[str, Arrays], parties: Sequence[str]) -> Arrays:
    """The sum, in steps, of what all `parties` of it have sent: with one of them missing it is noise."""
    if set(sent) != set(parties):
        raise InputError(f"expected the parts of {', '.join(parties)}, got those of {', '.join(sent)}")
    total: Arrays = {}
    for arrays in sent.values():
        for name, array in arrays.items():
            total[name] = np.asarray(total[name] + array) if name in total else array
    return total
