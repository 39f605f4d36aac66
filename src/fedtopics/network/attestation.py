"""What a party says itself that a run has cost it, signed with its key.

    statement   canonical JSON: format, party, run, plan, privacy (a row per relation), noise, entries, time
    signature   of the party's key under "fedtopics attestation", a line break and the statement

It is made from the party's own ledger and depends on prices alone: no document is read, and it costs nothing.
`entries` names this run's lines in the ledger by operation, round and digest; what failed after it was
charged is among them. A digest covers all lines before it, so a ledger that was put back from before is found
out by comparing. How many lines belong to other runs, and how many there are in all, is left out: it would
tell the coordinator of runs that are not its own. Those of all parties lie beside a record
(`attestations.json`):

    {"format": ..., "parties": {NAME: {"statement": TEXT, "signature": HEX, "certificate": PEM}}}
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from math import isfinite
from typing import Any, TypeAlias

import numpy as np
from cryptography import x509

from fedtopics.errors import InputError
from fedtopics.network import wire
from fedtopics.network.plan import certificates
from fedtopics.privacy.price.cost import RELATIONS, SOURCES
from fedtopics.privacy.price.ledger import Entry, Ledger

FORMAT = "fedtopics/attestation/1"
FILE, FILE_FORMAT = "attestations.json", "fedtopics/attestations/1"
ATTESTED, PLANNED = "attested", "planned, not attested"
PREFIX = b"fedtopics attestation\n"
MOST_BYTES = 2**22
OPERATIONS = ("contribute", "evaluate", "failed")
BASES = ("proved", "claimed", "none")
DIGEST, TIME = re.compile(r"[0-9a-f]{64}"), re.compile(r"[0-9T:+-]{1,40}")
Sign: TypeAlias = Callable[[bytes], str]
Row: TypeAlias = Mapping[str, Any]


class AttestationError(InputError):
    """What a party states is not its own, not of this run, or does not make sense."""


@dataclass(frozen=True)
class Statement:
    """What one run has cost one party."""

    party: str
    run: str
    plan: str
    privacy: list[dict[str, Any]]
    noise: str
    entries: list[list[Any]]  # operation, round, digest
    time: str
    format: str = FORMAT

    @property
    def released(self) -> set[tuple[str, int]]:
        """Operation and round of every release."""
        return {(operation, number) for operation, number, _ in self.entries}

    def text(self) -> str:
        """The one way to write it."""
        return _canonical(asdict(self))


@dataclass(frozen=True)
class Attestation:
    """A statement as it was signed."""

    statement: str
    signature: str

    def to_bytes(self) -> bytes:
        return wire.pack({name: np.frombuffer(text.encode(), np.uint8) for name, text in vars(self).items()})

    @classmethod
    def from_bytes(cls, body: bytes) -> "Attestation":
        """What came over the wire, not checked yet."""
        arrays = wire.unpack(body, limit=MOST_BYTES)
        if set(arrays) != {"statement", "signature"}:
            raise AttestationError("expected a statement and its signature, got other arrays")
        try:
            return cls(*(arrays[name].tobytes().decode() for name in ("statement", "signature")))
        except UnicodeDecodeError:
            raise AttestationError("expected a statement as text, got other bytes") from None

    def checked(self, certificate: x509.Certificate, party: str, run: str, plan: str) -> Statement:
        """What was stated, if the owner of the certificate signed it, for this run of this plan."""
        told = self.by(certificate, party)
        if (told.run, told.plan) != (run, plan):
            raise AttestationError(f"expected a statement of {party} on {run}, got one on something else")
        return told

    def by(self, certificate: x509.Certificate, party: str) -> Statement:
        """What was stated, if the owner of the certificate signed it, of whatever run."""
        if certificates.common_name(certificate.subject) != party:
            raise AttestationError(f"expected the certificate of {party}, got that of another party")
        if not certificates.is_signed(certificate, PREFIX + self.statement.encode(), self.signature):
            raise AttestationError(f"expected a statement signed by {party}, got another signature")
        told = _parsed(self.statement)
        if told.party != party:
            raise AttestationError(f"expected a statement of {party}, got one on something else")
        return told


@dataclass(frozen=True)
class Attested(Attestation):
    """A party's statement as it was signed, and the certificate that shows it."""

    certificate: str


