"""Who wants to spend twice deletes the ledger, cuts it, or puts an old copy back: each is noticed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from fedtopics import files
from fedtopics.files import StoreError
from fedtopics.network.party import ledger_file
from fedtopics.network.party.store import PartyStore
from fedtopics.privacy.price.budget import Budget
from fedtopics.privacy.price.cost import Cost, Loss
from fedtopics.privacy.price.events import Pure

WORD = "word add/remove"
SIX = Cost((Loss(WORD, Pure(6.0)),), noise="secure")
LINES, HEAD = ledger_file.LINES, ledger_file.HEAD


def opened(folder: Path, *, first: bool = False) -> PartyStore:
    """The store of a party's folder, known by an anchor beside it."""
    anchor = folder / ledger_file.ANCHOR
    return PartyStore(folder / "store", "north", [Budget(WORD, 18.0)], anchor=anchor, first=first)


def spent(folder: Path, *, n_runs: int) -> Path:
    """A party's folder after some runs, of which it has forgotten all but the price."""
    with opened(folder, first=not folder.exists()) as store:
        done = len(store.entries)
        for number in range(done, done + n_runs):
            store.commit(f"run-{number}", 0, "contribute", SIX, b"payload %d" % number)
            store.forget(f"run-{number}")
    return folder / "store"


def delete_lines(store: Path) -> None:
    (store / LINES).unlink()


def delete_head(store: Path) -> None:
    (store / HEAD).unlink()


def delete_both(store: Path) -> None:
    delete_lines(store)
    delete_head(store)


def cut_lines(store: Path) -> None:
    lines = (store / LINES).read_bytes().splitlines(keepends=True)
    (store / LINES).write_bytes(b"".join(lines[:-1]))


def cut_all_lines(store: Path) -> None:
    header, *_ = (store / LINES).read_bytes().splitlines(keepends=True)
    (store / LINES).write_bytes(header)


def cut_and_delete_head(store: Path) -> None:
    cut_lines(store)
    delete_head(store)


def cut_all_and_delete_head(store: Path) -> None:
    cut_all_lines(store)
    delete_head(store)


def cut_and_write_head(store: Path) -> None:
    cut_lines(store)
    rows = (store / LINES).read_bytes().splitlines()[1:]
    last = ledger_file.parsed(rows[-1], "").digest if rows else ""
    (store / HEAD).write_text(json.dumps({"entries": len(rows), "head": last}))


def begin_anew(store: Path) -> None:
    shutil.rmtree(store)
    with PartyStore(store, "north", ()):
        pass


RESETS = [
    delete_lines,
    delete_head,
    delete_both,
    cut_lines,
    cut_all_lines,
    cut_and_delete_head,
    cut_all_and_delete_head,
    cut_and_write_head,
    begin_anew,
    shutil.rmtree,
]


@pytest.mark.parametrize("reset", RESETS, ids=lambda reset: reset.__name__)
def test_a_ledger_that_was_reset_is_refused(tmp_path: Path, reset: Callable[[Path], None]) -> None:
    store = spent(tmp_path / "north", n_runs=2)
    reset(store)
    for first in (False, True):
        with pytest.raises(StoreError, match=r"expected|altered"):
            opened(tmp_path / "north", first=first)


def test_an_old_copy_of_the_store_is_refused_and_the_newest_is_not(tmp_path: Path) -> None:
    store = spent(tmp_path / "north", n_runs=1)
    shutil.copytree(store, tmp_path / "old")
    spent(tmp_path / "north", n_runs=2)
    shutil.move(store, tmp_path / "newest")
    shutil.copytree(tmp_path / "old", store)
    with pytest.raises(StoreError, match=r"expected 3 releases in .*, got 1: lines were cut off"):
        opened(tmp_path / "north")
    shutil.rmtree(store)
    shutil.copytree(tmp_path / "newest", store)
    with opened(tmp_path / "north") as again:
        assert len(again.entries) == 3


@pytest.mark.parametrize("reset", [delete_lines, delete_both, cut_and_delete_head, cut_all_and_delete_head])
@pytest.mark.parametrize("trace", ["releases/x", "memory/x", "words/x.digest"])
def test_without_an_anchor_the_traces_in_the_store_speak(
    tmp_path: Path, reset: Callable[[Path], None], trace: str
) -> None:
    with PartyStore(tmp_path, "north", ()) as store:
        store.commit("run", 0, "contribute", SIX, b"payload")
        store.forget("run")
    files.make_folder((tmp_path / trace).parent)
    (tmp_path / trace).write_bytes(b"left")
    reset(tmp_path)
    for _ in range(2):
        with pytest.raises(StoreError, match=r"expected .* got none; restore"):
            PartyStore(tmp_path, "north", ())


def test_finished_runs_speak_for_a_ledger_that_is_gone(tmp_path: Path) -> None:
    (tmp_path / "models" / "run-1").mkdir(parents=True)
    with pytest.raises(StoreError, match=r"expected .* beside .*models"):
        opened(tmp_path, first=True)


def test_an_anchor_that_was_deleted_is_refused(tmp_path: Path) -> None:
    spent(tmp_path / "north", n_runs=1)
    (tmp_path / "north" / ledger_file.ANCHOR).unlink()
    with pytest.raises(StoreError, match=r"expected .*ledger.anchor .* got none; restore"):
        opened(tmp_path / "north")


def test_a_store_from_before_anchors_gets_one_when_it_is_asked_to(tmp_path: Path) -> None:
    with PartyStore(tmp_path / "store", "north", ()) as store:
        store.commit("run", 0, "contribute", SIX, b"payload")
    with pytest.raises(StoreError, match=r"ledger.anchor"):
        opened(tmp_path)
    with opened(tmp_path, first=True) as store:
        assert len(store.entries) == 1
    shutil.rmtree(tmp_path / "store")
    with pytest.raises(StoreError, match=r"restore"):
        opened(tmp_path, first=True)


@pytest.mark.parametrize("number", range(3))
def test_a_crash_while_the_ledger_is_made_leaves_a_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Lines, head and anchor are written in this order."""
    real, calls = files.write, iter(range(100))

    def write(path: Path, content: bytes, **options: int) -> None:
        if next(calls) == number:
            raise KeyboardInterrupt
        real(path, content, **options)

    with monkeypatch.context() as patch:
        patch.setattr(files, "write", write)
        with pytest.raises(KeyboardInterrupt):
            opened(tmp_path, first=True)
    with opened(tmp_path, first=True) as store:
        store.commit("run", 0, "contribute", SIX, b"payload")
    with opened(tmp_path) as store:
        assert len(store.entries) == 1


def test_a_price_that_no_head_has_reached_yet_is_not_altered_unseen(tmp_path: Path) -> None:
    """A crash has left the head one line behind: the line's own digest speaks for it."""
    with PartyStore(tmp_path, "north", ()) as store:
        store.commit("run-0", 0, "contribute", SIX, b"payload")
        behind = (tmp_path / HEAD).read_bytes()
        store.commit("run-1", 0, "contribute", SIX, b"payload")
    (tmp_path / HEAD).write_bytes(behind)
    *lines, last = (tmp_path / LINES).read_bytes().splitlines(keepends=True)
    (tmp_path / LINES).write_bytes(b"".join([*lines, last.replace(b"6.0", b"0.6")]))
    with pytest.raises(StoreError, match="altered"):
        PartyStore(tmp_path, "north", ())
