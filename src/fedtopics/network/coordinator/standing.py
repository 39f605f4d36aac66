"""How it stands between the coordinator and its parties just now, for who watches."""

from dataclasses import dataclass, field
from typing import Any

from fedtopics.network.coordinator.desk import Desk
from fedtopics.network.messages import Request


@dataclass
class Standing:
    """Looks at a desk: who is there, who computes, who has answered, and what was asked."""

    desk: Desk
    _last: tuple[tuple[bytes, ...] | None, dict[str, Any]] = field(default=(None, {}), init=False)

    def look(self) -> dict[str, Any]:
        """Parties by how it stands with them, and the question that is waited for."""
        parties, question = self.desk.standing()
        if question is not self._last[0]:
            self._last = question, {} if question is None else _about(question)
        return {"connected": self.desk.connected, "parties": parties, "asked": self._last[1]}


def _about(question: tuple[bytes, ...]) -> dict[str, Any]:
    asked = Request.from_bytes(b"".join(question))
    return {"run": asked.run, "operation": asked.operation, "round": asked.round}
