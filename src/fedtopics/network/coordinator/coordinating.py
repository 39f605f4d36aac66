"""The coordinator at work: its port is open, and every open run is taken from its checkpoint to its end.

A run is taken up as soon as enough parties are connected, and waits where too few of them answer. Parties
that come later are let in between two rounds. Whatever ends this process, the next one goes on from the
checkpoint.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

from fedtopics import files
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.reading import read
from fedtopics.documents.text.languages import several
from fedtopics.errors import InputError
from fedtopics.files import StoreError
from fedtopics.network import verification
from fedtopics.network.coordinator import continuing, result
from fedtopics.network.coordinator.answers import Channel
from fedtopics.network.coordinator.checkpoint import Checkpoint, WireRound
from fedtopics.network.coordinator.desk import Desk, HungUpError
from fedtopics.network.coordinator.door import Door
from fedtopics.network.coordinator.folder import OPEN, CoordinatorFolder, RunFolder, Status
from fedtopics.network.coordinator.guests import Guests
from fedtopics.network.coordinator.renewal import Renewal
from fedtopics.network.coordinator.result import LastAnswers, last_signed
from fedtopics.network.coordinator.rounds import Coordinator, TooFewPartiesError
from fedtopics.network.coordinator.server import Server
from fedtopics.network.coordinator.standing import Standing
from fedtopics.network.coordinator.waiting import Waiting
from fedtopics.network.phases import logged
from fedtopics.network.plan import certificates
from fedtopics.network.plan.onboarding import APPROVED
from fedtopics.network.plan.terms import terms_of
from fedtopics.network.pulse import Pulse
from fedtopics.runs.run import whole_record

POLL = 0.2
LOOK_ROUND = 1.0
SETTLED = 3.0  # seconds for which the connected parties must stay the same before a run begins without some
LARGEST = 2**29  # bytes of an answer, besides what a model takes
RETRY = 5.0  # seconds before a run that waits for parties is tried again
MOST_FRUITLESS = 20  # attempts in a row without a new round
LONGEST_PAUSE = 3600.0  # seconds before a result is sent again to one that did not take it
LOCK_SECONDS = 10.0  # until the process before has ended


@dataclass
class Coordinating:
    """The coordinator's work; `say` takes a line for the operator."""

    folder: CoordinatorFolder
    say: Callable[[str], None]
    _desk: Desk = field(init=False)
    _connected: tuple[tuple[str, ...], float] = field(default=((), 0.0), init=False)  # who, since when
    _not_before: float = field(default=0.0, init=False)
    _fruitless: tuple[str, int, int] = field(default=("", 0, 0), init=False)  # run, round, attempts there
    _late: dict[tuple[str, str], tuple[float, float]] = field(default_factory=dict, init=False)  # not before
    _broken: set[str] = field(default_factory=set, init=False)  # runs whose status cannot be read

    def keep_going(self) -> None:
        """Serve for ever, if no other process does."""
        held = files.lock(self.folder.path, LOCK_SECONDS)
        self._desk = Desk(self.say, silence=Waiting.read(self.folder.path).silence)
        plan, door = self.folder.plan, Door(self.folder.path)
        try:
            with Server(plan.port, self.folder.credentials, door, self._desk, self.say) as server:
                self.say(f"listening on {plan.coordinator}")
                Pulse(self.folder.path, Standing(self._desk).look).start()
                renewal = Renewal(self.folder.path, server.context, self._desk, self.say)
                Thread(target=self._look_round, daemon=True, name="look round").start()
                while True:
                    renewal.look()
                    self._step()
                    sleep(POLL)
        finally:
            os.close(held)

    def _look_round(self) -> None:
        """See who is there, while runs go on: for invitations that were taken up."""
        while True:
            with suppress(InputError, OSError):
                Guests(self.folder.path).arrived(self._desk.connected)
            sleep(LOOK_ROUND)

    def _step(self) -> None:
        """Take up a run, if there is one and enough parties are there."""
        known = self._statuses()
        open_runs = [run for run, status in known if status.state in OPEN]
        for run in open_runs:
            if run.abort.exists():
                _abort(run)
                return
        for run, status in known:
            self._deliver_late(run, status)
        if open_runs and monotonic() > self._not_before and self._may_begin(open_runs[0]):
            self._take_up(open_runs[0])
            is_open = any(status.state in OPEN for run, status in self._statuses() if run == open_runs[0])
            self._not_before = monotonic() + (RETRY if is_open else 0.0)

    def _statuses(self) -> list[tuple[RunFolder, Status]]:
        """Where each run stands, without those of which that cannot be read."""
        found = []
        for run in self.folder.runs():
            try:
                found.append((run, run.status()))
            except InputError as error:
                if run.name not in self._broken:
                    self._broken.add(run.name)
                    self.say(f"run {run.name} is left alone: its status.json was altered ({error})")
        return found

    def _deliver_late(self, run: RunFolder, status: Status) -> None:
        """Give a finished run to those that were absent when it ended and are there now."""
        if status.state != "finished" or not status.undelivered:
            return
        now = monotonic()
        there = [
            name
            for name in sorted(set(status.undelivered) & set(self._desk.parties))
            if now >= self._late.get((run.name, name), (0.0, 0.0))[0]
        ]
        for name in there:  # one that takes it and says nothing must not keep the next run waiting
            pause = min(LONGEST_PAUSE, 4 * self._late.get((run.name, name), (0.0, RETRY))[1])
            self._late[run.name, name] = now + pause, pause
        if there:
            with suppress(StoreError):  # on a full disk it is tried again
                left = still_undelivered(self.folder, run, self._desk, there)
                run.change("finished", run.status().reason, undelivered=left)

    def _may_begin(self, run: RunFolder) -> bool:
        """Whether enough parties are there, and either all or no new ones for a while."""
        plan, now = self.folder.plan, monotonic()
        there = tuple(name for name in self._desk.parties if name in plan.parties)
        if there != self._connected[0]:
            self._connected = there, now
        reason, invited = "", sorted(set(Guests(self.folder.path).invited()) & set(plan.parties))
        if len(there) < plan.min_parties:
            reason = f"{len(there)} of {plan.min_parties} necessary parties are connected"
        elif invited and not run.status().n_attempts:
            reason = f"invited and not there yet: {', '.join(invited)}; `invite --withdraw` begins without"
        if reason:
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
        self.say(f"{run.name} goes on from {logged(status.round)} with {', '.join(self._desk.parties)}")
        plan = self.folder.plan
        self._desk.most_bytes = LARGEST + 32 * plan.vocabulary.most_words * plan.method().n_topics
        self._desk.hang_up = run.abort.exists
        try:
            run.change("running", n_attempts=status.n_attempts + 1)
            run.log(f"attempt {status.n_attempts + 1} with {', '.join(self._desk.parties)}")
            conduct(self.folder, run, self._desk)
        except HungUpError:
            _abort(run)
        except TooFewPartiesError as error:
            run.log(str(error))
            self._note(run, "waiting", str(error))
        except (
            StoreError,
            OSError,
        ) as error:  # a disk that is full, or fails: nothing is lost, it is tried again
            self._fruitless = ("", 0, 0)
            self.say(f"run {run.name} waits: {error}")
            self._note(run, "waiting", str(error))
        except Exception as error:
            text = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
            run.log(f"failed: {text}")
            self._note(run, "failed", text)
        with suppress(InputError):
            after = run.status()
            self.say(f"{run.name} {after.state}, {logged(after.round)} of {after.n_rounds}")

    def _note(self, run: RunFolder, state: str, reason: str) -> None:
        """Put down where a run stands, if the disk has room for it."""
        with suppress(StoreError):
            run.change(state, reason)

    def _is_fruitless(self, run: str, number: int) -> bool:
        before, place, attempts = self._fruitless
        self._fruitless = (run, number, attempts + 1 if (before, place) == (run, number) else 0)
        return self._fruitless[2] >= MOST_FRUITLESS


