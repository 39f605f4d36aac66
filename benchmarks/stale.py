"""Which numbers are older than the code they measure.

A file counts as changed where its code did: imports, comments and docstrings change no number, nor does the
name of the file.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import cache

from benchmarks import ROOT
from benchmarks.case import Case
from benchmarks.provenance import git
from benchmarks.stored import Results, results_of

UNKNOWN = "unknown origin"
SUFFIXES = (".py", ".cpp", ".hpp")
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|("(?:\\.|[^"\\])*")', re.DOTALL)  # or a string, which may hold one


def state(case: Case) -> str:
    """What is stored of a case, in a word or two."""
    results = results_of(case)
    if not results.steps:
        return "none"
    if lacking := len(case.steps().keys() - results.steps.keys()):
        return f"{lacking} of {len(case.steps())} steps missing"
    changed = changes(case, results)
    return "current" if not changed else UNKNOWN if UNKNOWN in changed else "older than the code"


def stale(cases: Iterable[Case]) -> dict[Case, tuple[str, ...]]:
    """The cases whose stored numbers are shown on a page and not those of today's code, with `changes`."""
    found = {case: changes(case, results_of(case)) for case in cases if case.pages}
    return {case: why for case, why in found.items() if why}


def changes(case: Case, results: Results) -> tuple[str, ...]:
    """The measured files that changed since some step was measured; UNKNOWN where nobody can tell."""
    commits = {step.get("origin", {}).get("commit") for step in results.steps.values()}
    found = set()
    for commit in commits:
        differing = _differing(commit)
        if commit is None or differing is None:
            return (UNKNOWN,)
        among = [(old, new) for old, new in differing if _is_among(new, case.sources)]
        found |= {new for old, new in among if _changed(commit, old, new)}
    return tuple(sorted(found))


@cache
def _differing(commit: str | None) -> tuple[tuple[str, str], ...] | None:
    """The source files that are not as in a commit, by their names then and now; None for no such commit."""
    listed = git("diff", "--name-status", "-M50%", commit, "--", "src") if commit else None
    if listed is None:
        return None
    names = [line.split("\t")[1:] for line in listed.splitlines()]
    return tuple((each[0], each[-1]) for each in names if each[-1].endswith(SUFFIXES))


@cache
def _changed(commit: str, old: str, new: str) -> bool:
    """Whether a file does something else than in a commit."""
    return _code(git("show", f"{commit}:{old}"), new) != _code(_now(new), new)


def _now(name: str) -> str | None:
    file = ROOT / name
    return file.read_text(encoding="utf-8") if file.exists() else None


def _is_among(file: str, sources: list[str]) -> bool:
    return any(file == source or file.startswith(f"{source}/") for source in sources)


@cache
def _code(text: str | None, name: str) -> str:
    """What a file does: without imports, comments, docstrings and layout."""
    if text is None:
        return ""
    if not name.endswith(".py"):
        bare = COMMENT.sub(lambda found: found[1] or " ", text)
        return " ".join(re.sub("^#include.*", "", bare, flags=re.MULTILINE).split())
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(body := getattr(node, "body", None), list):
            node.body = [line for line in body if not _says_nothing(line)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _says_nothing(line: ast.stmt) -> bool:
    documents = isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)
    return documents or isinstance(line, ast.Import | ast.ImportFrom)
