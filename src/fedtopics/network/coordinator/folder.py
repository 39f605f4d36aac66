"""The coordinator's folder: the plan, keys and certificates, and a folder for every run.

FOLDER/plan.toml                  and, where the plan has a public word list, that list
FOLDER/ca.*, server.*             certificates and keys;  signing.key signs run records
FOLDER/approved/NAME/             the certificate of each approved party, and what it was sent
FOLDER/waiting.toml               how long parties are waited for, where the operator says so
FOLDER/lock                       held by the one process that works on the folder
FOLDER/test.*                     public documents for scores, where the operator gives some
FOLDER/runs/NAME/status.json      submitted, waiting, running, finished, failed or aborted, and why
FOLDER/runs/NAME/log.txt          what happened, line by line
FOLDER/runs/NAME/checkpoint.*     where the run stands, and where it stood a round before
FOLDER/runs/NAME/result/          model, record, its signature and the ledger
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cryptography import x509

from fedtopics import files
from fedtopics.documents.text.harmless import one_line
from fedtopics.errors import InputError
from fedtopics.network.plan import certificates
from fedtopics.network.plan.onboarding import APPROVED
from fedtopics.network.plan.parts import RUN
from fedtopics.network.plan.plan import Plan
from fedtopics.network.tls import Credentials

OPEN = ("submitted", "waiting", "running")
RESULT = "result"
OLDER, MOST_LOG = "log.older.txt", 10 * 2**20  # the log of a run takes at most twice that


@dataclass(frozen=True)
class Status:
    """Where a run stands, for people."""

    state: str
    reason: str = ""
    round: int = 0
    n_rounds: int = 0
    n_attempts: int = 0
    missing: list[str] = field(default_factory=list)  # parties without an answer in the last round
    away: dict[str, str] = field(default_factory=dict)  # since when each of them is missing
    undelivered: list[str] = field(default_factory=list)  # parties that get the result when they are back

    def after(self, missing: Sequence[str]) -> dict[str, str]:
        """Since when these parties are missing: since now, if they were not before."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return {name: self.away.get(name, now) for name in missing}


@dataclass(frozen=True)
class RunFolder:
    """One run of the coordinator."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def result(self) -> Path:
        return self.path / RESULT

    def status(self) -> Status:
        try:
            return Status(**json.loads((self.path / "status.json").read_bytes()))
        except (OSError, ValueError, TypeError, RecursionError):
            raise InputError(
                f"expected a run in {self.path}, got none; see `fedtopics federation run status`"
            ) from None

    def change(self, state: str, reason: str = "", **others: Any) -> None:
        """Put down where the run stands now."""
        status = replace(self.status(), state=state, reason=reason, **others)
        files.write(self.path / "status.json", json.dumps(asdict(status)).encode())

    def log(self, line: str) -> None:
        """Add a line for people; a disk without room for it stops nothing."""
        moment = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
        with suppress(OSError), files.log(self.path / "log.txt") as file:
            file.write(f"{moment} {one_line(line)}\n".encode())
            if file.tell() > MOST_LOG:
                (self.path / "log.txt").replace(self.path / OLDER)
                (self.path / "log.txt").touch()

    def lines(self) -> list[str]:
        paths = (self.path / OLDER, self.path / "log.txt")
        return [
            line for path in paths if path.is_file() for line in path.read_text(encoding="utf-8").splitlines()
        ]

    @property
    def abort(self) -> Path:
        """The file that is there when someone has asked to end the run."""
        return self.path / "abort"


@dataclass(frozen=True)
class CoordinatorFolder:
    """Where the coordinator keeps everything."""

    path: Path

    @property
    def plan(self) -> Plan:
        return Plan.read(self.path / "plan.toml")

    @property
    def credentials(self) -> Credentials:
        return Credentials.read(self.path, "server", "make it with `fedtopics federation init`")

    def certificate(self, party: str) -> x509.Certificate:
        return certificates.read_certificate(self.path / APPROVED / party / "party.crt")

    def runs(self) -> list[RunFolder]:
        return [RunFolder(path.parent) for path in sorted(self.path.glob("runs/*/status.json"))]

    def run(self, name: str) -> RunFolder:
        if not RUN.fullmatch(name):
            raise InputError(
                f"expected the name of a run, got {name!r:.60}; see `fedtopics federation run status`"
            )
        run = RunFolder(self.path / "runs" / name)
        run.status()
        return run

    def submit(self, name: str | None = None) -> RunFolder:
        """A new run of the plan, to be taken up by `fedtopics federation coordinator start`."""
        plan = self.plan
        plan.words(self.path)
        if plan.consistency is not None:
            plan.consistency.check(self.path)
        taken = {run.name for run in self.runs()}
        name = name or next(f"run-{number}" for number in range(1, 10**6) if f"run-{number}" not in taken)
        if name in taken or not RUN.fullmatch(name):
            raise InputError(
                f"expected a new name of small letters, digits, hyphens, got {name!r}; choose one"
            )
        run = RunFolder(self.path / "runs" / name)
        files.make_folder(run.path)
        first = Status("submitted", n_rounds=plan.method().n_rounds)
        files.write(run.path / "status.json", json.dumps(asdict(first)).encode())
        run.log(f"submitted: {plan.method_name} with plan {plan.digest}")
        return run
