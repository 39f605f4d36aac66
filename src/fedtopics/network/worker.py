"""The process that `coordinator start` and `party start` keep alive: python -m fedtopics.network.worker.

It is written to be killed: everything that must outlive it is on the disk before it counts.
"""

import sys
from pathlib import Path

from fedtopics.network.coordinator.coordinating import Coordinating
from fedtopics.network.coordinator.folder import CoordinatorFolder
from fedtopics.network.keeper import COORDINATOR_LOG, end_with_keeper, keep_log, say, say_and_log
from fedtopics.network.party.answers import PartyAnswers
from fedtopics.network.party.doing import Doing
from fedtopics.network.party.folder import PartyFolder
from fedtopics.network.party.visitor import Visitor
from fedtopics.network.present import Told
from fedtopics.network.pulse import Pulse


def coordinate(folder: Path) -> None:
    keep_log(folder, COORDINATOR_LOG)
    Coordinating(CoordinatorFolder(folder), say_and_log).keep_going()


def take_part(folder: Path) -> None:
    keep_log(folder)
    place = PartyFolder(folder)
    plan, doing = place.plan, Doing(PartyAnswers(place, place.name).answer)
    proxy = place.policy.proxy
    note = Pulse(folder, {"connected": False}).start().note
    visitor = Visitor(plan.host, plan.port, place.credentials, doing.answer, say, proxy, note)
    Told(folder, lambda: doing.look(visitor.is_connected)).begin()
    visitor.keep_visiting()


if __name__ == "__main__":
    end_with_keeper()
    {"coordinator": coordinate, "party": take_part}[sys.argv[1]](Path(sys.argv[2]))
