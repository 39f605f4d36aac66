"""Federations between real folders in one process, with a direct line for the network."""

from __future__ import annotations

import csv
from pathlib import Path

from network.rehearsal import Direct
from planted import drawn_corpus, planted_topics

from fedtopics.documents.corpus import Corpus
from fedtopics.network.coordinator import coordinating
from fedtopics.network.coordinator.folder import CoordinatorFolder, RunFolder
from fedtopics.network.party.folder import PartyFolder
from fedtopics.network.party.offer import Offer
from fedtopics.network.plan import onboarding
from fedtopics.network.plan.parts import Evaluation, PlannedWords
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.text import policy_template
from fedtopics.privacy.price.budget import Budget

PARTIES = ("north", "south")
TOPICS = planted_topics(3, 8)
LISTED = [f"word{letter}" for letter in "abcdefghijklmnopqrstuvwx"]


def made(
    tmp_path: Path,
    promised: float = 80.0,
    scores: float = 20.0,
    method: str = "calm",
    relation: str = "word add/remove",
    seed: int | None = None,
    **settings: float,
) -> Path:
    """Two parties that have accepted a plan with private scores, and their documents."""
    (tmp_path / "words.txt").write_text("\n".join(LISTED))
    plan = Plan(
        "demo",
        "localhost:8002",
        PARTIES,
        method,
        Budget(relation, promised, 1e-6),
        PlannedWords.of_file(tmp_path / "words.txt"),
        settings={"epsilon": 8.0, "n_topics": 3, "n_rounds": 4, **settings},
        evaluation=Evaluation("private", 0.25, scores, 1e-6),
        simulation_seed=seed,
    )
    onboarding.establish(tmp_path / "hub", plan, tmp_path / "words.txt")
    for number, name in enumerate(PARTIES):
        onboarding.approve(tmp_path / "hub", onboarding.request(tmp_path / name, name))
        accepted(tmp_path, name, drawn_corpus(TOPICS, 200, 30, number))
    return tmp_path


def accepted(tmp_path: Path, name: str, corpus: Corpus, beside: str = "") -> None:
    """The party accepts the plan as it is now, with these documents, each with a word `beside`."""
    plan = CoordinatorFolder(tmp_path / "hub").plan
    allowed = policy_template(plan, simulation=plan.simulation_seed is not None)
    (tmp_path / name / "policy.toml").write_text(allowed)
    Offer.read(tmp_path / name, tmp_path / "hub" / "approved" / name).accept()
    with (tmp_path / name / "letters.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text"])
        for first, last in zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True):
            writer.writerow([" ".join([*(LISTED[word] for word in corpus.words[first:last]), beside])])
    PartyFolder(tmp_path / name).note_source(str(tmp_path / name / "letters.csv"), {})


def conducted(federation: Path) -> RunFolder:
    """A run of the plan from its beginning to its end."""
    hub = CoordinatorFolder(federation / "hub")
    run = hub.submit()
    sides = {name: PartyFolder(federation / name).side(run.name) for name in PARTIES}
    coordinating.conduct(hub, run, Direct(sides))
    for side in sides.values():
        side.store.close()
    return run
