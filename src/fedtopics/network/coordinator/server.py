"""The coordinator's one port: HTTP/1.1 over mutual TLS with a single resource that only parties may use.

    POST /turn   [Answer: NUMBER]  body: the answer to that question, or nothing
        200      Question: NUMBER  body: the next question for this party
        204      no question within `WAIT` seconds: ask again
        403      not, or no longer, a party of the plan
        409      nobody waits for this answer: forget it
    POST /turn   Working: NUMBER   no body: a sign of life of a party that works on that question
        204

Who speaks is what the certificate says, for every message anew. Whatever else is asked is refused and the
connection ended. There is no way from one party to another, and nothing here reads or writes a file.
"""

import select
import socket
import ssl
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer, ThreadingMixIn
from threading import Lock, Thread
from time import monotonic
from typing import Any

from cryptography import x509

from fedtopics.errors import InputError
from fedtopics.network.coordinator.desk import Desk
from fedtopics.network.coordinator.door import LOOK, Door, RefusedError, Strangers, Visits
from fedtopics.network.messages import ANSWER, BEATS, MOST_DIGITS, QUESTION, STALLED, TURN, WORKING
from fedtopics.network.tls import Credentials

WAIT = 20.0  # seconds until a party that waits for a question is told that there is none
HANDSHAKE = 10.0  # seconds for the whole of a handshake
PARTING = 1.0  # seconds in which one that is refused may say what is then not heard
PART = 2**18  # bytes of a message that are read or written at once
MOST_HEADER = 2**16  # of what a refused connection may say
AGAIN = 60.0  # seconds until the same refusal is said again
ALIVE = {"TCP_KEEPIDLE": 20, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}  # a machine that is gone is noticed
HANDSHAKE_FAILURES = {
    "certificate has expired": "its certificate has expired; let that party renew it",
    "certificate is not yet valid": "its certificate is not valid yet (a wrong clock?)",
    "unable to get local issuer certificate": "its certificate is not from this federation's authority",
    "certificate signature failure": "its certificate is not from this federation's authority",
    "unsuitable certificate purpose": "its certificate is not one of a party",
    "PEER_DID_NOT_RETURN_A_CERTIFICATE": "it showed no certificate",
    "HTTP_REQUEST": "it did not speak TLS",
    "UNSUPPORTED_PROTOCOL": "it speaks no TLS 1.3",
}


