"""Who gets which document may tell about its text: what is to be published is not dealt by topic."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fedtopics.commands import application
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.network import local
from fedtopics.runs.experiment import compare, train
from fedtopics.runs.preparing import BY_COLUMN, BY_TOPIC, ONE_PARTY, Data, prepare

TEXTS = ["tax law court judge", "ship sea port trade", "war peace army treaty"] * 12
SETTINGS = {"n_topics": 2, "n_rounds": 1, "epsilon": 4.0}


def corpus(parties: list[str] | None = None) -> Corpus:
    return Corpus.from_texts(TEXTS, parties=parties, min_df=1, max_df=1.0)


def test_secure_noise_needs_documents_that_name_their_parties() -> None:
    for deal in (
        lambda: prepare(corpus(), secure=True),
        lambda: prepare(corpus(), n_parties=3, secure=True),
        lambda: prepare(prepare(corpus()), secure=True),
        lambda: train(corpus(), "calm", secure=True, **SETTINGS),
        lambda: train(prepare(corpus()), "calm", secure=True, **SETTINGS),
        lambda: train(TEXTS, "calm", secure=True, **SETTINGS),
        lambda: compare(corpus(), ["calm"], secure=True, n_topics=2, n_rounds=1, epsilon=4.0),
    ):
        with pytest.raises(InputError, match=r"dealt by topic.*--party-column.*--parties 1"):
            deal()


def test_a_column_or_one_party_tells_nothing_and_passes() -> None:
    named = prepare(corpus(["north", "south"] * 18), secure=True)
    assert named.dealing == BY_COLUMN
    alone = prepare(corpus(), n_parties=1, secure=True)
    assert (alone.dealing, list(alone.parties)) == (ONE_PARTY, ["party-1"])
    assert train(alone, "calm", secure=True, **SETTINGS).record["dealing"] == ONE_PARTY


def test_the_record_says_that_documents_were_dealt_by_topic() -> None:
    data = prepare(corpus())
    assert data.dealing == BY_TOPIC
    assert "simulated" in BY_TOPIC
    assert train(data, "calm", **SETTINGS).record["dealing"] == BY_TOPIC
    assert "dealing" not in train(Data(data.parties, data.test), "calm", **SETTINGS).record


def test_the_command_refuses_secure_noise_and_says_when_parties_are_simulated(tmp_path: Path) -> None:
    source = tmp_path / "texts.jsonl"
    source.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))
    given = ["train", str(source), "--topics", "2", "--rounds", "1", "--epsilon", "4"]
    refused = CliRunner().invoke(application.app, [*given, "--secure-noise"])
    assert isinstance(refused.exception, InputError)
    assert "dealt by topic" in CliRunner().invoke(application.app, given).stdout


def test_a_simulated_federation_with_secure_noise_is_not_dealt_by_topic(tmp_path: Path) -> None:
    source = tmp_path / "texts.jsonl"
    source.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))
    where = {"n_parties": 2, "test_fraction": 0.1, "seed": 0}
    with pytest.raises(InputError, match="dealt by topic"):
        local.dealt(str(source), secure=True, **where)
    assert local.dealt(str(source), **where).dealing == BY_TOPIC
