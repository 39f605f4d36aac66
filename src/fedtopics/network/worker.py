"""The process that `coordinator start` and `party start` keep alive: python -m fedtopics.network.worker.

It is written to be killed: everything that must outlive it is on the disk before it counts. A party that
waits for a question has loaded nothing else: what answers take is imported with the first one, and some time
after the last one of a run the process begins anew, as small as before.
"""

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from fedtopics.errors import InputError
from fedtopics.network.keeper import COORDINATOR_LOG, command, end_with_keeper, keep_log, say, say_and_log
from fedtopics.network.pulse import Pulse

if TYPE_CHECKING:
    from collections.abc import Callable

    from fedtopics.network.messages import Request
    from fedtopics.network.party.answers import PartyAnswers


def coordinate(folder: Path) -> None:
    from fedtopics.network.coordinator.coordinating import Coordinating
    from fedtopics.network.coordinator.folder import CoordinatorFolder

    keep_log(folder, COORDINATOR_LOG)
    Coordinating(CoordinatorFolder(folder), say_and_log).keep_going()


def take_part(folder: Path) -> None:
    from fedtopics.network.party.doing import Doing
    from fedtopics.network.party.visitor import Visitor, address
    from fedtopics.network.tls import Credentials

    keep_log(folder)
    answers, (host, port, proxy) = Answers(folder), address(folder)
    held = Credentials.read(folder, "party", "see `fedtopics federation request`")
    doing = Doing(answers.answer)
    pulse = Pulse(folder, doing.look)
    pulse.note(connected=False)
    pulse.start()
    visitor = Visitor(host, port, held, doing.answer, say, proxy, pulse.note)
    visitor.keep_visiting(lambda: doing.is_done() and answers.may_go)
    os.execv(sys.executable, command("party", folder))  # noqa: S606 - the same, with an empty memory


@dataclass
class Answers:
    """The answers of the party in a folder; what they take is imported when they are asked for."""

    folder: Path
    _opened: "PartyAnswers | None" = field(default=None, init=False)

    def answer(self, question: bytes, begin: "Callable[[Request], None]") -> bytes:
        """The answer to a question, of which `begin` is told."""
        if self._opened is None:
            self._opened = self._open()
        return self._opened.answer(question, begin)

    @property
    def may_go(self) -> bool:
        """Whether this process holds nothing that its folder does not."""
        return self._opened is None or not self._opened.unpaid

    def _open(self) -> "PartyAnswers":
        from fedtopics.network.party.answers import PartyAnswers
        from fedtopics.network.party.folder import PartyFolder

        place = PartyFolder(self.folder)
        try:
            return PartyAnswers(place, place.name)
        except InputError as error:
            # No trouble with the coordinator: this process ends, and is started again.
            raise SystemExit(f"this party cannot answer: {error}") from None


if __name__ == "__main__":
    end_with_keeper()
    {"coordinator": coordinate, "party": take_part}[sys.argv[1]](Path(sys.argv[2]))
