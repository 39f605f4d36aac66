"""What it takes to operate a federation: its start, a first round, a round, the end, and parties that wait.

Real processes over mutual TLS, as an operator starts them. "before" is the commit `BEFORE`, "after" the code
as it is: both from copies of their sources with byte code, in turns in one run. Seconds by the clock and of
the processors, of whole participants with all their processes; the median of `TIMES` federations of each.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from statistics import median
from time import monotonic, sleep
from typing import Any
from unittest.mock import patch

from benchmarks import ROOT
from benchmarks.case import Steps, case
from benchmarks.cases.federation import founded, invented_texts, invented_words
from benchmarks.cases.operating_tables import BEFORE, profile_shown, runs_shown, shown
from fedtopics import network
from fedtopics.network.coordinator.folder import OPEN, RunFolder
from fedtopics.network.keeper import NOTE
from fedtopics.network.local import HUB, LocalFederation
from fedtopics.network.plan.onboarding import POLICY
from fedtopics.protocol import _coder

TIMES = 3
NAMES = ("north", "south", "west")
N_ROUNDS, N_WORDS, N_DOCS = 40, 2_000, 100
SETTLED, IDLE = 45.0, 20.0  # seconds: until a party that has nothing to do is small again, and of watching it
PATIENCE = 300.0
PAGE = "docs/operate/start-up.md"
SAMPLER = Path(__file__).with_name("sampled_worker.py")


def interpreter(folder: Path, commit: str | None) -> Path:
    """A Python that runs the sources of a commit, or a copy of those of the working tree."""
    source, place = folder / "src", folder / "venv"
    folder.mkdir()
    if commit is None:
        shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        packed = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, capture_output=True, check=True)
        with tarfile.open(fileobj=BytesIO(packed.stdout)) as archive:
            archive.extractall(folder, filter="data")
    site = Path(str(_coder.__file__)).parents[2]
    for native in (site / "fedtopics").rglob("*.so"):
        shutil.copy(native, source / native.relative_to(site))
    venv.create(place, symlinks=True)
    python = place / "bin" / "python"
    purelib = next((place / "lib").glob("python*/site-packages"))
    (purelib / "fedtopics.pth").write_text(f"{source}\n{site}\n")
    with running(python):
        subprocess.run([python, "-m", "compileall", "-q", source], check=True)
    return python


@contextmanager
def running(python: Path) -> Iterator[None]:
    """Participants that are started now are started by this Python, with byte code."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with patch.dict(os.environ, environment, clear=True), patch.object(sys, "executable", str(python)):
        yield


def founded_for(folder: Path, names: tuple[str, ...] = NAMES, **settings: Any) -> LocalFederation:
    words = invented_words(N_WORDS)
    texts = {name: invented_texts(words, N_DOCS, number) for number, name in enumerate(names)}
    federation = founded(folder, words, texts, {"n_topics": 20, "n_rounds": N_ROUNDS} | settings)
    for name in names:  # for many runs
        policy = federation.folder / name / POLICY
        policy.write_text(re.sub("(?m)^epsilon = .*", "epsilon = 1000.0", policy.read_text()))
    return federation


def numbers(federation: LocalFederation, name: str) -> list[int]:
    """The processes of a participant."""
    found = {federation.processes[name].pid}
    note = federation.folder / name / NOTE
    return sorted(found | ({int(note.read_text())} if note.is_file() else set()))


def processor(federation: LocalFederation, name: str) -> float:
    """Seconds that a participant has worked, with those of its processes that have ended."""
    ticks = 0
    for number in numbers(federation, name):
        fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def memory(federation: LocalFederation, name: str) -> dict[str, float]:
    """Megabytes of a participant: resident, its share of what processes share, and what is its alone."""
    kinds = {"Rss": "resident", "Pss": "share", "Private_Clean": "own", "Private_Dirty": "own"}
    found = dict.fromkeys(kinds.values(), 0.0)
    for number in numbers(federation, name):
        for line in Path(f"/proc/{number}/smaps_rollup").read_text().splitlines()[1:]:
            kind, _, rest = line.partition(":")
            if kind in kinds:
                found[kinds[kind]] += int(rest.split()[0]) / 1024
    return found


def until(true: Any, what: str) -> None:
    end = monotonic() + PATIENCE
    while not true():
        if monotonic() > end:
            raise TimeoutError(what)
        sleep(0.01)


def _connected(federation: LocalFederation) -> int:
    return (federation.folder / HUB / "operator.log").read_text().count("is connected")


def _mean(federation: LocalFederation, measure: Any) -> float:
    return sum(measure(federation, name) for name in federation.hub.plan.parties) / len(
        federation.hub.plan.parties
    )


def idle(federation: LocalFederation) -> dict[str, float]:
    """What a party takes that waits."""
    before = _mean(federation, processor)
    sleep(IDLE)
    used = _mean(federation, processor) - before
    parties = [memory(federation, name) for name in federation.hub.plan.parties]
    found = {f"megabytes, {kind}": sum(each[kind] for each in parties) / len(parties) for kind in parties[0]}
    return {**found, "milliseconds of processor a minute": 60e3 * used / IDLE}


