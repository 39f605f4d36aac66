"""Looks after the coordinator: keeps its server alive and every open run going, job after job.

The engine ends a whole job when one process of it dies, and never continues one. So a run is a chain of jobs:
whenever its job has ended and the run has not, the next job takes it up from its checkpoint, as soon as
enough parties are connected. A party that comes back while a job runs without it makes the run pause between
two rounds, and is in the next job.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic, sleep

from fedtopics.deployment.coordinator_folder import ABORT, OPEN, PAUSE, CoordinatorFolder, RunFolder, Status
from fedtopics.deployment.jobs import FOLDER
from fedtopics.deployment.keeper import ENGINE_LOG, Kept
from fedtopics.deployment.party_folder import PartyFolder
from fedtopics.deployment.refusals import Refusals
from fedtopics.federation import flare, flare_kit
from fedtopics.federation.plan import Plan

POLL = 0.5
SETTLED = 3.0  # seconds for which the connected parties must stay the same
RETRY = 5.0  # seconds before a run that waits for parties is tried again
MOST_FRUITLESS = 20  # jobs in a row without a new round


@dataclass
class Supervisor:
    """The coordinator's supervisor; `say` takes a line for the operator."""

    folder: CoordinatorFolder
    say: Callable[[str], None]
    _jobs: flare.Jobs | None = field(default=None, init=False)
    _job: str = field(default="", init=False)
    _run: RunFolder | None = field(default=None, init=False)
    _in_job: tuple[str, ...] = field(default=(), init=False)
    _connected: tuple[str, ...] = field(default=(), init=False)
    _since: float = field(default=0.0, init=False)
    _not_before: float = field(default=0.0, init=False)
    _silent: tuple[int, tuple[str, ...]] = field(default=(0, ()), init=False)  # in the last round seen
    _fruitless: tuple[int, int] = field(default=(-9, 0), init=False)  # round, jobs that ended there

    def keep_going(self, stop: Callable[[], bool]) -> None:
        """Serve until `stop` says so."""
        plan, engine = self.folder.plan, self.folder.engine
        server = flare_kit.write_server(
            engine / "server", plan.host, plan.port, self.folder.credentials("server")
        )
        admin = flare_kit.write_admin(
            engine / "admin", plan.host, plan.port, self.folder.credentials("admin")
        )
        environment = flare.ENVIRONMENT | {FOLDER: str(self.folder.path.resolve())}
        refusals = Refusals(server / ENGINE_LOG)
        with Kept(flare.server_command(server), server, environment, self.say) as kept:
            while not stop():
                kept.look_after()
                for line in refusals.new():
                    self.say(line)
                try:
                    if self._jobs is None:
                        self._jobs = flare.Jobs(admin)
                        self.say(f"listening on {plan.coordinator}")
                    self._step(plan, self._jobs)
                except Exception as error:
                    self.say(f"no connection to the server yet ({type(error).__name__})")
                    self._lose_connection()
                sleep(POLL)
            self._lose_connection()

    def _lose_connection(self) -> None:
        if self._jobs is not None:
            self._jobs.close()
        self._jobs, self._job, self._run = None, "", None

    def _step(self, plan: Plan, jobs: flare.Jobs) -> None:
        self._look(plan, jobs)
        if self._run is not None:
            self._follow(self._run, jobs)
            return
        for run in self.folder.runs():
            if run.asked(ABORT):
                run.unask(ABORT)
                if run.status().state in OPEN:
                    run.log("aborted by the operator")
                    run.change("aborted", "by the operator")
        waiting = [run for run in self.folder.runs() if run.status().state in OPEN]
        settled = monotonic() - self._since > SETTLED or len(self._connected) == len(plan.parties)
        if waiting and settled and monotonic() > self._not_before:
            self._take_up(waiting[0], plan, jobs)

    def _look(self, plan: Plan, jobs: flare.Jobs) -> None:
        """Note who is connected, and since when it has been the same parties."""
        connected = tuple(name for name in jobs.connected() if name in plan.parties)
        for name in sorted(set(connected) ^ set(self._connected)):
            self.say(f"party {name} {'is' if name in connected else 'is no longer'} connected")
        if connected != self._connected:
            self._connected, self._since = connected, monotonic()

    def _take_up(self, run: RunFolder, plan: Plan, jobs: flare.Jobs) -> None:
        if len(self._connected) < plan.min_parties:
            reason = f"{len(self._connected)} of {plan.min_parties} necessary parties are connected"
            if run.status().reason != reason:
                run.change("waiting", reason)
            return
        status = run.status()
        if self._is_fruitless(run):
            run.log(f"given up after {MOST_FRUITLESS} jobs without a new round")
            run.change("failed", f"{MOST_FRUITLESS} jobs without a new round; resume it when that is mended")
            return
        run.unask(PAUSE)
        target = self.folder.engine / "job"
        shutil.rmtree(target, ignore_errors=True)
        flare_kit.write_job(target, run.name, self._connected, plan.min_parties)
        run.change("running", n_jobs=status.n_jobs + 1)
        run.log(f"job {status.n_jobs + 1} with {', '.join(self._connected)}")
        self._job, self._run, self._in_job = jobs.submit(target), run, self._connected
        self._silent = (0, ())

    def _follow(self, run: RunFolder, jobs: flare.Jobs) -> None:
        if run.asked(ABORT):
            jobs.abort(self._job)
        elif monotonic() - self._since > SETTLED and self._others_could_be_in(run.status()):
            run.ask(PAUSE)
        if not jobs.is_running(self._job):
            status = run.status()
            if status.state == "running":
                run.log("the job ended early; the run goes on from its checkpoint")
                run.change("submitted", "its job ended early")
            if status.state == "waiting":
                self._not_before = monotonic() + RETRY
            self._job, self._run = "", None

    def _others_could_be_in(self, status: Status) -> bool:
        """Whether a new job would have other parties: one came, left, or has been silent for two rounds."""
        if status.round != self._silent[0]:
            again = set(self._silent[1]) & set(status.missing) & set(self._in_job)
            self._silent = (status.round, tuple(status.missing))
            return bool(again)
        return bool(set(self._connected) - set(self._in_job))

    def _is_fruitless(self, run: RunFolder) -> bool:
        number, jobs = run.status().round, self._fruitless[1] + 1
        self._fruitless = (number, jobs if number == self._fruitless[0] else 0)
        return self._fruitless[1] >= MOST_FRUITLESS


def keep_party_going(folder: PartyFolder, stop: Callable[[], bool], say: Callable[[str], None]) -> None:
    """Keep a party's client alive until `stop` says so."""
    plan, name = folder.plan, folder.name
    client = flare_kit.write_party(folder.engine, name, plan.host, plan.port, folder.credentials)
    environment = flare.ENVIRONMENT | {FOLDER: str(folder.path.resolve())}
    with Kept(flare.party_command(client, name), client, environment, say) as kept:
        while not stop():
            kept.look_after()
            sleep(POLL)
