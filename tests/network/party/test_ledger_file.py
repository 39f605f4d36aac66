"""The ledger of a party on its disk: altered, lost, or cut short."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from network.party.stores import cost, opened, spent

from fedtopics.files import StoreError
from fedtopics.network.party import ledger_file


def filled(folder: Path) -> Path:
    with opened(folder) as store:
        for number in range(3):
            store.commit("run", number, "contribute", cost(1), b"x%d" % number)
    return folder / "ledger.jsonl"


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: [lines[0], lines[1].replace(b'"epsilon": 1', b'"epsilon": 0'), *lines[2:]],
        lambda lines: [lines[0], lines[2], lines[3]],
        lambda lines: [lines[0], lines[2], lines[1], lines[3]],
        lambda lines: [*lines[:2], b"{}\n", *lines[2:]],
        lambda lines: [*lines[:2], b"not json\n", *lines[3:]],
        lambda lines: [lines[0].replace(b'"id": "', b'"id": "0'), *lines[1:]],
        lambda lines: lines[:-1],
        lambda lines: lines[:1],
        lambda lines: [],
    ],
    ids=["price", "removed", "swapped", "added", "damaged", "header", "last cut off", "all cut off", "empty"],
)
def test_an_altered_ledger_is_refused(tmp_path: Path, change: Callable[[list[bytes]], list[bytes]]) -> None:
    path = filled(tmp_path)
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))
    with pytest.raises(StoreError):
        opened(tmp_path)
    with pytest.raises(StoreError):
        ledger_file.read(tmp_path)


def test_a_lost_ledger_is_refused(tmp_path: Path) -> None:
    filled(tmp_path).unlink()
    with pytest.raises(StoreError, match="restore it"):
        opened(tmp_path)


def test_an_altered_release_is_not_sent(tmp_path: Path) -> None:
    filled(tmp_path)
    for path in (tmp_path / "releases").iterdir():
        path.write_bytes(path.read_bytes() + b"!")
    with opened(tmp_path) as store, pytest.raises(StoreError, match="altered"):
        store.stored("run", 1, "contribute")


def torn_after(folder: Path, n_bytes: int, tail: bytes = b"") -> None:
    """A store that crashed when `n_bytes` of its third line were on the disk."""
    path = filled(folder)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]) + lines[-1][:n_bytes] + tail)
    entry = ledger_file.parsed(lines[2], "")
    (folder / "ledger.head").write_text(json.dumps({"entries": 2, "head": entry.digest}))


@pytest.mark.parametrize("n_bytes", [1, 50, 400, -1])
@pytest.mark.parametrize("tail", [b"", bytes(7)])
def test_a_line_cut_short_is_completed(tmp_path: Path, n_bytes: int, tail: bytes) -> None:
    torn_after(tmp_path, n_bytes, tail)
    assert ledger_file.read(tmp_path).torn
    assert spent(tmp_path) == 3
    with opened(tmp_path) as store:
        assert store.stored("run", 2, "contribute") == b"x2"
    assert not ledger_file.read(tmp_path).torn


def test_a_line_cut_short_that_nothing_explains_is_refused(tmp_path: Path) -> None:
    torn_after(tmp_path, 50)
    for path in (tmp_path / "releases").iterdir():
        path.unlink()
    for _ in range(2):
        with pytest.raises(StoreError, match="no release explains it"):
            opened(tmp_path)


def test_a_release_that_was_never_charged_is_never_sent(tmp_path: Path) -> None:
    path = filled(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    torn_after(tmp_path, 0)
    path.write_bytes(b"".join(lines[:-1]))
    with opened(tmp_path) as store:
        assert store.stored("run", 2, "contribute") is None
        assert len(list((tmp_path / "releases").iterdir())) == 2
        assert store.commit("run", 2, "contribute", cost(1), b"fresh") == b"fresh"
    assert spent(tmp_path) == 3
