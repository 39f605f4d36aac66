"""What the case `speech` found, for the papers' tables on speech recognition."""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks import stored
from benchmarks.cases import speech
from benchmarks.cases.speech_tables import systems
from benchmarks.drawing import WIDTH, bar_chart
from benchmarks.papers.ftm_runs import honest
from benchmarks.papers.items import Finding, Item, Numbers
from fedtopics.errors import InputError
from fedtopics.report.svg import side_by_side

SETS = {"librispeech": "LibriSpeech", "flite": "synthetic"}
CALM = "CALM, epsilon 6"
LDA, SENTENCES = "FTM{}, epsilon 11", "FTM SentenceLDA{}, epsilon 11"
PRINTED, REPAIRED = " as printed", ""
DATA_HERE = """
    LibriSpeech test-clean, as heard by 22 settings of one recognizer, and synthetic sentences (spoken by
    flite, heard by pocketsphinx); transcripts of ljspeech, ami and sotu as three parties, 50 topics; strength
    and weight of the topics chosen on other sessions. As printed: tau 0.5, which serves the papers' variant
    better than their 0.2. Theirs: transcripts of 200 hours at three parties, 10 hours to test, not public.
"""


def rates() -> dict[str, Any]:
    """The error rates of both evaluations by system, as the case `speech` has stored them.

    That case is run by itself, before the papers.
    """
    case = speech.steps
    if case.steps().keys() - stored.results_of(case).steps.keys():
        raise InputError(
            "expected all steps of speech to be stored: run `python -m benchmarks run speech` first"
        )
    found = stored.values(case.name)
    return {
        name: found[name]["facts"] | {"systems": {label: row for label, row, _ in systems(name)}}
        for name in SETS
    }


def _systems(numbers: Numbers, name: str, kind: str) -> dict[str, dict[str, Any]]:
    """The systems that the papers' tables have, the control, and all transcripts in one place."""
    systems = numbers["speech rates"][name]["systems"]
    alone = [s.removesuffix(", interpolation") for s in systems if s.endswith("alone, interpolation")]
    kinds = (speech.CONTROL, *alone, kind.format(PRINTED), kind.format(REPAIRED), "pooled")
    return {speech.BASE: systems[speech.BASE]} | {kind: systems[f"{kind}, interpolation"] for kind in kinds}


def judge(kind: str, numbers: Numbers) -> Finding:
    """Whether topics help beyond chance, and whether the federation's help most."""
    checks, lines, calm = {}, [], []
    for name, shown in SETS.items():
        systems = _systems(numbers, name, kind)
        alone = min(found["word_error_rate"] for label, found in systems.items() if label.endswith("alone"))
        for variant in (PRINTED, REPAIRED):
            found = systems[kind.format(variant)]
            low, high = found["minus_interval"]
            label = f"{shown},{variant or ' repaired'}"
            checks |= {
                f"{label}: fewer errors than n-grams, beyond chance": high < 0,
                f"{label}: fewer than with each party's topics, by over half its interval": (
                    found["word_error_rate"] < alone - (high - low) / 2
                ),
            }
        held = numbers["speech rates"][name]
        heard = f"{held['n_test']:,} test utterances of {held['n_test_sessions']} sessions"
        lines.append(f"{shown} ({heard}): {'; '.join(map(_rate, systems, systems.values()))}.")
        for way, said in (("interpolation", f"{shown}: interpolation"), ("rescaling", "unigram rescaling")):
            calm.append(_rate(said, held["systems"][f"{CALM}, {way}"]))
    return Finding(
        checks,
        f"""by `python -m benchmarks run speech`, 1 seed: word error rate (difference to n-grams, 95 % by
        resampling sessions), {" ".join(lines)} By interpolation as theirs; for unigram rescaling see the
        page on applications.""",
        """The hypotheses bound what any language model can gain, and the n-grams know the parties' text
        already; the control, word frequencies without topics, shows what interpolation does by itself.""",
        honest(11),
        f"{'; '.join(calm)}; at word add/remove 6.",
    )


def _rate(label: str, found: dict[str, Any]) -> str:
    low, high = (100 * value for value in found["minus_interval"])
    gain = f"{100 * found['minus_n_grams']:+.2f} [{low:+.2f}, {high:+.2f}]"
    return f"{label} {100 * found['word_error_rate']:.2f} %{'' if label == speech.BASE else f' ({gain})'}"


def chart(title: str, kind: str, numbers: Numbers) -> str:
    charts = [
        bar_chart(
            {label: [100 * s["word_error_rate"]] for label, s in _systems(numbers, name, kind).items()},
            title=f"{title}: {shown}",
            x_label="word error rate in percent, lower is better",
        )
        for name, shown in SETS.items()
    ]
    return side_by_side(charts, width=WIDTH)


def table(paper: str, title: str, claim: str, kind: str, more: str = "") -> Item:
    """Table 2 of a paper: error rates with topics of one `kind`."""
    return Item(
        f"{paper.lower()}-table-2",
        paper,
        title,
        claim,
        DATA_HERE + more,
        {"speech rates": rates},
        partial(judge, kind),
        partial(chart, f"{paper}, Table 2", kind),
    )
