"""iFTM: Jiang et al., Industrial federated topic modeling, ACM TIST 2021. Figures 5 to 7, Tables 2 and 3."""

from __future__ import annotations

from functools import partial

from benchmarks.papers import ftm_figures, iftm_classification, speech_rates
from benchmarks.papers.ftm_runs import KOS, REUTERS, THEIRS, calm, honest, repaired
from benchmarks.papers.items import SEEDS, Finding, Item, Numbers, Parts, mean, shown
from fedtopics.report.svg import Line, line_chart

PAPER = "iFTM"
MODELS = ("LDA", "SentenceLDA")
N_ROUNDS, N_PARTIES = 20, (3, 4)


def four_parties() -> Parts:
    parts: Parts = {
        f"iftm {n} parties, seed {seed}": partial(repaired, "LDA", seed, 11.0, N_ROUNDS, n)
        for n in N_PARTIES
        for seed in SEEDS
    }
    return parts | {f"iftm calm 4 parties, seed {s}": partial(calm, "LDA", s, 11.0, 4) for s in SEEDS}


def judge_four_parties(numbers: Numbers) -> Finding:
    def settled(curve: list[float]) -> float:
        return next(n + 1.0 for n, value in enumerate(curve) if value <= 1.01 * min(curve))

    runs = {n: [numbers[f"iftm {n} parties, seed {seed}"] for seed in SEEDS] for n in N_PARTIES}
    needed = {n: [settled(run["by_round"]) for run in found] for n, found in runs.items()}
    sent = {n: mean([run["bytes"] for run in found]) / 1e6 for n, found in runs.items()}
    reached = [numbers[f"iftm calm 4 parties, seed {seed}"]["perplexity"] for seed in SEEDS]
    last = {n: shown([run["perplexity"] for run in found]) for n, found in runs.items()}
    return Finding(
        {
            "four parties need more rounds": mean(needed[4]) > mean(needed[3]),
            "15 rounds are enough for four": max(needed[4]) <= 15,
            "four parties send more": sent[4] > sent[3],
        },
        f"""repaired variant, epsilon 11, rounds until within 1 % of the best of {N_ROUNDS}: three parties
        {shown(needed[3], 1)}, four {shown(needed[4], 1)}; perplexity {last[3]} and {last[4]};
        {sent[3]:.0f} and {sent[4]:.0f} megabytes in {N_ROUNDS} rounds.""",
        "Rounds are for agreeing on topics, and three or four parties have agreed after a few.",
        honest(11),
        f"{shown(reached)} with four parties at word add/remove 11.",
    )


def chart_four_parties(numbers: Numbers) -> str:
    curves = {n: [numbers[f"iftm {n} parties, seed {seed}"]["by_round"] for seed in SEEDS] for n in N_PARTIES}
    lines = [
        Line(f"{n} parties", list(range(1, N_ROUNDS + 1)), [mean(v) for v in zip(*found, strict=True)])
        for n, found in curves.items()
    ]
    return line_chart(
        lines, title="iFTM, Section 4.4", x_label="global rounds", y_label="perplexity", width=620
    )


CLAIMS = (
    "iFTM-11 has a higher likelihood than the best single party, for LDA and for SentenceLDA.",
    """Likelihood rises with epsilon; with moderate noise a threshold of 0.2 helps; SentenceLDA behaves as
    LDA.""",
    """iFTM reaches in 5 rounds what conventional training needs 300 for, and with epsilon above 8 beats it;
    higher epsilon is better; SentenceLDA likewise.""",
)
CONVENTIONAL = """Conventional training: LDA by counts shared at every sweep, SentenceLDA by one sweep after
    another over all stories in one place."""

ITEMS = [
    *ftm_figures.figures(PAPER, MODELS, 5, f"{KOS} {REUTERS} {THEIRS}", CONVENTIONAL, CLAIMS),
    Item(
        "iftm-four-parties",
        PAPER,
        "Section 4.4: three and four parties",
        """With a fourth party about 15 rounds are needed for a fairly good model, more than with three, and
        communication increases.""",
        f"{KOS} The same documents among three and among four. {THEIRS}",
        four_parties(),
        judge_four_parties,
        chart_four_parties,
    ),
    speech_rates.table(
        PAPER,
        "Table 2: speech recognition, SentenceLDA",
        """Word error rate without topics 33.18 %, FTM-LDA 30.06 %, FTM-SentenceLDA 30.01 %, one party 31.0 to
        33.0 %.""",
        speech_rates.SENTENCES,
        " SentenceLDA of the federation, LDA of the single parties.",
    ),
    iftm_classification.ITEM,
]
