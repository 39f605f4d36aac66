"""The coordinator's one port: HTTP/1.1 over mutual TLS with one resource for parties and one for the invited.

    POST /turn   [Answer: NUMBER]  body: the answer to that question, or nothing
        200      Question: NUMBER  body: the next question for this party
        204      no question within `WAIT` seconds: ask again
        403      not, or no longer, a party of the plan
        409      nobody waits for this answer: forget it
    POST /turn   Working: NUMBER   no body: a sign of life of a party that works on that question
        204
    POST /join   body: the request of one who came with a ticket (`coordinator/reception.py`)

Who speaks is what the certificate says, for every message anew: a party has no way to /join, and a ticket
none to /turn. Whatever else is asked is refused and the connection ended. There is no way from one party to
another, and nothing here reads or writes a file.
"""

import select
import socket
import ssl
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer, ThreadingMixIn
from threading import Thread, Timer
from time import monotonic
from typing import Any

from cryptography import x509

from fedtopics import __version__
from fedtopics.errors import InputError
from fedtopics.network.coordinator.desk import Desk
from fedtopics.network.coordinator.door import LOOK, Door, RefusedError, Strangers, Visits, cut
from fedtopics.network.coordinator.guests import is_ticket
from fedtopics.network.coordinator.reception import Reception
from fedtopics.network.coordinator.refusals import Refusals, reason_of
from fedtopics.network.messages import (
    ANSWER,
    BEATS,
    JOIN,
    MOST_DIGITS,
    MOST_JOINING,
    QUESTION,
    STALLED,
    TURN,
    WORKING,
)
from fedtopics.network.plan import certificates
from fedtopics.network.tls import Credentials

WAIT = 20.0  # seconds until a party that waits for a question is told that there is none
HANDSHAKE = 10.0  # seconds for the whole of a handshake
PARTING = 1.0  # seconds in which one that is refused may say what is then not heard
GUEST = 30.0  # seconds in which one who is invited must have said all
PART = 2**18  # bytes of a message that are read or written at once
MOST_HEADER = 2**16  # of what a refused connection may say
ALIVE = {"TCP_KEEPIDLE": 20, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}  # a machine that is gone is noticed


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
        self.strangers, self.reception = Strangers(), Reception(door.folder, say)
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


class _Visit(BaseHTTPRequestHandler):
    """One connection of a party, from its handshake to its end."""

    protocol_version, server_version, sys_version = "HTTP/1.1", f"fedtopics/{__version__}", ""
    server: Server

    def setup(self) -> None:
        self.request.settimeout(HANDSHAKE)
        try:
            secured = self.server.context.wrap_socket(self.request, server_side=True)
        except ssl.SSLError as error:
            self.server.refusals.note(reason_of(error))
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
        self.is_guest = is_ticket(self.certificate)
        try:
            if self.is_guest:
                self._receive()
                return
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
            refused = not self.server.door.may_stay(self.certificate)
            self.server.desk.leave(self.party, self.visit, for_good=refused)
            self.server.visits.end(self.party, self.request)

    def finish(self) -> None:
        try:
            super().finish()
        finally:
            self.request.close()

    def _receive(self) -> None:
        """Hear the one message of a guest, who has one connection and half a minute to say it."""
        _ = self._admitted()
        guest = certificates.common_name(self.certificate.subject)
        self.server.visits.begin(guest, self.certificate, self.request)
        self.patience = Timer(GUEST, cut, (self.request,))
        self.patience.daemon = True
        self.patience.start()
        try:
            self.handle_one_request()
        finally:
            self.patience.cancel()
            self.server.visits.end(guest, self.request)

    def do_POST(self) -> None:
        """The one thing that a party, or a guest, may ask for."""
        length = self.headers.get("Content-Length", "")
        known = length.isdecimal() and len(length) <= MOST_DIGITS and "Transfer-Encoding" not in self.headers
        if self.path != (JOIN if self.is_guest else TURN) or not known:
            self._end(400)
        elif self.is_guest:
            self._answer_guest(int(length))
        else:
            self._take_turn(int(length))

    def _answer_guest(self, length: int) -> None:
        if not 0 < length <= MOST_JOINING:
            self._end(400)
            return
        said = self.rfile.read(length)
        self.patience.cancel()
        status, answer = self.server.reception.answer(self._admitted(), said, self._is_gone)
        self._end(status, answer)

    def _take_turn(self, length: int) -> None:
        desk, number = self.server.desk, self.headers.get(ANSWER, "")
        desk.sign(self.party, works=WORKING in self.headers, beats=BEATS in self.headers)
        if WORKING in self.headers and length == 0:
            self._say_nothing()
            return
        if length > desk.most_bytes or (length > 0 and not desk.awaits(self.party, number)):
            self._end(409)
            return
        answer = self._received(length)
        if len(answer) < length:
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
        self.send_header("Content-Length", str(sum(map(len, question))))
        self.end_headers()
        for part in question:
            for place in range(0, len(part), PART):
                self.wfile.write(memoryview(part)[place : place + PART])
                self.server.desk.sign(self.party)

    def _say_nothing(self) -> None:
        self.send_response(204)
        self.end_headers()

    def _admitted(self) -> str:
        door = self.server.door
        try:
            return door.expect(self.certificate) if self.is_guest else door.admit(self.certificate)
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

    def _is_gone(self) -> bool:
        """Whether a guest that should only listen has hung up, or says more."""
        return bool(select.select([self.request], [], [], LOOK)[0])

    def _end(self, status: int, content: bytes = b"") -> None:
        self.close_connection = True
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)
