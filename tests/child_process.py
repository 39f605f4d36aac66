"""Python in a process of its own, with the same copy of the package as the test that starts it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import fedtopics

TESTS = Path(__file__).parent
SOURCE = Path(fedtopics.__file__).parents[1]
BUILT_HERE = any((SOURCE / "fedtopics" / "privacy" / "mechanisms").glob("_noise*.so"))  # planted
SAME_COPY = f"""
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "Redirecting" not in type(finder).__name__]
sys.path.insert(0, {str(SOURCE)!r})
"""


def run_python(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a script that may import the modules of this folder."""
    begin = f"import sys; sys.path[:0] = [{str(TESTS)!r}]\n"
    return subprocess.run(
        [sys.executable, "-c", (SAME_COPY if BUILT_HERE else "") + begin + script, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
