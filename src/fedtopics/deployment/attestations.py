"""What every party of a run has signed that it cost it: `attestations.json` of a result, and its checks.

    {"format": ..., "parties": {NAME: {"statement": TEXT, "signature": HEX, "certificate": PEM}}}

The coordinator takes a statement only from the key that it approved, for this run of this plan, and if it
fits: no less than what the party was heard to release, no more than what the plan allows. Whose statement is
missing or does not fit is named, and stands in the record with what the plan says: planned, not attested.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from fedtopics.deployment.coordinator_folder import CoordinatorFolder
from fedtopics.deployment.planned import planned_ledger, released, whole_ledger
from fedtopics.deployment.private_scores import Scored
from fedtopics.federation import certificates
from fedtopics.federation.attestation import Attestation, AttestationError, Statement
from fedtopics.federation.checkpoint import Checkpoint
from fedtopics.federation.coordinator import Coordinator
from fedtopics.federation.ledger_file import LedgerFile
from fedtopics.privacy.ledger import Ledger

FILE, FORMAT = "attestations.json", "fedtopics/attestations/1"
ATTESTED, PLANNED = "attested", "planned, not attested"
Row: TypeAlias = Mapping[str, Any]
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Attested:
    """A party's statement as it was signed, and the certificate that shows it."""

    statement: str
    signature: str
    certificate: str

    def checked(self, certificate: x509.Certificate, party: str, run: str, plan: str) -> Statement:
        """What was stated, if the owner of the certificate signed it, for this run of this plan."""
        return Attestation(self.statement, self.signature).checked(certificate, party, run, plan)


@dataclass(frozen=True)
class Verified:
    """What a party has stated, and the fingerprint of the key that signed it."""

    statement: Statement
    fingerprint: str


def collected(
    coordinator: Coordinator, hub: CoordinatorFolder, end: Checkpoint, scored: Scored | None
) -> dict[str, tuple[Attested, Statement]]:
    """What the parties attest, as far as it is theirs and fits; whose is missing stands in the log."""
    terms = coordinator.terms
    heard, allowed = planned_ledger(terms, end, scored), whole_ledger(hub.plan, terms, end)
    least, most, noises = heard.statements(), allowed.statements(), (heard.noise, allowed.noise)

    def read(party: str, body: bytes) -> tuple[Attested, Statement]:
        certificate = hub.certificate(party)
        attestation = Attestation.from_bytes(body)
        told = attestation.checked(certificate, party, end.run, terms.plan)
        if not released(terms, end, scored, party) <= told.released:
            raise AttestationError("it states fewer releases than it has sent")
        if told.noise not in noises:
            raise AttestationError(f"it states {told.noise} noise, which is not that of the plan")
        check_prices(told, [row for row in least if row["party"] == party], most)
        shown = certificate.public_bytes(Encoding.PEM).decode()
        return Attested(attestation.statement, attestation.signature, shown), told

    found = coordinator.attest(read)
    for name in sorted(set(terms.parties) - set(found)):
        coordinator.log(f"party {name} has not attested what the run cost it; the record says: {PLANNED}")
    return found


def check_prices(told: Statement, least: Sequence[Row], most: Sequence[Row]) -> None:
    """Raise unless a party states no less than what was heard of it costs, and no more than is allowed."""
    stated, heard, allowed = map(_by_relation, (told.privacy, least, most))
    for place, row in heard.items():
        if place not in stated or not float(stated[place]["epsilon"]) >= float(row["epsilon"]) * (1 - 1e-9):
            raise AttestationError(f"it states less than what it has sent costs ({row['relation']})")
    for place, row in stated.items():
        limits = [limit[place] for limit in (heard, allowed) if place in limit]
        if not any(_is_within(row, limit) for limit in limits):
            raise AttestationError(f"it states more than what the plan allows ({row['relation']})")


def _by_relation(rows: Sequence[Row]) -> dict[tuple[Any, bool], Row]:
    return {(row["relation"], row["basis"] == "claimed"): row for row in rows}


