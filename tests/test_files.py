"""One writer for the whole house, and what it promises."""

from __future__ import annotations

import ast
import os
import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import pytest

from fedtopics import files
from fedtopics.errors import InputError

SOURCE = Path(files.__file__).parent
WRITERS = {"write_text", "write_bytes", "fdopen", "mkstemp", "mkdtemp", "NamedTemporaryFile", "copyfile"}
MODE = re.compile("[rwxabt+]{1,3}")
LOGGING = {"network/keeper.py"}  # the library's log of bounded size, which `logging` writes itself


def written_in(path: Path) -> list[int]:
    """Lines of calls that open a file for writing."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        texts = [str(item.value) for item in ast.walk(node) if isinstance(item, ast.Constant)]
        modes = [text for text in texts if MODE.fullmatch(text)]
        flags = {item.attr for item in ast.walk(node) if isinstance(item, ast.Attribute)}
        if (
            called in WRITERS
            or (called == "open" and any(set(mode) & set("wxa+") for mode in modes))
            or (called == "open" and flags & {"O_WRONLY", "O_RDWR", "O_CREAT"})
            or called.endswith("FileHandler")
        ):
            found.append(node.lineno)
    return found


def test_no_other_module_opens_a_file_for_writing() -> None:
    sources = {str(path.relative_to(SOURCE)): path for path in SOURCE.rglob("*.py")}
    writing = {name for name, path in sources.items() if written_in(path)}
    assert writing == {"files.py", *LOGGING}


@pytest.mark.parametrize(
    "line", ['open(p, "w")', 'p.open("ab")', "os.open(p, os.O_RDWR)", "p.write_bytes(b)", 'p.open(mode="x")']
)
def test_that_a_writer_would_be_found(line: str, tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(line)
    assert written_in(tmp_path / "module.py") == [1]


def test_what_fails_leaves_the_file_that_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "page.html"
    files.publish(path, "first")
    monkeypatch.setattr(os, "fsync", full)
    for write in (lambda: files.publish(path, "second"), lambda: files.write(path, b"second")):
        with pytest.raises(InputError, match="the disk is full"):
            write()
    assert [(found.name, found.read_text()) for found in tmp_path.iterdir()] == [("page.html", "first")]


def test_a_new_file_takes_no_others_place_and_has_the_rights_of_the_folder(tmp_path: Path) -> None:
    path, before = tmp_path / "table.csv", os.umask(0o027)
    try:
        files.publish(path, "a", new=True)
    finally:
        os.umask(before)
    with pytest.raises(InputError, match="exists"):
        files.publish(path, "b", new=True)
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("a", 0o640)


def test_a_folder_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    with suppress(KeyError), files.whole_folder(tmp_path / "run") as draft:
        (draft / "half").touch()
        raise KeyError
    assert list(tmp_path.iterdir()) == []
    with files.whole_folder(tmp_path / "run") as draft:
        (draft / "all").touch()
    assert [path.name for path in tmp_path.rglob("*")] == ["run", "all"]


@pytest.mark.parametrize("links", [True, False])
def test_a_pipe_a_folder_and_a_large_file_are_refused(tmp_path: Path, links: bool) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").write_bytes(bytes(11))
    (tmp_path / "link").symlink_to(tmp_path / "large")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "large"):
        with pytest.raises(InputError):
            files.read(path, 10, links=links)
    if links:
        assert files.read(tmp_path / "link", 11) == bytes(11)
    else:
        with pytest.raises(InputError, match="plain file"):
            files.read(tmp_path / "link", 11, links=False)


def test_a_pipe_has_no_digest(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_bytes(b"abc" * 2**20)
    assert files.digest(tmp_path / "file") == sha256(b"abc" * 2**20).hexdigest()
    with pytest.raises(InputError, match="expected a plain file"):
        files.digest(tmp_path / "pipe")
