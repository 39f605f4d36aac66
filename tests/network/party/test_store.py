"""What a party keeps on disk: charged once, before it leaves, whatever crashes when."""

from __future__ import annotations

import os
import signal
import stat
import threading
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from child_process import run_python
from network.party.stores import cost, opened, spent

from fedtopics import files
from fedtopics.errors import InputError
from fedtopics.files import StoreError
from fedtopics.network.party import ledger_file
from fedtopics.network.party.store import PartyStore
from fedtopics.privacy.price.budget import BudgetError
from fedtopics.privacy.price.cost import FREE, INFINITE
from fedtopics.privacy.price.ledger import Ledger


def test_a_retry_sends_the_same_and_spends_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        assert store.stored("run", 0, "contribute") is None
        assert store.commit("run", 0, "contribute", cost(6), b"first") == b"first"
        assert store.commit("run", 0, "contribute", cost(6), b"fresh noise") == b"first"
    with opened(tmp_path) as store:
        assert store.stored("run", 0, "contribute") == b"first"
        assert store.commit("run", 0, "contribute", cost(9), b"fresh noise") == b"first"
    assert spent(tmp_path) == 6


def test_operations_rounds_and_runs_are_told_apart(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        for place in [("run", 0, "a"), ("run", 1, "a"), ("run", 0, "b"), ("run-2", 0, "a")]:
            assert store.commit(*place, cost(1), repr(place).encode()) == repr(place).encode()
    assert spent(tmp_path) == 4


def test_budgets_hold_over_runs_and_restarts(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.commit("one", 0, "contribute", cost(6), b"x")
    with opened(tmp_path) as store:
        store.require([cost(4)])
        with pytest.raises(BudgetError, match="total of 11"):
            store.require([cost(2), cost(3)])
        with pytest.raises(BudgetError, match="total of 12"):
            store.commit("two", 0, "contribute", cost(6), b"y")
        assert store.stored("two", 0, "contribute") is None
        with pytest.raises(BudgetError):
            store.commit("two", 0, "contribute", INFINITE, b"y")
        assert store.commit("two", 0, "contribute", cost(4), b"z") == b"z"
    assert spent(tmp_path) == 10


def test_simulated_noise_is_refused_unless_asked_for(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as store, pytest.raises(InputError, match="secure noise only"):
        store.commit("run", 0, "contribute", cost(1, "simulated"), b"x")
    with PartyStore(tmp_path / "b", "north", [], secure_only=False) as store:
        store.commit("run", 0, "contribute", cost(1, "simulated"), b"x")


def test_memory_is_that_of_the_newest_charged_release(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        assert store.load_memory("run") == {}
        store.commit("run", 0, "contribute", cost(1), b"x", {"a": np.arange(3), "b": np.array(True)})
        store.commit("run", 1, "contribute", FREE, b"y", {"a": np.arange(4)})
        store.commit("run", 0, "evaluate", FREE, b"z")
        store.commit("run", 1, "contribute", FREE, b"y", {"a": np.arange(9)})
    with opened(tmp_path) as store:
        assert store.load_memory("run")["a"].tolist() == [0, 1, 2, 3]
        assert store.load_memory("other") == {}
        assert len(list((tmp_path / "memory").iterdir())) == 1


def test_memory_of_a_release_that_was_refused_is_not_loaded(tmp_path: Path) -> None:
    """Else a method would take never-charged noise for released, and send it for free."""
    with opened(tmp_path) as store:
        store.commit("run", 0, "contribute", cost(1), b"x", {"a": np.arange(3)})
        with pytest.raises(BudgetError):
            store.commit("run", 1, "contribute", cost(50), b"y", {"a": np.arange(4)})
        assert store.load_memory("run")["a"].tolist() == [0, 1, 2]


def test_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as store:
        store.commit("run", 0, "contribute", cost(1), b"x", {"a": np.arange(3)})
    for path in [tmp_path / "store", *(tmp_path / "store").rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_one_process_at_a_time(tmp_path: Path) -> None:
    with opened(tmp_path), pytest.raises(StoreError, match="one process alone"):
        opened(tmp_path)
    opened(tmp_path).close()


def test_a_closed_store_takes_nothing(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.commit("run", 0, "contribute", FREE, b"x")


def test_threads_do_not_overspend(tmp_path: Path) -> None:
    with opened(tmp_path) as store:

        def spend(number: int) -> None:
            with suppress(BudgetError):
                store.commit("run", number, "contribute", cost(1), b"x")

        threads = [threading.Thread(target=spend, args=(number,)) for number in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert spent(tmp_path) == 10


def test_forgetting_a_run_keeps_its_price(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.commit("run", 0, "contribute", cost(6), b"x", {"a": np.arange(3)})
        store.forget("run")
        assert store.load_memory("run") == {}
        for payload in (b"x", b"another"):
            with pytest.raises(StoreError, match="start a new run"):
                store.commit("run", 0, "contribute", cost(6), payload)
        assert len(ledger_file.read(tmp_path).entries) == 1
        assert not list((tmp_path / "releases").iterdir())
    assert spent(tmp_path) == 6


def test_the_ledger_of_one_run_is_whole(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.commit("one", 0, "contribute", cost(2), b"x")
        store.commit("two", 0, "propose", cost(3), b"y")
        store.commit("two", 0, "contribute", cost(1), b"z")
        ledger = Ledger.from_json(store.run_ledger("two").to_json())
    assert [entry.run for entry in ledger.entries] == ["two/propose", "two/contribute"]


def test_another_party_cannot_use_the_folder(tmp_path: Path) -> None:
    opened(tmp_path).close()
    with pytest.raises(StoreError, match="party 'north', got 'south'"):
        PartyStore(tmp_path, "south", [])


@pytest.mark.parametrize("run", ["", "a/b"])
def test_runs_have_plain_names(tmp_path: Path, run: str) -> None:
    with opened(tmp_path) as store, pytest.raises(InputError, match="slash"):
        store.commit(run, 0, "contribute", FREE, b"x")


CRASH = """
import os, signal, sys
from pathlib import Path
import numpy as np
from fedtopics import files
from network.party.test_store import cost, opened

place, folder = sys.argv[1], Path(sys.argv[2])
def killed(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
def after(call):
    def both(*args, **given):
        call(*args, **given); killed()
    return both
def half(path, line):
    with path.open("ab", buffering=0) as file:
        file.write(line[: len(line) // 2]); os.fsync(file.fileno())
    killed()
store = opened(folder)
if place == "before the ledger":
    files.append = killed
elif place == "within the line":
    files.append = half
elif place == "after the charge":
    files.append = after(files.append)
elif place == "within the payload":
    files.write = after(files.write)
data = store.commit("run", 0, "contribute", cost(6), b"first", {"drawn": np.arange(3)})
killed()
"""


@pytest.mark.parametrize(
    ("place", "kept"),
    [
        ("within the payload", False),
        ("before the ledger", False),
        ("within the line", True),
        ("after the charge", True),
        ("before sending", True),
    ],
)
def test_killed_anywhere_it_is_charged_once(tmp_path: Path, place: str, kept: bool) -> None:
    died = run_python(CRASH, place, tmp_path)
    assert died.returncode == -signal.SIGKILL, died.stderr
    with opened(tmp_path) as store:
        memory = store.load_memory("run")
        assert (store.stored("run", 0, "contribute") == b"first") == kept
        assert ("drawn" in memory) == kept
        sent = store.commit("run", 0, "contribute", cost(6), b"second", {"drawn": np.arange(3)})
        assert sent == (b"first" if kept else b"second")
    assert spent(tmp_path) == 6


FULL = """
import resource, sys
from pathlib import Path
import numpy as np
from network.party.test_store import cost, opened

size = int(sys.argv[1])
with opened(Path(sys.argv[2])) as store:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    try:
        store.commit("run", 1, "contribute", cost(2), bytes(5000), {"a": np.arange(3)})
    except Exception as error:
        print(type(error).__name__, error)
"""


@pytest.mark.parametrize("size", [50, 600])
def test_a_full_disk_leaves_the_ledger_as_it_was(tmp_path: Path, size: int) -> None:
    """Files may not grow beyond `size` bytes, so either the memory or the payload does not fit."""
    with opened(tmp_path) as store:
        store.commit("run", 0, "contribute", cost(6), b"first")
    before = (tmp_path / "ledger.jsonl").read_bytes()
    told = run_python(FULL, size, tmp_path).stdout
    assert told.startswith("StoreError cannot write")
    assert "the disk is full; nothing was charged or sent" in told
    assert (tmp_path / "ledger.jsonl").read_bytes() == before
    with opened(tmp_path) as store:
        assert store.stored("run", 1, "contribute") is None
        assert store.commit("run", 1, "contribute", cost(2), b"later") == b"later"
    assert spent(tmp_path) == 8


def test_a_disk_that_fills_up_within_a_line_is_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"first\n")
    real = os.fsync
    failures = iter([OSError(28, "No space left on device")])

    def full_once(descriptor: int) -> None:
        error = next(failures, None)
        if error is not None:
            raise error
        real(descriptor)

    monkeypatch.setattr(os, "fsync", full_once)
    with pytest.raises(StoreError, match="disk is full"):
        files.append(path, b"second\n")
    assert path.read_bytes() == b"first\n"
