"""PC-TD: Shi et al., Federated topic discovery, IEEE Intelligent Systems 2021. Figures 2 to 4."""

from __future__ import annotations

from benchmarks.drawing import bar_chart
from benchmarks.papers.items import SEEDS, Finding, Item, Numbers, Parts, listed, mean, shown
from benchmarks.papers.pctd_runs import (
    EVERY,
    REUTERS,
    ROUNDS,
    SIGMA,
    SIGMAS,
    SIZES,
    TOPICS,
    K,
    curve,
    named,
    of,
    printed_runs,
    proved,
    runs,
    unigram,
)
from fedtopics.report.svg import Line, line_chart

PAPER = "PC-TD"


def honest() -> str:
    return f"""
        word add/remove {proved(SIGMA):.0f} at delta 1e-5 with sigma 0.25 and fresh noise in {ROUNDS} rounds:
        proved for sentences and paragraphs as units, only claimed for units of three words, where a word more
        moves those behind it and may make another unit.
    """


def calm_found(numbers: Numbers, score: str = "perplexity", decimals: int = 0) -> str:
    found = {e: of(numbers, f"calm, epsilon {e:.0f}, {K} topics", score) for e in (proved(SIGMA), 8.0)}
    return (
        ", ".join(f"{shown(values, decimals)} at word add/remove {e:.0f}" for e, values in found.items())
        + "."
    )


def convergence() -> Parts:
    parts: Parts = {"pctd unigram": unigram}
    for kind in ("lda", "no noise", "repaired", "calm"):
        parts |= runs(kind)
    return parts | printed_runs() | printed_runs(0.3, seeds=SEEDS[:1])


def judge_convergence(numbers: Numbers) -> Finding:
    curves = {sigma: curve(numbers, named(sigma)) for sigma in SIGMAS}
    plain = curve(numbers, f"lda, {K} topics")
    table = ", ".join(f"sigma {s:g}: {values[0]:.0f} to {values[-1]:.0f}" for s, values in curves.items())
    return Finding(
        {
            "perplexity falls with the rounds at every sigma": all(v[-1] < v[0] for v in curves.values()),
            "worse with sigma 0.3 than with 0.25": curves[0.3][-1] > curves[SIGMA][-1],
            "within 10 % of LDA at 0.25": curves[SIGMA][-1] < 1.1 * plain[-1],
            "better than word frequencies at 0.25": curves[SIGMA][-1] < numbers["pctd unigram"],
        },
        f"""from round {EVERY} to round {ROUNDS}: {table}; without noise
        {shown(of(numbers, f"no noise, {K} topics"))}, LDA {shown(of(numbers, f"lda, {K} topics"))}, repaired
        at word add/remove 8 {shown(of(numbers, f"repaired, {K} topics"))}, unigram
        {numbers["pctd unigram"]:.0f} (sigma 0.25: means of 3 seeds, at round {ROUNDS}
        {shown(of(numbers, named(SIGMA)))}; 0.3: 1 seed).""",
        """Noise on every pair of unit and word, zeros included, adds up over the vocabulary and hides the
        three words of a unit.""",
        honest(),
        calm_found(numbers),
    )


def chart_convergence(numbers: Numbers) -> str:
    names = {"no noise": f"no noise, {K} topics", "LDA": f"lda, {K} topics"}
    names |= {f"sigma {sigma:g}": named(sigma) for sigma in SIGMAS}
    at = list(range(EVERY, ROUNDS + 1, EVERY))
    lines = [Line(label, at, curve(numbers, key)) for label, key in names.items()]
    lines.append(Line("unigram", [at[0], at[-1]], [numbers["pctd unigram"]] * 2, dashed=True))
    return line_chart(lines, title="PC-TD, Figure 2", x_label="rounds", y_label="perplexity", width=620)


def participants() -> Parts:
    parts: Parts = {"pctd unigram": unigram} | printed_runs() | runs("repaired") | runs("calm")
    for party in SIZES:
        parts |= printed_runs(party=party, seeds=SEEDS[:1]) | runs("repaired", party=party)
    return parts