def conduct(folder: CoordinatorFolder, run: RunFolder, channel: Channel) -> None:
    """Train, score, sign and deliver one run."""
    plan, coordinator = folder.plan, _coordinator(folder, run, channel)
    end = coordinator.train()
    tests = sorted(folder.path.glob("test.*"))
    test = read_test(tests[0], plan.texts.language) if tests else None
    last = LastAnswers.of(coordinator, folder, end)
    key, before = folder.path / "signing.key", continuing.earlier(folder)
    result.write(run.result, plan, coordinator.terms, end, test, key, last, before)
    kept = coordinator.deliver(end.words or (), verification.delivered(run.result))
    absent = sorted(set(coordinator.terms.parties) - kept)
    for name in absent:
        approved = (folder.path / APPROVED / name / "party.crt").is_file()
        to_do = "it gets it when it is back" if approved else "it was revoked"
        run.log(f"party {name} has not received the model; {to_do}")
    found = whole_record(run.result)
    useless = found.get("warnings", [])
    for warning in useless:
        run.log(f"of no use: {warning}")
    said = plan.method().notes(len(end.words or ()))  # before the first round
    for note in found["notes"]:
        if note not in said:
            run.log(note)
    run.log(f"finished: model and record at {len(kept)} of {len(plan.parties)} parties")
    run.change("finished", "of no use, as its report says" if useless else "", undelivered=absent)


def read_test(path: Path, language: str) -> Corpus:
    """Public documents for scores; where the plan has several languages, a column `language` says which."""
    column = "language" if several(language) else None
    return read(path, language=language, language_column=column, min_df=1, max_df=1.0)


def still_undelivered(
    folder: CoordinatorFolder, run: RunFolder, channel: Channel, there: Sequence[str]
) -> list[str]:
    """Deliver a finished run to parties that are back; those that have not received it yet."""
    left = set(run.status().undelivered)
    try:
        end = Checkpoint.load(run.path, run.name, folder.plan.digest, run.log)
    except InputError:
        end = None
    if end is None:
        names = ", ".join(there)
        run.log(f"the plan has changed since, or the checkpoint is gone; hand {run.result} to {names}")
        return sorted(left - set(there))
    coordinator = _coordinator(folder, run, channel)
    kept = coordinator.deliver(end.words or (), verification.delivered(run.result), there)
    for name in sorted(kept):
        run.log(f"party {name} is back and has received the model")
    refused = set(coordinator.present) - kept
    for name in sorted(refused):
        run.log(f"party {name} does not take the model; hand it the folder {run.result}")
    return sorted(left - kept - refused)


def _coordinator(folder: CoordinatorFolder, run: RunFolder, channel: Channel) -> Coordinator:
    terms = terms_of(folder.plan, folder.path, run.name)

    def note(line: WireRound) -> None:
        away = run.status().after(line.missing)
        run.change("running", round=line.round + 1, missing=list(line.missing), away=away)

    authority, waiting = certificates.read_certificate(folder.path / "ca.crt"), Waiting.read(folder.path)
    known = authority, waiting, partial(last_signed, folder), partial(continuing.begun, folder)
    return Coordinator(terms, run.name, run.path, channel, run.log, note, *known)


def _abort(run: RunFolder) -> None:
    run.abort.unlink(missing_ok=True)
    run.log("aborted by the operator")
    run.change("aborted", "by the operator")
