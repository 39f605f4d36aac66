"""Audits of whole methods: tight ones are reached, none is exceeded, and what does not hold is found out."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from fedtopics import methods
from fedtopics.audit import auditing, messages, overhearing, sums
from fedtopics.audit.auditing import Audit, audit
from fedtopics.audit.canaries import PARTY, in_documents, in_one_document
from fedtopics.audit.overhearing import overhear
from fedtopics.audit.telling import sentences
from fedtopics.commands.application import app
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.methods.calm import Calm
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.protocol.summing import Summing
from fedtopics.report.run_page import run_page
from fedtopics.runs import experiment
from fedtopics.runs.run import Run

WORDS = tuple(f"word{number:03d}" for number in range(240))


def texts(n_documents: int, seed: int, n_words: int = 240) -> Corpus:
    rng = np.random.default_rng(seed)
    of_topic = n_words // 3
    words = rng.integers(0, of_topic, (n_documents, 12)) + of_topic * rng.integers(0, 3, (n_documents, 1))
    return Corpus(words.ravel().astype(np.int32), np.arange(n_documents + 1) * 12, WORDS[:n_words])


PARTIES = {"north": texts(30, 0), "south": texts(20, 1)}


def audited(name: str, *views: str, **settings: object) -> Audit:
    method = methods.make(name, **{"n_topics": 3, "n_rounds": 3} | settings)
    return audit(method, PARTIES, views=views or ("messages",))  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auditing, "N_MODELS", (6, 3))
    monkeypatch.setattr(auditing, "N_DOCUMENTS", 40)
    monkeypatch.setattr(overhearing, "N_CANARIES", 5000)
    monkeypatch.setattr(overhearing, "N_USERS", 5000)


def test_canaries_are_planted_by_their_coins() -> None:
    canaries = in_one_document("word replace", WORDS, 3)
    planted = canaries.planted(np.array([True, False, True]))
    assert (planted.n_docs, planted.words.tolist()) == (1, [0, 3, 4])
    canaries = in_documents("document replace", WORDS, 2, length=2)
    planted = canaries.planted(np.array([True, False]))
    assert planted.words.tolist() == [0, 1, 6, 7]
    gone = in_documents("document add/remove", WORDS, 2, length=2).planted(np.array([False, True]))
    assert gone.lengths.tolist() == [0, 2]


@pytest.mark.parametrize(
    ("name", "settings", "relation", "share"),
    [
        ("calm", {"epsilon": 4.0}, "word add/remove", 0.8),
        ("lplda", {"epsilon": 4.0}, "word replace", 0.8),
        ("fedlda", {"epsilon": 4.0, "n_reports": 1}, "word replace", 0.8),
        ("ftm", {"epsilon": 4.0, "n_local": 3}, "word add/remove", 0.8),
    ],
)
def test_of_a_tight_method_messages_reach_most_of_the_epsilon_and_surely_no_more(
    name: str, settings: dict[str, object], relation: str, share: float
) -> None:
    found = audited(name, **settings)
    (attack,) = [each for each in found.attacks if each.relation == relation]
    assert share * attack.proved < attack.epsilon
    assert not found.refuted


def test_the_bound_on_calm_is_exceeded_no_more_often_than_the_confidence_allows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of 30 audits at 95 %, 9 or more above would be by chance in one of 10^6."""
    method = Calm(epsilon=3.0, n_topics=2, n_rounds=1)
    reference = messages.reference(method, PARTIES, seed=0, n_threads=1)
    monkeypatch.setattr(overhearing, "N_CANARIES", 1000)
    found = [
        overhear(reference, PARTIES, "word add/remove", delta=0.0, seed=seed, n_threads=1).reached()
        for seed in range(0, 3000, 100)
    ]
    assert sum(each.epsilon > 3 for each in found) < 9
    assert not any(each.surely > 3 for each in found)
    assert np.median([each.epsilon for each in found]) > 0.8 * 3


@dataclass(frozen=True)
class Louder(Calm):
    """Draws noise for twice the epsilon that it charges."""

    def _mechanism(self, n_words: int) -> Histogram:
        mechanism = super()._mechanism(n_words)

        @dataclass(frozen=True)
        class Priced(Histogram):
            def price(self, noise: str = "secure"):  # type: ignore[no-untyped-def]
                return mechanism.price(noise)  # type: ignore[arg-type]

        return Priced(2 * self.epsilon, n_words)


