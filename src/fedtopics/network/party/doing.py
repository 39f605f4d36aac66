"""What a party does just now, and how many bytes it has taken and given since it was started."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from fedtopics.errors import InputError
from fedtopics.network.messages import Request


@dataclass
class Doing:
    """Answers like `answers`, and can be asked what it is doing."""

    answers: Callable[[bytes], bytes]
    _asked: dict[str, Any] = field(default_factory=dict, init=False)
    _up: int = field(default=0, init=False)
    _down: int = field(default=0, init=False)

    def answer(self, question: bytes) -> bytes:
        """The answer to a question."""
        self._down += len(question)
        self._asked = _about(question)
        try:
            answer = self.answers(question)
        finally:
            self._asked = {}
        self._up += len(answer)
        return answer

    def look(self, connected: bool) -> dict[str, Any]:
        """What holds now."""
        return {
            "connected": connected,
            "asked": self._asked,
            "bytes_up": self._up,
            "bytes_down": self._down,
        }


def _about(question: bytes) -> dict[str, Any]:
    try:
        asked = Request.from_bytes(question)
    except InputError:
        return {"run": "", "operation": "", "round": 0}
    return {"run": asked.run, "operation": asked.operation, "round": asked.round}
