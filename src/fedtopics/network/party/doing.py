"""What a party does just now, how many bytes it has taken and given, and when it has done its part."""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from fedtopics.network.messages import Request

REST = 30.0  # seconds after a model was delivered in which a next run may begin
LONG = 3600.0  # seconds without a question, of a run that was never ended


@dataclass
class Doing:
    """Answers like `answers`, which says what it was asked, and can be asked what it is doing."""

    answers: Callable[[bytes, Callable[[Request], None]], bytes]
    _asked: dict[str, Any] = field(default_factory=dict, init=False)
    _up: int = field(default=0, init=False)
    _down: int = field(default=0, init=False)
    _last: tuple[str, float] = field(default=("", 0.0), init=False)  # operation, and when it was answered

    def answer(self, question: bytes) -> bytes:
        """The answer to a question."""
        self._down += len(question)
        self._asked = {"run": "", "operation": "", "round": 0}  # as far as it is known
        try:
            answer = self.answers(question, self._begin)
        finally:
            self._last = str(self._asked["operation"]), monotonic()
            self._asked = {}
        self._up += len(answer)
        return answer

    def _begin(self, asked: Request) -> None:
        self._asked = {"run": asked.run, "operation": asked.operation, "round": asked.round}

    def is_done(self) -> bool:
        """Whether nothing more is likely to be asked for a while: then all that was loaded may go."""
        operation, at = self._last
        return operation != "" and monotonic() - at > (REST if operation == "deliver" else LONG)

    def look(self) -> dict[str, Any]:
        """What holds now."""
        return {"asked": self._asked, "bytes_up": self._up, "bytes_down": self._down}
