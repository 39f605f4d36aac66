"""A whole run between real folders, from joining to the signed record, with a direct line for the network."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from network.folders import PARTIES, TOPICS, conducted, made
from planted import drawn_corpus
from typer.testing import CliRunner

from fedtopics.commands.application import app
from fedtopics.documents.reading import read
from fedtopics.errors import InputError
from fedtopics.network import local
from fedtopics.network.coordinator.folder import CoordinatorFolder
from fedtopics.network.party import ledger_file
from fedtopics.network.party.folder import PartyFolder
from fedtopics.network.plan import certificates
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.runs import record
from fedtopics.runs.run import Run


@pytest.fixture(scope="module")
def federation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two parties that have accepted a plan with private scores, and their documents."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certificates, "KEY_BITS", 2048)
        return made(tmp_path_factory.mktemp("federation"), promised=400.0, scores=100.0)


def test_scores_are_released_and_paid(federation: Path) -> None:
    hub, run = CoordinatorFolder(federation / "hub"), conducted(federation)
    assert run.status().state == "finished", run.lines()
    result = Run.load(run.result)
    low, high = result.scores["perplexity_low"], result.scores["perplexity_high"]
    assert 3 < low < result.scores["perplexity"] < high < 60
    assert high < result.scores["perplexity_unigram"]
    for name in PARTIES:
        own = ledger_file.read(federation / name / "store").entries
        assert [entry.run.split("/")[1] for entry in own] == ["contribute"] * 4 + ["evaluate"]
        kept = federation / name / "models" / run.name
        assert (kept / "run.json").read_bytes() == (run.result / "run.json").read_bytes()
        ledger = Ledger.from_json((kept / "ledger.json").read_text())
        assert Run.load(kept).ledger.head == ledger.head
        of_party = [row for row in ledger.statements() if row["party"] == name]
        by_plan = [row for row in result.ledger.statements() if row["party"] == name]
        assert of_party == by_plan
    assert result.record["plan"] == hub.plan.digest
    assert all(row["attested"] for row in result.record["parties"])
    assert {row["stated"] for row in result.privacy} == {"attested"}
    forgotten(federation / "north", run.name)


def test_a_run_of_no_use_is_called_so_wherever_the_coordinator_shows_it(
    federation: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    hub = CoordinatorFolder(federation / "hub")
    monkeypatch.setattr(record, "warnings", lambda scores: ["worse than nothing"])
    monkeypatch.setattr(record, "unsure", lambda scores: ["nobody knows"])
    run = conducted(federation)
    assert any("of no use: worse than nothing" in line for line in run.lines())
    assert sum("nobody knows" in line for line in run.lines()) == 1
    shown = CliRunner().invoke(app, ["federation", "run", "status", str(hub.path)]).output
    assert "finished, round 4 of 4: of no use" in shown
    CliRunner().invoke(app, ["federation", "run", "fetch", str(hub.path), "--out", str(federation / "got")])
    assert "worse than nothing" in caplog.text


def forgotten(folder: Path, run: str) -> None:
    """A finished run can be forgotten, its price not."""
    command = ["federation", "party", "forget", str(folder), "--run"]
    with pytest.raises(InputError, match="expected a finished run"):
        CliRunner().invoke(app, [*command, "other"], catch_exceptions=False)
    CliRunner().invoke(app, [*command, run], catch_exceptions=False)
    assert not list((folder / "store" / "memory").iterdir())
    assert not list((folder / "store" / "releases").iterdir())
    assert len(ledger_file.read(folder / "store").entries) == 5


def test_held_out_documents_are_not_trained_on(federation: Path) -> None:
    folder = PartyFolder(federation / "north")
    trained, held_out = folder._parts()
    assert held_out is not None
    assert (trained.n_docs, held_out.n_docs) == (150, 50)
    again, _ = PartyFolder(federation / "north")._parts()
    assert np.array_equal(trained.words, again.words)
    assert folder.training().n_docs == 150


def test_persons_are_held_out_whole_and_each_for_itself(tmp_path: Path, federation: Path) -> None:
    rows = [f"{number % 40},worda wordb" for number in range(200)]
    folder = PartyFolder(shutil.copytree(federation / "north", tmp_path / "north"))

    def parts(given: list[str]) -> tuple[set[str], set[str]]:
        (tmp_path / "letters.csv").write_text("author,text\n" + "\n".join(given))
        folder.note_source(str(tmp_path / "letters.csv"), {"person_column": "author"})
        trained, held_out = folder._parts()
        assert held_out is not None
        return set(trained.persons or ()), set(held_out.persons or ())

    trained, held_out = parts(rows)
    assert folder.check_source() == "200 documents of 40 persons"
    assert (len(trained) + len(held_out), trained & held_out) == (40, set())
    assert 3 <= len(held_out) <= 20
    without = parts([row for row in rows if not row.startswith("7,")])
    assert without == (trained - {"7"}, held_out - {"7"})
    alone = parts([row for row in rows if row.startswith("7,")])
    assert sorted(map(len, alone)) == [0, 1]


def test_a_party_starts_only_if_every_document_names_its_person(federation: Path, tmp_path: Path) -> None:
    folder = PartyFolder(shutil.copytree(federation / "north", tmp_path / "north"))
    folder.note_source(str(federation / "north" / "letters.csv"), {"person_column": None})
    assert folder.check_source() == "200 documents"
    folder.note_source(str(federation / "north" / "letters.csv"), {"person_column": "author"})
    with pytest.raises(InputError, match=r"expected a column 'author' in .*letters.csv, got text"):
        folder.check_source()
    (tmp_path / "some.csv").write_text("author,text\nada,worda\n,wordb\n")
    command = ["federation", "party", "start", str(folder.path), "--data", str(tmp_path / "some.csv")]
    with suppress(InputError):  # if the run of another test has spent the budget
        CliRunner().invoke(app, [*command, "--person-column", "author"], catch_exceptions=False)
    with pytest.raises(InputError, match="expected a person for every document, got none for 1 of 2"):
        folder.check_source()


def test_a_simulated_federation_gives_each_party_its_persons(tmp_path: Path) -> None:
    rows = [
        f"{number % 12},{'tax law court' if number % 12 < 6 else 'port ship sea'}" for number in range(96)
    ]
    (tmp_path / "letters.csv").write_text("author,text\n" + "\n".join(rows))
    where = {"n_parties": 2, "test_fraction": 0.1, "seed": 0}
    texted = local.dealt(str(tmp_path / "letters.csv"), person_column="author", **where)
    assert texted.persons is not None
    assert set(texted.persons) == set(texted.parties) == {"party-1", "party-2"}
    assert not set(texted.persons["party-1"]) & set(texted.persons["party-2"])
    local.write_texts(tmp_path / "texts.jsonl", texted.parties["party-1"], texted.persons["party-1"])
    again = read(tmp_path / "texts.jsonl", person_column=local.PERSON)
    assert again.persons == texted.persons["party-1"]
    assert local.dealt(str(tmp_path / "letters.csv"), text_column="text", **where).persons is None


def test_a_simulated_federation_protects_persons_with_a_public_list_of_words(tmp_path: Path) -> None:
    persons = {"north": ("ada", "ada", "bo"), "south": ("cy", "di", "di")}
    texts = {"north": ["tax law"] * 3, "south": ["port sea"] * 3}
    named = local.Texted(texts, ["tax sea"], persons=persons)
    (tmp_path / "list.txt").write_text("tax\nlaw\nport\nsea\n")
    words = local.planned_words(tmp_path / "list.txt", None)
    settings = {"unit": "person", "n_topics": 2}
    plan = local.plan_for(named, "hush", settings, words=words, simulation_seed=0)
    assert (plan.privacy.relation, plan.agreement()) == ("person add/remove", None)
    federation = local.establish(tmp_path / "all", plan, named, tmp_path / "list.txt")
    assert federation.persons
    assert plan.words(tmp_path / "all" / "north") == ("tax", "law", "port", "sea")
    for both in ((tmp_path / "list.txt", 4.0), (None, None)):
        with pytest.raises(InputError, match="got both or neither"):
            local.planned_words(*both)
    assert plan.evaluation.mode == "public"
    assert (tmp_path / "all" / "coordinator" / "test.jsonl").exists()
    assert local.planned_words(None, 4.0).epsilon == 4.0
    assert local.planned_words("english-5000", None).n_words == 5000


def test_a_simulated_federation_may_hold_nothing_out(tmp_path: Path) -> None:
    (tmp_path / "letters.csv").write_text("text\n" + "tax law court\nport ship sea\n" * 20)
    (tmp_path / "list.txt").write_text("tax\nlaw\nport\nsea\n")
    texted = local.dealt(str(tmp_path / "letters.csv"), n_parties=2, test_fraction=0, seed=0)
    assert sum(map(len, texted.parties.values())) == 40
    words = local.planned_words(tmp_path / "list.txt", None)
    settings = {"n_topics": 2, "epsilon": 6.0}
    plan = local.plan_for(texted, "calm", settings, words=words, simulation_seed=0)
    assert plan.evaluation.mode == "none"
    local.establish(tmp_path / "all", plan, texted, tmp_path / "list.txt")
    assert not list((tmp_path / "all" / "coordinator").glob("test.*"))


@pytest.mark.parametrize("n_docs", [0, 1])
def test_a_party_with_too_few_documents_to_hold_some_out_scores_none(
    federation: Path, n_docs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error would tell how few they are."""
    few = drawn_corpus(TOPICS, 4, 30, 1).select(range(n_docs))
    monkeypatch.setattr(PartyFolder, "documents", lambda _: few)
    trained, held_out = PartyFolder(federation / "north")._parts()
    assert held_out is not None
    assert (trained.n_docs, held_out.n_docs) == (n_docs, 0)
    score = PartyFolder(federation / "north")._score()
    assert score is not None
    sums = score.release(np.asarray(TOPICS), few.vocabulary, Noise.simulated(1)).value["sums"]
    assert np.isfinite(sums).all()
