"""Without the extra `sklearn` all works but `fedtopics.LDA` and `classify`, which say what to install."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "fedtopics"
EXTRA = "pip install 'fedtopics[sklearn]'"
# Run at the start of every Python below, those of child processes too.
ABSENT = "import sys\nfor name in ('sklearn', 'joblib'):\n    sys.modules[name] = None\n"
LETTERS = ["iron ore coal mine shaft", "wheat farm soil harvest rain", "fleet harbor ship sail wind"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with documents, and with what hides scikit-learn from a Python that starts in it."""
    folder = tmp_path_factory.mktemp("light")
    (folder / "hidden").mkdir()
    (folder / "hidden" / "sitecustomize.py").write_text(ABSENT)
    rows = [f"{number % 2},{LETTERS[number % 3]} {LETTERS[number % 3]}" for number in range(90)]
    (folder / "letters.csv").write_text("\n".join(["kind,body", *rows]) + "\n")
    return folder


def run(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(place / "hidden")}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)


def said(place: Path, line: str) -> str:
    """What the command prints, which must succeed."""
    done = run(place, "-m", "fedtopics", *line.split())
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_two_files_alone_import_it() -> None:
    found = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []
            if any(name.startswith(("sklearn", "joblib")) for name in names):
                found.add(str(path.relative_to(SOURCE)))
    assert found == {"__init__.py", "estimator.py", "applications/classification.py"}  # the first asks for it


def test_every_module_but_the_estimator_is_imported(place: Path) -> None:
    looked = (
        "import fedtopics; from fedtopics import *; from importlib import import_module;"
        "from pkgutil import walk_packages;"
        "assert 'LDA' not in dir(fedtopics);"
        "names = {found.name for found in walk_packages(fedtopics.__path__, 'fedtopics.')};"
        "names -= {'fedtopics.estimator', 'fedtopics.__main__'};"
        "print(len([import_module(name) for name in names]))"
    )
    done = run(place, "-c", looked)
    assert int(done.stdout or 0) > 300, done.stderr


def test_the_estimator_says_what_to_install(place: Path) -> None:
    done = run(place, "-c", "from fedtopics import LDA")
    told = f"fedtopics.errors.InputError: fedtopics.LDA needs scikit-learn: {EXTRA}"
    assert done.stderr.splitlines()[-1] == told


@pytest.mark.nightly
def test_speeches_are_dealt_and_trained_on(place: Path) -> None:
    said(place, "train sotu --parties 4 --topics 4 --rounds 2 --max-words 300 --epsilon 6 --out speeches")
    assert (place / "speeches" / "report.html").exists()


def test_commands_work_and_classify_says_what_to_install(place: Path) -> None:
    small = "letters.csv --text-column body --parties 2 --topics 2 --rounds 2 --min-df 1 --max-df 1"
    assert "calm" in said(place, f"compare {small} --methods alone,calm --epsilon 6 --out compared")
    (kept,) = (place / "compared" / "runs").glob("calm*")
    assert "harvest" in said(place, f"topics {kept}")
    said(place, "report compared")
    assert "epsilon 12" in said(place, "explain calm --epsilon 6")
    labeled = ["letters.csv", "--text-column", "body", "--label-column", "kind"]
    done = run(place, "-m", "fedtopics", "classify", str(kept), *labeled)
    told = f"error: classifiers need scikit-learn: {EXTRA}"
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, told)


def test_the_doctor_looks_at_a_coordinator(place: Path) -> None:
    said(place, "federation init hub --coordinator localhost:8002 --party north --party south --epsilon 6")
    assert "2 parties" in run(place, "-m", "fedtopics", "doctor", "hub").stdout


@pytest.mark.nightly
def test_a_federation_works(place: Path) -> None:
    said(
        place,
        "federation simulate letters.csv --text-column body --parties 2 --topics 2 --rounds 2 --epsilon 6 "
        "--vocabulary english-20000 --out federation",
    )
