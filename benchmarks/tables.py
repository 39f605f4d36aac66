"""Tables and pictures of the README and the docs, made from stored results: no number in them is typed.

A table stands between `<!-- NAME -->` and `<!-- end NAME -->`; `tests/benchmarks/test_tables.py` checks that
each is what the results say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks import ROOT
from benchmarks.registry import cases

DOCS = ROOT / "docs"


def pages() -> list[Path]:
    """The files that may hold a table."""
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def tables() -> dict[str, Callable[[], str]]:
    """What makes each table, by its name."""
    return {name: make for name, make in _shown().items() if "." not in name}


def files() -> dict[str, Callable[[], str]]:
    """What makes each picture and page that is all made from results, by its path below docs."""
    return {name: make for name, make in _shown().items() if "." in name}


def _shown() -> dict[str, Callable[[], str]]:
    return {name: make for case in cases().values() for name, make in case.shows.items()}


def blocks(text: str) -> dict[str, str]:
    """The tables that stand in a text, by name."""
    return {
        name: body.strip()
        for name, body in re.findall(r"<!-- ([\w-]+) -->\n(.*?)<!-- end \1 -->", text, re.DOTALL)
    }


def rewritten(text: str, made: Mapping[str, Callable[[], str]]) -> str:
    """The text with its tables made anew."""
    for name in blocks(text):
        pattern = re.compile(rf"<!-- {name} -->\n.*?<!-- end {name} -->", re.DOTALL)
        block = f"<!-- {name} -->\n{made[name]()}\n<!-- end {name} -->"
        text = pattern.sub(lambda _, block=block: block, text)
    return text


def write_all() -> list[Path]:
    """Make every table and picture anew; the files that are not as they were."""
    made = tables()
    texts = {page: rewritten(page.read_text(encoding="utf-8"), made) for page in pages()}
    texts |= {DOCS / name: f"{make().rstrip()}\n" for name, make in files().items()}
    changed = [
        file for file, text in texts.items() if not file.exists() or file.read_text(encoding="utf-8") != text
    ]
    for file in changed:
        file.parent.mkdir(exist_ok=True)
        file.write_text(texts[file], encoding="utf-8")
    return changed
