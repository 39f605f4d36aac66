"""A party's way in: from an invitation to an accepted plan. It may be interrupted and begun again anywhere.

FOLDER/party.key, NAME.csr   made here; the key stays
FOLDER/policy.toml           the party's own limits, before anything is sent
FOLDER/consent.json          digest of the plan that was agreed to, and the authority it was agreed with
FOLDER/received/             what the coordinator gives for it, accepted only if it is the same plan

Nothing is sent before the plan was agreed to; what is sent is the certificate request and the plan's digest.
"""

import http.client
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any

from fedtopics import files
from fedtopics.errors import InputError
from fedtopics.network.calling import called, words
from fedtopics.network.messages import JOIN, MOST_DIGITS
from fedtopics.network.party.offer import MOST_BYTES, MOST_WORD_BYTES, Offer, check_allowed
from fedtopics.network.plan import acceptance, certificates, onboarding
from fedtopics.network.plan.acceptance import Acceptance, AcceptanceError
from fedtopics.network.plan.invitation import Invitation
from fedtopics.network.plan.parts import WORD_LIST
from fedtopics.network.plan.policy import Policy
from fedtopics.network.plan.typed_file import is_text
from fedtopics.network.tls import Credentials

CONSENT, RECEIVED = "consent.json", "received"
FILES = (*MOST_BYTES, WORD_LIST)
MOST_ANSWER = MOST_WORD_BYTES + 2**21
SHORTEST, LONGEST = 1.0, 30.0  # seconds before the coordinator is called again
PATIENCE = 60.0  # seconds for an answer, which may take 20 to be given


class NotInvitedError(InputError):
    """The coordinator does not take this party; asking again does not help."""


@dataclass(frozen=True)
class Joining:
    """One party on its way in, with the folder that it will have."""

    folder: Path
    invitation: Invitation

    def begin(self) -> str:
        """Make the party's key, where there is none yet; its fingerprint."""
        known = self.folder / "party.crt"
        if known.exists():
            name = certificates.common_name(certificates.read_certificate(known).subject)
            if name != self.invitation.party:
                raise InputError(f"expected a folder for {self.invitation.party}, got that of {name!r:.60}")
        path = onboarding.request(self.folder, self.invitation.party)
        return certificates.fingerprint(certificates.read_request(path)[1].public_key())

    @property
    def is_accepted(self) -> bool:
        """Whether this very plan was accepted already, so that there is nothing left to do."""
        with suppress(AcceptanceError, InputError):
            acceptance.check(self.folder, self.invitation.agreed)
            return True
        return False

    @property
    def is_agreed(self) -> bool:
        """Whether the plan of this invitation was agreed to before."""
        try:
            found = json.loads(files.read(self.folder / CONSENT, 2**12))
        except (OSError, ValueError):
            return False
        return bool(found == self._consent()) and (self.folder / onboarding.POLICY).is_file()

    def agree(self, policy: str) -> None:
        """Put down the party's limits and that it agrees to the plan, if these limits allow it."""
        allowed = Policy.parse(policy.encode(), onboarding.POLICY)
        check_allowed(self.folder, self.invitation.party, self.invitation.agreed, allowed)
        files.write(self.folder / onboarding.POLICY, policy.encode())
        files.write(self.folder / CONSENT, json.dumps(self._consent()).encode())

    def _consent(self) -> dict[str, str]:
        authority = certificates.fingerprint(self.invitation.authority_certificate.public_key())
        return {"plan": self.invitation.agreed.digest, "authority": authority, "party": self.invitation.party}

    def wait(self, say: Callable[[str], None]) -> Acceptance:
        """Ask until the coordinator's operator has approved, and accept the plan that was agreed to."""
        if not self.is_agreed:
            raise InputError("expected a plan that was agreed to, got none; nothing was sent")
        pause, said = SHORTEST, ""
        line = "asking the coordinator, and waiting for its approval"
        while True:
            self.invitation.check_time()
            if line != said:
                say(line)
            said = line
            try:
                found = self.ask()
                line, pause = "the coordinator has the request; waiting for its approval", SHORTEST
            except NotInvitedError:
                raise
            except (OSError, http.client.HTTPException, InputError) as error:
                found, line = None, f"no answer of the coordinator: {words(error)}; trying again"
                pause = min(2 * pause, LONGEST)
            if found is not None:
                return self.accept(found)
            sleep(pause)

    def ask(self) -> Mapping[str, str] | None:
        """What the coordinator gives to this party; None while it waits for approval."""
        body = json.dumps({"request": self._request(), "plan": self.invitation.agreed.digest}).encode()
        plan, policy = self.invitation.agreed, Policy.read(self.folder / onboarding.POLICY)
        with files.scratch_folder(None) as place:
            certificates.write_ticket(place, self.invitation.ticket.encode(), self.invitation.code)
            files.write(place / "ca.crt", self.invitation.authority.encode())
            held = Credentials(place / "ticket.crt", place / "ticket.key", place / "ca.crt")
            connection = called(plan.host, plan.port, held, policy.proxy, PATIENCE)
        try:
            connection.request("POST", JOIN, body)
            response = connection.getresponse()
            return given(response.status, content(_body(response)))
        finally:
            connection.close()

    def accept(self, files_given: Mapping[str, str]) -> Acceptance:
        """Keep what was given and sign the plan, if it is what was agreed to."""
        received = self.folder / RECEIVED
        files.make_folder(received)
        for name, text in files_given.items():
            files.write(received / name, text.encode())
        offer = Offer.read(self.folder, received)
        if offer.party != self.invitation.party or offer.plan.digest != self.invitation.agreed.digest:
            raise NotInvitedError("expected the plan that was agreed to, got another; nothing was accepted")
        if offer.authority != self.invitation.authority_certificate:
            raise NotInvitedError("expected the invitation's authority, got another; nothing was accepted")
        return offer.accept()

    def _request(self) -> str:
        path = self.folder / f"{self.invitation.party}.csr"
        return files.read(path, certificates.MOST_BYTES).decode("ascii")


def _body(response: http.client.HTTPResponse) -> bytes:
    length = response.getheader("Content-Length", "")
    size = int(length) if length.isdecimal() and len(length) <= MOST_DIGITS else -1
    if not 0 <= size <= MOST_ANSWER:
        raise InputError(f"expected an answer of at most {MOST_ANSWER} bytes, got another")
    return response.read(size)


def content(body: bytes) -> Any:
    """What an answer says."""
    try:
        return json.loads(body) if body else {}
    except (ValueError, RecursionError):
        raise InputError("expected an answer in JSON, got something else") from None


def given(status: int, told: Any) -> Mapping[str, str] | None:
    """The files of an approval, None for who waits; an error for all else."""
    if status == 403:
        raise NotInvitedError(
            "this invitation was used, replaced or withdrawn, or has ended; ask for another"
        )
    if status == 409 and isinstance(told, dict):
        raise NotInvitedError(f"the coordinator refuses: {told.get('reason')!s:.200}")
    if status != 200 or not isinstance(told, dict):
        raise InputError(f"expected to be waiting or approved, got HTTP status {status}")
    if told.get("state") == "waiting":
        return None
    found = told.get("files")
    if not isinstance(found, dict) or not set(MOST_BYTES) <= set(found) <= set(FILES):
        raise InputError(f"expected {', '.join(FILES)}, got other files")
    if not all(is_text(text) for text in found.values()):
        raise InputError("expected files as texts, got something else")
    return found
