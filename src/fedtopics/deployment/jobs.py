"""What the engine starts in a process of its own at each machine, by name and from installed code."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from threading import Lock

from fedtopics.deployment import result
from fedtopics.deployment.coordinator_folder import PAUSE, CoordinatorFolder, RunFolder
from fedtopics.deployment.party_folder import PartyFolder
from fedtopics.deployment.private_scores import asked_for
from fedtopics.deployment.terms_of_plan import terms_of
from fedtopics.errors import InputError
from fedtopics.federation import flare
from fedtopics.federation.answers import Channel
from fedtopics.federation.checkpoint import WireRound
from fedtopics.federation.coordinator import Coordinator, Interrupted, TooFewPartiesError
from fedtopics.federation.messages import Reply, Request
from fedtopics.federation.party_side import PartySide
from fedtopics.reading import read

logger = logging.getLogger(__name__)
FOLDER = "FEDTOPICS_FOLDER"  # names the machine's folder to the processes that are started for it


class CoordinatorJob:
    """The coordinator's side of one run."""

    def __init__(self, run: str) -> None:
        self.run = run

    @flare.main
    def carry_out(self) -> None:
        """Take the run from its checkpoint to its end; what happened stands in its status and log."""
        folder = CoordinatorFolder(Path(os.environ[FOLDER]))
        run = folder.run(self.run)
        try:
            conduct(folder, run, flare.JobChannel())
        except flare.Aborted:
            run.log("the job was ended from outside; it goes on from its checkpoint")
            raise
        except Interrupted:
            run.change("submitted", "paused between two rounds")
        except TooFewPartiesError as error:
            run.log(str(error))
            run.change("waiting", str(error))
        except Exception as error:
            text = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
            run.log(f"failed: {text}")
            run.change("failed", text)


def conduct(folder: CoordinatorFolder, run: RunFolder, channel: Channel) -> None:
    """Train, score, sign and deliver one run."""
    plan = folder.plan
    terms = terms_of(plan, folder.path, run.name)

    def note(line: WireRound) -> None:
        run.change("running", round=line.round + 1, missing=list(line.missing))

    coordinator = Coordinator(
        terms, run.name, run.path, channel, run.log, lambda: run.asked(PAUSE), on_round=note
    )
    run.change("running")
    end = coordinator.train()
    tests = sorted(folder.path.glob("test.*"))
    test = read(tests[0], language=plan.texts.language, min_df=1, max_df=1.0) if tests else None
    scored = asked_for(coordinator, plan, end)
    result.write(run.result, plan, terms, end, test, folder.path / "signing.key", scored)
    kept = coordinator.deliver(end.words or (), result.files(run.result))
    for name in sorted(set(terms.parties) - kept):
        run.log(f"party {name} has not received the model; hand it the folder {run.result}")
    run.log(f"finished: model and record at {len(kept)} of {len(terms.parties)} parties")
    run.change("finished")


class NotTheCoordinatorError(InputError):
    """Another party asked; parties answer the coordinator alone."""


class PartyJob:
    """A party's side: one published function, for the coordinator alone."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._side: PartySide | None = None

    @flare.publish
    def answer(self, data: bytes) -> bytes:
        """The answer to a question of the coordinator; never an exception, never a text of one."""
        name, asked = flare.here(), Request("", "", 0, "", nonce="")
        try:
            asked = Request.from_bytes(data)
            if flare.caller() != "server":
                raise NotTheCoordinatorError(
                    f"expected a question of the coordinator, got one of {flare.caller()}"
                )
            with self._lock:
                if self._side is None:
                    self._side = PartyFolder(Path(os.environ[FOLDER])).side(asked.run)
            return self._side.answer(data)
        except Exception as error:
            logger.warning("%s was not answered: %s", asked.operation, error)
            kind = type(error).__name__
            return Reply(name, asked.operation, asked.run, asked.round, asked.nonce, kind).to_bytes()