class Server(ThreadingMixIn, TCPServer):
    """Serves a desk until it is closed; `say` takes a line for the operator."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(
        self, port: int, credentials: Credentials, door: Door, desk: Desk, say: Callable[[str], None]
    ) -> None:
        self.context, self.door, self.desk = credentials.for_coordinator(), door, desk
        self.refusals, self.visits = Refusals(say), Visits(door)
        self.strangers = Strangers()
        self.address_family = socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET
        try:
            super().__init__(("", port), _Visit)
        except OSError as error:
            raise InputError(f"expected port {port} to be free, got {error.strerror}; who uses it?") from None
        Thread(target=self.serve_forever, daemon=True, name="door").start()
        Thread(target=self.visits.watch, daemon=True, name="watch").start()

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()
        self.visits.close()

    def server_bind(self) -> None:
        if self.address_family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()

    def process_request(self, request: Any, client_address: Any) -> None:
        """A thread for every connection, if there are not too many whom nobody knows yet."""
        if self.strangers.come(client_address[0]):
            super().process_request(request, client_address)
        else:
            self.refusals.note("too many at once that have not shown a certificate yet")
            super().shutdown_request(request)

    def shutdown_request(self, request: Any) -> None:
        self.close_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that breaks is the end of a visit and nothing more."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            self.refusals.note(f"it made a {type(error).__name__}")


@dataclass
class Refusals:
    """Tells the operator who was refused and why, each reason once a minute."""

    say: Callable[[str], None]
    _said: dict[str, float] = field(default_factory=dict, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)

    def note(self, reason: str) -> None:
        now = monotonic()
        with self._lock:
            self._said = {told: at for told, at in self._said.items() if now - at < AGAIN}
            if reason in self._said:
                return
            self._said[reason] = now
        self.say(f"refused a connection: {reason}")


class _Visit(BaseHTTPRequestHandler):
    """One connection of a party, from its handshake to its end."""

    protocol_version, server_version, sys_version = "HTTP/1.1", "fedtopics", ""
    server: Server

    def setup(self) -> None:
        self.request.settimeout(HANDSHAKE)
        try:
            secured = self.server.context.wrap_socket(self.request, server_side=True)
        except ssl.SSLError as error:
            self.server.refusals.note(_reason(error))
            raise
        finally:
            self.server.strangers.leave(self.client_address[0])
        secured.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        secured.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for option, value in ALIVE.items():
            if hasattr(socket, option):
                secured.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
        secured.settimeout(STALLED)
        self.request = secured
        super().setup()

    def handle(self) -> None:
        self.certificate = x509.load_der_x509_certificate(self.request.getpeercert(binary_form=True))
        self.party, self.visit, self.request_version = "", 0, self.protocol_version
        try:
            self.party = self._admitted()
            self.visit = self.server.desk.arrive(self.party)
            self.server.visits.begin(self.party, self.certificate, self.request)
            self.close_connection = False
            while not self.close_connection and self._is_spoken_to():
                self.handle_one_request()
        except RefusedError:
            if not self.visit:
                self.request.settimeout(PARTING)
                self.request.recv(MOST_HEADER)  # or the refusal would be lost with what nobody has read
            self._end(403)
        finally:
            refused = not self.server.visits.may_stay(self.certificate)
            self.server.desk.leave(self.party, self.visit, for_good=refused)
            self.server.visits.end(self.party, self.request)

    def finish(self) -> None:
        try:
            super().finish()
        finally:
            self.request.close()

    def do_POST(self) -> None:
        """The one thing a party may ask for."""
        length = self.headers.get("Content-Length", "")
        known = length.isdecimal() and len(length) <= MOST_DIGITS and "Transfer-Encoding" not in self.headers
        if self.path != TURN or not known:
            self._end(400)
            return
        desk, number = self.server.desk, self.headers.get(ANSWER, "")
        desk.sign(self.party, works=WORKING in self.headers, beats=BEATS in self.headers)
        if WORKING in self.headers and int(length) == 0:
            self._say_nothing()
            return
        if int(length) > desk.most_bytes or (int(length) > 0 and not desk.awaits(self.party, number)):
            self._end(409)
            return
        answer = self._received(int(length))
        if len(answer) < int(length):
            self.close_connection = True
            return
        self._admitted()
        if answer:
            desk.bring(self.party, number, answer)
        self._give_question()

    def _received(self, length: int) -> bytes:
        """The bytes of an answer, each part of which is a sign of life; fewer where the connection ends."""
        parts, left = list[bytes](), length
        while left > 0:
            part = self.rfile.read(min(left, PART))
            if not part:
                break
            parts.append(part)
            left -= len(part)
            self.server.desk.sign(self.party)
        return b"".join(parts)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Lines of single requests interest nobody."""

    def log_error(self, format: str, *given: Any) -> None:  # noqa: A002
        """What was wrong with a request interests its sender alone."""

    def _give_question(self) -> None:
        until, found = monotonic() + WAIT, None
        while found is None and monotonic() < until and self.server.desk.is_current(self.party, self.visit):
            found = self.server.desk.fetch(self.party, self.visit, LOOK)
            self._admitted()
        if found is None:
            self._say_nothing()
            return
        number, question = found
        self.send_response(200)
        self.send_header(QUESTION, number)
        self.send_header("Content-Length", str(len(question)))
        self.end_headers()
        for place in range(0, len(question), PART):
            self.wfile.write(memoryview(question)[place : place + PART])
            self.server.desk.sign(self.party)

    def _say_nothing(self) -> None:
        self.send_response(204)
        self.end_headers()

    def _admitted(self) -> str:
        try:
            return self.server.door.admit(self.certificate)
        except RefusedError as error:
            self.server.refusals.note(str(error))
            raise

    def _is_spoken_to(self) -> bool:
        """Wait for the next message; False where this visit is over."""
        while self.server.desk.is_current(self.party, self.visit):
            self._admitted()
            if self.request.pending() or select.select([self.request], [], [], LOOK)[0]:
                return True
        return False

    def _end(self, status: int) -> None:
        self.close_connection = True
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.send_header("Connection", "close")
        self.end_headers()


def _reason(error: ssl.SSLError) -> str:
    known = f"{error.reason} {error}"
    found = (words for sign, words in HANDSHAKE_FAILURES.items() if sign in known)
    return next(found, f"its handshake failed ({error.reason or 'unknown'})")
