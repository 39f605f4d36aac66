"""iFTM: Jiang et al., Industrial federated topic modeling, ACM TIST 2021. Figures 5 to 7, Tables 2 and 3."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from labeled import documents

from fedtopics import methods, splitting
from fedtopics.applications.classification import WORDS, classify, split_by_class
from fedtopics.corpus import Corpus
from fedtopics.experiment import Data
from fedtopics.federation import in_process
from fedtopics.model import TopicModel
from fedtopics.report.svg import Line, line_chart
from fedtopics.text.word_filter import WordFilter
from reproduction import ftm_paper, small
from reproduction.ftm_paper import EPSILONS, HONEST, KOS, K
from reproduction.items import Finding, Item, mean, shown, verdict
from reproduction.results import Kept
from reproduction.small import SEEDS
from reproduction.speech_rates import measured_rates, rates_found

PAPER = "iFTM"
LITTLE_NOISE = 20.0  # stands for none: SentenceLDA has no other trainer here
SENTENCES: dict[str, Any] = {"unit": "sentence", "n_topics": K, "n_rounds": 3, "n_local": 15}
PRINTED = SENTENCES | {"variant": "paper", "n_local": 6}
REUTERS = (
    "1,200 Reuters stories (1,000 words, 20 topics) with their sentences, three unlike, unequal parties; "
    "theirs: 178,337 documents of a company, not public."
)
GROUPS = {"comp": "computers", "rec": "recreation", "sci": "science", "talk": "talk"}


def alone(data: Data, seed: int) -> list[float]:
    """SentenceLDA of each party by itself, almost without noise."""
    settings = SENTENCES | {"epsilon": LITTLE_NOISE, "n_rounds": 1, "n_local": 45}
    return [
        small.run(Data({name: corpus}, data.test), "ftm", seed, **settings)["perplexity"]
        for name, corpus in data.parties.items()
    ]


def scarcity(kept: Kept) -> dict[str, Any]:
    data = small.reuters()
    kept("unigram", lambda: small.unigram(data))
    for seed in SEEDS[:2]:
        kept(f"alone {seed}", lambda s=seed: {"perplexity": min(alone(data, s))})
        kept(f"paper {seed}", lambda s=seed: small.run(data, "ftm", s, epsilon=11.0, **PRINTED))
        kept(f"sound {seed}", lambda s=seed: small.run(data, "ftm", s, epsilon=11.0, **SENTENCES))
        kept(f"calm {seed}", lambda s=seed: small.run(data, "calm", s, epsilon=11.0, n_topics=K))
    return kept.parts


def judge_scarcity(parts: dict[str, Any]) -> Finding:
    single, paper, sound, calm = (
        [parts[f"{kind} {seed}"]["perplexity"] for seed in SEEDS[:2]]
        for kind in ("alone", "paper", "sound", "calm")
    )
    printed, repaired = mean(paper) < mean(single), mean(sound) < mean(single)
    return Finding(
        verdict(printed, repaired),
        f"SentenceLDA: best party alone {shown(single)}, iFTM-11 as printed {shown(paper)}, repaired "
        f"{shown(sound)}, unigram {parts['unigram']:.0f}. For LDA see FTM, Figure 4.",
        f"As printed better than each party: {_yes(printed)}; repaired: {_yes(repaired)}. The printed "
        "likelihood "
        "is ruled by surviving noise, for sentences as for words.",
        HONEST.format(22),
        f"{shown(calm)} (LDA) at word add/remove 11.",
    )


def by_epsilon(kept: Kept) -> dict[str, Any]:
    data = small.reuters()
    kept("unigram", lambda: small.unigram(data))
    for epsilon in EPSILONS:
        for tau in (0.0, 0.2, 0.5) if epsilon in (8.0, 11.0) else (0.2,):
            kept(
                f"paper {epsilon:g} {tau:g}",
                lambda e=epsilon, t=tau: small.run(data, "ftm", epsilon=e, tau=t, **PRINTED),
            )
        kept(f"sound {epsilon:g}", lambda e=epsilon: small.run(data, "ftm", epsilon=e, **SENTENCES))
        kept(f"calm {epsilon:g}", lambda e=epsilon: small.run(data, "calm", epsilon=e, n_topics=K))
    return kept.parts


def judge_by_epsilon(parts: dict[str, Any]) -> Finding:
    printed = ftm_paper.curve(parts, "paper", " 0.2")
    sound, calm = (ftm_paper.curve(parts, kind) for kind in ("sound", "calm"))
    at_11 = [parts[f"paper 11 {tau}"]["perplexity"] for tau in ("0", "0.2", "0.5")]
    rises, helps = printed[-1] < printed[0], at_11[1] < at_11[0]
    useful = printed[-1] < parts["unigram"]
    return Finding(
        verdict(rises, helps, useful),
        f"SentenceLDA at epsilon 8, 9, 10, 11: printed (tau 0.2) {_list(printed)}; at epsilon 11 with tau "
        "0, 0.2, "
        f"0.5: {_list(at_11)}; repaired {_list(sound)}; unigram {parts['unigram']:.0f} (1 seed). For LDA "
        "see FTM, "
        "Figure 5.",
        f"Rises with epsilon: {_yes(rises)}. tau 0.2 beats 0 at epsilon 11: {_yes(helps)}. Better than word "
        f"frequencies: {_yes(useful)}.",
        HONEST.format(16) + " That is for epsilon 8; 22 for epsilon 11.",
        f"at word add/remove 8, 9, 10, 11: {_list(calm)} (LDA).",
    )


def chart_by_epsilon(parts: dict[str, Any]) -> str:
    lines = [
        Line("printed, tau 0.2", EPSILONS, ftm_paper.curve(parts, "paper", " 0.2")),
        Line("repaired", EPSILONS, ftm_paper.curve(parts, "sound")),
        Line("CALM (LDA)", EPSILONS, ftm_paper.curve(parts, "calm")),
        Line("unigram", [8.0, 11.0], [parts["unigram"]] * 2),
    ]
    title = "iFTM, Figure 6(b): SentenceLDA"
    return line_chart(lines, title=title, x_label="epsilon", y_label="perplexity", width=620)


def communication(kept: Kept) -> dict[str, Any]:
    """SentenceLDA by round, with and almost without noise."""
    data = small.reuters()
    longer = SENTENCES | {"n_rounds": 6}
    kept("sound 8", lambda: small.run(data, "ftm", epsilon=8.0, **longer))
    kept("sound 11", lambda: small.run(data, "ftm", epsilon=11.0, **longer))
    kept("paper 11", lambda: small.run(data, "ftm", epsilon=11.0, **PRINTED | {"n_rounds": 6}))
    every_sweep = SENTENCES | {"n_rounds": 60, "n_local": 1}
    kept("shared", lambda: small.run(data, "ftm", every=2, epsilon=LITTLE_NOISE, **every_sweep))
    kept("calm 11", lambda: small.run(data, "calm", epsilon=11.0, n_topics=K))
    return kept.parts


def judge_communication(parts: dict[str, Any]) -> Finding:
    shared, few = parts["shared"]["by_round"], parts["sound 11"]["by_round"]
    needed = next((2 * (n + 1) for n, value in enumerate(shared) if value <= few[4]), None)
    fast = needed is None or needed > 10
    noise = few[-1] < parts["sound 8"]["by_round"][-1]
    better = few[-1] <= shared[-1]
    printed = parts["paper 11"]["by_round"]
    works = printed[-1] < 1.1 * shared[-1]
    rounds = f"more than {2 * len(shared)}" if needed is None else str(needed)
    return Finding(
        verdict(fast, noise, better, works),
        f"SentenceLDA by round at epsilon 11, repaired: {_list(few)} (printed: {_list(printed)}); at 8: "
        f"{_list(parts['sound 8']['by_round'])}; "
        "sharing "
        f"after every sweep, almost without noise, needs {rounds} rounds for what 5 rounds reach, and ends "
        "at "
        f"{shared[-1]:.0f} after {2 * len(shared)} (1 seed).",
        f"As printed within 10 % of conventional training: {_yes(works)}. Repaired, few rounds are enough: "
        f"{_yes(fast)}. Higher epsilon is better: {_yes(noise)}. Better than training "
        f"almost without noise: {_yes(better)}.",
        HONEST.format(22) + " Rounds cost nothing.",
        f"{parts['calm 11']['perplexity']:.0f} (LDA) at word add/remove 11.",
    )


def chart_communication(parts: dict[str, Any]) -> str:
    lines = [
        Line(f"epsilon {kind.split()[1]}", list(range(1, 7)), parts[kind]["by_round"])
        for kind in ("sound 8", "sound 11")
    ]
    shared = parts["shared"]["by_round"]
    lines.append(Line("shared every sweep", [2 * (n + 1) for n in range(len(shared))], shared))
    title = "iFTM, Figure 7(b): SentenceLDA"
    return line_chart(lines, title=title, x_label="global rounds", y_label="perplexity", width=620)


def four_parties(kept: Kept) -> dict[str, Any]:
    for n_parties in (3, 4):
        for seed in SEEDS:
            kept(
                f"{n_parties} parties {seed}",
                lambda n=n_parties, s=seed: small.run(
                    small.kos(n), "ftm", s, epsilon=11.0, n_topics=K, n_rounds=20
                ),
            )
    kept("calm", lambda: small.run(small.kos(4), "calm", epsilon=11.0, n_topics=K))
    return kept.parts


def judge_four_parties(parts: dict[str, Any]) -> Finding:
    def settled(curve: list[float]) -> int:
        return next(n + 1 for n, value in enumerate(curve) if value <= 1.01 * min(curve))

    needed = {n: [float(settled(parts[f"{n} parties {seed}"]["by_round"])) for seed in SEEDS] for n in (3, 4)}
    more = mean(needed[4]) > mean(needed[3])
    few = mean(needed[4]) <= 15
    return Finding(
        verdict(more, few),
        f"rounds until within 1 % of the best of 20: three parties {shown(needed[3], 1)}, four "
        f"{shown(needed[4], 1)} (repaired variant, epsilon 11).",
        f"Four parties need more rounds: {_yes(more)}; 15 are enough: {_yes(few)}.",
        HONEST.format(22),
        f"{parts['calm']['perplexity']:.0f} with four parties at word add/remove 11.",
    )


def classes(kept: Kept) -> dict[str, Any]:
    """Four groups of newsgroups, a linear SVM on TF-IDF and 100 topics: as the paper's Table 3."""
    for seed in SEEDS[:2]:
        kept(f"precision {seed}", lambda s=seed: _precision(s))
    return kept.parts


