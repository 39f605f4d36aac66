"""The shape of the code, kept by a test: who may import whom, and how long things may grow."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "fedtopics"
FILES = sorted(SOURCE.rglob("*.py"))
# What else is written here: tests, measurements, tools, examples, and extensions of the docs.
ELSEWHERE = sorted(
    file
    for place in ("tests", "benchmarks", "tools", "examples", "docs")
    for file in (ROOT / place).rglob("*.py")
    if "_build" not in file.parts
)
OTHERS = {".cpp", ".hpp", ".cu", ".cuh", ".pyi", ".js", ".css", ".html"}
WRITTEN = sorted(file for file in SOURCE.rglob("*") if file.suffix in OTHERS)

# Each package may import those before it, never those after: data flows one way.
HOUSE = [
    "errors",
    "files",
    "notebook",
    "progress",
    "documents",
    "sampling",
    "model",
    "evaluation",
    "related_words",
    "privacy",
    "protocol",
    "cluster",
    "methods",
    "audit",
    "runs",
    "network",
    "applications",
    "report",
    "estimator",
    "commands",
    "checks",
]
FORBIDDEN = {
    ("sampling", "privacy"),
    ("sampling", "protocol"),
    ("evaluation", "privacy"),
    ("report", "sampling"),
    # What is related is public knowledge: nothing of it comes from documents.
    *(("related_words", name) for name in ("documents", "sampling")),
}


# Inside a package the same holds, room by room.
ROOMS = {
    "privacy": [{"price"}, {"mechanisms"}, {"choice_of_words", "grades"}, {"explain"}, {"forecast", "words"}],
    # What travels, the plan, what both sides share, the two sides, which are apart, and the whole.
    "network": [
        {"wire"},
        {"phases", "messages", "tls", "expected", "private_scores", "keeper"},
        {"plan", "pulse", "metrics", "service"},
        {"attestation", "secure_sum", "health", "calling"},
        {"verification"},
        {"coordinator"},
        {"party"},
        {"local", "worker"},
    ],
}
APART = {"coordinator", "party"}


def layer(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_layers(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "fedtopics":
                found |= {alias.name for alias in node.names if alias.name in HOUSE}
            elif node.module.startswith("fedtopics."):
                found.add(node.module.split(".")[1])
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("fedtopics.")}
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_one_way(path: Path) -> None:
    if layer(path) in ("__init__", "__main__"):
        return
    for name in imported_layers(path):
        assert HOUSE.index(name) <= HOUSE.index(layer(path)), f"{layer(path)} imports {name}"
        assert (layer(path), name) not in FORBIDDEN, f"{layer(path)} imports {name}"


@pytest.mark.parametrize("package", ROOMS)
def test_rooms_inside_a_package_are_in_order(package: str) -> None:
    order = {room: number for number, rooms in enumerate(ROOMS[package]) for room in rooms}
    for path in sorted((SOURCE / package).rglob("*.py")):
        room = path.relative_to(SOURCE / package).parts[0].removesuffix(".py")
        for name in imported_rooms(path, package) if room != "__init__" else ():
            assert order[name] <= order[room], f"{package}: {room} imports {name} ({path.name})"
            assert {room, name} != APART, f"{package}: {room} imports {name} ({path.name})"


@pytest.mark.parametrize("package", [name for name in HOUSE if (SOURCE / name).is_dir()])
def test_rooms_inside_every_package_have_an_order(package: str) -> None:
    """None needs another, to be imported, that needs it."""
    needed: dict[str, set[str]] = {}
    for path in (SOURCE / package).rglob("*.py"):
        room = path.relative_to(SOURCE / package).parts[0].removesuffix(".py")
        own = imported_rooms(path, package, ast.parse(path.read_text()).body)
        needed.setdefault(room, set()).update(own - {room})
    needed.pop("__init__")
    TopologicalSorter(needed).prepare()


def imported_rooms(path: Path, package: str, nodes: Iterable[ast.AST] = ()) -> set[str]:
    """The rooms of a package that a file imports, or that these nodes of it do."""
    found = set()
    for node in nodes or ast.walk(ast.parse(path.read_text())):
        if (
            isinstance(node, ast.ImportFrom)
            and node.module
            and f"{node.module}.".startswith(f"fedtopics.{package}.")
        ):
            inside = node.module.split(".")[2:]
            found |= {inside[0]} if inside else {alias.name for alias in node.names}
    return found


def test_a_part_of_one_method_lies_beside_it() -> None:
    methods = SOURCE / "methods"
    parts = {path.stem for path in (methods / "parts").glob("*.py")} - {"__init__"}
    users: dict[str, set[str]] = {part: set() for part in parts}
    for path in methods.rglob("*.py"):
        room, *rest = path.relative_to(methods).with_suffix("").parts
        for part in parts & imported_parts(path):
            users[part].add(rest[0] if room == "parts" else room)
    for _ in parts:  # who uses a part uses what that is made of
        for part, known in users.items():
            users[part] = known | {user for other in known & parts for user in users[other]}
    assert [part for part, known in sorted(users.items()) if len(known - parts) < 2] == []


def imported_parts(path: Path) -> set[str]:
    """The last names of what a file imports from methods/parts/."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            inside = f"{node.module}.".partition("fedtopics.methods.parts.")[2]
            if node.module == "fedtopics.methods.parts":
                found |= {alias.name for alias in node.names}
            elif inside:
                found.add(inside.strip("."))
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_files_and_functions_stay_short(path: Path) -> None:
    source = path.read_text()
    assert source.count("\n") <= 300
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            length = (node.end_lineno or 0) - node.lineno + 1
            assert length <= 60, f"{node.name} has {length} lines"


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: str(path.relative_to(SOURCE)))
def test_files_in_other_languages_stay_short(path: Path) -> None:
    assert path.read_text().count("\n") <= 300


