"""FTM: Jiang et al., Federated topic modeling, CIKM 2019. Figures 4 to 6 and Table 2."""

from __future__ import annotations

from benchmarks.papers import ftm_figures, speech_rates
from benchmarks.papers.ftm_runs import KOS, THEIRS

CLAIMS = (
    "FTM-11 has a higher likelihood (-2.74e7) than the best single party (-3.03e7).",
    "Likelihood rises with epsilon (8: -4.59e7, 11: -2.74e7); with moderate noise a threshold of 0.2 helps.",
    "FTM reaches in 5 rounds what conventional training needs 300 for, and with epsilon above 8 beats it.",
)
CONVENTIONAL = "Conventional training: counts shared at every sweep."

ITEMS = [
    *ftm_figures.figures("FTM", ("LDA",), 4, f"{KOS} {THEIRS}", CONVENTIONAL, CLAIMS),
    speech_rates.table(
        "FTM",
        "Table 2: speech recognition",
        "Word error rate without topics 33.2 %, with topics of one party 31.4 to 33.0 %, with FTM-11 30.1 %.",
        speech_rates.LDA,
    ),
]
