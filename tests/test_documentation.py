"""Pages that execute, and that name what there is: files, modules, commands, tests."""

from __future__ import annotations

import doctest
import inspect
import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from fedtopics.commands.application import app
from fedtopics.protocol.method import Method

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md")])


@pytest.mark.parametrize(
    ("name", "n_least"),
    [
        ("start/tutorial.md", 20),
        ("start/choosing.md", 5),
        ("start/report.md", 3),
        ("how-to/applications.md", 8),
        ("how-to/coming-from.md", 6),
        ("how-to/general-english.md", 4),
    ],
)
def test_examples_run(name: str, n_least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(DOCS / name), module_relative=False, encoding="utf-8")
    assert tried >= n_least
    assert failed == 0


def test_every_promise_of_security_names_tests_that_exist() -> None:
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    known = set(re.findall(r"^def (test_\w+)", sources, re.MULTILINE))
    text = (DOCS / "operate" / "security.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`(test_\w+)`", text)) - known == set()
    promises = re.findall(r"\| promise \| kept by \|\n\|---\|---\|\n((?:\|.*\n)+)", text)
    rows = [row for table in promises for row in table.splitlines()]
    assert len(rows) > 25
    assert [row for row in rows if "`test_" not in row] == []


def printed_commands() -> list[tuple[str, str]]:
    """Each command that a page or a help text prints, with where it stands."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        for block in re.findall(r"```\w*\n(.*?)```", text, re.DOTALL):
            found += [
                (page.name, line) for line in re.findall(r"^(?:\$ )?(fedtopics .+)$", block, re.MULTILINE)
            ]
        found += [
            (page.name, line) for line in re.findall(r"`(fedtopics [^`\n]+ --(?:out|plot) [^`]+)`", text)
        ]
    for module in (ROOT / "src" / "fedtopics" / "commands").rglob("*.py"):
        text = module.read_text(encoding="utf-8")
        found += [(module.name, line) for line in re.findall(r"^ *(?:Example: )?(fedtopics .+)$", text, re.M)]
    return found


COMMANDS = [
    (place, shlex.split(line, comments=True)[1:]) for place, line in printed_commands() if " DIR" not in line
]


def given(words: list[str], option: str) -> str | None:
    return words[words.index(option) + 1] if option in words else None


def test_printed_commands_can_be_typed() -> None:
    assert len(COMMANDS) > 60
    for place, words in COMMANDS:
        command: Any = get_command(app)
        rest = words[: words.index(">")] if ">" in words else list(words)
        while hasattr(command, "commands"):
            command = command.commands[rest.pop(0)]
        command.make_context(place, rest)


def test_printed_commands_accept_a_price_above_their_epsilon() -> None:
    """Agreeing on words costs more than the method's epsilon, and a printed form that is not sound does."""
    for place, words in COMMANDS:
        trains = words[0] == "train" or words[:2] == ["federation", "simulate"]
        agrees = trains and given(words, "--vocabulary-epsilon") is not None
        unsound = words[0] == "train" and "paper" in words and given(words, "--epsilon") is not None
        assert ("--accept-cost" in words) == (agrees or unsound), f"{place}: {' '.join(words)}"


def test_printed_commands_name_the_columns_of_tables() -> None:
    """Files of one name have one form: tables hold their text in the column body, JSON lines in text."""
    for place, words in COMMANDS:
        source = next((word for word in words[1:] if not word.startswith("-")), "")
        if words[0] in ("classify", "transform", "evaluate", "update"):
            source = words[2]
        asked = given(words, "--data") or (source)
        expected = "body" if asked.endswith(".csv") else None
        assert given(words, "--text-column") == expected, f"{place}: {' '.join(words)}"


def test_pages_followed_in_order_overwrite_nothing() -> None:
    """A file or folder that a command writes is written by that command alone."""
    writers: dict[str, set[str]] = {}
    for _, words in COMMANDS:
        out = given(words, "--out") or given(words, "--plot")
        if out is not None:
            writers.setdefault(out, set()).add(" ".join(words))
    for page in PAGES:
        for out in re.findall(r"\.save\(\"(.+?)\"\)", page.read_text(encoding="utf-8")):
            writers.setdefault(out, set()).add(f"{page.name}: save")
    assert {out: by for out, by in writers.items() if len(by) > 1} == {}


