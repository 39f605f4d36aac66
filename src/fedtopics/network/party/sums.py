"""A party's part in secure sums: its key of each run, the keys of the others, and which sum it is part of.

All of it is on the disk before anything is sent: a party that is started again answers as before. A key that
was told once never changes within a run; parties that come late are added. Of one round a party is part of
one sum alone: from the sums over two sets of parties the numbers of who is in one of them would follow.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256

import numpy as np
from cryptography import x509

from fedtopics import files
from fedtopics.errors import InputError
from fedtopics.network import wire
from fedtopics.network.messages import Request
from fedtopics.network.party.store import PartyStore
from fedtopics.network.party.words import told_words
from fedtopics.network.plan.terms import Terms
from fedtopics.network.secure_sum import (
    INTRODUCTION,
    MOST_BYTES,
    Introduction,
    Peer,
    PeersError,
    SecureSum,
    Sign,
    introduced,
    new_key,
)
from fedtopics.protocol.engine import digest
from fedtopics.protocol.summing import in_steps
from fedtopics.protocol.turn import Arrays

KEY, PEERS, SUMS = "key", "peers", "sums"
SALT, SALT_BYTES = "salt", 32
TOLD = "told"  # a digest of it


class OtherSumError(InputError):
    """Another sum of the same round, over too few parties, or over some that are not of the plan."""


@dataclass(frozen=True)
class Identity:
    """Who a party is to others: its certificate, what signs in its name, and whom it takes others for.

    known   fingerprints of other parties' keys, where its policy names them
    least   the fewest parties of a sum that it takes part in, by its policy
    """

    certificate: bytes
    authority: x509.Certificate
    sign: Sign
    known: Mapping[str, str] = field(default_factory=dict)
    least: int = 2


@dataclass
class PartySums:
    """What a party has noted of the secure sums of its runs."""

    name: str
    terms: Terms
    store: PartyStore
    identity: Identity

    def key(self, asked: Request) -> bytes:
        """This party's key of the run, for the others."""
        return wire.pack({INTRODUCTION: np.frombuffer(self._introduction(asked.run).to_bytes(), np.uint8)})

    def peers(self, asked: Request) -> bytes:
        """Take the keys of the run's parties."""
        told = wire.unpack(asked.body, limit=MOST_BYTES * len(self.terms.parties))
        self._meet(asked.run, {name: array.tobytes() for name, array in told.items()})
        return wire.pack({})

    def in_steps(self, arrays: Arrays, told: Arrays, vocabulary: str) -> Arrays:
        """What is stored of a release: integers, what was told, and salt.

        The coordinator gets a digest of it, and could else try all values of a single number with noise.
        """
        steps = in_steps(arrays, self.terms.method.sums or {}, len(self.terms.parties))
        known = sha256(f"{digest(told)} {vocabulary}".encode()).digest()
        beside = {SALT: os.urandom(SALT_BYTES), TOLD: known}
        return steps | {name: np.frombuffer(content, np.uint8) for name, content in beside.items()}

    def sum(self, asked: Request) -> bytes:
        """This party's part of a sum, of what it has released in this round."""
        released = self.store.stored(asked.run, asked.round, "contribute")
        if released is None:
            raise OtherSumError(f"expected a round with a release, got {asked.round}")
        steps = wire.unpack(released, limit=wire.MOST_ELEMENTS)
        del steps[SALT]
        told = steps.pop(TOLD).tobytes().hex()
        return wire.pack(self._masked(asked.run, asked.round, told_words(asked.body), steps, told))

    def _introduction(self, run: str) -> Introduction:
        """This party's key of the run, drawn when it is first asked for."""
        note = self.store.note(run, KEY)
        if not note.is_file():
            files.write(note, new_key())
        own = self.identity
        return introduced(self.name, run, self.terms.plan, note.read_bytes(), own.certificate, own.sign)

    def _meet(self, run: str, introductions: Mapping[str, bytes]) -> None:
        """Take these as the keys of the run's parties, or raise `PeersError`: known ones never change."""
        strangers = sorted(set(introductions) - set(self.terms.parties))
        if strangers:
            raise PeersError(f"expected parties of the plan, got {strangers[0]!r:.60}")
        known = self._peers(run)
        found = dict(known)
        for name, content in introductions.items():
            told = Introduction.from_bytes(content)
            if name not in known:
                found[name] = self._checked(run, name, told)
            elif told.key != known[name].key:
                raise PeersError(f"expected the keys that run {run} began with, got another of {name}")
        if self.name not in found or found[self.name].key != self._introduction(run).key:
            raise PeersError("expected this party's own key among the keys of the run, got another or none")
        if found != known:
            rows = {name: asdict(found[name]) for name in sorted(found)}
            files.write(self.store.note(run, PEERS), json.dumps(rows).encode())

    def _masked(self, run: str, number: int, parties: tuple[str, ...], steps: Arrays, told: str) -> Arrays:
        """This party's part of the sum of round `number` over `parties`, if it is the only one of it."""
        self._check_sum(parties)
        known, note = self._peers(run), self.store.note(run, SUMS)
        asked = {"round": number, "parties": sorted(parties)}
        noted = json.loads(note.read_bytes()) if note.is_file() else None
        if noted is not None and noted != asked and noted["round"] >= number:
            raise OtherSumError(
                f"expected the sum over {', '.join(noted['parties'])} in round {noted['round']}, got another"
            )
        keys = {name: peer.key for name, peer in known.items()}
        private = self.store.note(run, KEY).read_bytes()
        own = SecureSum(self.name, private, keys, self.terms.plan, run)
        sent = own.masked(steps, number, parties, told)
        if noted != asked:
            files.write(note, json.dumps(asked).encode())
        return sent

    def forget(self, run: str) -> None:
        """Delete the key of a finished run: what was sent cannot be opened with it any more."""
        self.store.note(run, KEY).unlink(missing_ok=True)

    def _check_sum(self, parties: tuple[str, ...]) -> None:
        terms, summing = self.terms, self.terms.summing
        if summing is None:
            raise OtherSumError("the plan has no secure sum: nothing is sent")
        least = max(terms.min_parties, self.identity.least, summing.least(len(terms.parties)))
        if not set(parties) <= set(terms.parties) or len(set(parties)) != len(parties):
            raise OtherSumError("expected parties of the plan, each once, got others")
        if self.name not in parties or len(parties) < least:
            raise OtherSumError(
                f"expected a sum over this and at least {least - 1} others, got {len(parties)} in all"
            )

    def _checked(self, run: str, name: str, told: Introduction) -> Peer:
        peer = told.checked(name, run, self.terms.plan, self.identity.authority)
        wanted = self.identity.known.get(name)
        if wanted is not None and wanted.replace(" ", "").lower() != peer.fingerprint.replace(" ", ""):
            raise PeersError(f"expected the fingerprint of {name} in this party's policy, got another")
        return peer

    def _peers(self, run: str) -> dict[str, Peer]:
        note = self.store.note(run, PEERS)
        rows = json.loads(note.read_bytes()) if note.is_file() else {}
        return {name: Peer(**row) for name, row in rows.items()}
