"""Those whom the coordinator has invited, until they are parties: who is expected, and who waits.

FOLDER/invited/NAME.json   digest of the ticket and until when it holds; nothing secret
FOLDER/waiting/NAME.csr    the request that came with the ticket: the first key that asks is the only one

The operator compares the fingerprint of who waits and approves (`fedtopics federation approve`). An
invitation ends with its time, when it is made anew or withdrawn, and with its party's first visit as a party.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import serialization

from fedtopics import files
from fedtopics.errors import InputError
from fedtopics.network.plan import certificates, onboarding
from fedtopics.network.plan.invitation import SUFFIX, Invitation
from fedtopics.network.plan.plan import Plan

INVITED, WAITING, INVITATIONS = "invited", "waiting", "invitations"
DAYS = 7.0
GIVEN = ("party.crt", "ca.crt", onboarding.SIGNING, onboarding.PLAN)  # and the word list, where there is one


class NotTakenError(InputError):
    """A request that is not taken; its text is one of a few that the guest is told."""


@dataclass(frozen=True)
class Guest:
    """One who waits for approval."""

    party: str
    request: Path
    since: datetime

    @property
    def fingerprint(self) -> str:
        return certificates.fingerprint(certificates.read_request(self.request)[1].public_key())


@dataclass(frozen=True)
class Guests:
    """The invited of the coordinator whose folder this is."""

    folder: Path

    def invite(self, party: str, days: float = DAYS) -> Path:
        """Write an invitation in place of any before; what was asked with the old one is dropped."""
        plan = Plan.read(self.folder / onboarding.PLAN)
        plan.words(self.folder)
        if party not in plan.parties:
            names = ", ".join(plan.parties)
            raise InputError(f"expected a party of the plan ({names}), got {party!r:.60}; add it to the plan")
        if not 0 < days <= 90:
            raise InputError(f"expected an invitation for at most 90 days, got {days:g}")
        ticket, code = certificates.make_ticket(self.folder, party, days)
        authority = (self.folder / "ca.crt").read_text()
        text = (self.folder / onboarding.PLAN).read_text(encoding="utf-8")
        made = Invitation(party, plan.coordinator, authority, ticket.decode(), code, text)
        self.withdraw(party)
        note = {"ticket": _digest(made.ticket_certificate), "ends": made.ends.isoformat()}
        for name in (INVITED, INVITATIONS):
            files.make_folder(self.folder / name)
        files.write(self._note(party), json.dumps(note).encode())
        path = self.folder / INVITATIONS / f"{party}{SUFFIX}"
        made.write(path)
        return path

    def withdraw(self, party: str) -> None:
        """End an invitation, and what was asked with it, at once."""
        for path in (self._note(party), self._request(party)):
            path.unlink(missing_ok=True)
        (self.folder / INVITATIONS / f"{party}{SUFFIX}").unlink(missing_ok=True)

    def invited(self) -> dict[str, datetime]:
        """Who is expected, and until when."""
        found = {path.stem: self._noted(path.stem) for path in sorted(self.folder.glob(f"{INVITED}/*.json"))}
        ends = {party: datetime.fromisoformat(note["ends"]) for party, note in found.items() if note}
        return {party: end for party, end in ends.items() if end > datetime.now(UTC)}

    def waiting(self) -> list[Guest]:
        """Who has asked and is not approved yet, in the order of names."""
        paths = sorted(self.folder.glob(f"{WAITING}/*.csr"))
        return [Guest(path.stem, path, datetime.fromtimestamp(path.stat().st_mtime, UTC)) for path in paths]

    def expected(self, shown: x509.Certificate) -> str:
        """The party whom this ticket invites; `NotTakenError` where it does not, or not any more."""
        party = certificates.common_name(shown.subject).removeprefix(certificates.JOINING)
        if datetime.now(UTC) > shown.not_valid_after_utc:
            raise NotTakenError(f"the invitation of {party!r:.60} has ended")
        if not certificates.NAME.fullmatch(party) or self._noted(party).get("ticket") != _digest(shown):
            raise NotTakenError(f"the invitation of {party!r:.60} was used, replaced or withdrawn")
        return party

    def take(self, party: str, request: bytes, digest: str) -> None:
        """Keep the request of one who is expected, for the operator to look at; the first key counts."""
        named, asked = certificates.parse_request(request, Path("a request to join"))
        plan = Plan.read(self.folder / onboarding.PLAN)
        if named != party or party not in plan.parties:
            raise NotTakenError("the request is for another name than the invitation")
        if digest != plan.digest:
            raise NotTakenError("the plan was changed since; ask for a new invitation")
        approved = self._approved(party)
        if approved is not None:
            if approved.public_key() != asked.public_key():
                raise NotTakenError("another key has this name already")
            return
        files.make_folder(self.folder / WAITING)
        content = asked.public_bytes(serialization.Encoding.PEM)
        if files.write_first(self._request(party), content):
            return
        known = certificates.read_request(self._request(party))[1]
        if known.public_key() != asked.public_key():
            raise NotTakenError("another key has used this invitation already")

    def given(self, party: str) -> dict[str, str] | None:
        """What an approved party is given, all of it public; None while it waits."""
        if self._approved(party) is None:
            return None
        plan, place = Plan.read(self.folder / onboarding.PLAN), self.folder / onboarding.APPROVED / party
        listed = () if plan.vocabulary.file is None else (plan.vocabulary.file,)
        return {name: (place / name).read_bytes().decode() for name in (*GIVEN, *listed)}

    def approved(self, party: str) -> None:
        """Nobody waits under this name any more."""
        self._request(party).unlink(missing_ok=True)

    def arrived(self, parties: tuple[str, ...]) -> None:
        """End the invitations of those who have come as parties."""
        for party in parties:
            if self._note(party).exists() and self._approved(party) is not None:
                self.withdraw(party)

    def _approved(self, party: str) -> x509.Certificate | None:
        path = self.folder / onboarding.APPROVED / party / "party.crt"
        return certificates.read_certificate(path) if path.is_file() else None

    def _note(self, party: str) -> Path:
        return self.folder / INVITED / f"{Path(party).name}.json"

    def _request(self, party: str) -> Path:
        return self.folder / WAITING / f"{Path(party).name}.csr"

    def _noted(self, party: str) -> dict[str, str]:
        try:
            found = json.loads(files.read(self._note(party), 2**12))
            return {"ticket": str(found["ticket"]), "ends": str(found["ends"])}
        except (OSError, ValueError, TypeError, KeyError):
            return {}


def is_ticket(shown: x509.Certificate) -> bool:
    """Whether a certificate of the authority is that of a guest."""
    return certificates.common_name(shown.subject).startswith(certificates.JOINING)


def _digest(certificate: x509.Certificate) -> str:
    return sha256(certificate.public_bytes(serialization.Encoding.DER)).hexdigest()