def _precision(seed: int) -> dict[str, float]:
    corpus = _groups()
    train, test = split_by_class(corpus, test_share=2000 / corpus.n_docs, seed=seed)
    train = train.filtered(WordFilter(min_df=3, max_df=0.5, max_words=3000))
    parties = {p.name or "": p for p in splitting.by_proportions(train, [1, 1, 1], seed=seed)}
    common: dict[str, Any] = {"n_topics": 100}
    models: dict[str, TopicModel] = {}
    for label, name, settings in (
        ("alone", "alone", common),
        ("FTM-LDA", "ftm", common | {"epsilon": 11.0}),
        (
            "FTM-SentenceLDA",
            "ftm",
            common | {"epsilon": 11.0, "unit": "sentence", "n_rounds": 2, "n_local": 8},
        ),
        ("CALM", "calm", common | {"epsilon": 11.0}),
    ):
        outcome = in_process.run(methods.make(name, **settings), parties, seed=seed)
        if outcome.model is not None:
            models[label] = outcome.model
        elif outcome.local_models:
            models |= {f"LDA of {party}": model for party, model in outcome.local_models.items()}
    found = classify(models, train, test.with_vocabulary(train.vocabulary), classifier="svm", words=True)
    return {result.features: result.scores["precision"].value for result in found}


