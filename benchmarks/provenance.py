"""Where a number comes from: the code, the machine, the day and the seeds."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import fedtopics
from benchmarks import ROOT

CPUINFO = Path("/proc/cpuinfo")


def origin(seeds: Sequence[int]) -> dict[str, Any]:
    """What is known of a measurement that is made here and now."""
    return {
        "commit": git("rev-parse", "HEAD"),
        "dirty": bool(git("status", "--porcelain", "--", "src", "benchmarks", ":!benchmarks/results")),
        "version": fedtopics.__version__,
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "seeds": list(seeds),
    }


def processor() -> str:
    """The name that the processor gives itself."""
    lines = CPUINFO.read_text(encoding="utf-8").splitlines() if CPUINFO.exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def git(*words: str) -> str | None:
    """What git says, or None where it knows nothing: no repository, no such commit, no git."""
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None
