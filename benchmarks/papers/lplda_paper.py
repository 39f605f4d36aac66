"""Zhao et al., On privacy protection of LDA model training, IJCAI 2019: the Gibbs monitor and LP-LDA."""

from __future__ import annotations

from functools import partial
from math import log
from typing import Any

import numpy as np

from benchmarks import corpora
from benchmarks.cases import local_privacy
from benchmarks.drawing import line_charts
from benchmarks.papers.items import SEEDS, Finding, Item, Numbers, Parts, listed, mean
from benchmarks.papers.runs import run
from fedtopics.audit import gibbs_monitor
from fedtopics.evaluation.perplexity import unigram_perplexity
from fedtopics.report.svg import Line
from fedtopics.runs.preparing import Data

PAPER = "Zhao et al."
K, SWEEPS, EVERY = 50, 300, 10
FLIPS = (0.5, 0.1, 0.01, 0.001)
SETS = {"KOS": "kos", "NIPS": "nips", "Enron": "enron ham"}
SCALES = {"laplace 1": 1.0, f"laplace {K}": float(K)}
DATA_HERE = f"""
    KOS (3,000 documents), NIPS (1,349, of the set reduced to 7,605 words) and ham mails of Enron-Spam (8,000)
    over the 1,000 most frequent words of each, {K} topics, {SWEEPS} sweeps, alpha 0.1, beta 0.01; other
    documents of the set, a fifth as many at most, to test. Theirs: as many of KOS, NIPS and the whole Enron
    set, each its own 1,000 words.
"""


def flip_epsilon(f: float) -> float:
    """The paper's epsilon of a flipping probability: that of one bit."""
    return log((1 - f / 2) / (f / 2))


def monitored(name: str) -> dict[str, Any]:
    """The monitor's readings, and what one draw of a topic loses in truth."""
    corpus = corpora.users(SETS[name])[0]
    trained = gibbs_monitor.monitor(corpus, K, n_sweeps=SWEEPS)
    readings = {c: trained.column(c)[EVERY - 1 :: EVERY].tolist() for c in gibbs_monitor.COLUMNS}
    return readings | {"one draw": gibbs_monitor.worst_loss(trained, corpus)}


def unigram(name: str) -> float:
    return unigram_perplexity(*corpora.users(SETS[name]))


def bits(name: str, seed: int, f: float) -> dict[str, Any]:
    """LP-LDA as printed."""
    return local_privacy.measured(SETS[name], "lplda", seed, variant="paper", f=f, n_topics=K, beta=0.01)


def laplace(name: str, seed: int, f: float, sensitivity: float) -> dict[str, Any]:
    """The paper's baseline at the same nominal epsilon."""
    given: dict[str, Any] = {"variant": "paper", "channel": "laplace", "sensitivity": sensitivity, "f": f}
    return local_privacy.measured(SETS[name], "lplda", seed, n_topics=K, beta=0.01, **given)


def sound(name: str, f: float) -> dict[str, Any]:
    """LP-LDA repaired, at the same cost for a word replaced: two bits."""
    epsilon = round(2 * flip_epsilon(f), 6)
    return local_privacy.measured(SETS[name], "lplda", 0, epsilon=epsilon, n_topics=K)


def calm(name: str, epsilon: float) -> dict[str, Any]:
    held, test = corpora.users(SETS[name])
    return run(Data({"users": held}, test), "calm", 0, every=50, epsilon=epsilon, n_topics=K)


def monitor() -> Parts:
    parts: Parts = {f"zhao monitor {name}": partial(monitored, name) for name in SETS}
    return parts | {f"zhao calm {name}, epsilon 6": partial(calm, name, 6.0) for name in SETS}


