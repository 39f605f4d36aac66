"""A party's signature under the digest of a plan: what it agreed to. A changed plan needs a new one."""

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509

from fedtopics import files
from fedtopics.errors import InputError
from fedtopics.files import StoreError
from fedtopics.network.plan import certificates
from fedtopics.network.plan.plan import Plan

FILE = "acceptance.json"


class AcceptanceError(InputError):
    """The party has not accepted this plan."""


@dataclass(frozen=True)
class Acceptance:
    """Who accepted which plan, and when."""

    party: str
    plan: str
    digest: str
    time: str
    ledger: str = ""  # what tells the party's one ledger from every other
    signature: str = ""

    @property
    def signed_text(self) -> bytes:
        told = {key: value for key, value in asdict(self).items() if key != "signature"}
        return b"fedtopics acceptance\n" + json.dumps(told, sort_keys=True).encode()

    def is_signed_by(self, certificate: x509.Certificate) -> bool:
        """Whether the owner of the certificate has accepted, under its own name."""
        named = certificates.common_name(certificate.subject) == self.party
        return named and certificates.is_signed(certificate, self.signed_text, self.signature)


def accept(folder: Path, plan: Plan, party: str, ledger: str) -> Acceptance:
    """Accept the plan with the party's key, in place of any plan accepted before."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    unsigned = Acceptance(party, plan.name, plan.digest, now, ledger)
    signature = certificates.sign(folder / "party.key", unsigned.signed_text)
    signed = Acceptance(**(asdict(unsigned) | {"signature": signature}))
    files.write(folder / FILE, (json.dumps(asdict(signed), indent=1) + "\n").encode())
    return signed


def read(path: Path) -> Acceptance:
    try:
        return Acceptance(**json.loads(path.read_bytes()))
    except OSError:
        raise AcceptanceError(
            f"expected an accepted plan, got no {path}; review the plan: fedtopics federation accept"
        ) from None
    except (ValueError, TypeError):
        raise AcceptanceError(f"expected an acceptance in {path}, got another file") from None


def known_ledger(folder: Path) -> str:
    """The ledger that this party has accepted plans with; empty before the first, or before it was noted."""
    return read(folder / FILE).ledger if (folder / FILE).exists() else ""


def check_ledger(folder: Path, ledger: str) -> None:
    """Refuse another ledger than the one that this party has accepted plans with."""
    known = known_ledger(folder)
    if known not in ("", ledger):
        raise StoreError(
            f"expected the ledger that the plan was accepted with ({known[:16]}), got another in {folder}; "
            "restore it: nothing is released before"
        )


def check(folder: Path, plan: Plan) -> Acceptance:
    """Raise unless the party in `folder` has accepted exactly this plan, by its own signature."""
    found = read(folder / FILE)
    if found.digest != plan.digest:
        raise AcceptanceError(
            f"expected the accepted plan {found.digest[:16]}, got {plan.digest[:16]}: it was changed; "
            "review it and accept it anew: fedtopics federation accept"
        )
    if not found.ledger:
        raise AcceptanceError(
            f"expected {folder / FILE} to name this party's ledger, got one from before that was asked for; "
            "accept it anew: fedtopics federation accept"
        )
    if not found.is_signed_by(certificates.read_certificate(folder / "party.crt")):
        raise AcceptanceError(f"expected {folder / FILE} signed with this party's key, got another signature")
    return found