def made(party: str, run: str, plan: str, entries: Sequence[Entry], sign: Sign) -> Attestation:
    """What these entries of the party's ledger have cost it in this run, signed."""
    told = stated(party, run, plan, entries)
    return Attestation(told.text(), sign(PREFIX + told.text().encode()))


def stated(party: str, run: str, plan: str, entries: Sequence[Entry]) -> Statement:
    """What these entries of the party's ledger have cost it in this run, as of now."""
    ledger = Ledger(entries=list(entries))
    return Statement(
        party,
        run,
        plan,
        [dict(row) for row in ledger.statements()],
        ledger.noise,
        [[entry.run.removeprefix(f"{run}/"), entry.round, entry.digest] for entry in entries],
        datetime.now(UTC).isoformat(timespec="seconds"),
    )


def by_relation(rows: Sequence[Row]) -> dict[tuple[Any, bool], Row]:
    """Each price at its relation, and whether it is claimed; a second price there would hide the first."""
    found = {(row["relation"], row["basis"] == "claimed"): row for row in rows}
    if len(found) != len(rows) or any((row["basis"] == "none") != (row["epsilon"] == "inf") for row in rows):
        raise AttestationError("expected one price for each relation, with its basis, got others")
    return found


def check_prices(told: Statement, least: Sequence[Row], most: Sequence[Row]) -> None:
    """Raise unless a party states no less than what was heard of it costs, and no more than is allowed."""
    stated, heard, allowed = map(by_relation, (told.privacy, least, most))
    for place, row in heard.items():
        if place not in stated or not covers(stated[place], row):
            raise AttestationError(f"it states less than what it has sent costs ({row['relation']})")
    for place, row in stated.items():
        limits = [limit[place] for limit in (heard, allowed) if place in limit]
        if not any(covers(limit, row) for limit in limits):
            raise AttestationError(f"it states more than what the plan allows ({row['relation']})")


def covers(price: Row, other: Row) -> bool:
    """Whether a price is no less than another of its relation."""
    higher = float(price["epsilon"]) >= float(other["epsilon"]) * (1 - 1e-9)
    return higher and (price["epsilon"] == "inf" or float(price["delta"]) >= float(other["delta"]))


def written(attested: Mapping[str, Attested]) -> bytes:
    """The content of `attestations.json`."""
    parties = {name: asdict(attested[name]) for name in sorted(attested)}
    return (json.dumps({"format": FILE_FORMAT, "parties": parties}, indent=1) + "\n").encode()


def _canonical(value: Mapping[str, Any]) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _parsed(text: str) -> Statement:
    """The statement in a text, and nothing else that could be in it: it ends up in records and pages."""
    try:
        told = json.loads(text)
        found = Statement(**told)
        fits = _canonical(told) == text and found.format == FORMAT and _is_plain(found)
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, RecursionError):
        fits = False
    if not fits:
        raise AttestationError(f"expected a statement of format {FORMAT}, got another text")
    return found


def _is_plain(told: Statement) -> bool:
    texts = (told.party, told.run, told.plan, told.time, told.noise)
    places = [(row[0], row[1]) for row in told.entries]
    return (
        all(isinstance(text, str) for text in texts)
        and bool(TIME.fullmatch(told.time))
        and told.noise in SOURCES
        and all(_is_entry(row) for row in told.entries)
        and len(set(places)) == len(places)
        and all(_is_price(row, told.party) for row in told.privacy)
        and len(by_relation(told.privacy)) == len(told.privacy)
    )


def _is_entry(row: Any) -> bool:
    operation, number, digest = row
    return operation in OPERATIONS and type(number) is int and bool(DIGEST.fullmatch(digest))


def _is_price(row: Any, party: str) -> bool:
    """Whether this is a row as `Ledger.statements` gives them."""
    epsilon, delta = row["epsilon"], row["delta"]
    numbers = [delta] if epsilon == "inf" else [epsilon, delta]
    return (
        set(row) == {"party", "relation", "epsilon", "delta", "basis"}
        and (row["party"], row["relation"] in RELATIONS, row["basis"] in BASES) == (party, True, True)
        and all(type(number) in (int, float) and isfinite(number) and number >= 0 for number in numbers)
        and delta <= 1
    )
