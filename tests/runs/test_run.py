"""A run: its record against the schema, its folder, and that the same seed gives the same files."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from planted import drawn_corpus, planted_topics

from fedtopics import methods
from fedtopics.commands.tables import print_runs
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.privacy.explain import privacy_line
from fedtopics.report import comparison_page, run_page
from fedtopics.runs.experiment import compare, train
from fedtopics.runs.preparing import Data, prepare
from fedtopics.runs.run import Run, label


@pytest.fixture(scope="module")
def data() -> Data:
    topics = planted_topics(3, 8)
    parties = {name: drawn_corpus(topics, 60, 30, seed) for seed, name in enumerate(["a", "b/../c"])}
    return Data(parties, drawn_corpus(topics, 30, 30, 9), "planted")


@pytest.fixture(scope="module")
def runs(data: Data) -> list[Run]:
    return compare(data, methods.names(), n_topics=3, n_rounds=4, epsilon=20.0)


def test_every_record_follows_the_schema(runs: list[Run]) -> None:
    schema = json.loads((files("fedtopics.runs") / "run.schema.json").read_text())
    for run in runs:
        jsonschema.validate(json.loads(json.dumps(run.record, allow_nan=False)), schema)
        assert run.record["method"] in methods.names()
        assert run.scores["perplexity"] < run.scores["perplexity_unigram"]


def test_alone_reports_each_party_and_the_best_of_them(runs: list[Run]) -> None:
    alone = next(run for run in runs if run.record["method"] == "alone")
    own = [party["scores"]["perplexity"] for party in alone.record["parties"]]
    assert alone.scores["perplexity"] == min(own)
    assert privacy_line(alone.privacy) == "nothing leaves a party"


def test_shared_says_that_it_is_not_private(runs: list[Run]) -> None:
    shared = next(run for run in runs if run.record["method"] == "shared")
    assert {entry["epsilon"] for entry in shared.privacy} == {"inf"}
    assert {entry["basis"] for entry in shared.privacy} == {"none"}
    assert all(entry["bytes_up"] > 0 for entry in shared.record["rounds"])


def test_the_line_of_privacy_keeps_what_is_claimed_apart_from_what_is_proved(data: Data) -> None:
    run = train(data, "lplda", n_topics=3, n_rounds=2, variant="paper", f=0.1)
    assert run.privacy_line == (
        "proved: epsilon 2.944 (word add/remove), epsilon 5.889 (word replace); "
        "no bound (document add/remove); noise simulated from the seed; "
        "the paper claims epsilon 2.944 (document replace), which is not proved"
    )
    printed = train(data, "fedlda", n_topics=3, n_rounds=2, variant="paper").privacy_line
    assert printed.startswith("nothing proved; no bound (word add/remove), no bound (word replace), ")
    assert printed.endswith("the paper claims epsilon 7.5 (word replace, delta 0.2), which is not proved")


def test_a_claim_that_a_proof_covers_is_not_doubted_and_the_worst_party_speaks() -> None:
    def entry(party: str, epsilon: float | str, basis: str) -> dict[str, float | str]:
        return {"party": party, "relation": "word replace", "epsilon": epsilon, "delta": 0.0, "basis": basis}

    proved, claimed = entry("a", 2.0, "proved"), entry("a", 3.0, "claimed")
    assert privacy_line([proved, claimed]) == (
        "proved: epsilon 2 (word replace); the paper claims epsilon 3 (word replace)"
    )
    assert privacy_line([proved, claimed, entry("b", "inf", "none")]) == (
        "nothing proved; no bound (word replace); "
        "the paper claims epsilon 3 (word replace), which is not proved"
    )


def test_settings_are_recorded_as_they_were_in_force(data: Data) -> None:
    def settings(method: str, **given: Any) -> dict[str, Any]:
        found: dict[str, Any] = train(data, method, n_topics=3, n_rounds=2, **given).record["settings"]
        return found

    sound = settings("fedlda")
    assert (sound["epsilon"], sound["channel"], sound["n_reports"]) == (128.0, "krr", 25)
    paper = settings("fedlda", variant="paper", max_length=20)
    assert (paper["epsilon"], paper["channel"], paper["n_reports"]) == (7.5, "rrp", 14)
    counts = settings("pctd")
    assert (counts["epsilon"], counts["release"], counts["beta"]) == (8.0, "document", 1.0)
    assert counts["sigma"] == pytest.approx(0.6, rel=0.1)
    assert settings("pctd", epsilon=0)["sigma"] is None
    printed = settings("pctd", variant="paper")
    assert (printed["epsilon"], printed["sigma"], printed["variant"]) == (None, 0.25, "paper")
    assert "release" not in printed  # a setting of the other variant
    assert settings("lplda", variant="paper", f=0.1)["epsilon"] == pytest.approx(5.889, abs=1e-3)
    assert settings("lplda", variant="paper", epsilon=4.0)["f"] == pytest.approx(0.2384, abs=1e-4)
    assert settings("ftm", variant="paper", top_words=5)["matching"] == "jaccard"


def test_what_a_method_warns_of_is_logged_once_and_stays_in_the_record(
    data: Data, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("WARNING"):
        run = train(data, "pctd", n_topics=3, n_rounds=2, variant="paper")
    (note,) = run.record["notes"]
    assert "a word added or removed has no bound" in note
    assert [record.getMessage() for record in caplog.records] == [f"pctd: {note}"]
    assert note[1:] in run_page(run)


def test_only_a_delta_of_privacy_becomes_that_of_the_ledger(data: Data, runs: list[Run]) -> None:
    deltas = {run.record["method"]: run.ledger.delta for run in runs}
    assert deltas["pctd"] == 1e-5
    assert {delta for method, delta in deltas.items() if method != "pctd"} == {1e-6}
    printed = train(data, "fedlda", n_topics=3, n_rounds=2, variant="paper")
    assert (printed.record["settings"]["delta"], printed.ledger.delta) == (0.1, 1e-6)


def test_a_run_is_named_with_its_variant(runs: list[Run], capsys: pytest.CaptureFixture[str]) -> None:
    by_method = {run.record["method"]: run for run in runs}
    assert repr(by_method["fedlda"]).startswith("fedlda (sound): 3 topics")
    assert repr(by_method["calm"]).startswith("calm: 3 topics")
    assert "fedlda (sound)" in by_method["calm"]._repr_html_()
    assert "fedlda (sound)" in run_page(by_method["calm"])
    print_runs([by_method["pctd"]])
    assert "(sound)" in capsys.readouterr().out
    assert label(by_method["shared"].record) == "shared"


def test_saved_and_loaded_again(runs: list[Run], tmp_path: Path) -> None:
    for run in runs:
        folder = tmp_path / run.record["method"]
        run.save(folder)
        again = Run.load(folder)
        assert {name: again.record[name] for name in run.record} == run.record
        np.testing.assert_array_equal(again.model.topic_word, run.model.topic_word)
        assert again.local_models.keys() == run.local_models.keys()
        assert again.ledger.head == run.ledger.head
        assert "topics over" in str(again)


def test_every_method_has_a_page(runs: list[Run]) -> None:
    for run in runs:
        page = run_page(run)
        assert f"<b>{run.record['method']}</b>" in page
        assert "b/../c" in page
    assert "Quality against privacy" in comparison_page([run.record for run in runs])


def test_same_seed_same_file_whatever_the_threads(data: Data, tmp_path: Path) -> None:
    for threads in (1, 2):
        train(data, "shared", n_topics=3, n_rounds=3, seed=5, n_threads=threads).save(tmp_path / str(threads))
    one, two = ((tmp_path / name / "model.safetensors").read_bytes() for name in "12")
    assert one == two


def test_a_folder_in_use_is_left_alone(runs: list[Run], tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    with pytest.raises(InputError, match="not an empty folder"):
        runs[0].save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["precious"]


def test_a_damaged_run_is_refused(runs: list[Run], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no run.json"):
        Run.load(tmp_path)
    damage = {
        "{": "not JSON",
        "[]": "expected schema",
        '{"schema": "fedtopics/run/99"}': "upgrade fedtopics",
        '{"schema": "fedtopics/run/1"}': "incomplete: it has no method, n_topics",
        '{"schema": "something/2"}': "expected schema",
    }
    for number, (content, complaint) in enumerate(damage.items()):
        folder = tmp_path / str(number)
        runs[0].save(folder)
        (folder / "run.json").write_text(content)
        with pytest.raises(InputError, match=complaint):
            Run.load(folder)
    runs[0].save(tmp_path / "one")
    runs[1].save(tmp_path / "two")
    for name in ("run.json", "private.json"):
        (tmp_path / "two" / name).replace(tmp_path / "one" / name)
    with pytest.raises(InputError, match="another model"):
        Run.load(tmp_path / "one")


def test_a_record_that_was_edited_is_refused_and_one_from_before_hashes_is_read(
    runs: list[Run], tmp_path: Path
) -> None:
    calm = next(run for run in runs if run.record["method"] == "calm")
    calm.save(tmp_path / "run")
    path = tmp_path / "run" / "run.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps(record | {"scores": record["scores"] | {"perplexity": 1.0}}))
    with pytest.raises(InputError, match="was altered"):
        Run.load(tmp_path / "run")
    (tmp_path / "run" / "private.json").unlink()
    record = calm.record | {"schema": "fedtopics/run/1", "model_sha256": record["model_sha256"]}
    record["ledger_head"] = calm.ledger.head
    later = ("record_sha256", "ledger_head", "party_topics", "forecast", "compared")
    path.write_text(json.dumps({name: value for name, value in record.items() if name not in later}))
    assert Run.load(tmp_path / "run").scores == calm.scores
    other = next(run for run in runs if run.record["method"] == "shared")
    path.write_text(json.dumps(record))
    (tmp_path / "run" / "ledger.json").write_text(other.ledger.to_json())
    with pytest.raises(InputError, match="another ledger"):
        Run.load(tmp_path / "run")


def test_a_record_tells_how_training_went_and_who_sent_what(runs: list[Run]) -> None:
    by_method = {run.record["method"]: run.record for run in runs}
    perplexities = [entry["measures"].get("perplexity") for entry in by_method["calm"]["rounds"]]
    assert [value is not None for value in perplexities] == [True, True, False, True]
    assert perplexities[3] == by_method["calm"]["scores"]["perplexity"]
    likelihoods = [entry["measures"].get("channel log-likelihood") for entry in by_method["calm"]["rounds"]]
    assert likelihoods[0] is None
    assert likelihoods[1] < likelihoods[3]
    assert by_method["alone"]["party_topics"] == by_method["pooled"]["party_topics"] == {}
    for name in ("calm", "shared", "ftm"):
        amounts = by_method[name]["party_topics"]
        assert amounts.keys() == {"a", "b/../c"}
        total = sum(sum(row) for row in amounts.values())
        assert total == pytest.approx(2 * 60 * 30, rel=0 if name == "shared" else 0.1)
    assert by_method["calm"]["forecast"] is None


def test_runs_of_a_comparison_know_each_other(data: Data) -> None:
    found = compare(
        *(data, ["shared", "calm"]),
        **{"epsilon": [2, 20.0], "n_seeds": 2, "n_topics": 3, "n_rounds": 2},
        own={"calm": {"distinct_words": 12}},
    )
    assert [(run.record["method"], run.epsilon, run.record["seed"]) for run in found] == [
        ("shared", None, 0),
        ("shared", None, 1),
        ("calm", 2, 0),
        ("calm", 2, 1),
        ("calm", 20.0, 0),
        ("calm", 20.0, 1),
    ]
    assert [other["method"] for other in found[3].record["compared"]] == ["shared"]
    assert found[3].record["compared"][0]["scores"] == found[1].scores
    assert len(found[1].record["compared"]) == 2
    plain = compare(data, ["calm", "lplda"], n_topics=3, n_rounds=2)
    assert [run.record["compared"][0]["method"] for run in plain] == ["lplda", "calm"]
    assert found[2].record["forecast"]["perplexity_ratio"] > found[4].record["forecast"]["perplexity_ratio"]
    with pytest.raises(InputError, match="at least 1 seed, got 0"):
        compare(data, ["shared"], n_seeds=0)


def test_documents_are_dealt_to_parties_and_a_test_set() -> None:
    corpus = drawn_corpus(planted_topics(3, 8), 90, 30, 0)
    dealt = prepare(corpus, n_parties=3, test_fraction=0.2, seed=1)
    assert len(dealt.parties) == 3
    assert dealt.test.n_docs == 18
    assert dealt.train.n_docs == 72
    named = Corpus(corpus.words, corpus.offsets, corpus.vocabulary, parties=("x", "y") * 45)
    assert set(prepare(named).parties) == {"x", "y"}


def test_a_record_says_how_many_persons_there_are_where_known(tmp_path: Path) -> None:
    texts = [f"{number % 7},{'tax law court' if number % 7 < 4 else 'port ship sea'}" for number in range(70)]
    source = tmp_path / "letters.csv"
    source.write_text("author,text\n" + "\n".join(texts))
    run = train(str(source), "shared", n_topics=2, n_rounds=2, n_parties=2, person_column="author")
    n_persons = [party["n_persons"] for party in run.record["parties"]]
    assert 2 <= sum(n_persons) <= 6
    assert [party["n_docs"] for party in run.record["parties"]] == [10 * number for number in n_persons]
    run.save(tmp_path / "run")
    assert Run.load(tmp_path / "run").record["parties"] == run.record["parties"]
    unknown = train(str(source), "shared", n_topics=2, n_rounds=2, n_parties=2, text_column="text")
    assert all("n_persons" not in party for party in unknown.record["parties"])


def test_parties_agree_on_words_of_documents_not_of_a_filtered_corpus(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    source = tmp_path / "letters.csv"
    source.write_text("text,party\n" + "tax law court,a\ntax law port,b\n" * 300 + "secret,a\n")
    dealt = prepare(str(source), party_column="party", vocabulary_epsilon=8.0)
    assert dealt.vocabulary == "agreed privately"
    assert "words; a public list has more and costs nothing, see --vocabulary" in caplog.text
    assert "secret" not in dealt.test.vocabulary
    assert [entry.round for entry in dealt.ledger.entries] == [-2, -2, -1, -1]
    run = train(dealt, "calm", n_topics=2, n_rounds=2)
    assert run.ledger.entries[:4] == dealt.ledger.entries
    assert len(dealt.ledger.entries) == 4
    with pytest.raises(InputError, match="chosen already"):
        prepare(dealt.train, vocabulary_epsilon=8.0)
    with pytest.raises(InputError, match="either max_words or vocabulary_epsilon"):
        prepare(str(source), vocabulary_epsilon=8.0, max_words=10)


def test_noise_is_said_to_be_simulated_unless_it_is_secure(data: Data) -> None:
    simulated = train(data, "calm", n_topics=3, n_rounds=2, epsilon=1.0)
    secure = [train(data, "calm", n_topics=3, n_rounds=2, epsilon=1.0, secure=True) for _ in range(2)]
    assert simulated.record["noise"] == simulated.model.card["noise"] == "simulated"
    assert "noise simulated from the seed" in str(simulated)
    assert "seed" not in simulated.model.card
    assert secure[0].record["noise"] == "secure"
    assert "simulated" not in str(secure[0])
    assert not np.array_equal(secure[0].model.topic_word, secure[1].model.topic_word)


def test_texts_and_unread_sources_train_in_one_call(tmp_path: Path) -> None:
    texts = ["tax law court judge", "ship sea port trade"] * 20
    assert train(texts, "shared", n_topics=2, n_rounds=5, n_parties=2).model.n_words == 8
    source = tmp_path / "letters.csv"
    source.write_text("body\n" + "\n".join(texts))
    run = train(str(source), "shared", n_topics=2, n_rounds=5, n_parties=2, text_column="body")
    assert run.record["source"] == str(source)
    assert repr(run) == str(run)