def _groups() -> Corpus:
    """7,000 messages of four groups, headers left out, with sentences."""
    corpus = documents("20newsgroups", share=0.45, sentences=True)
    names = np.array([(label or "").split(".")[0] for label in corpus.labels or ()])
    chosen = corpus.select(np.isin(names, list(GROUPS)))
    labels = tuple(GROUPS[label.split(".")[0]] for label in chosen.labels or ())
    return replace(chosen, labels=labels, parties=None)


def judge_classes(parts: dict[str, Any]) -> Finding:
    seeds = [parts[f"precision {seed}"] for seed in SEEDS[:2]]
    means = {label: mean([100 * seed[label] for seed in seeds]) for label in seeds[0]}
    single = max(value for label, value in means.items() if label.startswith("LDA of"))
    helps = single > means[WORDS]
    federated = means["FTM-LDA"] > single
    sentences = means["FTM-SentenceLDA"] > means["FTM-LDA"]
    numbers = ", ".join(f"{label} {value:.1f} %" for label, value in means.items() if label != "CALM")
    return Finding(
        verdict(helps, federated, sentences),
        f"precision: {numbers} ({len(seeds)} seeds, 2,000 test messages).",
        f"Topics help beside words: {_yes(helps)}. Federated topics help more than one party's: "
        f"{_yes(federated)}. "
        f"SentenceLDA beats LDA: {_yes(sentences)}. Words alone leave little to add here.",
        HONEST.format(22),
        f"{means['CALM']:.1f} % at word add/remove 11.",
    )


