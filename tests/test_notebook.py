"""The notebook of the docs runs from its first cell to its last, offline, and writes a report."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
NOTEBOOK = ROOT / "docs" / "start" / "first-report.ipynb"


def test_the_notebook_runs_and_writes_a_report(tmp_path: Path) -> None:
    command = [sys.executable, "tools/notebook.py", "--in", str(tmp_path), str(NOTEBOOK)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "runs" / "first-report" / "report.html").read_text(encoding="utf-8")
    assert "epsilon 4" in page


def test_what_it_printed_is_kept_for_readers() -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert len(code) >= 6
    assert all(cell["outputs"] for cell in code)
    assert not any(output["output_type"] == "error" for cell in code for output in cell["outputs"])
