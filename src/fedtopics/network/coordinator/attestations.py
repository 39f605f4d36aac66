"""What every party of a run has signed that it cost it: `attestations.json` of a result, and its checks.

    {"format": ..., "parties": {NAME: {"statement": TEXT, "signature": HEX, "certificate": PEM}}}

The coordinator takes a statement only from the key that it approved, for this run of this plan, and if it
fits: no less than what the party was heard to release, no more than what the plan allows. Whose statement is
missing or does not fit is named, and stands in the record with all that the plan may cost: planned, not
attested. Not with what was heard of it: it may have been charged for more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from fedtopics.network.attestation import Attestation, AttestationError, Row, Statement, by_relation
from fedtopics.network.coordinator.checkpoint import Checkpoint
from fedtopics.network.coordinator.folder import CoordinatorFolder
from fedtopics.network.coordinator.planned import planned_ledger, released, whole_ledger
from fedtopics.network.coordinator.rounds import Coordinator
from fedtopics.network.private_scores import Scored
from fedtopics.privacy.price.cost import SOURCES

FILE, FORMAT = "attestations.json", "fedtopics/attestations/1"
ATTESTED, PLANNED = "attested", "planned, not attested"


@dataclass(frozen=True)
class Attested:
    """A party's statement as it was signed, and the certificate that shows it."""

    statement: str
    signature: str
    certificate: str

    def checked(self, certificate: x509.Certificate, party: str, run: str, plan: str) -> Statement:
        """What was stated, if the owner of the certificate signed it, for this run of this plan."""
        return Attestation(self.statement, self.signature).checked(certificate, party, run, plan)


def collected(
    coordinator: Coordinator, hub: CoordinatorFolder, end: Checkpoint, scored: Scored | None
) -> dict[str, tuple[Attested, Statement]]:
    """What the parties attest, as far as it is theirs and fits; whose is missing stands in the log."""
    terms = coordinator.terms
    heard, allowed = planned_ledger(terms, end, scored), whole_ledger(hub.plan, len(end.words or ()))
    least, most = heard.statements(), allowed.statements()

    def read(party: str, body: bytes) -> tuple[Attested, Statement]:
        certificate = hub.certificate(party)
        attestation = Attestation.from_bytes(body)
        told = attestation.checked(certificate, party, end.run, terms.plan)
        if not released(terms, end, scored, party) <= told.released:
            raise AttestationError("it states fewer releases than it has sent")
        noises = [SOURCES.index(source) for source in (heard.spent(party).noise, told.noise, allowed.noise)]
        if noises != sorted(noises):
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


def stated_rows(
    statements: Mapping[str, Statement], parties: Sequence[str], whole: Sequence[Row]
) -> list[dict[str, Any]]:
    """What each party has spent: as it attests, or else the whole price of the plan, and which of the two."""
    found: list[dict[str, Any]] = []
    for party in sorted(parties):
        if party in statements:
            found += [{**row, "stated": ATTESTED} for row in statements[party].privacy]
        else:
            found += [{**row, "party": party, "stated": PLANNED} for row in whole]
    return found


def written(attested: Mapping[str, Attested]) -> bytes:
    """The content of `attestations.json`."""
    parties = {name: asdict(attested[name]) for name in sorted(attested)}
    return (json.dumps({"format": FORMAT, "parties": parties}, indent=1) + "\n").encode()
