"""Run the notebooks of the docs and keep what they print: `python tools/notebook.py [--in FOLDER] FILE...`.

With `--in` they are run in that folder and the files stay as they are: what the tests do.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def executed(file: Path, folder: Path) -> nbformat.NotebookNode:
    """The notebook with its outputs, run by a kernel of its own in a folder; an error of a cell is raised."""
    notebook = nbformat.read(file, as_version=4)
    client = NotebookClient(
        notebook, kernel_name="python3", timeout=300, resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # times
    notebook.metadata.language_info = {"name": "python"}
    return notebook


if __name__ == "__main__":
    words = sys.argv[1:]
    folder = Path(words[1]) if words[:1] == ["--in"] else None
    for name in words[2:] if folder else words:
        if folder:
            executed(Path(name), folder)
        else:
            with tempfile.TemporaryDirectory() as scratch:
                nbformat.write(executed(Path(name), Path(scratch)), name)
        print(f"{name}: ran to its end")
