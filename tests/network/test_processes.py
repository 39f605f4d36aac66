"""Real processes over mutual TLS: the model of the reference engine, bit for bit, also after a kill -9."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from network import processes
from network.processes import PATIENCE

from fedtopics.documents.corpus import Corpus
from fedtopics.model import TopicModel
from fedtopics.network.keeper import LOG
from fedtopics.network.local import HUB, LocalFederation, write_texts
from fedtopics.network.plan.parts import PlannedWords
from fedtopics.protocol import in_process

NAMES = ("north", "south")
N_ROUNDS = 200


@pytest.fixture(scope="module")
def federation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalFederation]:
    with processes.founded(
        tmp_path_factory.mktemp("real"), NAMES, settings={"n_rounds": N_ROUNDS}
    ) as started:
        started.start()
        yield started


@pytest.mark.nightly
def test_the_model_is_that_of_the_reference_engine(federation: LocalFederation) -> None:
    run = federation.hub.submit()
    federation.wait(run, PATIENCE)
    wanted = processes.reference(federation).topic_word
    for model in processes.delivered(federation, run):
        np.testing.assert_array_equal(model.topic_word, wanted)
    for name in NAMES:
        assert len(processes.charges(federation, name, run.name)) == N_ROUNDS


@pytest.mark.nightly
def test_a_killed_worker_costs_no_round_and_no_budget(federation: LocalFederation) -> None:
    run = federation.hub.submit()
    processes.until(processes.in_round(run, 10), "round 10")
    processes.kill_worker(federation, "south")
    federation.wait(run, PATIENCE)
    processes.check_undisturbed(federation, run, N_ROUNDS)
    assert run.status().round == N_ROUNDS


@pytest.mark.nightly
def test_nothing_of_a_party_reaches_the_coordinator_sideways(federation: LocalFederation) -> None:
    secret, place = "xylophonist", federation.folder / "south"
    processes.until(lambda: "documents" in processes.logs(federation, "south"), "the start of south")
    wanted = (place / "source.json").read_bytes()
    noted = json.loads(wanted)
    hidden = place / f"{secret}.jsonl"
    noted["source"] = str(hidden)
    (place / "source.json").write_text(json.dumps(noted))
    run = federation.hub.submit()
    processes.until(lambda: "party south" in "\n".join(run.lines()), "a failure at south")
    texts = [f"{secret} {text}" for text in processes.texts(NAMES.index("south"))]
    write_texts(hidden, texts)
    federation.wait(run, PATIENCE)
    (place / "source.json").write_bytes(wanted)
    assert secret in (place / LOG).read_text()  # as its own policy allows
    reached = [path for path in (federation.folder / HUB).rglob("*") if path.is_file()]
    assert len(reached) > 10
    assert [path for path in reached if secret.encode() in path.read_bytes()] == []


@pytest.mark.nightly
def test_parties_with_different_numbers_of_topics_agree_on_words(tmp_path: Path) -> None:
    given: dict[str, Any] = {
        "method": "ftm",
        "settings": {"n_rounds": 3, "topics_per_party": {"north": 3, "south": 4}},
        "vocabulary": PlannedWords("private", epsilon=8.0, delta=1e-6, max_size=100),
    }
    with processes.founded(tmp_path, NAMES, **given) as federation:
        federation.start()
        run = federation.hub.submit()
        federation.wait(run, PATIENCE)
    plan, record = federation.hub.plan, json.loads((run.result / "run.json").read_text())
    found = TopicModel.load(run.result)
    corpora = {
        name: Corpus.from_texts(processes.texts(number), vocabulary=found.vocabulary)
        for number, name in enumerate(NAMES)
    }
    reference = in_process.run(plan.method(), corpora, seed=processes.SEED)
    assert reference.model is not None
    np.testing.assert_array_equal(found.topic_word, reference.model.topic_word)
    assert [line["round"] for line in record["rounds"]] == [-2, -1, 0, 1, 2]
    for name, n_topics in (("north", 3), ("south", 4)):
        own = TopicModel.load(federation.folder / name / "models" / run.name / f"party-{name}")
        np.testing.assert_array_equal(own.topic_word, reference.local_models[name].topic_word)
        assert own.n_topics == n_topics
