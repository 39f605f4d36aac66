"""A federation goes on from a finished run: drawn noise is used again, new documents alone are charged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from network import folders, processes
from network.processes import PATIENCE, SEED, WORDS
from planted import drawn_corpus
from typer.testing import CliRunner

from fedtopics import train
from fedtopics.commands.application import app
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.model.merging import widened
from fedtopics.network.coordinator import continuing
from fedtopics.network.coordinator.folder import CoordinatorFolder
from fedtopics.network.coordinator.rounds import Coordinator
from fedtopics.network.local import HUB, LocalFederation, write_texts
from fedtopics.network.party import ledger_file
from fedtopics.network.party.offer import Offer
from fedtopics.network.plan import certificates, onboarding
from fedtopics.network.plan.in_words import points
from fedtopics.network.plan.plan import Plan
from fedtopics.privacy.price.cost import FREE
from fedtopics.protocol import in_process
from fedtopics.protocol.engine import Outcome
from fedtopics.protocol.turn import Arrays
from fedtopics.runs.run import Run

NAMES, NEW = ("north", "south"), ("freshly", "newly")


def new_texts(number: int) -> list[str]:
    """Documents of the same topics; some have words that joined."""
    return [f"{text} {NEW[number]}" for text in processes.texts(10 + number)]


def reference(
    plan: Plan, texts: dict[str, list[str]], words: tuple[str, ...], before: Outcome | None = None
) -> Outcome:
    corpora = {name: Corpus.from_texts(own, vocabulary=words) for name, own in texts.items()}
    model, kept = (None, dict[str, Arrays]()) if before is None else (before.model, before.kept)
    begun = None if model is None else widened(model, words)
    return in_process.run(plan.method(), corpora, seed=SEED, begun=begun, kept=kept)


def accept(federation: LocalFederation, name: str) -> None:
    Offer.read(federation.folder / name, federation.folder / HUB / onboarding.APPROVED / name).accept()


@pytest.mark.nightly
def test_real_processes_go_on_from_a_run_and_charge_new_documents_alone(tmp_path: Path) -> None:
    listed = tmp_path / "new.txt"
    listed.write_text("".join(f"{word}\n" for word in NEW))
    first = {name: processes.texts(number) for number, name in enumerate(NAMES)}
    second = {name: new_texts(number) for number, name in enumerate(NAMES)}
    with processes.founded(tmp_path, NAMES) as federation:
        federation.start()
        run = federation.hub.submit()
        federation.wait(run, PATIENCE)
        federation.stop()
        plan, hub = federation.hub.plan, federation.folder / HUB
        CliRunner().invoke(app, ["label", str(run.result), "1=money matters"], catch_exceptions=False)
        asked = ["federation", "go-on", str(hub), "--run", run.name, "--new-words", str(listed)]
        told = CliRunner().invoke(app, asked)
        assert told.exit_code == 0, told.output
        changed = federation.hub.plan
        assert changed.continues is not None
        assert (changed.continues.run, changed.vocabulary.n_words) == (run.name, len(WORDS) + len(NEW))
        assert changed.method().n_rounds == round(plan.method().n_rounds * 0.4)
        assert "used again, at no price" in " ".join(points(changed)[0].sentences)
        for name in NAMES:
            write_texts(federation.folder / name / "texts.jsonl", second[name])
            accept(federation, name)
        federation.start()
        after = federation.hub.submit()
        federation.wait(after, PATIENCE)
        before = reference(plan, first, WORDS)
        wanted = reference(changed, second, (*WORDS, *NEW), before)
        assert wanted.model is not None
        for model in processes.delivered(federation, after):
            np.testing.assert_array_equal(model.topic_word, wanted.model.topic_word)
        found = TopicModel.load(after.result)
        assert found.names[1] == "money matters"  # topics keep the names that people gave them
        assert found.n_tokens is not None
        assert found.n_tokens == pytest.approx(2 * 2 * 40 * 20, rel=0.15)  # both runs' documents stand in it
        for name in NAMES:
            entries = ledger_file.read(federation.folder / name / "store").entries
            paid = [(entry.run, entry.round, entry.cost) for entry in entries if entry.cost != FREE]
            assert [(which, number) for which, number, _ in paid] == [
                ("run-1/contribute", 0),
                ("run-2/contribute", 0),
            ]
            assert paid[0][2] == paid[1][2]  # the new histograms cost what the first did, all else nothing
        record = json.loads((after.result / "run.json").read_text())
        assert record["update"]["run"] == run.name
        assert record["update"]["stable"] == [0, 1, 2]
        first_record = json.loads((run.result / "run.json").read_text())
        assert record["update"]["privacy"] == first_record["privacy"]  # what older documents have spent
        assert record["vocabulary"] == first_record["vocabulary"]


@pytest.mark.parametrize(
    ("method", "relation", "settings"),
    [
        ("calm", "word add/remove", {}),
        ("ftm", "word add/remove", {"n_local": 5}),
        ("lplda", "word replace", {}),
        ("fedlda", "word replace", {}),
        ("pctd", "word add/remove", {}),
        ("hush", "document add/remove", {}),
    ],
)
def test_every_method_goes_on_in_a_federation(
    method: str,
    relation: str,
    settings: dict[str, float],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Topics that no new document is about stay, whether training begins with them or anew."""
    monkeypatch.setattr(certificates, "KEY_BITS", 2048)
    scored = list[np.ndarray]()
    score = Coordinator.score
    monkeypatch.setattr(
        Coordinator, "score", lambda self, *asked: (scored.append(asked[1]), score(self, *asked))[1]
    )
    federation = folders.made(tmp_path, 2000.0, 100.0, method, relation, seed=SEED, **settings)
    hub, run = CoordinatorFolder(federation / "hub"), folders.conducted(federation)
    before = Run.load(run.result)
    plan = continuing.write(hub, run.name, words=["wordnew"], n_new_topics=1)
    (sentence,) = (text for text in points(plan)[0].sentences if run.name in text)
    assert ("joins the topics" in sentence) is (method != "calm")
    for number, name in enumerate(folders.PARTIES):
        corpus = drawn_corpus(folders.TOPICS[2:], 200, 30, 10 + number)
        folders.accepted(federation, name, corpus, beside="wordnew")
    after = folders.conducted(federation)
    found, n_before = Run.load(after.result), before.model.n_topics
    assert found.model.vocabulary == (*before.model.vocabulary, "wordnew")
    assert n_before <= found.model.n_topics <= n_before + plan.method().model_sizes(plan.parties)[-1]
    told = found.record["update"]
    assert (told["run"], told["privacy"]) == (run.name, before.record["privacy"])
    assert set(range(n_before)) <= set(told["stable"])
    assert all(len(row) == found.model.n_topics for row in found.record["party_topics"].values())
    np.testing.assert_array_equal(scored[-1], found.model.topic_word)
    assert found.scores["perplexity_low"] < found.scores["perplexity"]
    entries = ledger_file.read(federation / "north" / "store").entries
    assert {entry.run.split("/")[0] for entry in entries if entry.cost != FREE} == {run.name, after.name}
    again = continuing.write(hub, after.name)
    assert again.continues is not None
    assert again.continues.n_topics == found.model.n_topics
    assert again.settings["n_topics"] == (found.model.n_topics if method == "calm" else 4)


