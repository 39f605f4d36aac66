"""The transcript of docs/operate/joining.md, typed into real processes on this machine, answers and all."""

from __future__ import annotations

import csv
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import IO, cast

import pytest
from network import processes

from fedtopics.model import TopicModel
from fedtopics.network.coordinator.folder import CoordinatorFolder
from fedtopics.network.local import free_port
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.text import policy_template

PAGE = Path(__file__).parents[2] / "docs" / "operate" / "joining.md"
FINGERPRINT = re.compile(r"[0-9a-f]{4}(?: [0-9a-f]{4}){7}")
PROMPT = re.compile(r"^(.*(?:\]|later\)): )(\S.*)$")
PARTIES = ("north", "south", "west")
PATIENCE = 60.0


@dataclass
class Typed:
    """One command of the transcript: on which machine, what is printed, and what is answered to it."""

    machine: str
    command: list[str]
    lines: list[str]

    @property
    def answers(self) -> list[tuple[str, str]]:
        found = (PROMPT.match(line) for line in self.lines)
        return [(match[1], match[2]) for match in found if match]


def transcript() -> list[Typed]:
    blocks = re.findall(r"```console\n(\w+)\$ (fedtopics .*?)\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return [Typed(machine, shlex.split(line), told.splitlines()) for machine, line, told in blocks]


def shape(line: str) -> str:
    """A line without what differs from time to time: times, fingerprints, addresses, digests."""
    line = FINGERPRINT.sub("FINGERPRINT", line.replace("hub.example.org:8002", "ADDRESS"))
    line = re.sub(r"localhost:\d+", "ADDRESS", line)
    line = re.sub(r"plan [0-9a-f]{16,}.*", "plan DIGEST", re.sub(r"\([0-9a-f]{16}\.\.\.\)", "(DIGEST)", line))
    return re.sub(r"^\d\d:\d\d:\d\d ", "", line.strip())


@dataclass
class Session:
    """A command at work: what it has printed, and a way to answer."""

    process: subprocess.Popen[bytes]
    output: str = ""
    _reader: Thread = field(init=False)

    def __post_init__(self) -> None:
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        while content := os.read(self.process.stdout.fileno(), 4096):
            self.output += content.decode()

    def expect(self, text: str) -> None:
        end = monotonic() + PATIENCE
        while text not in self.output:
            assert self.process.poll() is None or text in self.output, f"no {text!r} in\n{self.output}"
            assert monotonic() < end, f"no {text!r} in\n{self.output}"
            sleep(0.05)

    def answer(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{text}\n".encode())
        self.process.stdin.flush()

    def shapes(self) -> set[str]:
        """What was printed, line by line, where a question ends a line too."""
        return {shape(line) for line in re.sub(r"((?:\]|later\)): )", "\\1\n", self.output).splitlines()}


@contextmanager
def typed(command: list[str], place: Path) -> Iterator[Session]:
    """A command as a person types it, ended as a person ends it."""
    program = [sys.executable, "-P", "-m", "fedtopics", *command[1:]]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "COLUMNS": "500"}
    process = subprocess.Popen(
        program,
        cwd=place,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    session = Session(process)
    try:
        yield session
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.wait(30)
        session._reader.join(5)
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                cast("IO[bytes]", pipe).close()


def machines(folder: Path) -> dict[str, Path]:
    """A folder for each machine, with what each person has before."""
    places = {name: folder / name for name in ("hub", *PARTIES)}
    for place in places.values():
        place.mkdir()
    (places["hub"] / "words.txt").write_text("".join(f"{word}\n" for word in processes.WORDS))
    for number, party in enumerate(PARTIES):
        with (places[party] / "letters.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerows([("body",), *((text,) for text in processes.texts(number))])
    return places


def said(session: Session, before: str) -> str:
    """The fingerprint that a person reads off the screen, behind these words."""
    session.expect(before)
    processes.until(lambda: bool(FINGERPRINT.match(session.output.split(before)[1].strip())), before, 5)
    found = FINGERPRINT.match(session.output.split(before)[1].strip())
    assert found
    return found[0]


def check_printed(told: Typed, session: Session) -> None:
    """Everything that the page shows was printed."""
    shown = {shape(PROMPT.sub(r"\1", line)) for line in told.lines if line.strip() != "..."}
    missing = {line for line in shown if line} - session.shapes()
    assert missing == set(), f"{told.command} printed\n{session.output}"


@pytest.mark.nightly
def test_the_newcomers_transcript_is_what_happens(tmp_path: Path) -> None:
    places, port = machines(tmp_path), free_port()
    init, start, *joins, approve = transcript()
    assert [step.machine for step in (init, start, approve)] == ["hub"] * 3
    assert [join.machine for join in joins] == list(PARTIES)  # one command each
    init.command = [word.replace("hub.example.org:8002", f"localhost:{port}") for word in init.command]
    with typed(init.command, places["hub"]) as made:
        made.process.wait(PATIENCE)
    authority = said(made, "authority, to read out: ")
    hub = places["hub"] / "hub"
    (places["west"] / "policy.toml").write_text(policy_template(Plan.read(hub / "plan.toml")))
    for party in PARTIES:  # what is sent by a way of their own
        (places[party] / f"{party}.invitation").write_bytes(
            (hub / "invitations" / f"{party}.invitation").read_bytes()
        )
    with ExitStack() as stack:
        started = stack.enter_context(typed(start.command, places["hub"]))
        joining = {}
        for join in joins:
            command = [authority if FINGERPRINT.fullmatch(word) else word for word in join.command]
            joining[join.machine] = session = stack.enter_context(typed(command, places[join.machine]))
            for question, answer in join.answers:
                session.expect(question.strip())
                session.answer(answer)
        read_out = {party: said(joining[party], "telephone: ") for party in PARTIES}
        approving = stack.enter_context(typed(approve.command, places["hub"]))
        waiting = set(PARTIES)
        while waiting:  # in whatever order they came
            processes.until(lambda: any(_asked(approving, name) for name in waiting), "a question", PATIENCE)
            name = next(name for name in sorted(waiting) if _asked(approving, name))
            approving.answer(read_out[name])
            waiting.remove(name)
        assert approving.process.wait(PATIENCE) == 0
        started.expect("run-1 finished, round 5 of 5")
        for party in PARTIES:
            joining[party].expect("connected to the coordinator")
    check_printed(init, made)
    check_printed(start, started)
    check_printed(approve, approving)
    for join in joins:
        check_printed(join, joining[join.machine])
    result = TopicModel.load(CoordinatorFolder(hub).run("run-1").result)
    for party in PARTIES:
        kept = TopicModel.load(places[party] / party / "models" / "run-1")
        assert kept.topic_word.tobytes() == result.topic_word.tobytes()
    log = (hub / "runs" / "run-1" / "log.txt").read_text()
    assert "round 4: 3 of 3 parties" in log
    assert not list(hub.glob("invitations/*"))


def _asked(session: Session, name: str) -> bool:
    return f"fingerprint of {name}, as it reads it out" in session.output
