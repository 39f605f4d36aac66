"""Certificates are renewed 30 days before they end, while their owners are there: nobody has to think of it.

The coordinator's own is made anew by its authority, and used from the next connection on. A party is sent one
for the same name and key; it takes it only if it is that, and holds for longer. Where `ca.key` is kept
elsewhere nothing can be signed: the operator is told what will end.
"""

import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

import numpy as np
from cryptography.hazmat.primitives.serialization import Encoding

from fedtopics.errors import InputError
from fedtopics.network import wire
from fedtopics.network.coordinator.answers import Channel, opened
from fedtopics.network.messages import Request
from fedtopics.network.plan import certificates, onboarding
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.readiness import ends_soon, warnings_of

HOUR = 3600.0
SECONDS = 20.0  # for a party to take its certificate
RUN = "renewal"  # what stands for a run in the question


@dataclass
class Renewal:
    """Looks after the certificates of the coordinator in `folder` and of its parties; `say` takes a line."""

    folder: Path
    context: ssl.SSLContext
    channel: Channel
    say: Callable[[str], None]
    _next: float = field(default=0.0, init=False)
    _tried: dict[str, float] = field(default_factory=dict, init=False)

    def look(self) -> None:
        """Renew what ends soon: the coordinator's own once an hour, that of a party when it is there."""
        now = monotonic()
        if now >= self._next:
            self._next = now + HOUR
            self._own()
        for name in self.channel.parties:
            if now >= self._tried.get(name, 0.0):
                self._tried[name] = now + HOUR
                self._party(name)

    def _own(self) -> None:
        path, can = self.folder / "server.crt", (self.folder / "ca.key").is_file()
        if can and ends_soon(certificates.read_certificate(path)):
            certificates.make_server(self.folder, Plan.read(self.folder / onboarding.PLAN).host)
            self.context.load_cert_chain(path, self.folder / "server.key")
            self.say("the coordinator's certificate was about to end, and is renewed")
        for line in warnings_of(self.folder / "ca.crt", path):
            self.say(line)

    def _party(self, name: str) -> None:
        try:
            held = self.folder / onboarding.APPROVED / name / "party.crt"
            if not ends_soon(certificates.read_certificate(held)):
                return
            content = onboarding.renew(self.folder, name).public_bytes(Encoding.PEM)
        except InputError as error:
            self.say(f"the certificate of party {name} ends soon and cannot be renewed here: {error}")
            return
        problem = self._sent(name, content)
        ending = "is renewed" if not problem else f"ends soon; it has not taken a new one: {problem}"
        self.say(f"the certificate of party {name} {ending}")

    def _sent(self, name: str, content: bytes) -> str:
        """Send a party its certificate; what went wrong, in words."""
        body = wire.pack({certificates.CERTIFICATE: np.frombuffer(content, np.uint8)})
        asked = Request("renew", RUN, 0, Plan.read(self.folder / onboarding.PLAN).digest, body=body)
        answer = self.channel.ask({name: asked.to_bytes()}, SECONDS)[name]
        return opened(answer, asked, name)[0]
