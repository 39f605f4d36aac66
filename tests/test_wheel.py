"""The wheel that `make wheel` builds, installed into an empty environment: pip is all it takes."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MOST_MEGABYTES = 400  # of an environment with nothing else in it but pip and setuptools, 27 of them


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.nightly
def test_the_wheel_runs_the_demo_in_an_empty_environment(tmp_path: Path) -> None:
    run("make", "wheel", f"PYTHON={sys.executable}")
    (wheel,) = (ROOT / "dist").glob("*.whl")
    assert list((ROOT / "dist").glob("*.tar.gz"))
    assert "manylinux" in wheel.name
    run(sys.executable, "-m", "venv", tmp_path / "env")
    run(tmp_path / "env" / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    told = run(tmp_path / "env" / "bin" / "fedtopics", "demo", cwd=tmp_path)
    assert "calm" in told
    assert (tmp_path / "runs" / "demo" / "report.html").exists()
    size = sum(path.stat().st_size for path in (tmp_path / "env").rglob("*") if path.is_file())
    assert size < MOST_MEGABYTES * 1e6
