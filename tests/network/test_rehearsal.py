"""The two sides of the wire without a network: the same model as in process, whatever goes wrong."""

from __future__ import annotations

from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from network.rehearsal import Rehearsal, simulated
from planted import drawn_corpus, planted_topics

from fedtopics import methods
from fedtopics.commands.tables import print_runs
from fedtopics.documents import store
from fedtopics.documents.corpus import Corpus
from fedtopics.evaluation.usefulness import UNSCORED
from fedtopics.network.coordinator import result
from fedtopics.network.coordinator.result import LastAnswers
from fedtopics.network.plan.parts import PlannedWords
from fedtopics.network.plan.plan import Plan
from fedtopics.privacy.price.budget import Budget
from fedtopics.report.run_page import run_page
from fedtopics.runs.experiment import train
from fedtopics.runs.preparing import Data
from fedtopics.runs.run import Run

TOPICS = planted_topics(3, 8)
CORPORA = {
    name: drawn_corpus(TOPICS, n_docs=30, length=20, seed=seed)
    for seed, name in enumerate(["north", "south", "west"])
}
TEST = drawn_corpus(TOPICS, n_docs=30, length=20, seed=9)


def finished(
    folder: Path, method: str, promised: Budget, settings: dict[str, Any], test: Corpus | None = TEST
) -> tuple[Run, str]:
    """What the coordinator writes of a run, with documents of its own for scores, and what it logs."""
    words = PlannedWords("public", "words.txt", "ab" * 32, 24)
    plan = Plan("demo", "localhost:8002", tuple(CORPORA), method, promised, words, settings=settings)
    rehearsal = Rehearsal(folder, simulated(plan.method(), CORPORA), CORPORA)
    key = Ed25519PrivateKey.generate()
    (folder / "key").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    end = rehearsal.trained()
    result.write(folder / "result", plan, rehearsal.terms, end, test, folder / "key", LastAnswers())
    return Run.load(folder / "result"), " ".join(rehearsal.lines)


def test_a_coordinator_says_that_topics_are_of_no_use(tmp_path: Path) -> None:
    """Of one and the same federation, drowned in noise and not."""
    for epsilon, said in ((0.05, True), (12.0, False)):
        (tmp_path / str(epsilon)).mkdir()
        promised = Budget("word add/remove", epsilon, 1e-6)
        given = {"n_topics": 3, "n_rounds": 5, "epsilon": epsilon}
        run, _ = finished(tmp_path / str(epsilon), "calm", promised, given | {"distinct_words": 15.0})
        assert run.record["forecast"] == methods.make("calm", **given, distinct_words=15.0).forecast(24)
        assert any("no better than word frequencies" in warning for warning in run.warnings) == said
        assert ("Of no use:" in run_page(run)) == said


def test_a_federation_without_scores_says_that_nobody_knows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Topics drowned in noise came out as if nothing were wrong, where a plan had no scores."""
    given = {"n_topics": 3, "n_rounds": 2, "epsilon": 0.05}
    run, _ = finished(tmp_path, "calm", Budget("word add/remove", 0.05, 1e-6), given, None)
    assert run.warnings == []
    assert UNSCORED in run.record["notes"]
    assert UNSCORED in repr(run)
    assert UNSCORED[1:] in unescape(run_page(run)).partition('id="topics"')[0]
    assert unescape(run_page(run)).count(UNSCORED[1:]) == 1
    print_runs([run])
    assert UNSCORED in " ".join(capsys.readouterr().out.split())


def test_a_record_over_the_wire_says_what_was_in_force_and_what_was_warned_of(tmp_path: Path) -> None:
    given = {"n_topics": 3, "n_rounds": 2}
    promised = Budget("document replace", 128.0, 1e-6)
    run, lines = finished(tmp_path, "fedlda", promised, given)
    record = run.record
    trained = train(Data(CORPORA, CORPORA["west"], "planted"), "fedlda", **given)
    in_process_record = trained.record
    assert record["settings"] == in_process_record["settings"]
    assert (record["settings"]["channel"], record["settings"]["n_reports"]) == ("krr", 25)
    assert record["notes"] == in_process_record["notes"]
    assert record["notes"][0] in lines
    of_wire = {"run", "plan", "planned", "attestations_sha256"}
    written = {"model_sha256", "ledger_head", "record_sha256"}
    assert in_process_record.keys() - record.keys() == {"n_empty_docs", "processor_seconds"}
    assert record.keys() - in_process_record.keys() == of_wire | written
    cards = [run.model.card, trained.model.card]
    assert cards[0].keys() == cards[1].keys()
    assert cards[0]["settings"] == cards[1]["settings"]


def test_a_party_whose_documents_and_persons_lie_on_the_disk_trains(tmp_path: Path) -> None:
    """An index (`fedtopics index --person-column`) gives the model that the same documents in memory give."""
    persons = tuple(f"author {number // 2}" for number in range(30))
    held = {name: replace(corpus, persons=persons) for name, corpus in CORPORA.items()}
    for name, corpus in held.items():
        store.save(corpus, tmp_path / name)
    indexed = {name: store.load(tmp_path / name) for name in held}
    method = methods.make("calm", n_topics=3, n_rounds=2)
    models = []
    for place, corpora in (("memory", held), ("disk", indexed)):
        end = Rehearsal(tmp_path / place, simulated(method, corpora), corpora).trained()
        model = method.model(end.state, TEST.vocabulary)
        assert model is not None
        models.append(model.topic_word.tobytes())
    assert models[0] == models[1]
