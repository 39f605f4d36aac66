"""The two sides of the wire without a network: the same model as in process, whatever goes wrong."""

from __future__ import annotations

from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from network.rehearsal import Rehearsal, simulated
from planted import drawn_corpus, planted_topics

from fedtopics.network.coordinator import result
from fedtopics.network.coordinator.result import LastAnswers
from fedtopics.network.plan.parts import PlannedWords
from fedtopics.network.plan.plan import Plan
from fedtopics.privacy.price.budget import Budget
from fedtopics.runs.experiment import train
from fedtopics.runs.preparing import Data
from fedtopics.runs.run import Run

TOPICS = planted_topics(3, 8)
CORPORA = {
    name: drawn_corpus(TOPICS, n_docs=30, length=20, seed=seed)
    for seed, name in enumerate(["north", "south", "west"])
}


def test_a_record_over_the_wire_says_what_was_in_force_and_what_was_warned_of(tmp_path: Path) -> None:
    given = {"n_topics": 3, "n_rounds": 2}
    words = PlannedWords("public", "words.txt", "ab" * 32, 24)
    promised = Budget("document replace", 128.0, 1e-6)
    plan = Plan("demo", "localhost:8002", tuple(CORPORA), "fedlda", promised, words, settings=given)
    rehearsal = Rehearsal(tmp_path, simulated(plan.method(), CORPORA), CORPORA)
    key = Ed25519PrivateKey.generate()
    (tmp_path / "key").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    result.write(
        tmp_path / "result", plan, rehearsal.terms, rehearsal.trained(), None, tmp_path / "key", LastAnswers()
    )
    record = Run.load(tmp_path / "result").record
    trained = train(Data(CORPORA, CORPORA["west"], "planted"), "fedlda", **given)
    in_process_record = trained.record
    assert record["settings"] == in_process_record["settings"]
    assert (record["settings"]["channel"], record["settings"]["n_reports"]) == ("krr", 25)
    assert record["notes"] == in_process_record["notes"]
    assert record["notes"][0] in " ".join(rehearsal.lines)
    of_wire = {"run", "plan", "planned", "attestations_sha256"}
    written = {"model_sha256", "ledger_head", "record_sha256"}
    assert in_process_record.keys() - record.keys() == {"n_empty_docs", "forecast", "processor_seconds"}
    assert record.keys() - in_process_record.keys() == of_wire | written
    cards = [Run.load(tmp_path / "result").model.card, trained.model.card]
    assert cards[0].keys() == cards[1].keys()
    assert cards[0]["settings"] == cards[1]["settings"]
