"""Numbers that are older than the code they measure are found, and nothing else is."""

import subprocess
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest

from benchmarks import __main__ as command
from benchmarks import provenance, registry, stale, stored
from benchmarks.case import Case

SOURCE = '''"""Counts."""

from fedtopics.words import split

LEAST = 1


class Counter:
    least = LEAST

    def both(self):
        return self.least


def count(text):
    if not text:
        raise ValueError("expected words")
    return len(split(text))
'''


@pytest.fixture
def case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    """A repository with one file of source and one result, measured at its first commit."""
    for module in (provenance, stale):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(stored, "RESULTS", tmp_path / "results")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "fractions.py").write_text(SOURCE)
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    measured = Case("made_up", "", lambda: {"step": int}, (Fraction,), 1, pages=("docs/page.md",))
    stored.results_of(measured).keep("step", int, 7, 0.1, provenance.origin([0]))
    monkeypatch.setattr(registry, "cases", lambda: {"made_up": measured})
    forget()
    return measured


def forget() -> None:
    for remembered in (stale._differing, stale._changed, stale._elsewhere):
        remembered.cache_clear()


def git(root: Path, *words: str) -> None:
    named = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *named, *words], cwd=root, check=True, capture_output=True)


def commit(root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-qm", "change")


def test_numbers_of_todays_code_are_current(case: Case) -> None:
    assert stale.state(case) == "current"
    assert stale.stale([case]) == {}


def test_the_list_says_what_is_stored(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.show(None) == 0  # type: ignore[arg-type]
    assert capsys.readouterr().out.endswith("    reads no corpus; about 1 CPU min; stored: current\n")
    assert command.show_stale(None) == 0  # type: ignore[arg-type]
    assert capsys.readouterr().out == ""


def test_a_planted_old_result_is_found(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "src" / "fractions.py").write_text(SOURCE.replace("len(split(text))", "len(text)"))
    commit(tmp_path)
    assert stale.stale([case]) == {case: ("src/fractions.py: count",)}
    assert stale.state(case) == "older than the code"
    assert command.show_stale(None) == 1  # type: ignore[arg-type]
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.split() == ["docs/page.md", "made_up.json", "1", "of", "4:", "src/fractions.py:", "count"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Counts.", "Counts words."),
        ("fedtopics.words", "fedtopics.documents.text.words"),
        ("def count(text):", "def count(text: str) -> int:"),
        ("expected words", "expected some words, got none"),
        ("self):", "self):  # of words"),
        ("LEAST = 1", "LEAST = 1\nMOST = 2\n\n\ndef added():\n    return MOST\n"),
        ("def count(text):", "class Another:\n    def both(self):\n        return 2\n\n\ndef count(text):"),
    ],
)
def test_what_nothing_old_can_see_changes_no_number(case: Case, tmp_path: Path, old: str, new: str) -> None:
    assert old in SOURCE
    (tmp_path / "src" / "fractions.py").write_text(SOURCE.replace(old, new))
    commit(tmp_path)
    assert stale.stale([case]) == {}


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("LEAST = 1", "LEAST = 2", "LEAST"),
        ("return self.least", "return 1", "Counter.both"),
        ("    least = LEAST", "    least = 3", "Counter"),
        ("raise ValueError", "raise TypeError", "count"),
        (
            "    least = LEAST\n",
            "    least = LEAST\n\n    def over(self):\n        return 1\n",
            "Counter.over",
        ),
        ("\n    def both(self):\n        return self.least\n", "", "Counter.both"),
    ],
)
def test_definitions_that_changed_are_named(
    case: Case, tmp_path: Path, old: str, new: str, named: str
) -> None:
    assert old in SOURCE
    (tmp_path / "src" / "fractions.py").write_text(SOURCE.replace(old, new))
    commit(tmp_path)
    assert stale.stale([case]) == {case: (f"src/fractions.py: {named}",)}


def test_a_definition_that_moved_to_another_file_is_the_same(case: Case, tmp_path: Path) -> None:
    moved = replace(case, measures=(ModuleType("another"),))
    head, function = SOURCE.split("\n\n\n", 2)[0], SOURCE[SOURCE.index("def count") :]
    (tmp_path / "src" / "fractions.py").write_text(SOURCE.replace(function, ""))
    (tmp_path / "src" / "another.py").write_text(f"{head}\n\n\n{function}")
    commit(tmp_path)
    assert stale.stale([moved]) == {}


def test_a_file_that_was_moved_is_the_same(case: Case, tmp_path: Path) -> None:
    moved = replace(case, measures=(ModuleType("another"),))
    (tmp_path / "src" / "fractions.py").rename(tmp_path / "src" / "another.py")
    commit(tmp_path)
    (found,) = stale._differing(stored.results_of(case).steps["step"]["origin"]["commit"]) or ()
    assert (found.then, found.now) == ("src/fractions.py", "src/another.py")
    assert stale.stale([moved]) == {}
    (tmp_path / "src" / "another.py").write_text(SOURCE.replace("len(split(text))", "len(text)"))
    commit(tmp_path)
    forget()
    assert stale.stale([moved]) == {moved: ("src/another.py: count",)}


def test_comments_and_layout_of_native_code_change_no_number() -> None:
    plain = '#include "a.hpp"\nint add(int a, int b) {\n  return say("// no /* comment"), a + b;\n}\n'
    told = (
        plain.replace("a.hpp", "b.hpp").replace(" {", "\n{ // adds").replace("a +", "a /* one\nnumber */ +")
    )
    assert stale._definitions(told, "add.cpp") == stale._definitions(plain, "add.cpp")
    for other in (plain.replace("+", "-"), plain.replace("no /*", "no")):
        assert stale._definitions(other, "add.cpp") != stale._definitions(plain, "add.cpp")


def test_kernels_of_a_gpu_count_like_those_of_the_processor() -> None:
    kernels = {file.suffix for file in (Path(__file__).parents[2] / "src").rglob("_core/*") if file.is_file()}
    assert {".cpp", ".cu", ".cuh"} <= kernels <= set(stale.SUFFIXES)


def test_other_files_do_not_count(case: Case, tmp_path: Path) -> None:
    (tmp_path / "src" / "other.py").write_text("x = 1\n")
    commit(tmp_path)
    assert stale.stale([case]) == {}


@pytest.mark.parametrize("origin", [None, {"date": "2026-01-01"}, {"commit": "0" * 40}])
def test_unknown_origins_are_said(case: Case, origin: dict[str, str] | None) -> None:
    results = stored.results_of(case)
    results.steps["step"] = {"value": 7} | ({} if origin is None else {"origin": origin})
    results.save()
    assert stale.stale([case]) == {case: ("unknown origin",)}
    assert stale.state(case) == "unknown origin"


def test_lacking_steps_and_results_are_said(case: Case) -> None:
    more = Case("made_up", "", lambda: {"step": int, "more": float}, (Fraction,), 1)
    assert stale.state(more) == "1 of 2 steps missing"
    assert stale.state(Case("another", "", lambda: {"step": int}, (Fraction,), 1)) == "none"
