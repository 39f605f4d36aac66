"""The wheel that `make wheel` builds, installed into an empty environment: pip is all it takes."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# Of what comes to an empty environment, where pip and perhaps setuptools are; 277 to 290 by the Python.
MOST_MEGABYTES = 300


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


@pytest.mark.nightly
def test_the_wheel_runs_the_demo_in_an_empty_environment(tmp_path: Path) -> None:
    run("make", "wheel", f"PYTHON={sys.executable}")
    (wheel,) = (ROOT / "dist").glob("*.whl")
    assert list((ROOT / "dist").glob("*.tar.gz"))
    assert "manylinux" in wheel.name
    run(sys.executable, "-m", "venv", tmp_path / "env")
    before = megabytes(tmp_path / "env")
    run(tmp_path / "env" / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    told = run(tmp_path / "env" / "bin" / "fedtopics", "demo", cwd=tmp_path)
    assert "calm" in told
    assert (tmp_path / "runs" / "demo" / "report.html").exists()
    assert megabytes(tmp_path / "env") - before < MOST_MEGABYTES
