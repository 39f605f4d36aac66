"""What may go wrong between machines, done to real processes: the run ends with the undisturbed model.

With `min_parties` as large as the federation no round is combined without a party, so none is lost and the
model must be equal bit for bit. Where fewer are enough the others go on, and the rounds that the broken party
missed are counted. Every row of the table says whether the run survived, what was lost, and what was charged
twice (FAULT_TABLE names a JSON file for it).
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np
import pytest
from network import processes
from network.processes import PATIENCE

from fedtopics.network.coordinator.folder import RunFolder
from fedtopics.network.keeper import LOG
from fedtopics.network.local import HUB, LocalFederation
from fedtopics.network.plan.parts import PlannedWords

pytestmark = pytest.mark.nightly
NAMES = ("north", "south", "west")
N_ROUNDS, BROKEN_AT, N_SHORT = 150, 10, 12


def kill_worker_of_party(federation: LocalFederation) -> None:
    processes.kill_worker(federation, "south")


def kill_party(federation: LocalFederation) -> None:
    processes.kill_everything(federation, "south")
    sleep(2)
    federation.start("south")


def kill_worker_of_coordinator(federation: LocalFederation) -> None:
    processes.kill_worker(federation, HUB)


def kill_coordinator(federation: LocalFederation) -> None:
    processes.kill_everything(federation, HUB)
    sleep(2)
    federation.start(HUB)


def stop_for_a_minute(federation: LocalFederation) -> None:
    asleep = processes.worker(federation, "south")
    os.kill(asleep, signal.SIGSTOP)
    sleep(60)
    os.kill(asleep, signal.SIGCONT)


def fill_disk(federation: LocalFederation, name: str = "south") -> None:
    """The participant's worker can write nothing for a while, as on a full disk."""
    worker, unlimited = processes.worker(federation, name), resource.RLIM_INFINITY
    resource.prlimit(worker, resource.RLIMIT_FSIZE, (0, unlimited))
    sleep(8)
    resource.prlimit(worker, resource.RLIMIT_FSIZE, (unlimited, unlimited))


def fill_disk_of_coordinator(federation: LocalFederation) -> None:
    fill_disk(federation, HUB)


def start_second_coordinator(federation: LocalFederation) -> None:
    """On the same folder, by mistake: it is told so, and the first goes on."""
    command = [sys.executable, "-P", "-m", "fedtopics", "federation", "coordinator", "start"]
    command.append(str(federation.folder / HUB))
    second = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert second.returncode == 2
    assert "for one process alone" in second.stdout + second.stderr


def restart_machine(federation: LocalFederation) -> None:
    """All processes of all participants are gone at once, and are started again."""
    for name in (HUB, *NAMES):
        processes.kill_everything(federation, name)
    federation.start()


def flip_byte(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 16
    path.write_bytes(bytes(content))


def damage_checkpoint(federation: LocalFederation) -> None:
    """A byte changes on the coordinator's disk: the run goes on from the checkpoint before."""
    processes.kill_everything(federation, HUB)
    newest = max(federation.hub.runs(), key=lambda run: (run.path / "log.txt").stat().st_mtime)
    flip_byte(newest.path / "checkpoint.safetensors")
    federation.start(HUB)
    wanted = "the run goes on from the one before"
    processes.until(lambda: wanted in "\n".join(newest.lines()), wanted)


def damage_party(federation: LocalFederation, damage: Callable[[Path], None], named: str) -> None:
    """A byte changes on a party's disk: it is named, nothing more is sent; a copy brings the party back."""
    place = federation.folder / "south"
    processes.kill_everything(federation, "south")
    kept = place.with_name(f"kept-{len(TABLE)}")
    shutil.copytree(place, kept)
    damage(place / "store")
    federation.start("south")
    told = ("operator.log", LOG)
    processes.until(lambda: any(named in (place / name).read_text() for name in told), named)
    processes.kill_everything(federation, "south")
    shutil.rmtree(place / "store")
    shutil.copytree(kept / "store", place / "store")
    federation.start("south")


def damage_ledger(federation: LocalFederation) -> None:
    damage_party(federation, lambda store: flip_byte(store / "ledger.jsonl"), "ledger was altered at")


def damage_memory(federation: LocalFederation) -> None:
    def damage(store: Path) -> None:
        for path in (store / "memory").iterdir():
            flip_byte(path)

    damage_party(federation, damage, "was altered; the run cannot go on here")


TABLE: list[dict[str, Any]] = []
FAULTS: dict[str, Callable[[LocalFederation], None]] = {
    "kill -9 of a party's worker": kill_worker_of_party,
    "kill -9 of a party's whole process group": kill_party,
    "kill -9 of the coordinator's worker": kill_worker_of_coordinator,
    "kill -9 of the coordinator": kill_coordinator,
    "a party stands still for 60 s (SIGSTOP)": stop_for_a_minute,
    "a full disk at a party": fill_disk,
    "a full disk at the coordinator": fill_disk_of_coordinator,
    "a second coordinator on the same folder": start_second_coordinator,
    "the machines restart": restart_machine,
    "a byte of the checkpoint changes": damage_checkpoint,
    "a byte of a party's ledger changes": damage_ledger,
    "a byte of a party's memory changes": damage_memory,
}


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalFederation]:
    """Three parties, none of which may be missing."""
    folder, settings = tmp_path_factory.mktemp("strict"), {"n_rounds": N_ROUNDS}
    with processes.founded(folder, NAMES, runs=20, settings=settings, timeout_seconds=20.0) as started:
        started.start()
        yield started
    _write_table()