RUN = """
import sys
import fedtopics.methods, pytest
fedtopics.methods.__path__.append(sys.argv[1])
assert "naive" in fedtopics.methods.names()
exec(open(sys.argv[2]).read())
options = ["-q", "-x", "-p", "no:doctest", "-o", "addopts=--import-mode=importlib", "-k", "naive"]
sys.exit(pytest.main(options + ["tests/protocol/test_contract.py", "tests/protocol/test_blindfold.py"]))
"""


def test_the_method_of_the_guide_passes_the_suites_of_all_methods(tmp_path: Path) -> None:
    page = (DOCS / "how-to" / "adding-a-method.md").read_text(encoding="utf-8")
    (source,) = re.findall(r"```python\n(\"\"\"Naive.*?)```", page, re.DOTALL)
    (tmp_path / "naive.py").write_text(source)
    (checks,) = re.findall(r"```python\n(from fedtopics.checks.*?)```", page, re.DOTALL)
    (tmp_path / "checks.txt").write_text(checks)
    command = [sys.executable, "-c", RUN, str(tmp_path), str(tmp_path / "checks.txt")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.findall(r"(\d+) passed", done.stdout + "0 passed")[0]) >= 8 or "." * 8 in done.stdout


def test_the_guide_names_every_member_that_a_method_may_have() -> None:
    page = (DOCS / "how-to" / "adding-a-method.md").read_text(encoding="utf-8")
    told = "".join(line for line in page.splitlines() if line.startswith(("| `", "| or `", "| fields")))
    members = {name for name in vars(Method) if not name.startswith("_")} | set(
        inspect.get_annotations(Method)
    )
    assert members - set(re.findall(r"`(\w+)[`(]", told)) == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith(("http:", "https:", "mailto:")):
            continue
        name, _, anchor = target.partition("#")
        other = (page.parent / name).resolve() if name else page
        assert other.exists(), f"{page.name}: {target}"
        if anchor and other.suffix == ".md":
            assert anchor in anchors(other), f"{page.name}: {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_table_has_rows(page: Path) -> None:
    """What is announced was measured: a table that is made of what is stored is not empty."""
    text = page.read_text(encoding="utf-8")
    assert re.findall(r"^.*\n\|(?:[ :]*-+[ :]*\|)+\n(?!\|)", text, re.MULTILINE) == []


# History tells of what was; a guide names what its reader will write.
OF_TODAY = [page for page in PAGES if "decisions" not in page.parts and page.name != "CHANGELOG.md"]
TO_WRITE = ("yours.py", "naive.md", "naive/sound.py", "naive/paper.py", "TARGET/")
FOLDERS = ("src", "tests", "benchmarks", "tools", "docs")


def is_there(dotted: str) -> bool:
    """Whether a dotted name can be imported, or reached from what can be."""
    module, names = dotted, []
    while True:
        try:
            found: Any = import_module(module)
        except ImportError:
            module, _, name = module.rpartition(".")
            names.insert(0, name)
        else:
            break
    for name in names:
        if not hasattr(found, name):
            return False
        found = getattr(found, name)
    return True


@pytest.mark.parametrize("page", OF_TODAY, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_name_modules_and_files_that_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    names = set(re.findall(r"(?<![\w/.-])fedtopics(?:\.[A-Za-z_]\w*)+", text))
    names -= {"fedtopics.methods.naive"}  # which the guide writes
    assert [name for name in sorted(names) if not is_there(name)] == []
    paths = set(re.findall(rf"(?<![\w/.-])(?:{'|'.join(FOLDERS)})/[\w./-]*\w/?", text))
    paths |= set(re.findall(r"(?<![\w/.-])[\w/-]+\.(?:py|cpp|hpp)\b", text))
    known = [str(path.relative_to(ROOT)) for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
    ends = {"/".join(path.split("/")[start:]) for path in known for start in range(path.count("/") + 1)}
    lost = [path for path in sorted(paths) if path.rstrip("/") not in ends]
    assert [path for path in lost if not path.endswith(TO_WRITE)] == []


def anchors(page: Path) -> set[str]:
    """Named targets, and those that headings get: lower case, spaces to hyphens, other signs left out."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    named = set(re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE))
    return named | {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    }