def test_a_method_that_charges_too_little_is_found_out_and_the_run_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = audit(Louder(epsilon=2.0, n_topics=3, n_rounds=2), PARTIES, views=("messages",))
    assert found.refuted
    assert "THE PROOF DOES NOT HOLD" in sentences(found.to_dict())[0]
    monkeypatch.setattr(experiment, "audited", lambda *given, **options: found)
    source = tmp_path / "texts.csv"
    source.write_text("text\n" + "\n".join(f"apple bread candy {'duck egg'} w{i % 5}" for i in range(40)))
    given = [
        "train",
        str(source),
        "--topics",
        "2",
        "--rounds",
        "2",
        "--audit",
        "--out",
        str(tmp_path / "run"),
    ]
    result = CliRunner().invoke(app, given)
    assert result.exit_code == 1
    assert Run.load(tmp_path / "run").record["audit"]["refuted"] is True
    assert "do not rely on this run" in run_page(Run.load(tmp_path / "run"))


def test_documents_that_hush_protects_are_hidden_and_the_messages_reach_no_more_than_is_proved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(overhearing, "N_UNITS", (100, 300))
    monkeypatch.setattr(overhearing, "OTHER_UNITS", (40, 40))
    monkeypatch.setattr(auditing, "UNIT_WORDS", 80)
    found = audited("hush", n_rounds=5)
    (attack,) = [each for each in found.attacks if each.relation == "document add/remove"]
    assert 0.4 * attack.proved < attack.epsilon
    assert attack.bound == "Gaussian"
    assert not found.refuted


@pytest.mark.parametrize("summing", [None, Summing(0), Summing(1, noise="together")])
@pytest.mark.parametrize("there", [False, True])
def test_what_is_drawn_again_for_one_unit_is_what_is_heard(there: bool, summing: Summing | None) -> None:
    method = methods.make("hush", n_topics=3, n_rounds=5)
    reference = messages.reference(method, PARTIES, seed=0, n_threads=1, summing=summing)
    unit = sums.worst_unit("document add/remove", WORDS, np.arange(len(WORDS)))
    sent = list(messages.replay(reference, unit, np.array([there]), seed=7, n_threads=1))
    for number, answer in enumerate(sums.answers(reference, unit, 1)):
        (own,) = sent[number].values()
        assert np.array_equal(own, answer.drawn(there, reference.turn(7, number, 1)))


