"""What attacks reach of every method, how often more than is true, and the claims of papers under attack."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import partial
from math import exp, inf
from statistics import median
from typing import Any

import numpy as np

from benchmarks import stored
from benchmarks.case import Steps, case
from benchmarks.markdown_tables import table
from fedtopics import audit, methods
from fedtopics.audit import auditing, messages, papers
from fedtopics.audit.canaries import PARTY
from fedtopics.audit.guesses import Scored, reached
from fedtopics.audit.overhearing import overhear
from fedtopics.audit.papers import Broken
from fedtopics.runs.preparing import prepare

ATTACKS = ("ftm_number", "ftm_word", "fedlda", "lplda", "pctd", "fdptm")
PAPER_SEEDS = (0, 1_000_000, 2_000_000)
N_TOPICS = 20
AUDITED: tuple[tuple[str, str | None], ...] = (
    *((name, None) for name in ("calm", "hush", "shared", "pooled")),
    *((name, variant) for name in ("lplda", "fedlda", "ftm", "pctd") for variant in ("sound", "paper")),
)
REPEATED: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("calm", "word add/remove", {"epsilon": 6.0}),
    ("lplda", "word replace", {"epsilon": 4.0}),
    ("fedlda", "word replace", {"epsilon": 8.0, "n_reports": 1}),
    ("hush", "document add/remove", {"epsilon": 8.0}),
)
N_TIMES = 100
TOGETHER = 1 - 0.05 / N_TIMES  # confidence of each, so that all of them hold at 95 % at once (Bonferroni)
APART = 10_000  # between the seeds of two audits
SIMULATED = (2.0, 4.0, 6.0)  # epsilons of randomized response
N_SIMULATED, N_COINS = 2000, 10_000


def broken(attack: str) -> list[dict[str, Any]]:
    """One claim under attack, three times."""
    found: list[Broken] = [getattr(papers, attack)(seed) for seed in PAPER_SEEDS]
    return [asdict(replace(each, proved=-1.0) if each.proved == inf else each) for each in found]


def of_papers() -> str:
    """Claimed, proved, reached."""
    rows = []
    for attack in ATTACKS:
        found = stored.values("audit_papers")[attack]
        one, least = found[0], min(each["reached"] for each in found)
        delta = f" at delta {one['delta']:g}" if one["delta"] else ""
        proved = "no bound" if one["proved"] < 0 else f"{one['proved']:.3g}"
        rows.append(
            [
                one["paper"],
                one["relation"],
                f"{one['claimed']:.3g}{delta}",
                proved,
                f"**{least:.3g}**",
                one["seen"],
                one["bound"],
            ]
        )
    head = ["paper", "relation", "claimed at most", "proved at most", "reached at least", "from", "bound"]
    return table(head, rows)


@case(
    "audit_papers",
    measures=(audit, methods),
    minutes=0.3,
    seeds=PAPER_SEEDS,
    pages=("docs/evidence/audit.md",),
    shows={"audit-papers": of_papers},
)
def paper_steps() -> Steps:
    """The printed claims of five papers under attack."""
    return {attack: partial(broken, attack) for attack in ATTACKS}


def audited(method: str, variant: str | None) -> dict[str, Any]:
    """One audit on sotu, with two threads."""
    made = methods.make(method, variant=variant, n_topics=N_TOPICS)
    return auditing.audit(made, prepare("sotu").parties, n_threads=2).to_dict()


def of_methods() -> str:
    """The best attack of each kind, by relation."""
    rows = []
    for name, variant in AUDITED:
        label = name if variant is None else f"{name} {variant}"
        found = stored.values("audit_methods")[label]
        for relation in dict.fromkeys(attack["relation"] for attack in found["attacks"]):
            own = [attack for attack in found["attacks"] if attack["relation"] == relation]
            best = {
                view: max((a["epsilon"] for a in own if a["view"] == view), default=None)
                for view in auditing.VIEWS
            }
            bound = "no bound" if own[0]["proved"] == "inf" else f"{own[0]['proved']:.3g}"
            delta = f" at delta {own[0]['delta']:g}" if own[0]["delta"] else ""
            reached = ["–" if value is None else f"{value:.2f}" for value in best.values()]
            rows.append([label, relation, bound + delta, *reached, f"{found['seconds']:.0f}"])
    head = ["method", "relation", "proved at most", "messages: at least", "model: at least", "seconds"]
    return table(head, rows)


@case(
    "audit_methods",
    measures=(audit, methods),
    minutes=10,
    corpora=(),
    timed=True,
    pages=("docs/evidence/audit.md",),
    shows={"audit-methods": of_methods},
)
def method_steps() -> Steps:
    """What attacks reach of every method on the speeches of presidents, from messages and from the model."""
    return {
        (name if variant is None else f"{name} {variant}"): partial(audited, name, variant)
        for name, variant in AUDITED
    }


def repeated(method: str, relation: Any, n_topics: int, **given: Any) -> dict[str, Any]:
    """The same audit a hundred times, with new coins and new noise: the bounds, and those nearly for sure."""
    made = methods.make(method, n_topics=n_topics, n_rounds=5 if method == "hush" else 2, **given)
    n_words = auditing.UNIT_WORDS if method == "hush" else None
    told = auditing.copied(prepare("sotu").parties, 30, n_words, seed=0)
    reference = messages.reference(made, told, seed=0, n_threads=1)
    (row,) = [
        row
        for row in reference.ledger.statements()
        if (row["party"], row["relation"], row["basis"]) == (PARTY, relation, "proved")
    ]
    delta = float(row["delta"])
    bounds: dict[str, list[float]] = {"each": [], "together": [], "surely": []}
    for number in range(N_TIMES):
        heard = overhear(reference, told, relation, delta=delta, seed=APART * (1 + number), n_threads=1)
        found = heard.reached()
        bounds["each"].append(found.epsilon)
        bounds["together"].append(heard.reached(TOGETHER).epsilon)
        bounds["surely"].append(found.surely)
    return {"proved": float(row["epsilon"]), "delta": delta} | bounds


def coverage(epsilon: float) -> dict[str, float]:
    """Of many audits of randomized response by the bound of one run, the share that say more than is true."""
    rng, truth, above = np.random.default_rng(0), 1 / (1 + exp(-epsilon)), 0
    for _ in range(N_SIMULATED):
        halves = []
        for _ in range(2):
            there = rng.random(N_COINS) < 0.5
            halves.append(Scored(np.where(rng.random(N_COINS) < truth, there, ~there).astype(float), there))
        above += reached(*halves).epsilon > epsilon
    return {"audits": N_SIMULATED, "above": above}


def of_repetitions() -> str:
    """How much of the proved epsilon is reached, and how often more; what was not run is left out."""
    rows = []
    for name, relation, _ in REPEATED:
        found = stored.values("audit_repeated").get(name)
        if found is None:
            continue
        proved, bounds = found["proved"], found["together"]
        delta = f" at delta {found['delta']:g}" if found["delta"] else ""
        rows.append(
            [
                name,
                relation,
                f"{proved:.3g}{delta}",
                f"{median(bounds):.2f} ({min(bounds):.2f} to {max(bounds):.2f})",
                f"{median(bounds) / proved:.2f}",
                *(
                    str(sum(bound > proved for bound in found[kind]))
                    for kind in ("together", "each", "surely")
                ),
            ]
        )
    head = ["method", "relation", "proved at most", "reached at least: median (range)", "share"]
    return table(
        [*head, f"of {N_TIMES} above it, at 95 % for all at once", "at 95 % for each", "at 1 - 1e-6"], rows
    )


def of_coverage() -> str:
    """How often bounds at 95 % are above the truth."""
    found = stored.values("audit_coverage")
    rows = []
    for epsilon in SIMULATED:
        audits, above = (found[f"{epsilon:g}"][name] for name in ("audits", "above"))
        rows.append([f"{epsilon:g}", f"{audits:,}", f"{above}", f"{above / audits:.1%}"])
    return table(["epsilon", "audits", "above it", "share"], rows)


@case(
    "audit_coverage",
    measures=(audit,),
    minutes=1,
    pages=("docs/evidence/audit.md",),
    shows={"audit-coverage": of_coverage},
)
def coverage_steps() -> Steps:
    """Bounds at 95 % on randomized response, which is as tight as can be: how many are above the truth."""
    return {f"{epsilon:g}": partial(coverage, epsilon) for epsilon in SIMULATED}


@case(
    "audit_repeated",
    measures=(audit, methods),
    minutes=9,
    pages=("docs/evidence/audit.md",),
    shows={"audit-repeated": of_repetitions},
)
def repetition_steps() -> Steps:
    """A hundred audits of the messages of four methods: what they reach, and how often more than is true."""
    return {
        name: partial(repeated, name, relation, 5 if name == "hush" else N_TOPICS, **given)
        for name, relation, given in REPEATED
    }