def operated(folder: Path) -> dict[str, Any]:
    """One federation, from its start to its end."""
    with founded_for(folder) as federation:
        began = monotonic()
        federation.start()
        until(lambda: _connected(federation) >= len(NAMES), "all parties")
        found: dict[str, Any] = {
            "start": monotonic() - began,
            "processor of a party at the start": _mean(federation, processor),
            "processor of the coordinator at the start": processor(federation, HUB),
        }
        sleep(2)
        found["waiting"] = idle(federation)
        for prefix in ("first run", "second run"):
            found[prefix] = ran(federation)
        sleep(SETTLED)
        found["waiting after runs"] = idle(federation)
    return found


def ran(federation: LocalFederation) -> dict[str, float]:
    """One run, from `run submit` to the model at every party."""
    hub, party = processor(federation, HUB), _mean(federation, processor)
    began = monotonic()
    run = federation.hub.submit()
    until(lambda: run.status().round >= 1, "the first round")
    first = monotonic() - began
    at_first = processor(federation, HUB) - hub, _mean(federation, processor) - party
    until(lambda: run.status().round >= N_ROUNDS, "the last round")
    last = monotonic() - began
    at_last = processor(federation, HUB) - hub, _mean(federation, processor) - party
    until(lambda: not _is_open(run), "the end")
    record = json.loads((run.result / "run.json").read_text())
    seconds = [line["seconds"] for line in record["rounds"][1:]]
    return {
        "first round": first,
        "processor of the coordinator, first round": at_first[0],
        "processor of a party, first round": at_first[1],
        "a round": (last - first) / (N_ROUNDS - 1),
        "a round, as recorded": median(seconds),
        "processor of the coordinator, a round": (at_last[0] - at_first[0]) / (N_ROUNDS - 1),
        "processor of a party, a round": (at_last[1] - at_first[1]) / (N_ROUNDS - 1),
        "end": monotonic() - began - last,
        "in all": monotonic() - began,
    }


def _is_open(run: RunFolder) -> bool:
    return run.status().state in OPEN


def in_turns() -> dict[str, list[dict[str, Any]]]:
    """Both, one after the other, several times."""
    with tempfile.TemporaryDirectory() as code:
        pythons = {"before": interpreter(Path(code) / "before", BEFORE)}
        pythons["after"] = interpreter(Path(code) / "after", None)
        found: dict[str, list[dict[str, Any]]] = {name: [] for name in pythons}
        for _ in range(TIMES):
            for name, python in pythons.items():
                with tempfile.TemporaryDirectory() as place, running(python):
                    found[name].append(operated(Path(place)))
    return found


def runs_in_turns() -> dict[str, list[dict[str, float]]]:
    """Runs of two federations that wait side by side, in turns: both find the machine as busy."""
    with ExitStack() as opened:
        code = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        federations = {}
        for name, commit in (("before", BEFORE), ("after", None)):
            python = interpreter(code / name, commit)
            place = opened.enter_context(tempfile.TemporaryDirectory())
            federations[name] = opened.enter_context(founded_for(Path(place)))
            with running(python):
                federations[name].start()
        for federation in federations.values():
            until(lambda federation=federation: _connected(federation) >= len(NAMES), "all parties")
        found: dict[str, list[dict[str, float]]] = {name: [] for name in federations}
        for _ in range(TIMES):
            for name, federation in federations.items():
                found[name].append(ran(federation))
    return found


def profiles() -> dict[str, dict[str, dict[str, float]]]:
    """Where two workers spend processor time, from their start to the end of a run."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as code:
        for name, commit in (("before", BEFORE), ("after", None)):
            python = interpreter(Path(code) / name, commit)
            purelib = next((python.parents[1] / "lib").glob("python*/site-packages"))
            shutil.copy(SAMPLER, purelib / "sitecustomize.py")
            with tempfile.TemporaryDirectory() as place, running(python):
                found[name] = profiled(Path(place))
    return found


def profiled(folder: Path) -> dict[str, dict[str, float]]:
    with founded_for(folder) as federation:
        federation.start()
        until(lambda: _connected(federation) >= len(NAMES), "all parties")
        ran(federation)
        federation.stop()
        who = {"party": NAMES[0], "coordinator": HUB}
        return {
            role: json.loads((federation.folder / name / "sampled.json").read_text())
            for role, name in who.items()
        }


@case(
    "operating",
    measures=(network,),
    minutes=5,
    timed=True,
    pages=(PAGE,),
    shows={"operating": shown, "operating-runs": runs_shown, "operating-profile": profile_shown},
    summary=shown,
)
def steps() -> Steps:
    """Start-up, first round, rounds and idle parties of a federation, before and after they were cut."""
    return {
        "profile": partial(profiles),
        "three parties": partial(in_turns),
        "runs in turns": partial(runs_in_turns),
    }
