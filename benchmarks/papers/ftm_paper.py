"""FTM: Jiang et al., Federated topic modeling, CIKM 2019. Figures 4 to 6 and Table 2."""

from __future__ import annotations

from functools import partial

from benchmarks.papers import ftm_figures, speech_rates
from benchmarks.papers.ftm_runs import KOS, THEIRS, honest
from benchmarks.papers.items import Item

PAPER = "FTM"
MODELS = ("LDA",)

ITEMS = [
    Item(
        "ftm-figure-4",
        PAPER,
        "Figure 4: data scarcity",
        "FTM-11 has a higher likelihood (-2.74e7) than the best single party (-3.03e7).",
        f"{KOS} {THEIRS}",
        ftm_figures.scarcity(MODELS),
        partial(ftm_figures.judge_scarcity, MODELS),
        partial(ftm_figures.chart_scarcity, MODELS, "FTM, Figure 4"),
    ),
    Item(
        "ftm-figure-5",
        PAPER,
        "Figure 5: privacy protection",
        """Likelihood rises with epsilon (8: -4.59e7, 11: -2.74e7); with moderate noise a threshold of 0.2
        helps.""",
        f"{KOS} {THEIRS}",
        ftm_figures.by_epsilon(MODELS),
        partial(ftm_figures.judge_by_epsilon, MODELS),
        partial(ftm_figures.chart_by_epsilon, MODELS, "FTM, Figure 5"),
    ),
    Item(
        "ftm-figure-6",
        PAPER,
        "Figure 6: communication",
        """FTM reaches in 5 rounds what conventional training needs 300 for, and with epsilon above 8 beats
        it.""",
        f"{KOS} {THEIRS} Conventional training: counts shared at every sweep.",
        ftm_figures.communication(MODELS),
        partial(ftm_figures.judge_communication, MODELS),
        partial(ftm_figures.chart_communication, MODELS, "FTM, Figure 6"),
    ),
    Item(
        "ftm-table-2",
        PAPER,
        "Table 2: speech recognition",
        "Word error rate without topics 33.2 %, with topics of one party 31.4 to 33.0 %, with FTM-11 30.1 %.",
        speech_rates.DATA_HERE,
        speech_rates.PARTS,
        partial(speech_rates.judge, speech_rates.LDA, honest(11)),
        partial(speech_rates.chart, "FTM, Table 2", speech_rates.LDA),
    ),
]
