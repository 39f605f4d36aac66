"""The tables of the pages on PC-TD and on consistency, from what their cases stored.

Cells are means over seeds with the smallest and largest in brackets, or the number of the only seed; a dash
stands for what was not run.
"""

from __future__ import annotations

from statistics import fmean
from typing import Any

from benchmarks import stored
from benchmarks.markdown_tables import table

SETS = {"ap": "ap", "reuters": "reuters21578", "sotu": "sotu"}
ROWS = {  # of the table of releases: part, label, title
    ("releases", "paper"): "`paper` (n-grams, sigma 0.25, 35 rounds)",
    ("releases", "sound"): "**`sound`** (a vector per document)",
    ("variants", "flat prior"): "the same, prior as in `paper`",
    ("variants", "one word per unit"): "the same, `unit_length=1`",
    ("variants", "ten words per unit"): "the same, `unit_length=10`",
    ("variants", "sentences"): "`sound`, a vector per sentence",
    ("variants", "without noise"): "units of three words without noise",
    ("releases", "CALM"): "CALM (Laplace noise, delta 0)",
    ("releases", "shared"): "shared counts, no privacy",
}
ROUNDS = ("1", "4", "8", "16", "32")


def releases() -> str:
    """Perplexity of every release and of what it is measured by."""
    rows = [["unigram", "", *(_unigram("releases", name) for name in SETS)]]
    for (part, label), title in ROWS.items():
        cells = [_cell(_runs(part, name, label), "perplexity") for name in SETS]
        rows.append([title, _epsilon(_any_runs(part, label)), *cells])
    return table(["", "epsilon", *SETS.values()], rows)


def sigmas() -> str:
    """Perplexity after so many rounds."""
    rows = []
    for name, title in SETS.items():
        for label, runs in _load("sigmas").get(name, {}).items():
            by_round = {str(number): value for number, value in runs["0"]["by_round"]}
            variant, sigma = label.split()
            course = [f"{by_round[number]:.0f}" if number in by_round else "–" for number in ROUNDS]
            rows.append([title, f"`{variant}`, sigma {sigma}", _epsilon(runs), *course])
    return table(["set", "", "epsilon", *ROUNDS], rows)


def parties() -> str:
    """Perplexity of the federation and of each participant."""
    rows = []
    for name, title in SETS.items():
        labels = ("all", "party-1", "party-2", "party-3")
        cells = [_cell(_runs("parties", name, label), "perplexity") for label in labels]
        rows.append([title, _unigram("parties", name), *cells])
    head = ["set", "unigram", "all three", "party 1 (a sixth)", "party 2 (a third)", "party 3 (a half)"]
    return table(head, rows)


def taus() -> str:
    """Perplexity and NPMI by the strength of consistency."""
    rows, labels = [], ("0", "0.1", "0.2", "0.3", "0.4", "0.5")
    for name, title in SETS.items():
        for measure, said in (("perplexity", "perplexity"), ("coherence_npmi", "NPMI")):
            rows.append([title, said, *(_cell(_runs("taus", name, label), measure) for label in labels)])
    return table(["set", "", *(f"tau {label}" for label in labels)], rows)


def topics() -> str:
    """UMass coherence by number of topics."""
    rows, numbers = [], ("10", "20", "30", "40", "50")
    for name, title in SETS.items():
        for model in ("LDA", "PC-TD without noise", "PC-TD, epsilon 8"):
            runs = [_runs("topics", name, f"{model}, {number}") for number in numbers]
            rows.append([title, model, *(_cell(each, "coherence_umass") for each in runs)])
    return table(["set", "model", *(f"{number} topics" for number in numbers)], rows)


def consistency() -> str:
    """CALM at epsilon 6 without and with each relation: means, and the changes of single seeds."""
    rows = []
    for name, title in SETS.items():
        without = _runs("consistency", name, "none")
        for label in ("none", "GloVe", "wordllama", "WordNet"):
            runs = _runs("consistency", name, label)
            cells = [_mean(runs, "coherence_npmi"), _mean(runs, "perplexity")]
            changes = ["", ""]
            if label != "none" and runs.keys() == without.keys() and runs:
                changes = [
                    _changes(runs, without, "coherence_npmi", relative=False),
                    _changes(runs, without, "perplexity", relative=True),
                ]
            rows.append([title, label, cells[0], changes[0], cells[1], changes[1]])
    return table(["set", "relation", "NPMI", "change", "perplexity", "change"], rows)


def memory() -> str:
    """What the relation of many words takes."""
    found = _load("memory")["random vectors"]
    cells = [
        f"{found['n_words']:,}",
        f"{found['n_entries'] / 1e6:.1f} million",
        f"{found['held_bytes'] / 1e6:.0f} MB",
        f"{found['peak_bytes'] / 1e6:.0f} MB",
        f"{found['dense_bytes'] / 1e9:.0f} GB",
        f"{found['cpu_seconds']:.0f} s",
    ]
    head = ["words", "numbers in R", "held", "peak while made", "all cosines would be", "CPU time"]
    return table(head, [cells])


def _load(part: str) -> dict[str, Any]:
    return stored.values(f"semantic_{part}")


def _runs(part: str, name: str, label: str) -> dict[str, Any]:
    found: dict[str, Any] = _load(part).get(name, {}).get(label, {})
    return found


def _any_runs(part: str, label: str) -> dict[str, Any]:
    """Those of the first set that has some."""
    return next((runs for name in SETS if (runs := _runs(part, name, label))), {})


def _unigram(part: str, name: str) -> str:
    runs = [run for found in _load(part).get(name, {}).values() for run in found.values()]
    return f"{runs[0]['perplexity_unigram']:.0f}" if runs else "–"


def _cell(runs: dict[str, Any], measure: str) -> str:
    values = [run[measure] for run in runs.values()]
    if len(values) < 2:
        return _shown(values[0]) if values else "–"
    return f"{_shown(fmean(values))} ({_shown(min(values))} to {_shown(max(values))})"


def _mean(runs: dict[str, Any], measure: str) -> str:
    return _shown(fmean(run[measure] for run in runs.values())) if runs else "–"


def _changes(runs: dict[str, Any], without: dict[str, Any], measure: str, *, relative: bool) -> str:
    pairs = [(runs[seed][measure], without[seed][measure]) for seed in runs]
    if relative:
        percent = [100 * (new / old - 1) for new, old in pairs]
        return f"{fmean(percent):+.1f} % ({min(percent):+.1f} to {max(percent):+.1f})"
    gains = [new - old for new, old in pairs]
    return f"{fmean(gains):+.3f} ({min(gains):+.3f} to {max(gains):+.3f})"


def _shown(value: float) -> str:
    """Perplexities whole, coherence to three digits, UMass to two."""
    size = abs(value)
    return f"{value:.0f}" if size > 20 else f"{value:.2f}" if size > 1 else f"{value:.3f}"


def _epsilon(runs: dict[str, Any]) -> str:
    """What is proved of a word added or removed; where nothing is, what is claimed."""
    rows = [run["privacy"] for run in runs.values()]
    words = [row for row in rows[0] if row["relation"] == "word add/remove"] if rows else []
    proved = [row["epsilon"] for row in words if row["basis"] == "proved"]
    claimed = [row["epsilon"] for row in words if row["basis"] == "claimed"]
    if not words:
        return "–"
    if proved:
        return f"{proved[0]:.3g}"
    return f"none ({claimed[0]:.4g} claimed)" if claimed else "none"
