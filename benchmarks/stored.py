"""Results on file: those of another version are refused and left as they are, and no file is half written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import fedtopics
from fedtopics.errors import InputError


def load(file: Path) -> dict[str, Any]:
    """What is stored in a file; where there is none yet, only the version."""
    if not file.exists():
        return {"version": fedtopics.__version__}
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(f"expected stored results in {file}, got no JSON ({error}); move it away") from None
    version = stored.get("version") if isinstance(stored, dict) else None
    if version != fedtopics.__version__:
        raise InputError(
            f"expected results of fedtopics {fedtopics.__version__}, got those of {version} in {file}; "
            "move them away, nothing was overwritten"
        )
    return dict(stored)


def save(results: dict[str, Any], file: Path) -> None:
    """Put results into a file, all at once."""
    draft = file.with_suffix(".draft")
    draft.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    draft.replace(file)
