"""Pages that execute: the tutorial, the choices, and the method that is added in the guide."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md")])


@pytest.mark.parametrize(
    ("name", "n_least"), [("tutorial.md", 20), ("choosing.md", 5), ("report.md", 3), ("applications.md", 8)]
)
def test_examples_run(name: str, n_least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(DOCS / name), module_relative=False, encoding="utf-8")
    assert tried >= n_least
    assert failed == 0


RUN = """
import sys
import fedtopics.methods, pytest
fedtopics.methods.__path__.append(sys.argv[1])
assert "naive" in fedtopics.methods.names()
options = ["-q", "-x", "-p", "no:doctest", "-o", "addopts=--import-mode=importlib", "-k", "naive"]
sys.exit(pytest.main(options + ["tests/methods/test_contract.py", "tests/methods/test_blindfold.py"]))
"""


def test_the_method_of_the_guide_passes_the_suites_of_all_methods(tmp_path: Path) -> None:
    page = (DOCS / "adding-a-method.md").read_text(encoding="utf-8")
    (source,) = re.findall(r"```python\n(\"\"\"Naive.*?)```", page, re.DOTALL)
    (tmp_path / "naive.py").write_text(source)
    command = [sys.executable, "-c", RUN, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.findall(r"(\d+) passed", done.stdout + "0 passed")[0]) >= 10 or "." * 10 in done.stdout


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


def anchors(page: Path) -> set[str]:
    """Named targets, and those that headings get: lower case, spaces to hyphens, other signs left out."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    named = set(re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE))
    return named | {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    }
