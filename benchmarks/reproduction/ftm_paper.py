"""FTM: Jiang et al., Federated topic modeling, CIKM 2019. Figures 4 to 6 and Table 2."""

from __future__ import annotations

from typing import Any

from fedtopics.report.svg import Line, line_chart
from reproduction import small
from reproduction.items import Finding, Item, mean, shown, verdict
from reproduction.results import Kept
from reproduction.small import SEEDS
from reproduction.speech_rates import measured_rates, rates_found

PAPER = "FTM"
K = 20
EPSILONS, TAUS = (8.0, 9.0, 10.0, 11.0), (0.0, 0.2, 0.5)
PRINTED: dict[str, Any] = {"variant": "paper", "n_topics": K, "n_rounds": 4, "n_local": 8}
KOS = (
    "A fifth of KOS (616 training documents, 1,000 words, 20 topics), three unlike, unequal parties; theirs: "
    "178,337 documents of a company, not public."
)
HONEST = (
    "word replace {0:g} (twice the scale of the noise: a replaced word changes two entries); word "
    "add/remove: "
    "none, the number of token vectors shows the length; a document of n words: {0:g} n."
)


def scarcity(kept: Kept) -> dict[str, Any]:
    """Each party alone, the printed method at epsilon 11, the repaired one, and CALM."""
    data = small.kos()
    kept("unigram", lambda: small.unigram(data))
    for seed in SEEDS:
        kept(f"alone {seed}", lambda s=seed: small.run(data, "alone", s, n_topics=K))
        kept(f"paper {seed}", lambda s=seed: small.run(data, "ftm", s, epsilon=11.0, **PRINTED))
        kept(f"sound {seed}", lambda s=seed: small.run(data, "ftm", s, epsilon=11.0, n_topics=K))
        kept(f"calm {seed}", lambda s=seed: small.run(data, "calm", s, epsilon=11.0, n_topics=K))
    return kept.parts


def of(parts: dict[str, Any], kind: str) -> list[float]:
    """The last perplexity of a kind of run, seed by seed."""
    return [parts[f"{kind} {seed}"]["perplexity"] for seed in SEEDS]


def judge_scarcity(parts: dict[str, Any]) -> Finding:
    alone, paper, sound, calm = (of(parts, kind) for kind in ("alone", "paper", "sound", "calm"))
    printed, repaired = mean(paper) < mean(alone), mean(sound) < mean(alone)
    return Finding(
        verdict(printed, repaired),
        f"best party alone {shown(alone)}, FTM-11 as printed {shown(paper)}, repaired {shown(sound)} "
        f"(the merged model keeps {parts['sound 0']['n_topics']} topics), "
        f"unigram {parts['unigram']:.0f}.",
        "As printed, the likelihood exp(sum of noisy entries times log phi) is ruled by the noise that "
        "survives "
        "the threshold, and topics collapse; the same release read through the law of its noise shows the "
        "gain."
        if repaired and not printed
        else "Topics of all parties' documents fit better than those of any one party.",
        HONEST.format(22),
        f"{shown(calm)} at word replace 22 (word add/remove 11).",
    )


def by_epsilon(kept: Kept) -> dict[str, Any]:
    """The printed method by epsilon and tau, the repaired one and CALM by epsilon."""
    data = small.kos()
    kept("unigram", lambda: small.unigram(data))
    for epsilon in EPSILONS:
        for tau in TAUS:
            kept(
                f"paper {epsilon:g} {tau:g}",
                lambda e=epsilon, t=tau: small.run(data, "ftm", epsilon=e, tau=t, **PRINTED),
            )
        kept(f"sound {epsilon:g}", lambda e=epsilon: small.run(data, "ftm", epsilon=e, n_topics=K))
        kept(f"calm {epsilon:g}", lambda e=epsilon: small.run(data, "calm", epsilon=e, n_topics=K))
    return kept.parts


def curve(parts: dict[str, Any], kind: str, end: str = "") -> list[float]:
    return [parts[f"{kind} {epsilon:g}{end}"]["perplexity"] for epsilon in EPSILONS]


def judge_by_epsilon(parts: dict[str, Any]) -> Finding:
    by_tau = {tau: curve(parts, "paper", f" {tau:g}") for tau in TAUS}
    rises = all(values[-1] < values[0] for values in by_tau.values())
    helps = by_tau[0.2][-1] < by_tau[0.0][-1]
    useful = by_tau[0.2][-1] < parts["unigram"]
    numbers = "; ".join(f"tau {tau:g}: {_list(values)}" for tau, values in by_tau.items())
    return Finding(
        verdict(rises, helps, useful),
        f"at epsilon 8, 9, 10, 11: {numbers}; repaired {_list(curve(parts, 'sound'))}; unigram "
        f"{parts['unigram']:.0f} (1 seed).",
        f"More epsilon is better: {_yes(rises)}. tau = 0.2 beats 0 at epsilon 11: {_yes(helps)}, and 0.5 "
        "is better "
        f"still. Better than word frequencies at the default tau: {_yes(useful)}.",
        HONEST.format(16) + " That is for epsilon 8; 22 for epsilon 11.",
        f"at word add/remove 8, 9, 10, 11 (half of the above): {_list(curve(parts, 'calm'))}.",
    )


def chart_by_epsilon(parts: dict[str, Any]) -> str:
    lines = [Line(f"printed, tau {tau:g}", EPSILONS, curve(parts, "paper", f" {tau:g}")) for tau in TAUS]
    lines += [Line("repaired", EPSILONS, curve(parts, "sound")), Line("CALM", EPSILONS, curve(parts, "calm"))]
    lines.append(Line("unigram", [EPSILONS[0], EPSILONS[-1]], [parts["unigram"]] * 2))
    return line_chart(
        lines, title="FTM, Figure 5", x_label="epsilon (scale of the noise)", y_label="perplexity", width=620
    )