@pytest.fixture(scope="module")
def agreeing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalFederation]:
    """Three parties that agree on words, none of which may be missing."""
    words = PlannedWords("private", epsilon=8.0, delta=1e-6, max_size=100)
    given: dict[str, Any] = {"settings": {"n_rounds": N_SHORT}, "vocabulary": words, "runs": 20}
    with processes.founded(tmp_path_factory.mktemp("agreeing"), NAMES, **given) as started:
        started.start()
        yield started
    _write_table()


@pytest.fixture(scope="module")
def lenient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalFederation]:
    """Three parties, two of which are enough."""
    folder, settings = tmp_path_factory.mktemp("lenient"), {"n_rounds": 1000}
    given: dict[str, Any] = {"min_parties": 2, "timeout_seconds": 20.0, "settings": settings}
    with processes.founded(folder, NAMES, runs=20, **given) as started:
        started.start()
        yield started
    _write_table()


@pytest.mark.parametrize("fault", FAULTS)
def test_the_run_ends_with_the_undisturbed_model(strict: LocalFederation, fault: str) -> None:
    run = strict.hub.submit()
    processes.until(processes.in_round(run, BROKEN_AT), f"round {BROKEN_AT}")
    FAULTS[fault](strict)
    strict.wait(run, PATIENCE)
    row = noted(strict, run, fault)
    wanted = processes.reference(strict).topic_word
    for model in processes.delivered(strict, run):
        np.testing.assert_array_equal(model.topic_word, wanted)
    assert row["rounds lost"] == row["charged twice"] == 0


def _at(run: RunFolder, line: str) -> None:
    processes.until(lambda: any(line in each for each in run.lines()), line)


LINES = ("round of proposals:", "round of votes:", "round 4:", f"round {N_SHORT - 1}:")


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("killed", [kill_party, kill_coordinator])
def test_a_kill_at_the_agreement_on_words_in_a_round_or_at_the_end_changes_nothing(
    agreeing: LocalFederation, killed: Callable[[LocalFederation], None], line: str
) -> None:
    run = agreeing.hub.submit()
    _at(run, line)
    killed(agreeing)
    agreeing.wait(run, PATIENCE)
    processes.until(lambda: run.status().undelivered == [], "the delivery to all")
    agreeing_on_words = dict.fromkeys(LINES[:2], "while words are agreed on")
    place = {**agreeing_on_words, LINES[2]: "in a round"}.get(line, "at delivery")
    row = noted(agreeing, run, f"{killed.__name__.replace('_', ' ')} after {line.removesuffix(':')}: {place}")
    wanted = processes.reference_of_agreed(agreeing).topic_word
    for model in processes.delivered(agreeing, run):
        np.testing.assert_array_equal(model.topic_word, wanted)
    assert row["rounds lost"] == row["charged twice"] == 0


def test_others_go_on_without_a_party_and_it_returns(lenient: LocalFederation) -> None:
    run = lenient.hub.submit()
    processes.until(processes.in_round(run, BROKEN_AT), f"round {BROKEN_AT}")
    processes.kill_everything(lenient, "south")
    missing = run.status().round
    processes.until(processes.in_round(run, missing + 3), "rounds without the party")
    lenient.start("south")
    lenient.wait(run, PATIENCE)
    row = noted(lenient, run, "a party leaves, others go on, it returns")
    assert 0 < row["rounds lost"] < 999 - missing
    assert row["charged twice"] == 0
    np.testing.assert_allclose(processes.delivered(lenient, run)[0].topic_word.sum(axis=1), 1)


def noted(federation: LocalFederation, run: RunFolder, fault: str) -> dict[str, Any]:
    """The row of the table for a finished run."""
    record = json.loads((run.result / "run.json").read_text())
    made = [charge for name in NAMES for charge in processes.charges(federation, name, run.name)]
    twice = sum(len(made) - len(set(made)) for made in _by_party(federation, run))
    row = {
        "fault": fault,
        "survived": run.status().state == "finished",
        "rounds lost": sum(bool(line["missing"]) for line in record["rounds"]),
        "charged twice": twice,
        "charges": len(made),
        "attempts": run.status().n_attempts,
    }
    TABLE.append(row)
    return row


def _by_party(federation: LocalFederation, run: RunFolder) -> list[list[tuple[str, int]]]:
    return [processes.charges(federation, name, run.name) for name in NAMES]


def _write_table() -> None:
    for row in TABLE:
        print(row)
    if "FAULT_TABLE" in os.environ:
        Path(os.environ["FAULT_TABLE"]).write_text(json.dumps(TABLE, indent=1) + "\n")
