"""The coordinator at work: its port is open, and every open run is taken from its checkpoint to its end.

A run is taken up as soon as enough parties are connected, and waits where too few of them answer. Parties
that come later are let in between two rounds. Whatever ends this process, the next one goes on from the
checkpoint.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic, sleep

from fedtopics.documents.reading import read
from fedtopics.errors import InputError
from fedtopics.network import verification
from fedtopics.network.coordinator import result
from fedtopics.network.coordinator.answers import Channel
from fedtopics.network.coordinator.checkpoint import WireRound
from fedtopics.network.coordinator.desk import Desk, HungUpError
from fedtopics.network.coordinator.door import Door
from fedtopics.network.coordinator.folder import OPEN, CoordinatorFolder, RunFolder
from fedtopics.network.coordinator.result import LastAnswers
from fedtopics.network.coordinator.rounds import Coordinator, TooFewPartiesError
from fedtopics.network.coordinator.server import Server
from fedtopics.network.coordinator.standing import Standing
from fedtopics.network.plan import certificates
from fedtopics.network.plan.onboarding import APPROVED
from fedtopics.network.plan.terms import terms_of
from fedtopics.network.present import Told

POLL = 0.2
SETTLED = 3.0  # seconds for which the connected parties must stay the same before a run begins without some
LARGEST = 2**29  # bytes of an answer, besides what a model takes
RETRY = 5.0  # seconds before a run that waits for parties is tried again
MOST_FRUITLESS = 20  # attempts in a row without a new round


@dataclass
class Coordinating:
    """The coordinator's work; `say` takes a line for the operator."""

    folder: CoordinatorFolder
    say: Callable[[str], None]
    _desk: Desk = field(init=False)
    _connected: tuple[tuple[str, ...], float] = field(default=((), 0.0), init=False)  # who, since when
    _not_before: float = field(default=0.0, init=False)
    _fruitless: tuple[str, int, int] = field(default=("", 0, 0), init=False)  # run, round, attempts there

    def keep_going(self) -> None:
        """Serve for ever."""
        self._desk = Desk(self.say)
        plan, door = self.folder.plan, Door(self.folder.path)
        with Server(plan.port, self.folder.credentials, door, self._desk, self.say):
            self.say(f"listening on {plan.coordinator}")
            Told(self.folder.path, Standing(self._desk).look).begin()
            while True:
                self._step()
                sleep(POLL)

    def _step(self) -> None:
        """Take up a run, if there is one and enough parties are there."""
        open_runs = [run for run in self.folder.runs() if run.status().state in OPEN]
        for run in open_runs:
            if run.abort.exists():
                _abort(run)
                return
        if open_runs and monotonic() > self._not_before and self._may_begin(open_runs[0]):
            self._take_up(open_runs[0])
            self._not_before = monotonic() + (RETRY if open_runs[0].status().state == "waiting" else 0.0)

    def _may_begin(self, run: RunFolder) -> bool:
        """Whether enough parties are there, and either all or no new ones for a while."""
        plan, now = self.folder.plan, monotonic()
        there = tuple(name for name in self._desk.parties if name in plan.parties)
        if there != self._connected[0]:
            self._connected = there, now
        if len(there) < plan.min_parties:
            reason = f"{len(there)} of {plan.min_parties} necessary parties are connected"
            if run.status().reason != reason:
                run.change("waiting", reason)
            return False
        return len(there) == len(plan.parties) or now - self._connected[1] > SETTLED

    def _take_up(self, run: RunFolder) -> None:
        """Carry out a run as far as it goes; what happened stands in its status and log."""
        status = run.status()
        if self._is_fruitless(run.name, status.round):
            run.log(f"given up after {MOST_FRUITLESS} attempts without a new round")
            run.change("failed", f"{MOST_FRUITLESS} attempts without a new round; resume it when mended")
            return
        run.change("running", n_attempts=status.n_attempts + 1)
        run.log(f"attempt {status.n_attempts + 1} with {', '.join(self._desk.parties)}")
        plan = self.folder.plan
        self._desk.most_bytes = LARGEST + 32 * plan.vocabulary.most_words * plan.method().n_topics
        self._desk.hang_up = run.abort.exists
        try:
            conduct(self.folder, run, self._desk)
        except HungUpError:
            _abort(run)
        except TooFewPartiesError as error:
            run.log(str(error))
            run.change("waiting", str(error))
        except Exception as error:
            text = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
            run.log(f"failed: {text}")
            run.change("failed", text)

    def _is_fruitless(self, run: str, number: int) -> bool:
        before, place, attempts = self._fruitless
        self._fruitless = (run, number, attempts + 1 if (before, place) == (run, number) else 0)
        return self._fruitless[2] >= MOST_FRUITLESS


def conduct(folder: CoordinatorFolder, run: RunFolder, channel: Channel) -> None:
    """Train, score, sign and deliver one run."""
    plan = folder.plan
    terms = terms_of(plan, folder.path, run.name)

    def note(line: WireRound) -> None:
        run.change("running", round=line.round + 1, missing=list(line.missing))

    authority = certificates.read_certificate(folder.path / "ca.crt")
    coordinator = Coordinator(terms, run.name, run.path, channel, run.log, note, authority)
    end = coordinator.train()
    tests = sorted(folder.path.glob("test.*"))
    test = read(tests[0], language=plan.texts.language, min_df=1, max_df=1.0) if tests else None
    last = LastAnswers.of(coordinator, folder, end)
    result.write(run.result, plan, terms, end, test, folder.path / "signing.key", last)
    kept = coordinator.deliver(end.words or (), verification.delivered(run.result))
    for name in sorted(set(terms.parties) - kept):
        approved = (folder.path / APPROVED / name / "party.crt").is_file()
        to_do = f"hand it the folder {run.result}" if approved else "it was revoked"
        run.log(f"party {name} has not received the model; {to_do}")
    run.log(f"finished: model and record at {len(kept)} of {len(terms.parties)} parties")
    run.change("finished")


def _abort(run: RunFolder) -> None:
    run.abort.unlink(missing_ok=True)
    run.log("aborted by the operator")
    run.change("aborted", "by the operator")