def _is_within(row: Row, limit: Row) -> bool:
    lower = float(row["epsilon"]) <= float(limit["epsilon"]) * (1 + 1e-9)
    return lower and float(row["delta"]) <= float(limit["delta"])


def stated_rows(statements: Mapping[str, Statement], planned: Sequence[Row]) -> list[dict[str, Any]]:
    """What each party has spent: as it attests, or else as planned, and which of the two."""
    found: list[dict[str, Any]] = []
    for party in sorted({*statements, *(str(row["party"]) for row in planned)}):
        if party in statements:
            found += [{**row, "stated": ATTESTED} for row in statements[party].privacy]
        else:
            found += [{**row, "stated": PLANNED} for row in planned if row["party"] == party]
    return found


def written(attested: Mapping[str, Attested]) -> bytes:
    """The content of `attestations.json`."""
    parties = {name: asdict(attested[name]) for name in sorted(attested)}
    return (json.dumps({"format": FORMAT, "parties": parties}, indent=1) + "\n").encode()


def verified(folder: Path, authority: x509.Certificate) -> dict[str, Verified | None]:
    """What each party of a result has signed, None where it has not; raises where the record differs."""
    record, content = json.loads((folder / "run.json").read_bytes()), (folder / FILE).read_bytes()
    if record.get("attestations_sha256") != sha256(content).hexdigest():
        raise AttestationError(
            f"expected the {FILE} that run.json names, got another; the folder was altered"
        )
    try:
        data = json.loads(content)
        parties = {name: Attested(**held) for name, held in data["parties"].items()}
        known = {row["name"]: bool(row["attested"]) for row in record["parties"]}
    except (ValueError, TypeError, KeyError, AttributeError):
        raise AttestationError(f"expected signed statements in {folder / FILE}, got another file") from None
    if data.get("format") != FORMAT or set(parties) != {name for name in known if known[name]}:
        raise AttestationError(
            f"expected the statements of those who attested in {folder / FILE}, got others"
        )
    return {
        name: _verified(record, name, parties[name], authority) if name in parties else None for name in known
    }


def _verified(record: dict[str, Any], name: str, held: Attested, authority: x509.Certificate) -> Verified:
    certificate = certificates.parse_certificate(held.certificate.encode(), Path(FILE))
    certificates.check_issued(certificate, authority)
    told = held.checked(certificate, name, record["run"], record["plan"])
    shown = [row for row in record["privacy"] if row["party"] == name]
    if shown != [{**row, "stated": ATTESTED} for row in told.privacy]:
        raise AttestationError(f"expected what {name} has signed in run.json, got another price")
    answers = next(row["n_answers"] for row in record["parties"] if row["name"] == name)
    if len(told.entries) < answers:
        raise AttestationError(f"expected a statement of {name} on all {answers} answers, got one on fewer")
    return Verified(told, certificates.fingerprint(certificate.public_key()))


def check_own(held: Verified | None, key: str, ledger: Ledger) -> None:
    """Raise unless a party's own statement in a result is by its own key, and what its ledger says.

    Who has the authority's key can make a certificate of any name: a party knows its own by the key alone.
    """
    if held is None:
        logger.warning("the record does not hold this party's own statement; it says what the plan says")
        return
    stated = held.statement.privacy, len(held.statement.entries), held.fingerprint
    if stated != (ledger.statements(), len(ledger.entries), key):
        raise AttestationError("expected this party's own newest statement in the record, got another")


def check_ledger(found: Mapping[str, Verified | None], ledger: LedgerFile) -> None:
    """Raise unless a party's ledger still holds every release that it has signed for."""
    held = found.get(ledger.party)
    signed = [] if held is None else [digest for _, _, digest in held.statement.entries]
    if not set(signed) <= {entry.digest for entry in ledger.entries}:
        raise AttestationError(
            f"expected the releases that {ledger.party} has signed for in {ledger.folder}, got a ledger "
            "without them: it was put back from a copy; restore the newest one"
        )