def communication(kept: Kept) -> dict[str, Any]:
    """Quality by round: FTM at several epsilon, counts shared at every sweep, CALM."""
    data = small.kos()
    rounds = PRINTED | {"n_rounds": 10}
    for epsilon in (8.0, 11.0):
        kept(f"paper {epsilon:g}", lambda e=epsilon: small.run(data, "ftm", epsilon=e, **rounds))
        kept(
            f"sound {epsilon:g}",
            lambda e=epsilon: small.run(data, "ftm", epsilon=e, n_topics=K, n_rounds=10),
        )
        kept(f"calm {epsilon:g}", lambda e=epsilon: small.run(data, "calm", epsilon=e, n_topics=K))
    kept("shared", lambda: small.run(data, "shared", every=5, n_topics=K, n_rounds=300))
    return kept.parts


def judge_communication(parts: dict[str, Any], what: str = "counts shared at every sweep") -> Finding:
    shared = parts["shared"]["by_round"]
    rounds = {
        kind: next(
            (5 * (n + 1) for n, value in enumerate(shared) if value <= parts[kind]["by_round"][4]), None
        )
        for kind in ("paper 11", "sound 11")
    }
    fast = rounds["sound 11"] is None or rounds["sound 11"] > 20
    printed = rounds["paper 11"] is None or rounds["paper 11"] > 20
    better = parts["sound 11"]["by_round"][-1] <= shared[-1]
    sent = {kind: sum(parts[kind]["bytes"]) / 1e6 for kind in ("sound 11", "shared", "calm 11")}

    def needs(kind: str) -> str:
        return f"more than {5 * len(shared)}" if rounds[kind] is None else str(rounds[kind])

    return Finding(
        verdict(fast, printed, better),
        f"after 5 rounds: printed {parts['paper 11']['by_round'][4]:.0f}, repaired "
        f"{parts['sound 11']['by_round'][4]:.0f} at epsilon 11; {what} needs {needs('paper 11')} and "
        f"{needs('sound 11')} rounds for that, and ends at {shared[-1]:.0f}. Megabytes in all: repaired "
        "(10 rounds) "
        f"{sent['sound 11']:.1f}, {what} {sent['shared']:.1f}, CALM {sent['calm 11']:.1f} (1 seed).",
        f"Few rounds are enough for the repaired variant: {_yes(fast)}; for the printed one: "
        f"{_yes(printed)}. "
        f"Better than training without noise: {_yes(better)}, though by topics, not by noise: the merged "
        "model keeps "
        f"{parts['sound 11']['n_topics']} of them, the conventional one has {K}.",
        HONEST.format(22) + " Rounds cost nothing: the vectors are drawn once.",
        f"{parts['calm 11']['perplexity']:.0f} at word add/remove 11, {parts['calm 8']['perplexity']:.0f} "
        "at 8.",
    )


def chart_communication(parts: dict[str, Any], title: str = "FTM, Figure 6") -> str:
    names = {
        "paper 8": "printed, 8",
        "paper 11": "printed, 11",
        "sound 8": "repaired, 8",
        "sound 11": "repaired, 11",
    }
    lines = [Line(label, list(range(1, 11)), parts[kind]["by_round"][:10]) for kind, label in names.items()]
    shared = parts["shared"]["by_round"]
    lines.append(Line("shared counts", [5 * (n + 1) for n in range(20)], shared[:20]))
    return line_chart(lines, title=title, x_label="global rounds", y_label="perplexity", width=620)


def _list(values: list[float]) -> str:
    return ", ".join(f"{value:.0f}" for value in values)


def _yes(value: bool) -> str:
    return "yes" if value else "no"


ITEMS = [
    Item(
        "ftm-figure-4",
        PAPER,
        "Figure 4: data scarcity",
        "FTM-11 has a higher likelihood (-2.74e7) than the best single party (-3.03e7).",
        KOS,
        scarcity,
        judge_scarcity,
    ),
    Item(
        "ftm-figure-5",
        PAPER,
        "Figure 5: privacy protection",
        "Likelihood rises with epsilon (8: -4.59e7, 11: -2.74e7); with moderate noise a threshold of 0.2 "
        "helps.",
        KOS,
        by_epsilon,
        judge_by_epsilon,
        chart_by_epsilon,
    ),
    Item(
        "ftm-figure-6",
        PAPER,
        "Figure 6: communication",
        "FTM reaches in 5 rounds what conventional training needs 300 for, and with epsilon above 8 beats "
        "it.",
        KOS + " Conventional training: counts shared at every sweep.",
        communication,
        judge_communication,
        chart_communication,
    ),
    Item(
        "ftm-table-2",
        PAPER,
        "Table 2: speech recognition",
        "Word error rate without topics 33.2 %, with topics of one party 31.4 to 33.0 %, with FTM-11 30.1 %.",
        "LibriSpeech test-clean, hypotheses of 22 recognizer settings, and 339 synthetic sentences (flite, "
        "heard by "
        "pocketsphinx); transcripts of ljspeech, ami and sotu as three parties; theirs: 200 hours, not "
        "public.",
        lambda kept: measured_rates(kept, ("FTM, epsilon 11",)),
        lambda parts: rates_found(parts, "FTM, epsilon 11", HONEST.format(22)),
    ),
]