def test_what_cannot_go_on_is_refused(tmp_path: Path) -> None:
    federation = processes.founded(tmp_path, NAMES)
    hub = federation.hub
    run = hub.submit()
    with pytest.raises(InputError, match="expected a finished run"):
        continuing.write(hub, run.name)
    trained = train(
        Corpus.from_texts(processes.texts(0), vocabulary=WORDS), n_topics=3, n_rounds=2, n_threads=1
    )
    model = trained.model
    run.change("finished")
    trained.save(run.result)
    plan = continuing.write(hub, run.name, words=["more"], n_new_topics=1)
    assert (plan.method().n_topics, plan.vocabulary.n_words) == (4, 25)
    assert Plan.read(hub.path / "plan.toml").digest == plan.digest
    begun = continuing.begun(hub)
    assert begun is not None
    np.testing.assert_array_equal(begun.topic_word, model.topic_word)
    (run.result / "model.safetensors").write_bytes(b"another")
    with pytest.raises(InputError, match="that the plan names"):
        continuing.begun(hub)
    model.save(run.result, overwrite=True)
    replace(plan, simulation_seed=None).write(hub.path / "plan.toml")
    with pytest.raises(InputError, match="secure noise to go on from, got a simulation: run-1"):
        continuing.begun(federation.hub)
    for settings, message in (
        ({"method": {"name": "calm", "n_topics": 2}}, "at least the 3 of run-1"),
        ({"continues": {**plan.to_dict()["continues"], "n_words": 26}}, "begins with its 26"),
        ({"continues": {**plan.to_dict()["continues"], "run": "../run"}}, "name of a run"),
    ):
        with pytest.raises(InputError, match=message):
            Plan.from_dict(plan.to_dict() | settings)
