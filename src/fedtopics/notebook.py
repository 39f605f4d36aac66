"""What notebooks show: small tables in HTML, and output that changes while a cell runs.

Needs nothing but IPython, which every notebook has.
"""

import sys
from collections.abc import Iterable, Sequence
from html import escape
from importlib import import_module
from typing import Any


def is_notebook() -> bool:
    """Whether the program runs in the kernel of a notebook (Jupyter, JupyterLab, VS Code, Colab)."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    return shell is not None and hasattr(shell, "kernel")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """An HTML table; texts are escaped and may run in either direction.

    >>> table(["word"], [["<b>"]])
    '<table><thead><tr><th>word</th></tr></thead><tbody><tr><td><bdi>&lt;b&gt;</bdi></td></tr></tbody></table>'
    """
    first = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td><bdi>{escape(cell)}</bdi></td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{first}</tr></thead><tbody>{body}</tbody></table>"


class Output:
    """A place in the output of the running cell that can be written anew."""

    def __init__(self, html: str) -> None:
        shown: Any = import_module("IPython.display")
        self._wrap = shown.HTML
        self._handle = shown.display(shown.HTML(html), display_id=True)

    def update(self, html: str) -> None:
        self._handle.update(self._wrap(html))
