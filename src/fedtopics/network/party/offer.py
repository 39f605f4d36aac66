"""What a party has received from the coordinator, and its acceptance: the party's part of onboarding."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509

from fedtopics import files
from fedtopics.errors import InputError
from fedtopics.network.party import ledger_file
from fedtopics.network.party.store import PartyStore
from fedtopics.network.plan import acceptance, certificates
from fedtopics.network.plan.acceptance import Acceptance
from fedtopics.network.plan.onboarding import PLAN, POLICY, SIGNING, TEMPLATE
from fedtopics.network.plan.parts import WORD_LIST
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.policy import Policy
from fedtopics.network.plan.readiness import check_period
from fedtopics.privacy.price.ledger import Ledger

STORE = "store"
MOST_BYTES = dict.fromkeys(("party.crt", "ca.crt", SIGNING), certificates.MOST_BYTES) | {PLAN: 2**20}
MOST_WORD_BYTES = 2**26


@dataclass(frozen=True)
class Offer:
    """What a party has received, checked: a plan that its policy allows, for a certificate of its own key.

    Files are read once, by the names they have here: what was checked and shown is what will be kept.
    """

    folder: Path
    content: Mapping[str, bytes]
    party: str
    plan: Plan
    authority: x509.Certificate

    @classmethod
    def read(cls, folder: Path, received: Path) -> "Offer":
        """What the coordinator sent, or an error that says what does not fit; nothing is written."""
        content = {name: files.read(received / name, most, links=False) for name, most in MOST_BYTES.items()}
        own, authority = (
            certificates.parse_certificate(content[name], received / name) for name in ("party.crt", "ca.crt")
        )
        certificates.check_issued(own, authority)
        for name, found in (("party.crt", own), ("ca.crt", authority)):
            check_period(found, received / name)
        if certificates.read_key(folder / "party.key").public_key() != own.public_key():
            raise InputError(f"expected a certificate for the key in {folder}, got one for another key")
        known = folder / "ca.crt"
        if known.exists() and certificates.read_certificate(known) != authority:
            raise InputError(f"expected the authority in {known}, got another one; is it another federation?")
        party, plan = certificates.common_name(own.subject), Plan.parse(content[PLAN], received / PLAN)
        if party not in plan.parties:
            raise InputError(f"expected a plan with party {party!r}, got one of {', '.join(plan.parties)}")
        if plan.vocabulary.file is not None:
            content[WORD_LIST] = files.read(received / WORD_LIST, MOST_WORD_BYTES, links=False)
            plan.vocabulary.parse(content[WORD_LIST], received / WORD_LIST)
        if not (folder / POLICY).exists():
            raise InputError(f"expected {folder / POLICY}, got none; start from {received / TEMPLATE}")
        check_allowed(folder, party, plan, Policy.read(folder / POLICY))
        return cls(folder, content, party, plan, authority)

    def accept(self) -> Acceptance:
        """Keep what was received and sign the digest of the plan, and which ledger will pay for it."""
        ledger = _anchored(self.folder, self.party)
        for name, content in self.content.items():
            files.write(self.folder / name, content, mode=certificates.PUBLIC_FILE)
        return acceptance.accept(self.folder, self.plan, self.party, ledger)


def _anchored(folder: Path, party: str) -> str:
    """The party's one ledger, begun at its first acceptance, and known by an anchor from then on."""
    first = not acceptance.known_ledger(folder)
    with PartyStore(folder / STORE, party, (), anchor=folder / ledger_file.ANCHOR, first=first) as store:
        acceptance.check_ledger(folder, store.ledger_id)
        return store.ledger_id


def check_allowed(folder: Path, party: str, plan: Plan, policy: Policy) -> None:
    """Raise unless the party's policy allows the plan, and past runs have left enough for it."""
    policy.check(plan, party)
    if (folder / STORE).is_dir():
        os.close(files.lock(folder / STORE))  # raises while the party answers questions
    anchor = folder / ledger_file.ANCHOR
    past = anchor.exists() or (folder / STORE / ledger_file.LINES).exists()
    entries = ledger_file.read(folder / STORE, anchor).entries if past else []
    ledger = Ledger(budgets=policy.budget, entries=entries)
    ledger.require(party, plan.costs(plan.vocabulary.most_words))
