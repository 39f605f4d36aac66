"""Keys, masks and sums, against independent computations; and what a coordinator sees of a party: nothing."""

from __future__ import annotations

import hmac
import json
import struct
from hashlib import sha256

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from hypothesis import given, settings
from hypothesis import strategies as st
from network.identities import authority, identity
from scipy import stats

from fedtopics.errors import InputError
from fedtopics.network.secure_sum import (
    FORMAT,
    Introduction,
    PeersError,
    SecureSum,
    introduced,
    new_key,
    opened,
)
from fedtopics.protocol.turn import Arrays

RATE = 1e-6  # of false alarms
PLAN, RUN = "p" * 64, "run-1"
# RFC 7748, section 6.1: Bob's private key, Alice's public key, and what the two know
BOB = bytes.fromhex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
ALICE = "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"
SECRET = bytes.fromhex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")


def chacha20(key: bytes, n_bytes: int) -> bytes:
    """The key stream of RFC 8439 with counter and nonce zero, by the book."""

    def quarter(x: list[int], a: int, b: int, c: int, d: int) -> None:
        for to, by, turned, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[to] = (x[to] + x[by]) & 0xFFFFFFFF
            mixed = x[turned] ^ x[to]
            x[turned] = ((mixed << bits) | (mixed >> (32 - bits))) & 0xFFFFFFFF

    found = b""
    for counter in range(-(-n_bytes // 64)):
        start = [*struct.unpack("<4I", b"expand 32-byte k"), *struct.unpack("<8I", key), counter, 0, 0, 0]
        x = list(start)
        for _ in range(10):
            for a in range(4):
                quarter(x, a, a + 4, a + 8, a + 12)
            for a in range(4):
                quarter(x, a, 4 + (a + 1) % 4, 8 + (a + 2) % 4, 12 + (a + 3) % 4)
        found += struct.pack(
            "<16I", *((one + other) & 0xFFFFFFFF for one, other in zip(x, start, strict=True))
        )
    return found[:n_bytes]


def hkdf(secret: bytes, info: bytes) -> bytes:
    """RFC 5869 with SHA-256, no salt, 32 bytes."""
    extracted = hmac.new(bytes(32), secret, sha256).digest()
    return hmac.new(extracted, info + b"\1", sha256).digest()


def public(private: bytes) -> str:
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw().hex()


def sums(names: list[str], privates: list[bytes] | None = None) -> dict[str, SecureSum]:
    """Parties that know each other."""
    held = dict(zip(names, privates or [new_key() for _ in names], strict=True))
    keys = {name: public(private) for name, private in held.items()}
    return {name: SecureSum(name, private, keys, PLAN, RUN) for name, private in held.items()}


def test_our_own_chacha20_and_hkdf_give_the_known_answers() -> None:
    assert chacha20(bytes(32), 32).hex() == "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
    # RFC 5869, test case 3: no salt and no info
    long = hkdf(b"\x0b" * 22, b"").hex()
    assert long == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"


def test_a_mask_is_the_key_stream_under_the_key_of_the_two_bound_to_the_sum() -> None:
    steps: Arrays = {"n": np.zeros((2, 3), np.uint64), "m": np.array([5], np.uint64)}
    made = SecureSum("bob", BOB, {"alice": ALICE}, PLAN, RUN).masked(steps, 7, ["bob", "alice"], "heard")
    about = [FORMAT, ["alice", "bob"], PLAN, RUN, 7, ["alice", "bob"], [["m", [1]], ["n", [2, 3]]], "heard"]
    stream = np.frombuffer(chacha20(hkdf(SECRET, json.dumps(about).encode()), 56), "<u8")
    assert made["m"].tolist() == [(5 - int(stream[0])) % 2**64]  # alice adds what bob takes away
    assert made["n"].ravel().tolist() == [-int(word) % 2**64 for word in stream[1:]]


@pytest.mark.parametrize("n_parties", [2, 3, 7, 50])
def test_masks_cancel_to_the_last_bit(n_parties: int) -> None:
    generator = np.random.default_rng(n_parties)
    names = [f"p{number:02}" for number in range(n_parties)]
    steps: dict[str, Arrays] = {
        name: {"n": generator.integers(0, 2**64, (5, 4), np.uint64), "m": np.array(number, np.uint64)}
        for number, name in enumerate(names)
    }
    sent = {name: party.masked(steps[name], 3, names) for name, party in sums(names).items()}
    total = opened(sent, names)
    with np.errstate(over="ignore"):
        assert np.array_equal(
            total["n"], np.sum([steps[name]["n"] for name in names], axis=0, dtype=np.uint64)
        )
    assert int(total["m"]) == n_parties * (n_parties - 1) // 2


@settings(max_examples=25)
@given(st.sampled_from(["plan", "run", "number", "parties", "shape", "name", "told"]))
def test_whatever_a_sum_is_bound_to_changes_every_mask(what: str) -> None:
    parties = sums(["a", "b", "c"], [bytes([n]) * 32 for n in (1, 2, 3)])
    steps: Arrays = {"n": np.zeros((4, 2), np.uint64)}
    one = parties["a"].masked(steps, 1, ["a", "b", "c"])["n"].ravel()
    other = SecureSum(
        "a",
        parties["a"].private,
        parties["a"].keys,
        "q" * 64 if what == "plan" else PLAN,
        "run-2" if what == "run" else RUN,
    )
    steps = {"m" if what == "name" else "n": np.zeros((2, 4) if what == "shape" else (4, 2), np.uint64)}
    present = ["a", "b"] if what == "parties" else ["a", "b", "c"]
    heard = "other" if what == "told" else ""
    [found] = other.masked(steps, 2 if what == "number" else 1, present, heard).values()
    assert not set(one.tolist()) & set(found.ravel().tolist())


@pytest.mark.parametrize("value", [0, 1, 2**63, 12345])
def test_what_a_coordinator_sees_of_a_party_is_uniform(value: int) -> None:
    steps: Arrays = {"n": np.full(2**17, value, np.uint64)}
    for name, party in sums(["a", "b", "c"], [bytes([n]) * 32 for n in (5, 6, 7)]).items():
        seen = party.masked(steps, 0, ["a", "b", "c"])["n"].view(np.uint8)
        counts = np.bincount(seen, minlength=256)
        assert stats.chisquare(counts).pvalue > RATE / 12, name


def test_with_all_but_two_a_coordinator_sees_nothing_and_with_one_more_everything() -> None:
    names, honest = ["a", "b", "c", "d", "e"], ["a", "b"]  # t = 3 = n - 2 collude
    parties = sums(names, [bytes([n]) * 32 for n in range(1, 6)])
    secret: dict[str, Arrays] = {
        name: {"n": np.full(2**15, 1000 + place, np.uint64)} for place, name in enumerate(names)
    }
    sent = {name: parties[name].masked(secret[name], 0, names)["n"] for name in names}

    def without(colluding: list[str], name: str) -> np.ndarray:
        """What party `name` sent, less the masks that those who collude know."""
        left = sent[name].copy()
        for other in colluding:
            lone = SecureSum(other, parties[other].private, parties[other].keys, PLAN, RUN)
            about = [PLAN, RUN, 0, names, [["n", [2**15]]], ""]
            stream = Cipher(algorithms.ChaCha20(lone._key(name, about), bytes(16)), mode=None).encryptor()
            mask = np.frombuffer(stream.update(bytes(2**18)), "<u8")
            left = left + mask if other < name else left - mask
        return left

    seen = {name: without(["c", "d", "e"], name) for name in honest}
    for name in honest:
        assert stats.chisquare(np.bincount(seen[name].view(np.uint8), minlength=256)).pvalue > RATE / 2
    assert np.array_equal(seen["a"] + seen["b"], secret["a"]["n"] + secret["b"]["n"])
    assert np.array_equal(without(["b", "c", "d", "e"], "a"), secret["a"]["n"])


def test_a_sum_without_one_of_its_parties_is_not_opened() -> None:
    parties = sums(["a", "b", "c"])
    sent = {name: parties[name].masked({"n": np.zeros(2, np.uint64)}, 0, ["a", "b", "c"]) for name in "ab"}
    with pytest.raises(InputError, match="expected the parts of a, b, c, got those of a, b"):
        opened(sent, ["a", "b", "c"])


@pytest.mark.parametrize("names", [["b", "c"], ["a"], ["a", "a"], []])
def test_a_party_masks_sums_with_others_in_it_alone(names: list[str]) -> None:
    with pytest.raises(InputError, match="expected a sum over a and others"):
        sums(["a", "b", "c"])["a"].masked({"n": np.zeros(2, np.uint64)}, 0, names)


def test_a_key_that_makes_no_secret_is_refused() -> None:
    party = SecureSum("a", new_key(), {"b": bytes(32).hex()}, PLAN, RUN)
    with pytest.raises(PeersError, match="makes no secret"):
        party.masked({"n": np.zeros(2, np.uint64)}, 0, ["a", "b"])
    with pytest.raises(PeersError, match="expected a key of c, got none"):
        party.masked({"n": np.zeros(2, np.uint64)}, 0, ["a", "c"])


def introduction(name: str = "north", **changed: str) -> Introduction:
    own = identity(name)
    made = introduced(name, RUN, PLAN, bytes([7]) * 32, own.certificate, own.sign)
    return Introduction(**vars(made) | changed)


def test_an_introduction_is_believed_of_its_own_party_for_its_own_run_alone() -> None:
    known = authority(0)[0]
    peer = introduction().checked("north", RUN, PLAN, known)
    assert peer.key == public(bytes([7]) * 32)
    for of in (("south", RUN, PLAN), ("north", "run-2", PLAN), ("north", RUN, "q" * 64)):
        with pytest.raises(PeersError):
            introduction().checked(*of, known)
    with pytest.raises(PeersError, match="signed by north"):
        introduction(key="ab" * 32).checked("north", RUN, PLAN, known)
    with pytest.raises(PeersError, match="that of another party"):
        introduction(certificate=identity("south").certificate.decode()).checked("north", RUN, PLAN, known)
    with pytest.raises(InputError, match="signed by the coordinator's authority"):
        introduction().checked("north", RUN, PLAN, authority(1)[0])


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[]",
        b'{"party": 1, "key": "ab", "certificate": "", "signature": ""}',
        json.dumps({"party": "a", "key": "zz", "certificate": "", "signature": ""}).encode(),
        json.dumps({"party": "a" * 2**16, "key": "ab" * 32, "certificate": "", "signature": ""}).encode(),
    ],
)
def test_bytes_that_introduce_nobody_are_refused(content: bytes) -> None:
    with pytest.raises(PeersError, match="expected a party's key with its signature"):
        Introduction.from_bytes(content)


def test_a_private_key_is_shown_nowhere() -> None:
    party = sums(["a", "b"])["a"]
    assert party.private.hex() not in repr(party)
    assert repr(party.private) not in repr(party)
