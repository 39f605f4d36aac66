"""Which numbers are older than the code they measure.

What counts are definitions: functions, constants, classes without their methods, and methods; native code by
the file. One has changed where its code did: imports, types, comments, docstrings and the words of errors
change no number, nor does the place of a definition, nor one that is new: what uses it has changed too. Only
a member that a class did not have, or has no longer, may stand for another without a change where it is used.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple, TypeAlias, TypeGuard

from benchmarks import ROOT
from benchmarks.case import Case
from benchmarks.provenance import git
from benchmarks.stored import Results, results_of

Definitions: TypeAlias = dict[str, str]  # what they do, by name; members as Class.name

UNKNOWN = "unknown origin"
SUFFIXES = (".py", ".cpp", ".hpp", ".cu", ".cuh")
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|("(?:\\.|[^"\\])*")', re.DOTALL)  # or a string, which may hold one


class Differing(NamedTuple):
    """A file that is not as in a commit: what git has stored of it then, and its names then and now."""

    content: str
    then: str
    now: str


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
    """The measured definitions that changed since some step was measured; UNKNOWN where nobody can tell."""
    commits = {step.get("origin", {}).get("commit") for step in results.steps.values()}
    found = set()
    for commit in commits:
        differing = _differing(commit)
        if commit is None or differing is None:
            return (UNKNOWN,)
        among = [each for each in differing if _is_among(each.now, case.sources)]
        found |= {f"{each.now}{name}" for each in among for name in _changed(commit, each)}
    return tuple(sorted(found))


def measured(case: Case) -> int:
    """The number of definitions that a case measures today."""
    files = {file for source in case.sources for file in [ROOT / source, *(ROOT / source).rglob("*")]}
    names = [str(file.relative_to(ROOT)) for file in files if file.suffix in SUFFIXES]
    return sum(len(_definitions(_now(name), name)) for name in names)


@cache
def _differing(commit: str | None) -> tuple[Differing, ...] | None:
    """The source files that are not as in a commit; None for no such commit."""
    listed = git("diff", "--raw", "--no-abbrev", "-M50%", commit, "--", "src") if commit else None
    if listed is None:
        return None
    rows = [(line.split()[2], *line.split("\t")[1:]) for line in listed.splitlines()]
    return tuple(Differing(row[0], row[1], row[-1]) for row in rows if row[-1].endswith(SUFFIXES))


@cache
def _changed(commit: str, file: Differing) -> tuple[str, ...]:
    """What a file does otherwise than in a commit: its definitions, each after a colon, or the file."""
    then, now = _stored(file.content, file.then), _definitions(_now(file.now), file.now)
    if not file.now.endswith(".py"):
        return ("",) if then != now else ()
    others = _elsewhere(commit)
    other = {name for name, code in now.items() if then.get(name) != code and (name, code) not in others}
    joined = {name for name in other - then.keys() if not _may_stand_for_another(name, then)}
    gone = {name for name in then.keys() - now.keys() if _may_stand_for_another(name, now)}
    return tuple(f": {name}" for name in sorted((other - joined) | gone))


def _may_stand_for_another(name: str, definitions: Definitions) -> bool:
    """Whether it is a member of a class that is among the definitions."""
    return "." in name and name.partition(".")[0] in definitions


@cache
def _elsewhere(commit: str) -> frozenset[tuple[str, str]]:
    """All definitions of a commit in files that are not as they were: one that moved is among them."""
    files = [each for each in _differing(commit) or () if each.then.endswith(".py")]
    return frozenset(item for file in files for item in _stored(file.content, file.then).items())


@cache
def _stored(content: str, name: str) -> Definitions:
    """The definitions of what git has stored under a hash, which is that of nothing where a file is new."""
    return _definitions(git("cat-file", "blob", content), name)


def _now(name: str) -> str | None:
    file = ROOT / name
    return file.read_text(encoding="utf-8") if file.exists() else None


def _is_among(file: str, sources: list[str]) -> bool:
    return any(file == source or file.startswith(f"{source}/") for source in sources)


@cache
def _definitions(text: str | None, name: str) -> Definitions:
    """What a file does, without imports, comments, docstrings and layout; native code as a whole."""
    if text is None:
        return {}
    if not name.endswith(".py"):
        bare = COMMENT.sub(lambda found: found[1] or " ", text)
        return {"": " ".join(re.sub("^#include.*", "", bare, flags=re.MULTILINE).split())}
    found: Definitions = {}
    for node in _Bare().visit(ast.parse(text)).body:
        if isinstance(node, ast.ClassDef):
            methods = [line for line in node.body if _is_method(line)]
            found |= {f"{node.name}.{line.name}": ast.dump(line) for line in methods}
            node.body = [line for line in node.body if line not in methods]
        name = _name(node)
        found[name] = found.get(name, "") + ast.dump(node)
    return {name: code for name, code in found.items() if name != "__all__"}


class _Bare(ast.NodeTransformer):
    """Takes away what changes no number."""

    def visit_Import(self, node: ast.Import) -> None:
        return None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        return None

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        return None if isinstance(node.value, ast.Constant) else node

    def visit_If(self, node: ast.If) -> ast.AST | None:
        """Nothing where types alone are imported."""
        return None if ast.unparse(node.test) == "TYPE_CHECKING" else self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> ast.Raise:
        """What is raised, without its words."""
        return ast.Raise(node.exc.func) if isinstance(node.exc, ast.Call) else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node


def _is_method(line: ast.stmt) -> TypeGuard[ast.FunctionDef]:
    return isinstance(line, ast.FunctionDef) and not line.name.startswith("__")


def _name(node: ast.stmt) -> str:
    """What a statement at the left margin defines; nothing for one that only does something."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return ", ".join(target.id for target in targets if isinstance(target, ast.Name))
