"""What the coordinator asks every party to sign, and what it believes of that.

It takes a statement only from the key that it approved, for this run of this plan, and if it fits: no less
than what the party was heard to release, no more than what the plan allows. Whose statement is missing or
does not fit is named, and stands in the record with all that the plan may cost: planned, not attested. Not
with what was heard of it: it may have been charged for more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cryptography.hazmat.primitives.serialization import Encoding

from fedtopics.network.attestation import (
    ATTESTED,
    PLANNED,
    Attestation,
    AttestationError,
    Attested,
    Row,
    Statement,
    check_prices,
)
from fedtopics.network.coordinator.checkpoint import Checkpoint
from fedtopics.network.coordinator.folder import CoordinatorFolder
from fedtopics.network.coordinator.planned import planned_ledger, released
from fedtopics.network.coordinator.rounds import Coordinator
from fedtopics.network.plan.terms import whole_ledger
from fedtopics.network.private_scores import Scored
from fedtopics.privacy.price.cost import SOURCES


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