def judge_participants(numbers: Numbers) -> Finding:
    single = {
        kind: {party: of(numbers, f"{kind}, {party}") for party in SIZES}
        for kind in (named(), f"repaired, {K} topics")
    }
    together = {kind: of(numbers, kind) for kind in single}

    def best(kind: str) -> float:
        return min(map(mean, single[kind].values()))

    lines = [
        f"""{", ".join(f"{party} {shown(values)}" for party, values in found.items())}, all three
        {shown(together[kind])}"""
        for kind, found in single.items()
    ]
    return Finding(
        {
            "as printed, all participants beat each one": mean(together[named()]) < best(named()),
            "repaired, they do": mean(together[f"repaired, {K} topics"]) < best(f"repaired, {K} topics"),
        },
        f"as printed, sigma 0.25: {lines[0]}; repaired, each at word add/remove 8: {lines[1]}.",
        f"""More documents help. As printed even all of them together stay
        {"above" if mean(together[named()]) > numbers["pctd unigram"] else "below"} word frequencies without
        topics, {numbers["pctd unigram"]:.0f}.""",
        honest(),
        calm_found(numbers),
    )


def chart_participants(numbers: Numbers) -> str:
    groups = {f"printed, {party}": of(numbers, f"{named()}, {party}") for party in SIZES}
    groups |= {"printed, all": of(numbers, named())}
    repaired_runs = f"repaired, {K} topics"
    groups |= {f"repaired, {party}": of(numbers, f"{repaired_runs}, {party}") for party in SIZES}
    groups |= {"repaired, all": of(numbers, repaired_runs)}
    return bar_chart(groups, title="PC-TD, Figure 3", x_label="perplexity, lower is better")


def coherence() -> Parts:
    parts = runs("calm")
    for k in TOPICS:
        parts |= printed_runs(k=k, seeds=SEEDS if k == K else SEEDS[:1])
        for kind in ("lda", "no noise", "repaired"):
            parts |= runs(kind, k)
    return parts


KINDS = {
    "lda": "LDA",
    "no noise": "PC-TD without noise",
    "printed": "with sigma 0.25",
    "repaired": "repaired",
}


def coherences(numbers: Numbers) -> dict[str, list[float]]:
    """Mean UMass of each kind by number of topics."""
    return {
        kind: [
            mean(of(numbers, named(k=k) if kind == "printed" else f"{kind}, {k} topics", "umass"))
            for k in TOPICS
        ]
        for kind in KINDS
    }


def judge_coherence(numbers: Numbers) -> Finding:
    found = coherences(numbers)
    plain, clean, noisy = found["lda"], found["no noise"], found["printed"]
    table = "; ".join(f"{label} {listed(found[kind], 2)}" for kind, label in KINDS.items())
    return Finding(
        {
            "UMass rises from 10 to 50 topics for LDA": plain[-1] > plain[0],
            "for PC-TD without noise": clean[-1] > clean[0],
            "for PC-TD with noise": noisy[-1] > noisy[0],
            "PC-TD without noise best": mean(clean) > max(mean(plain), mean(noisy)),
            "PC-TD with noise better than LDA at 50 topics": noisy[-1] > plain[-1],
        },
        f"""UMass (mean over the pairs of ten words; 0 is best) with 10, 20, 50 topics: {table} (means of 3
        seeds; with sigma 0.25 at 10 and 50 topics 1 seed).""",
        """Small topics have rare words, which meet in fewer documents; noise puts words together that never
        do.""",
        honest(),
        f"UMass {calm_found(numbers, 'umass', 2)}",
    )


def chart_coherence(numbers: Numbers) -> str:
    found = coherences(numbers)
    lines = [Line(label, TOPICS, found[kind]) for kind, label in KINDS.items()]
    return line_chart(lines, title="PC-TD, Figure 4", x_label="topics", y_label="UMass", width=620)


ITEMS = [
    Item(
        "pctd-figure-2",
        PAPER,
        "Figure 2: convergence by sigma",
        """Perplexity falls in all cases, slower with more noise; with sigma 0.25 it converges within 35
        iterations and ends close to LDA.""",
        REUTERS,
        convergence(),
        judge_convergence,
        chart_convergence,
    ),
    Item(
        "pctd-figure-3",
        PAPER,
        "Figure 3: participants",
        "Trained by three participants PC-TD has a lower perplexity than by any single one.",
        REUTERS,
        participants(),
        judge_participants,
        chart_participants,
    ),
    Item(
        "pctd-figure-4",
        PAPER,
        "Figure 4: coherence by number of topics",
        """UMass rises with the number of topics; PC-TD without noise is best; with noise it passes LDA as
        topics increase.""",
        REUTERS,
        coherence(),
        judge_coherence,
        chart_coherence,
    ),
]
