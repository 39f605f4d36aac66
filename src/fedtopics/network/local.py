"""A complete federation on one machine, for trying: every participant in processes and folders of its own.

Everything is as between machines (keys, certificates, acceptance, mutual TLS) except that one user owns all
of it.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType

from fedtopics import files
from fedtopics.errors import InputError
from fedtopics.network.coordinator.folder import OPEN, CoordinatorFolder, RunFolder
from fedtopics.network.keeper import NOTE
from fedtopics.network.plan import onboarding
from fedtopics.network.plan.plan import Plan

HUB = "coordinator"
GRACE = 15.0


def free_port() -> int:
    """A port of this machine that nobody uses now."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])


def write_texts(path: Path, texts: Sequence[str]) -> None:
    """Texts as a source that `fedtopics` reads, for its owner alone."""
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    files.write(path, lines.encode())


@dataclass
class LocalFederation:
    """Coordinator and parties below one folder; a context manager that ends what it has started.

    prefixes   words before the command of a participant, to start it in another network namespace, say
    """

    folder: Path
    prefixes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @classmethod
    def found(
        cls,
        folder: Path,
        plan: Plan,
        texts: Mapping[str, Sequence[str]],
        policy: str,
        words: Path | None = None,
    ) -> LocalFederation:
        """Write everybody's files: keys, certificates, the accepted plan, each party's texts and policy."""
        onboarding.found(folder / HUB, plan, words)
        for party in plan.parties:
            place = folder / party
            request = onboarding.request(place, party)
            approved = onboarding.approve(folder / HUB, request)
            files.publish(place / onboarding.POLICY, policy)
            write_texts(place / "texts.jsonl", texts[party])
            onboarding.Offer.read(place, approved).accept()
        return cls(folder)

    def __enter__(self) -> LocalFederation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def hub(self) -> CoordinatorFolder:
        return CoordinatorFolder(self.folder / HUB)

    def start(self, *names: str) -> None:
        """Start these participants, or all: the commands an operator would type."""
        for name in names or (HUB, *self.hub.plan.parties):
            place = self.folder / name
            command = [
                *self.prefixes.get(name, ()),
                sys.executable,
                "-P",
                "-m",
                "fedtopics",
            ]
            if name == HUB:
                command += ["coordinator", "start", str(place)]
            else:
                command += ["party", "start", str(place), "--data", str(place / "texts.jsonl")]
            with files.log(place / "operator.log") as log:
                self.processes[name] = subprocess.Popen(  # noqa: S603
                    command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
                )

    def wait(self, run: RunFolder, seconds: float) -> None:
        """Wait for the end of a run; an error if it does not end well or in time."""
        until = monotonic() + seconds
        while run.status().state in OPEN:
            if monotonic() > until:
                raise InputError(f"expected the end of {run.name} within {seconds:g} s, got {run.status()}")
            for name, process in self.processes.items():
                if process.poll() is not None:
                    log = self.folder / name / "operator.log"
                    raise InputError(f"{name} ended with code {process.returncode}; see {log}")
            sleep(0.2)
        if run.status().state != "finished":
            raise InputError(f"expected a finished run, got {run.status().state}: {run.status().reason}")

    def stop(self, *names: str) -> None:
        """End these participants, or all, as their operators would."""
        for name in names or tuple(self.processes):
            with suppress(ProcessLookupError):
                self.processes[name].send_signal(signal.SIGTERM)
        for name in names or tuple(self.processes):
            process = self.processes.pop(name)
            try:
                process.wait(GRACE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def worker(self, name: str) -> int:
        """The number of the process that does a participant's work, which its keeper starts again."""
        return int((self.folder / name / NOTE).read_text())

    def kill_everything_of(self, name: str) -> None:
        """What a power cut does to one participant: all its processes are gone at once."""
        process = self.processes.pop(name)
        process.kill()
        with suppress(ProcessLookupError):
            os.kill(self.worker(name), signal.SIGKILL)
        process.wait()
