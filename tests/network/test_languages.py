"""A federation of several languages over the wire: words kept apart, topics tied by a public dictionary."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from network import processes
from typer.testing import CliRunner

from fedtopics import train
from fedtopics.commands.application import app
from fedtopics.commands.options import public_words
from fedtopics.documents import read
from fedtopics.errors import InputError
from fedtopics.network.coordinator.coordinating import read_test
from fedtopics.network.local import LocalFederation, Texted, establish, plan_for
from fedtopics.network.party.folder import PartyFolder, found_documents
from fedtopics.network.plan import certificates
from fedtopics.network.plan.parts import PlannedRelation, PlannedWords
from fedtopics.network.plan.plan import Plan
from fedtopics.runs.run import Run

PAIRS = (
    (("tax", "steuer"), ("law", "gesetz"), ("court", "gericht"), ("judge", "richter"), ("wage", "lohn")),
    (("ship", "schiff"), ("harbor", "hafen"), ("sea", "meer"), ("captain", "kapitän"), ("sailor", "matrose")),
)
WORDS = [f"{code}:{pair[n]}" for n, code in enumerate(("en", "de")) for theme in PAIRS for pair in theme]
SETTINGS: dict[str, Any] = {"n_topics": 2, "n_rounds": 40, "epsilon": 60.0}


def letters() -> list[dict[str, str]]:
    """Letters of two offices about one of two themes, in one of two languages."""
    draw = np.random.default_rng(0)
    rows = []
    for number in range(240):
        language, theme = number % 2, number // 2 % 2
        chosen = [theme if draw.random() < 0.9 else 1 - theme for _ in range(20)]
        text = " ".join(PAIRS[each][draw.integers(5)][language] for each in chosen)
        rows.append(
            {"text": text, "lang": ("en", "de")[language], "office": ("north", "south")[number % 3 % 2]}
        )
    return rows


@pytest.fixture
def source(tmp_path: Path) -> Path:
    with (tmp_path / "letters.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, ["text", "lang", "office"])
        table.writeheader()
        table.writerows(letters())
    (tmp_path / "words.txt").write_text("".join(f"{word}\n" for word in WORDS))
    translations = "".join(f"{en}\t{de}\n" for theme in PAIRS for en, de in theme)
    (tmp_path / "dictionary.tsv").write_text(f"en\tde\n{translations}")
    return tmp_path / "letters.csv"


def tied(run: Run) -> float:
    """The share of translations whose two words are most probable in one topic."""
    topic = dict(zip(run.model.vocabulary, run.model.topic_word.argmax(axis=0).tolist(), strict=True))
    pairs = [pair for theme in PAIRS for pair in theme]
    return float(np.mean([topic[f"en:{en}"] == topic[f"de:{de}"] for en, de in pairs]))


@pytest.mark.nightly
def test_a_dictionary_ties_the_topics_of_real_parties(source: Path, tmp_path: Path) -> None:
    given = (
        *("federation", "simulate", source, "--out", tmp_path / "fed", "--language-column", "lang"),
        *("--party-column", "office", "--vocabulary", tmp_path / "words.txt", "--accept-cost"),
        *("--consistency", tmp_path / "dictionary.tsv", "--consistency-tau", 1, "--seed", 0),
        *("--topics", 2, "--rounds", 40, "--epsilon", 60, "--patience", processes.PATIENCE),
    )
    told = CliRunner().invoke(app, list(map(str, given)), catch_exceptions=False)
    assert told.exit_code == 0, told.output
    (result,) = (tmp_path / "fed" / "coordinator").glob("runs/*/result")
    run = Run.load(result)
    assert tied(run) == 1.0
    assert run.model.language == "de+en"
    assert run.record["consistency"]["source"] == "relation.tsv"
    assert run.record["consistency"]["n_weights"] == 20
    assert run.scores["perplexity"] < run.scores["perplexity_unigram"]
    assert "relation.tsv" in (result / "report.html").read_text()
    here = train(
        str(source),
        "calm",
        **SETTINGS,
        party_column="office",
        language_column="lang",
        vocabulary=str(tmp_path / "words.txt"),
        consistency=str(tmp_path / "dictionary.tsv"),
        consistency_tau=1.0,
    )
    assert here.model.vocabulary == run.model.vocabulary
    np.testing.assert_array_equal(here.model.topic_word, run.model.topic_word)


@pytest.fixture
def federation(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LocalFederation:
    monkeypatch.setattr(certificates, "KEY_BITS", 2048)  # made sooner
    relation, words = tmp_path / "dictionary.tsv", tmp_path / "words.txt"
    texted = Texted({"north": ["x"], "south": ["y"]}, [], language="en+de")
    planned = {"words": PlannedWords.of_file(words), "consistency": PlannedRelation.of_file(relation, 1.0)}
    plan = plan_for(texted, "calm", SETTINGS, simulation_seed=0, **planned)
    return establish(tmp_path / "fed", plan, texted, words, relation)


def documents(federation: LocalFederation, rows: list[dict[str, str]], **options: str) -> Mapping[str, int]:
    """How often each word stands in what a party would train on."""
    place = PartyFolder(federation.folder / "north")
    (federation.folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    place.note_source(str(federation.folder / "rows.jsonl"), options)
    corpus = place.documents()
    assert corpus.n_docs == len(rows)
    counts = np.bincount(corpus.words, minlength=corpus.n_words)
    return {word: int(counts[number]) for number, word in enumerate(corpus.vocabulary) if counts[number]}


def test_a_party_of_one_language_says_so_once(federation: LocalFederation) -> None:
    plan = federation.hub.plan
    assert plan.texts.language == "de+en"
    rows = [{"text": "Das Gift im Hafen"}, {"text": "Die Steuer"}]
    assert documents(federation, rows, language="de") == {"de:gift": 1, "de:hafen": 1, "de:steuer": 1}
    path = federation.folder / "rows.jsonl"
    assert found_documents(plan, str(path), {"language": "de"}) == "2 documents"
    with pytest.raises(InputError, match="expected documents in de\\+en, the plan's, got none; name their"):
        found_documents(plan, str(path), {})


def test_documents_in_no_language_of_the_plan_have_no_words_and_fail_nothing(
    federation: LocalFederation,
) -> None:
    rows = [
        {"text": "a gift", "lang": "EN"},
        {"text": "das Gift", "lang": " de"},
        {"text": "le cadeau", "lang": "fr"},
        {"text": "el regalo", "lang": ""},
    ]
    assert documents(federation, rows, language_column="lang") == {"de:gift": 1, "en:gift": 1}
    told = found_documents(
        federation.hub.plan, str(federation.folder / "rows.jsonl"), {"language_column": "lang"}
    )
    assert told == "4 documents, 2 of them in no language of the plan: their words are left out"
    place = PartyFolder(federation.folder / "north")
    (federation.folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[2:]))
    assert place.documents().n_tokens == 0


def test_a_plan_of_one_language_takes_its_documents_out_of_many(federation: LocalFederation) -> None:
    path = federation.folder / "north" / "plan.toml"
    path.write_text(path.read_text().replace('"de+en"', '"de"'))
    rows = [{"text": "a gift", "lang": "en"}, {"text": "das Gift", "lang": "de"}]
    assert documents(federation, rows, language_column="lang") == {"gift": 1}


def test_the_plan_names_languages_and_relation_and_holds_to_them(
    federation: LocalFederation, tmp_path: Path
) -> None:
    plan, hub = federation.hub.plan, federation.hub.path
    assert Plan.read(hub / "plan.toml").digest == plan.digest
    assert plan.consistency is not None
    assert (hub / "relation.tsv").read_bytes() == (tmp_path / "dictionary.tsv").read_bytes()
    shown = CliRunner().invoke(app, ["federation", "show", str(hub)], catch_exceptions=False).output
    assert "languages  de, en; each document says which" in shown
    assert "topics are drawn towards the public relation relation.tsv" in shown
    federation.hub.submit()
    (hub / "relation.tsv").write_text("en\tde\ntax\tkrieg\n")
    with pytest.raises(InputError, match=r"expected the relation of the plan in .*, got another"):
        federation.hub.submit()
    (hub / "relation.tsv").unlink()
    with pytest.raises(InputError, match="cannot read the word relation"):
        federation.hub.submit()
    with pytest.raises(InputError, match=r"consistency\.file must be relation"):
        PlannedRelation("../north/party.key", "0")
    os.mkfifo(tmp_path / "pipe.vec")
    with pytest.raises(InputError, match="expected a plain file"):
        PlannedRelation.of_file(tmp_path / "pipe.vec")


def test_public_documents_for_scores_say_their_languages(tmp_path: Path) -> None:
    path = tmp_path / "test.jsonl"
    path.write_text(json.dumps({"text": "das Gift", "language": "de"}) + "\n")
    assert read_test(path, "de+en").vocabulary == ("de:gift",)
    path.write_text(json.dumps({"text": "das Gift"}) + "\n")
    assert read_test(path, "de").vocabulary == ("gift",)
    with pytest.raises(InputError, match="expected a column 'language'"):
        read_test(path, "de+en")


def test_a_wrong_column_of_languages_shows_no_document() -> None:
    secret = "the patient in room 12 has a broken knee"
    with pytest.raises(InputError) as refused:
        read([{"text": "x", "body": secret}], language_column="body", text_column="text")
    assert "patient" not in str(refused.value)


@pytest.mark.parametrize(
    ("language", "given"),
    [
        ("de+en", "english-1000"),
        ("de+en", "german-1000+french-1000"),
        ("de+en", "words.txt"),
        ("en", "german-1000+english-1000"),
        ("de", "english-1000"),
        ("ja", "english-1000"),
    ],
)
def test_a_plan_of_words_that_its_documents_cannot_have_is_refused(
    language: str, given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No party was told: each would have trained on documents without a word."""
    monkeypatch.chdir(tmp_path)
    Path("words.txt").write_text("tax\nsteuer\n")
    with pytest.raises(InputError, match=f"expected a list of words of {language}".replace("+", r"\+")):
        public_words(given, None, language)
    Path("words.txt").write_text("en:tax\nde:steuer\n")
    assert public_words("words.txt", None, "de+en") == "words.txt"
    assert public_words("german-100+english-100", None, "en+de") == "german-100+english-100"
    assert public_words("german-100", None, "de") == "german-100"
