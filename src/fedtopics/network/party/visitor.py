"""A party's way to the coordinator: it calls, asks for a question and brings the answer. It opens no port.

While it works on an answer it says so every two seconds: who says nothing is not waited for. All that a
coordinator can make a party do is in the one function that answers: bytes in, bytes out.
"""

import http.client
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from time import sleep, time

from fedtopics.errors import InputError
from fedtopics.network.calling import called, skew_of, words
from fedtopics.network.messages import (
    ANSWER,
    BEAT,
    BEATS,
    MOST_DIGITS,
    QUESTION,
    STALLED,
    TURN,
    WORKING,
)
from fedtopics.network.plan import typed_file
from fedtopics.network.tls import Credentials

MOST_BYTES = 2**31  # of a question
SHORTEST, LONGEST = 0.5, 10.0  # seconds before the coordinator is called again
BEAT_STALLED = 5.0  # seconds for which a sign of life may be on its way
NOTHING = ("", b"")


class NoQuestionError(InputError):
    """The coordinator answered with something else than a question."""


def address(folder: Path) -> tuple[str, int, str | None]:
    """Host and port of the coordinator, and the proxy on the way to it, as plan and policy in a folder say.

    Both are looked at as a whole before anything is answered; a party that waits knows no more of them.
    """
    named = typed_file.read(folder / "plan.toml", "plan", lambda data: str(data.get("coordinator", "")))
    proxy = typed_file.read(folder / "policy.toml", "policy", lambda data: data.get("proxy"))
    host, _, port = named.rpartition(":")
    if not host or not port.isdecimal() or not isinstance(proxy, str | None):
        raise InputError(f"expected host:port of a coordinator and of a proxy, got {named!r:.60} in {folder}")
    return host, int(port), proxy


@dataclass
class Visitor:
    """Visits one coordinator and answers its questions; `say` takes a line for the operator."""

    host: str
    port: int
    credentials: Credentials
    answer: Callable[[bytes], bytes]
    say: Callable[[str], None]
    proxy: str | None = None
    note: Callable[..., None] = lambda **facts: None  # takes what monitors want to know
    _connection: http.client.HTTPSConnection | None = field(default=None, init=False)
    _n_answers: int = field(default=0, init=False)
    _said: str = field(default="", init=False)
    _pause: float = field(default=SHORTEST, init=False)
    _answered: tuple[str, bytes] = field(default=NOTHING, init=False)  # to be handed in
    _kept: tuple[str, bytes] = field(default=NOTHING, init=False)  # that could not be handed in

    def keep_visiting(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Ask and answer until `stop`; a broken connection is made again, and an answer brought again."""
        while not stop():
            try:
                self.take_turn()
            except (OSError, http.client.HTTPException, InputError) as error:
                self.hang_up()
                if self._answered != NOTHING:  # to be brought again if it is still asked for
                    self._kept, self._answered = self._answered, NOTHING
                self._tell(f"no connection to the coordinator: {words(error)}; trying again")
                self.note(connected=False, trouble=words(error))
                sleep(self._pause)
                self._pause = min(2 * self._pause, LONGEST)
        self.hang_up()

    def take_turn(self) -> None:
        """Hand in the answer to the last question, and answer the next one if there is one."""
        if self._connection is None:
            self._connection = self._called()
        number, answer = self._answered
        headers = {BEATS: f"{BEAT:g}"} | ({ANSWER: number} if number else {})
        self._connection.request("POST", TURN, answer, headers)
        response = self._connection.getresponse()
        self._answered = NOTHING
        if response.status in (200, 204):
            self._tell("connected to the coordinator")
            self._pause = SHORTEST
            self.note(connected=True, contact=time(), skew=skew_of(response), trouble="")
        if response.status == 200:
            number, question = _question(response)
            self._answered = self._kept if number == self._kept[0] else (number, self._made(number, question))
            self._kept = NOTHING
            self._n_answers += 1
            self.note(answers=self._n_answers)
            return
        response.read(0)
        if response.status != 204:
            self.hang_up()
        if response.status == 403:
            raise InputError("it refuses this party: not in its plan, not approved or revoked; ask it why")
        if response.status not in (204, 409):
            raise NoQuestionError(f"expected a question, got HTTP status {response.status}")

    def _made(self, number: str, question: bytes) -> bytes:
        """The answer to a question, with a sign of life every now and then while it is made."""
        over = Event()
        beating = Thread(target=self._beat, args=(number, over), daemon=True, name="beat")
        beating.start()
        try:
            return self.answer(question)
        finally:
            over.set()
            beating.join()

    def _beat(self, number: str, over: Event) -> None:
        """Say that this party works on the question, over a new connection where the old one is lost."""
        while not over.wait(BEAT):
            try:
                if self._connection is None:
                    self._connection = self._called(BEAT_STALLED)
                self._patient(BEAT_STALLED)
                self._connection.request("POST", TURN, headers={WORKING: number, BEATS: f"{BEAT:g}"})
                self._connection.getresponse().read(0)
                self._patient(STALLED)
            except (OSError, http.client.HTTPException, InputError):
                self.hang_up()

    def _patient(self, seconds: float) -> None:
        """Wait for the coordinator so long."""
        with suppress(AttributeError):  # a connection that was closed has no socket
            self._connection.sock.settimeout(seconds)  # type: ignore[union-attr]

    def _called(self, seconds: float = STALLED) -> http.client.HTTPSConnection:
        return called(self.host, self.port, self.credentials, self.proxy, seconds)

    def hang_up(self) -> None:
        """End the connection; the next turn makes another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _tell(self, line: str) -> None:
        if line != self._said:
            self._said = line
            self.say(line)


def _question(response: http.client.HTTPResponse) -> tuple[str, bytes]:
    number, length = response.getheader(QUESTION, ""), response.getheader("Content-Length", "")
    size = int(length) if length.isdecimal() and len(length) <= MOST_DIGITS else 0
    if not 0 < size <= MOST_BYTES or not number.isalnum():
        raise NoQuestionError(f"expected a question of at most {MOST_BYTES} bytes, got another answer")
    question = response.read(size)
    if len(question) < size:
        raise NoQuestionError("expected a whole question, got a part")
    return number, question
