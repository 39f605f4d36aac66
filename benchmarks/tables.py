"""The tables of the README and of the docs, made from benchmark results: no number in them is typed.

    python benchmarks/tables.py            rewrites them all
    python benchmarks/tables.py FILE...    those of some files

A table stands between `<!-- NAME -->` and `<!-- end NAME -->`; `tests/test_tables.py` checks that each is
what the results say.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import application_tables
import leaderboard
import local_tables
import semantic_tables
from markdown_tables import table

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
FILES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/methods").glob("*.md")),
]
SETS = {"kos": "KOS", "ap": "AP", "ohsumed": "ohsumed", "nips": "NIPS", "imdb": "imdb"}
METHODS = ("alone", "calm 4", "calm 6", "calm 8", "shared", "tomotopy")
SPEED = (("nips", 100), ("nips", 500), ("20newsgroups", 100), ("20newsgroups", 500))


def quality() -> str:
    """Held-out perplexity of each method on each set, means over seeds."""
    rows = []
    for name, title in SETS.items():
        runs = _load(f"quality_{name}")["runs"]
        unigram = runs["shared"][0]["perplexity_unigram"]
        rows.append(
            [title, f"{unigram:.0f}", *(_mean(runs[method]) if method in runs else "" for method in METHODS)]
        )
    private = [f"`calm`, epsilon {epsilon}" for epsilon in (4, 6, 8)]
    head = ["", "no topics", "best party alone", *private, "`shared`, no privacy", "tomotopy, pooled"]
    return table(head, rows)


def speed() -> str:
    """CPU seconds to tomotopy's perplexity after 200 sweeps, and how many times the tokens of others."""
    rows = []
    for name, n_topics in SPEED:
        found = _load(f"speed-{name}-{n_topics}")
        ours, theirs = found["fedtopics_cpu_seconds"], found["tomotopy_cpu_seconds"]
        title = f"{SETS.get(name, '20 newsgroups')}, {n_topics} topics"
        rows.append([title, f"{ours:.1f}", f"{theirs:.1f}", f"{theirs / ours:.1f}", *_passes(found)])
    head = ["", "fedtopics", "tomotopy", "times faster", "a pass, times gensim", "a pass, times scikit-learn"]
    return table(head, rows)


def boards() -> str:
    """The leaderboard of every set."""
    return "\n".join(leaderboard.table(name) for name in leaderboard.SETS).strip()


TABLES = (
    {"quality": quality, "speed": speed, "leaderboard": boards, "equal-topics": leaderboard.equal_table}
    | local_tables.TABLES
    | application_tables.TABLES
    | semantic_tables.TABLES
)


def blocks(text: str) -> dict[str, str]:
    """The tables that stand in a text, by name."""
    return {
        name: body.strip()
        for name, body in re.findall(r"<!-- ([\w-]+) -->\n(.*?)<!-- end \1 -->", text, re.DOTALL)
    }


def rewritten(text: str) -> str:
    """The text with its tables made anew."""
    for name in blocks(text):
        pattern = re.compile(rf"<!-- {name} -->\n.*?<!-- end {name} -->", re.DOTALL)
        made = f"<!-- {name} -->\n{TABLES[name]()}\n<!-- end {name} -->"
        text = pattern.sub(lambda _, made=made: made, text)
    return text


def _load(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text())
    return found


def _mean(runs: Sequence[dict[str, float]]) -> str:
    return f"{fmean(run['perplexity'] for run in runs):.0f}"


def _passes(found: dict[str, Any]) -> list[str]:
    """Tokens per CPU second relative to two libraries, where they were timed."""
    libraries = found["libraries"]
    ours = libraries["fedtopics"]["million_tokens_per_cpu_second"]
    others = [libraries.get(name) for name in ("gensim", "scikit-learn")]
    return [
        "" if other is None else f"{ours / other['million_tokens_per_cpu_second']:.0f}" for other in others
    ]


if __name__ == "__main__":
    for target in map(Path, sys.argv[1:] or FILES):
        text = target.read_text(encoding="utf-8")
        if (made := rewritten(text)) != text:
            target.write_text(made, encoding="utf-8")
