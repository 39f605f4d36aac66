"""What coordinator and parties say to each other: a question, and its answer.

    length of the header (4 bytes)   header (JSON)   body (`wire`)

They travel in the bodies of `POST /turn`: a party brings an answer and takes the next question.
A question has a number that nobody can guess, and its answer repeats it together with the run, the round, the
operation and the party's name: an answer that was sent before, or is another's, does not fit.
"""

import json
import os
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Self

TURN, QUESTION, ANSWER = "/turn", "Question", "Answer"  # the parties' resource, and headers with a number
WORKING = "Working"  # header with the number of the question that a party works on: a sign of life
BEAT, BEATS = 2.0, "Beats"  # seconds between two of them, and the header of a party that gives them
JOIN = "/join"  # the one of those who are invited
MOST_JOINING = 2**13  # bytes of a request to join
STALLED = 60.0  # seconds without a byte of a message
MOST_DIGITS = 12  # of a length
MOST_HEADER = 2**16
MOST_ROUNDS = 2**31
PROTOCOL = 2  # of messages, checkpoints and stores: a run is finished by the one that it began with


class Message:
    """A question or an answer, as bytes and back."""

    body: bytes

    def to_bytes(self) -> bytes:
        return b"".join(self.parts())

    def parts(self) -> tuple[bytes, bytes]:
        """The same in two parts, the second of which is the very body: many messages may share one."""
        names = [item.name for item in fields(self) if item.name != "body"]  # type: ignore[arg-type]
        described = json.dumps({name: getattr(self, name) for name in names}, separators=(",", ":")).encode()
        return struct.pack("<I", len(described)) + described, self.body

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """The message in these bytes; whatever else they are is a `WireError`."""
        from fedtopics.network.wire import WireError  # a party that waits has not imported it

        if not isinstance(data, bytes) or len(data) < 4:
            raise WireError(f"expected a message, got {type(data).__name__} that is none")
        length = struct.unpack_from("<I", data)[0]
        if length > min(MOST_HEADER, len(data) - 4):
            raise WireError("expected a message with its whole header, got one that is cut off or too long")
        try:
            header = json.loads(data[4 : 4 + length])
        except (ValueError, RecursionError):
            raise WireError("expected a header in JSON, got other bytes") from None
        names = {item.name for item in fields(cls)} - {"body"}  # type: ignore[arg-type]
        wanted = {name: int if name == "round" else str for name in names}
        if not isinstance(header, dict) or {name: type(value) for name, value in header.items()} != wanted:
            raise WireError("expected the header of a message, got other JSON")
        if abs(header["round"]) > MOST_ROUNDS:
            raise WireError(f"expected the number of a round up to {MOST_ROUNDS}, got a larger one")
        return cls(**header | {"body": data[4 + length :]})


@dataclass(frozen=True)
class Request(Message):
    """What the coordinator asks one party; `plan` and `vocabulary` are digests, and so is `known`: of what
    the coordinator has of the answers before, by which the next may be coded."""

    operation: str
    run: str
    round: int
    plan: str
    vocabulary: str = ""
    nonce: str = field(default_factory=lambda: os.urandom(16).hex())
    known: str = ""
    body: bytes = b""


@dataclass(frozen=True)
class Outgoing(Mapping[str, bytes]):
    """Questions by party as bytes, made when they are looked at; a body that many have is held once."""

    requests: Mapping[str, Request]

    def __getitem__(self, party: str) -> bytes:
        return self.requests[party].to_bytes()

    def __iter__(self) -> Iterator[str]:
        return iter(self.requests)

    def __len__(self) -> int:
        return len(self.requests)

    def parts(self, party: str) -> tuple[bytes, ...]:
        """A question in parts."""
        return self.requests[party].parts()


@dataclass(frozen=True)
class Reply(Message):
    """What a party answers; `error` is the name of an exception's type, never its text."""

    party: str
    operation: str
    run: str
    round: int
    nonce: str
    error: str = ""
    body: bytes = b""

    def mismatch(self, request: Request, party: str) -> str | None:
        """Why this is no answer of `party` to `request`, in words; None where it is one."""
        if self.party != party:
            return f"it speaks for party {self.party!r:.80}"
        if (self.run, self.operation, self.round) != (request.run, request.operation, request.round):
            return (
                f"it belongs to {self.operation!r:.40} of round {self.round} of run {self.run!r:.80}, "
                f"{request.operation!r} of round {request.round} was asked (an old message sent again?)"
            )
        if self.nonce != request.nonce:
            return "it answers another question (an old message sent again?)"
        return None
