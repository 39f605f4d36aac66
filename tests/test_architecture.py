"""The shape of the code, kept by a test: who may import whom, and how long things may grow."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "fedtopics"
FILES = sorted(SOURCE.rglob("*.py"))

# Each layer may import those before it, never those after: data flows one way.
LAYERS = [
    "errors",
    "whole_file",
    "json_schema",
    "notebook",
    "progress",
    "text",
    "corpus",
    "count_matrix",
    "reading",
    "datasets",
    "splitting",
    "sampling",
    "model",
    "integration",
    "alignment",
    "consistency",
    "privacy",
    "federation",
    "methods",
    "network",
    "evaluation",
    "applications",
    "run",
    "comparison",
    "dealing",
    "experiment",
    "leaderboard",
    "deployment",
    "listening",
    "report",
    "estimator",
    "commands",
    "cli",
]
# A plan and a policy name methods, which are found when they are asked for.
BY_NAME = {("federation/plan.py", "methods"), ("federation/policy.py", "methods")}
FORBIDDEN = {
    ("sampling", "privacy"),
    ("sampling", "federation"),
    ("evaluation", "privacy"),
    ("report", "sampling"),
    # What is related is public knowledge: nothing of it comes from documents.
    *(("consistency", name) for name in ("corpus", "reading", "datasets", "splitting", "sampling")),
}


def layer(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_layers(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "fedtopics":
                found |= {alias.name for alias in node.names if alias.name in LAYERS}
            elif node.module.startswith("fedtopics."):
                found.add(node.module.split(".")[1])
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("fedtopics.")}
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_one_way(path: Path) -> None:
    if layer(path) in ("__init__", "__main__"):
        return
    by_name = {name for file, name in BY_NAME if path == SOURCE / file}
    for name in imported_layers(path) - by_name:
        assert LAYERS.index(name) <= LAYERS.index(layer(path)), f"{layer(path)} imports {name}"
        assert (layer(path), name) not in FORBIDDEN, f"{layer(path)} imports {name}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_files_and_functions_stay_short(path: Path) -> None:
    source = path.read_text()
    assert source.count("\n") <= 320
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            length = (node.end_lineno or 0) - node.lineno + 1
            assert length <= 60, f"{node.name} has {length} lines"


def test_no_file_is_named_after_nothing() -> None:
    names = {path.stem for path in FILES}
    assert not names & {"utils", "util", "common", "base", "helpers", "misc"}
