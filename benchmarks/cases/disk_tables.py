"""The tables of the page on large corpora, from what its cases stored; a dash stands for what was not run."""

from __future__ import annotations

from typing import Any

from benchmarks import stored
from benchmarks.markdown_tables import table

LARGE = {
    "index": "index (once)",
    "lda/on disk": "LDA, on disk",
    "lda/on disk, 10 sweeps": "LDA, on disk",
    "lda/in memory": "LDA, in memory",
    "lda/tomotopy": "LDA by tomotopy, in memory",
    "calm/on disk": "CALM, on disk",
    "calm/on disk, 4 rounds": "CALM, on disk",
    "calm/in memory": "CALM, in memory",
}


def _found(name: str) -> dict[str, Any]:
    """What a step stored; nothing where it was not run."""
    found: Any = stored.values("disk") | stored.values("disk_calm")
    for part in name.split("/"):
        found = found.get(part, {})
    return dict(found)


def large() -> str:
    """What was done with the whole corpus, and what it took."""
    rows = []
    for name, title in LARGE.items():
        found = _found(name)
        turns = found.get("n_sweeps") or found.get("n_rounds")
        cpu = found.get("cpu_seconds", 0.0) + found.get("worker_cpu_seconds", 0.0)
        each = cpu / found["n_tokens"] * 1e9 / (turns or 1) if found else None
        rows.append(
            [
                title,
                _whole(found.get("n_tokens", 0) / 1e6 or None, " million"),
                _whole(turns),
                _whole(found.get("wall_seconds"), " s"),
                _whole(cpu or None, " s"),
                _whole(each, " ns"),
                _whole(found.get("peak_mb"), " MB"),
            ]
        )
    head = ["", "tokens", "sweeps or rounds", "time", "processor", "processor per token and turn", "memory"]
    return table(head, rows)


def tokens() -> str:
    """The most memory of two sweeps of LDA, by where the words are."""
    rows = []
    for millions in (1, 3, 10, 30, 100):
        found = [_found(f"tokens/{where}/{millions} million") for where in ("on disk", "in memory")]
        rows.append([f"{millions} million", *(_whole(each.get("peak_mb"), " MB") for each in found)])
    return table(["tokens", "on disk", "in memory"], rows)


def documents() -> str:
    """Processor time of a turn and memory, as documents of 100 tokens grow in number."""
    rows = []
    for number in (10_000, 100_000, 1_000_000):
        row = [f"{number:,}"]
        for kind, turns in (("lda", "n_sweeps"), ("calm", "n_rounds")):
            found = _found(f"{kind} by documents/{number}")
            each = found["cpu_seconds"] / found[turns] / number * 1e6 if found else None
            row += [_whole(each, " µs"), _whole(found.get("peak_mb"), " MB")]
        rows.append(row)
    head = ["documents", "LDA, a document and sweep", "memory", "CALM, a document and round", "memory"]
    return table(head, rows)


def reading() -> str:
    """Tokens a second of every reader."""
    rows = []
    for name, found in stored.values("reading_speed").items():
        speed = found["n_tokens"] / found["cpu_seconds"] / 1e6
        wall = found["n_tokens"] / found["wall_seconds"] / 1e6
        rows.append([name, f"{found['n_tokens'] / 1e6:.1f} million", f"{speed:.2f}", f"{wall:.2f}"])
    return table(["reader", "tokens", "million tokens a second of processor time", "a second"], rows)


def _whole(number: float | None, unit: str = "") -> str:
    return "–" if number is None else f"{number:,.0f}{unit}"