def judge_monitor(numbers: Numbers) -> Finding:
    curves = {name: numbers[f"zhao monitor {name}"] for name in SETS}
    last = {
        level: {name: read[f"{level} printed"][-1] for name, read in curves.items()}
        for level in ("word", "document")
    }
    straight = [
        np.corrcoef(np.arange(SWEEPS // EVERY), read[f"{level} printed"])[0, 1] > 0.99
        for read in curves.values()
        for level in last
    ]
    document, word = last["document"], last["word"]
    draws = ", ".join(f"{read['one draw']:.2f} on {name}" for name, read in curves.items())
    reached = ", ".join(
        f"{name} {numbers[f'zhao calm {name}, epsilon 6']['perplexity']:.0f}" for name in SETS
    )
    return Finding(
        {
            "grows linearly (correlation above 0.99)": all(straight),
            "word below a fifth of document": all(word[name] < 0.2 * document[name] for name in SETS),
            "NIPS weakest for documents": max(document, key=document.__getitem__) == "NIPS",
            "Enron strongest for documents": min(document, key=document.__getitem__) == "Enron",
            "NIPS strongest for words": min(word, key=word.__getitem__) == "NIPS",
            "KOS weakest for words": max(word, key=word.__getitem__) == "KOS",
        },
        f"""what the monitor adds up over {SWEEPS} sweeps, as printed:
        {"; ".join(f"{name}: word {word[name]:.3f}, document {document[name]:.0f}" for name in SETS)}
        (1 seed). Its corrected step gives about half.""",
        """The longest document decides, and the longest mail here is longer than any paper. The curve is a
        diagnostic: the analysis leaves out two of the three counts and lets steps of different tokens compose
        in parallel.""",
        f"""none. A single draw loses up to {draws} between corpora that differ in one word, and every token
        is drawn {SWEEPS} times.""",
        f"perplexity {reached} at word add/remove 6, which is proved (1 seed).",
    )


def chart_monitor(numbers: Numbers) -> str:
    sweeps = list(range(EVERY, SWEEPS + 1, EVERY))
    panels = {
        f"Zhao et al., Figure 1: {level}": [
            Line(name, sweeps, numbers[f"zhao monitor {name}"][f"{level} printed"]) for name in SETS
        ]
        for level in ("word", "document")
    }
    return line_charts(panels, "sweeps", "monitor (no guarantee)")


def flipping() -> Parts:
    parts: Parts = {f"zhao unigram {name}": partial(unigram, name) for name in SETS}
    for name in SETS:
        for f in FLIPS:
            for seed in SEEDS if name == "KOS" else SEEDS[:1]:
                parts[f"zhao bits {name}, f {f}, seed {seed}"] = partial(bits, name, seed, f)
                for kind, scale in SCALES.items():
                    parts[f"zhao {kind} {name}, f {f}, seed {seed}"] = partial(laplace, name, seed, f, scale)
            parts[f"zhao sound {name}, f {f}, seed 0"] = partial(sound, name, f)
            parts[f"zhao calm {name}, f {f}, seed 0"] = partial(calm, name, round(flip_epsilon(f), 6))
    return parts


def of(numbers: Numbers, kind: str, name: str) -> list[float]:
    """Mean perplexities by f."""
    keys = [[f"zhao {kind} {name}, f {f}, seed {seed}" for seed in SEEDS] for f in FLIPS]
    return [mean([numbers[key]["perplexity"] for key in seeds if key in numbers]) for seeds in keys]


def judge_flipping(numbers: Numbers) -> Finding:
    kinds = {
        "bits": "LP-LDA",
        "laplace 1": "Laplace noise of sensitivity 1",
        f"laplace {K}": f"of sensitivity {K}",
        "sound": "repaired",
    }
    found = {kind: {name: of(numbers, kind, name) for name in SETS} for kind in (*kinds, "calm")}
    printed, one, scaled = (found[kind] for kind in ("bits", *SCALES))
    table = "; ".join(
        f"{name}: {', '.join(f'{label} {listed(found[kind][name])}' for kind, label in kinds.items())}, "
        f"unigram {numbers[f'zhao unigram {name}']:.0f}"
        for name in SETS
    )
    replaced = listed([2 * flip_epsilon(f) for f in FLIPS], 2)
    return Finding(
        {
            "falls with epsilon": all(printed[n][-1] < printed[n][0] for n in SETS),
            "worse than Laplace noise at the smallest epsilon": all(printed[n][0] > one[n][0] for n in SETS),
            "better at the largest, sensitivity 1 as said": all(printed[n][-1] < one[n][-1] for n in SETS),
            f"better at the largest, sensitivity {K} as its variance formula has": all(
                printed[n][-1] < scaled[n][-1] for n in SETS
            ),
        },
        f"""at f = {", ".join(map(str, FLIPS))} (epsilon of a bit
        {listed(list(map(flip_epsilon, FLIPS)), 2)}): {table} (LP-LDA and Laplace on KOS: means of
        3 seeds; else 1 seed).""",
        f"""With noise of sensitivity {K} LP-LDA is better at the largest epsilon on
        {" and ".join(n for n in SETS if printed[n][-1] < scaled[n][-1]) or "no set"}. It keeps which words a
        document has and loses how often, which costs long documents most. The Laplace baseline reads the raw
        words: it protects nothing.""",
        f"""twice the epsilon of a bit for a word replaced ({replaced}), and U times that for a document of U
        different words replaced, where the paper says one bit's for the document.""",
        f"""at the same word replace (half of it for word add/remove),
        {"; ".join(f"{name}: {listed(found['calm'][name])}" for name in SETS)} (1 seed).""",
    )


def chart_flipping(numbers: Numbers) -> str:
    epsilons = [flip_epsilon(f) for f in FLIPS]
    kinds = {"bits": "LP-LDA", "laplace 1": "Laplace, 1", f"laplace {K}": f"Laplace, {K}"}
    kinds |= {"sound": "repaired", "calm": "CALM"}
    panels = {
        f"Zhao et al., Figure 2: {name}": [
            Line(label, epsilons, of(numbers, kind, name)) for kind, label in kinds.items()
        ]
        for name in SETS
    }
    return line_charts(panels, "epsilon of one bit")


ITEMS = [
    Item(
        "zhao-figure-1",
        PAPER,
        "Figure 1: inherent privacy of Gibbs sampling",
        """The privacy loss grows linearly with the sweeps; word level far below document level; for documents
        NIPS is the weakest and Enron the strongest, for words NIPS is the strongest and KOS the weakest.""",
        DATA_HERE,
        monitor(),
        judge_monitor,
        chart_monitor,
    ),
    Item(
        "zhao-figure-2",
        PAPER,
        "Figure 2: LP-LDA against Laplace noise",
        """Perplexity falls with epsilon; LP-LDA is worse than Laplace noise at small epsilon and far better
        at large.""",
        DATA_HERE,
        flipping(),
        judge_flipping,
        chart_flipping,
    ),
]