def test_totals_say_less_than_messages_and_together_as_much_as_is_proved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where each of two parties adds all noise their total has twice the variance; drawn together, once."""
    monkeypatch.setattr(overhearing, "N_UNITS", (100, 600))
    monkeypatch.setattr(auditing, "UNIT_WORDS", 60)
    method = methods.make("hush", n_topics=3, n_rounds=5)
    parties = {"north": texts(30, 0, n_words=60), "south": texts(20, 1, n_words=60)}
    found = {}
    for summing in (None, Summing(1), Summing(1, noise="together")):
        reference = messages.reference(method, parties, seed=0, n_threads=1, summing=summing)
        heard = overhear(reference, parties, "document add/remove", delta=1e-6, seed=0, n_threads=1)
        assert ("totals" in heard.attack) == (summing is not None)
        found[summing] = heard.reached().epsilon
    alone, each, together = found.values()
    assert each < 0.8 * min(alone, together)
    assert 0.4 * 8 < together < 8.5


@pytest.mark.parametrize("name", ["calm", "pctd", "shared"])
def test_a_run_with_a_secure_sum_is_audited_by_its_totals(name: str) -> None:
    method = methods.make(name, n_topics=2, n_rounds=2)
    found = audit(method, PARTIES, views=("messages",), summing=Summing(1))
    assert {attack.attack for attack in found.attacks} == {"linear discriminant, of totals"}
    assert not found.refuted
    alone = audit(method, PARTIES, views=("messages",))
    assert found.attacks[0].auc <= alone.attacks[0].auc + 0.01
    with pytest.raises(InputError, match="sums alone"):
        audit(methods.make("ftm"), PARTIES, summing=Summing(1))


EVERY = [(name, variant) for name in methods.names() for variant in methods.variants(name) or (None,)]
OTHERS: list[tuple[str, dict[str, object]]] = [
    ("hush", {"unit": "person", "n_rounds": 5}),
    ("calm", {"max_length": 20}),
    ("calm", {"unit": "sentence"}),
    ("pctd", {"unit": "sentence", "release": "unit"}),
]


@pytest.mark.parametrize(
    ("name", "settings"), [*((name, {"variant": variant}) for name, variant in EVERY), *OTHERS]
)
def test_every_method_and_variant_is_audited_and_none_refuted(
    name: str, settings: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    for few in ("N_UNITS", "OTHER_UNITS"):
        monkeypatch.setattr(overhearing, few, (20, 40))
    monkeypatch.setattr(overhearing, "N_CANARIES", 500)
    monkeypatch.setattr(overhearing, "N_USERS", 500)
    monkeypatch.setattr(auditing, "N_MODELS", (4, 2))
    method = methods.make(name, **{"n_topics": 2, "n_rounds": 2} | settings)  # type: ignore[arg-type]
    parties = {party: spoken(corpus) for party, corpus in PARTIES.items()}
    found = audit(method, parties)
    views = {attack.view for attack in found.attacks}
    assert views == ({"messages"} if name == "alone" else {"messages", "model"})
    assert method.protects in {attack.relation for attack in found.attacks} or not method.prices(240)[:1]
    assert not found.refuted


def spoken(corpus: Corpus) -> Corpus:
    """Each document one sentence of one person."""
    own = np.arange(corpus.n_docs + 1)
    persons = tuple(map(str, range(corpus.n_docs)))
    return replace(corpus, sentence_offsets=corpus.offsets, document_sentences=own, persons=persons)


def test_without_privacy_words_are_read_off_the_messages_and_documents_off_the_model() -> None:
    found = audited("pooled", "messages", "model", n_rounds=20)
    by_view = {
        (each.view, each.relation): each
        for each in found.attacks
        if "online" in each.attack or each.view == "messages"
    }
    assert by_view["messages", "word add/remove"].epsilon > 7
    assert by_view["model", "document add/remove"].auc > 0.8


def test_where_nothing_leaves_nothing_is_reached() -> None:
    found = audited("alone", "messages", "model")
    assert {attack.epsilon for attack in found.attacks} == {0.0}
    assert {attack.view for attack in found.attacks} == {"messages"}


def test_the_documents_themselves_are_not_touched_and_an_audit_can_be_repeated() -> None:
    before = {name: corpus.words.tobytes() for name, corpus in PARTIES.items()}
    first, second = (audited("calm", epsilon=2.0) for _ in range(2))
    assert [replace(each) for each in first.attacks] == list(second.attacks)
    assert {name: corpus.words.tobytes() for name, corpus in PARTIES.items()} == before


def test_a_party_with_the_name_of_the_canaries_is_refused() -> None:
    with pytest.raises(InputError, match="canaries"):
        audit(Calm(n_topics=2), {PARTY: PARTIES["north"]})


def test_train_in_python_writes_the_audit_into_the_record() -> None:
    run = experiment.train(
        PARTIES["north"], n_topics=2, n_rounds=2, n_parties=1, audit=True, show_progress=False
    )
    assert {row["view"] for row in run.record["audit"]["attacks"]} == {"messages", "model"}
    assert "What attacks reached" in run_page(run)
    summed = experiment.train(
        PARTIES["north"], n_topics=2, n_rounds=2, audit=True, show_progress=False, secure_sum=Summing(1)
    )
    assert "totals" in summed.record["audit"]["attacks"][0]["attack"]
    assert "audit" not in experiment.train(PARTIES["north"], n_topics=2, n_rounds=2, n_parties=1).record


def test_the_command_prints_what_is_proved_and_what_was_reached(tmp_path: Path) -> None:
    source = tmp_path / "texts.csv"
    source.write_text("text\n" + "\n".join(f"apple bread candy {'duck egg'} w{i % 5}" for i in range(40)))
    given = ["audit", str(source), "--topics", "2", "--rounds", "2", "--view", "messages"]
    shown = CliRunner().invoke(app, given)
    assert shown.exit_code == 0, shown.output
    assert "proved at most 6" in shown.output
    read = json.loads(CliRunner().invoke(app, [*given, "--json"]).stdout)
    assert read["attacks"][0]["proved"] == 6
    assert CliRunner().invoke(app, [*given[:-1], "wire"]).exit_code == 1
