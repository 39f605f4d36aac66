"""An invitation: one file with all that a party needs to join. What is secret in it opens one way, once.

    party        whom it is for
    coordinator  host:port to call
    authority    the certificate of the federation's authority: nobody else is talked to
    ticket       a certificate of that authority for "joining NAME" that ends after some days
    code         the ticket's key (Ed25519, hexadecimal)
    plan         as it will be accepted

The ticket is shown in the handshake of TLS like every certificate: the code never crosses the wire, who
listens or stands in between can change neither the name nor the request nor the plan, and the coordinator
keeps nothing that is secret. What a ticket opens is to ask for the certificate of one name, and only until
another key has asked; the coordinator's operator still compares fingerprints and approves.
"""

import json
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from cryptography import x509

from fedtopics import files
from fedtopics.errors import InputError
from fedtopics.network.plan import certificates
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.typed_file import is_text

SUFFIX = ".invitation"
FORM = "fedtopics invitation 1"
MOST_BYTES = 2**21
AGAIN = "ask the coordinator for a new one"


@dataclass(frozen=True)
class Invitation:
    """What a party was sent, in which everything fits together."""

    party: str
    coordinator: str
    authority: str
    ticket: str
    code: str
    plan: str
    form: str = FORM

    def __post_init__(self) -> None:
        certificates.party_name(self.party)
        ticket = self.ticket_certificate
        certificates.check_issued(ticket, self.authority_certificate)
        if certificates.common_name(ticket.subject) != certificates.JOINING + self.party:
            raise InputError(f"expected a ticket for {self.party!r}, got one for another name; {AGAIN}")
        if certificates.ticket_key(self.code).public_key() != ticket.public_key():
            raise InputError(f"expected the code of this ticket, got another; {AGAIN}")
        if self.party not in self.agreed.parties or self.coordinator != self.agreed.coordinator:
            raise InputError(f"expected a plan with {self.party!r} and this address, got another; {AGAIN}")

    @classmethod
    def read(cls, path: Path) -> "Invitation":
        """The invitation in a file, or one line that says what is wrong with it."""
        try:
            data = json.loads(files.read(path, MOST_BYTES))
        except OSError as error:
            raise InputError(f"cannot read the invitation {path}: {error.strerror}") from None
        except (ValueError, RecursionError):
            data = None
        names = {item.name for item in fields(cls)}
        known = isinstance(data, dict) and set(data) == names and data["form"] == FORM
        if not known or not all(is_text(value) for value in data.values()):
            raise InputError(f"expected an invitation ({FORM}) in {path}, got another file; {AGAIN}")
        try:
            return cls(**data)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None

    def write(self, path: Path) -> None:
        """Put the invitation down, for its owner alone: the code in it is for one party."""
        files.write(path, (json.dumps(asdict(self), indent=1) + "\n").encode())

    def check_time(self) -> None:
        """Refuse an invitation that has ended."""
        if datetime.now(UTC) > self.ends:
            raise InputError(f"expected an invitation that holds, got one that ended {self.ends}; {AGAIN}")

    @property
    def ends(self) -> datetime:
        return self.ticket_certificate.not_valid_after_utc

    @cached_property
    def agreed(self) -> Plan:
        """The plan that is offered."""
        return Plan.parse(self.plan.encode(), "the plan of the invitation")

    @cached_property
    def authority_certificate(self) -> x509.Certificate:
        return certificates.parse_certificate(self.authority.encode(), Path("the invitation's authority"))

    @cached_property
    def ticket_certificate(self) -> x509.Certificate:
        return certificates.parse_certificate(self.ticket.encode(), Path("the invitation's ticket"))