def _list(values: list[float]) -> str:
    return ", ".join(f"{value:.0f}" for value in values)


def _yes(value: bool) -> str:
    return "yes" if value else "no"


ITEMS = [
    Item(
        "iftm-figure-5",
        PAPER,
        "Figure 5: data scarcity, SentenceLDA",
        "iFTM-11 has a higher likelihood than the best single party, for LDA and for SentenceLDA.",
        REUTERS,
        scarcity,
        judge_scarcity,
    ),
    Item(
        "iftm-figure-6",
        PAPER,
        "Figure 6: privacy protection, SentenceLDA",
        "Likelihood rises with epsilon; with moderate noise a threshold of 0.2 helps; SentenceLDA behaves "
        "as LDA.",
        REUTERS,
        by_epsilon,
        judge_by_epsilon,
        chart_by_epsilon,
    ),
    Item(
        "iftm-figure-7",
        PAPER,
        "Figure 7: communication, SentenceLDA",
        "iFTM converges within several rounds, faster than conventional training; higher epsilon is better.",
        REUTERS
        + " Conventional training: topics shared after every sweep, almost without noise (epsilon 20).",
        communication,
        judge_communication,
        chart_communication,
    ),
    Item(
        "iftm-four-parties",
        PAPER,
        "Section 4.4: three and four parties",
        "With a fourth party about 15 rounds are needed for a fairly good model, more than with three.",
        KOS.replace("three unlike", "three and four unlike"),
        four_parties,
        judge_four_parties,
    ),
    Item(
        "iftm-table-2",
        PAPER,
        "Table 2: speech recognition, SentenceLDA",
        "Word error rate without topics 33.18 %, FTM-LDA 30.06 %, FTM-SentenceLDA 30.01 %, one party 31.0 "
        "to 33.0 %.",
        "As FTM, Table 2; SentenceLDA of the federation, LDA of the single parties.",
        lambda kept: measured_rates(kept, ("FTM SentenceLDA, epsilon 11",)),
        lambda parts: rates_found(parts, "FTM SentenceLDA, epsilon 11", HONEST.format(22)),
    ),
    Item(
        "iftm-table-3",
        PAPER,
        "Table 3: document classification",
        "Precision of an SVM: 75.7 % without topics, 76.9 to 79.3 % with LDA of one party, 80.6 % with "
        "FTM-LDA, "
        "81.0 % with FTM-SentenceLDA.",
        "Four groups of 20 newsgroups (about 5,000 training messages among three equal parties, 2,000 to "
        "test), "
        "TF-IDF and 100 topics; theirs: 15,000 documents graded by annotators, not public.",
        classes,
        judge_classes,
    ),
]