@pytest.mark.parametrize("path", ELSEWHERE, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_beside_the_sources_stay_short(path: Path) -> None:
    assert path.read_text().count("\n") <= 300


def test_tests_stand_where_the_code_stands() -> None:
    """A package has a folder of tests, its own or that of the package around it; a folder has its package."""
    tests = ROOT / "tests"
    for package in {path.parent.relative_to(SOURCE) for path in FILES} - {Path()}:
        assert (tests / package).is_dir() or (tests / package.parent).is_dir(), package
    of_their_own = {"attacks", "fuzz", "benchmarks"}
    for folder in {path.parent.relative_to(tests) for path in tests.rglob("test_*.py")} - {Path()}:
        assert (SOURCE / folder).is_dir() or str(folder) in of_their_own, folder


def test_no_file_is_named_after_nothing() -> None:
    names = {path.stem for path in FILES + ELSEWHERE}
    assert not names & {"utils", "util", "common", "base", "helpers", "misc"}


def test_the_picture_of_the_house_is_the_list() -> None:
    picture = (ROOT / "docs" / "reference" / "house.svg").read_text()
    rooms = re.findall(r'<rect class="\w+" x="(\d+)" y="(\d+)".*?/><text [^>]*>(\w+)</text>', picture)
    floors = sorted((-int(y), int(x), name) for x, y, name in rooms)  # from the ground, from the left
    single = {path.stem for path in SOURCE.glob("*.py")} - {"estimator", "checks"}
    assert [name for *_, name in floors] == [name for name in HOUSE if name not in single]


def test_the_page_has_the_rooms_in_the_order_of_the_list() -> None:
    page = (ROOT / "docs" / "reference" / "architecture.md").read_text()
    rows = page[page.index("| room |") : page.index("## Where is")].splitlines()[2:]
    names = [name for row in rows if row for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert names == HOUSE


def test_the_rooms_that_the_page_names_are_there() -> None:
    page = (ROOT / "docs" / "reference" / "architecture.md").read_text()
    table = page[page.index("| room |") : page.index("## Where is")]
    there = {path.stem for path in FILES} | {path.parent.name for path in FILES + WRITTEN} | {"TopicModel"}
    assert [name for name in re.findall(r"`(\w+)(?:\.py)?`", table) if name not in there] == []


@pytest.mark.nightly
@pytest.mark.parametrize("way", ["word", "round"])
def test_the_ways_in_the_docs_are_the_longest(way: str) -> None:
    page = (ROOT / "docs" / "reference" / "architecture.md").read_text()
    table = page[page.index(f"| a {way}") :].split("\n\n")[0]
    told = [name for row in table.splitlines()[2:-1] for name in re.findall("`(.*?)`", row.split("|")[3])]
    command = [sys.executable, str(ROOT / "tools" / "longest_path.py"), way]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert found[1:] == told
    assert [found[0], str(len(told))] == [table.splitlines()[-1].split("|")[3].strip()] * 2
