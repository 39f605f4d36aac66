"""A run goes on with new documents: topics keep their numbers, words may join, every method can."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fedtopics import train
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.methods import make
from fedtopics.model.merging import Changes, merge, still_called, widened
from fedtopics.protocol import in_process
from fedtopics.protocol.summing import Summing
from fedtopics.runs.preparing import Data
from fedtopics.runs.run import Run
from fedtopics.sampling import channel_em
from fedtopics.sampling.channel_em import SizedTopics
from fedtopics.sampling.histograms import Histograms
from tests.planted import planted_topics

RNG = np.random.default_rng(0)
TOPICS = planted_topics(3, 12)
WORDS = tuple(f"w{word}" for word in range(36))


def corpus(n_docs: int) -> Corpus:
    rows = [RNG.choice(36, 30, p=RNG.dirichlet(np.full(3, 0.1)) @ TOPICS) for _ in range(n_docs)]
    return Corpus(np.concatenate(rows).astype(np.int32), np.arange(0, 30 * n_docs + 1, 30), WORDS)


FIRST, SECOND = corpus(120), corpus(120)


def begun(method: str, **settings: object) -> Run:
    return train(FIRST, method, n_topics=3, n_parties=2, n_threads=1, **settings)


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("calm", {"epsilon": 6.0, "n_rounds": 30}),
        ("calm", {"epsilon": 6.0, "n_rounds": 30, "one_topic": True}),
        ("shared", {"n_rounds": 60}),
        ("pooled", {}),
        ("alone", {}),
    ],
)
def test_topics_keep_their_numbers(method: str, settings: dict[str, object]) -> None:
    run = begun(method, **settings)
    after = run.update(SECOND, n_parties=2, n_threads=1)
    assert after.record["update"]["stable"] == [0, 1, 2]
    overlap = [
        set(a) & set(b) for a, b in zip(run.model.top_words(8), after.model.top_words(8), strict=False)
    ]
    assert min(map(len, overlap)) >= 3
    before, now = run.model.n_tokens, after.model.n_tokens
    assert before is not None
    assert now is not None
    assert now > 1.3 * before
    assert after.scores["perplexity"] < after.scores["perplexity_unigram"]


def test_words_and_topics_may_join_and_the_record_says_so(tmp_path: object) -> None:
    run = begun("calm", epsilon=6.0, n_rounds=20)
    after = run.update(SECOND, words=["fresh"], n_new_topics=1, n_parties=2, n_threads=1)
    assert after.model.vocabulary == (*WORDS, "fresh")
    assert after.model.n_topics == 4
    assert 3 in after.record["update"]["new"]
    assert any("paid twice" in note for note in after.record["notes"])
    after.save(f"{tmp_path}/run")
    assert Run.load(f"{tmp_path}/run").record["update"]["privacy"] == run.privacy


@pytest.mark.parametrize("method", ["calm", "ftm"])
def test_topics_keep_the_names_that_people_gave_them(method: str) -> None:
    run = begun(method, epsilon=12.0, n_rounds=10)
    named = replace(run, model=run.model.set_topic_labels({1: "money matters"}))
    after = named.update(SECOND, n_new_topics=1, n_parties=2, n_threads=1)
    assert after.record["update"]["stable"] == [0, 1, 2]
    assert after.model.names[1] == "money matters"
    assert after.model.names[2].startswith("w")  # nobody named it: it goes by its words
    others = replace(run.model, topic_word=run.model.topic_word[:, ::-1])
    strange = still_called(named.model, others, Changes((0,), (1, 2), ()))  # a number, but other words
    assert "money matters" not in strange.names


def test_what_a_run_decided_is_not_asked_again() -> None:
    with pytest.raises(InputError, match="update takes no epsilon"):
        begun("pooled").update(SECOND, epsilon=3.0)


def test_seed_words_stay_in_their_topics() -> None:
    seeds = "w0 w1; w12 w13; w24 w25"
    run = begun("calm", epsilon=6.0, n_rounds=20, seed_words=seeds)
    for topic, first in enumerate((0, 12, 24)):
        assert (
            run.model.topic_word[topic, first] > 10 * np.delete(run.model.topic_word[:, first], topic).max()
        )
    assert [int(row.argmax()) // 12 for row in run.model.topic_word] == [0, 1, 2]
    for wrong, message in (("a; b; c; d", "at most 3 topics"), ("w0; w0", "in two"), ("nosuch", "'nosuch'")):
        with pytest.raises(InputError, match=message):
            begun("calm", epsilon=6.0, n_rounds=2, seed_words=wrong)


def halves() -> tuple[Corpus, Corpus]:
    """Documents whose newer half has two words that the older did not know."""
    new = [row if n % 2 else np.append(row[:-1], 36 + n % 4 // 2) for n, row in enumerate(rows(SECOND))]
    return FIRST, Corpus(np.concatenate(new).astype(np.int32), SECOND.offsets, (*WORDS, "fresh", "novel"))


def rows(of: Corpus) -> list[np.ndarray]:
    return np.split(of.words, of.offsets[1:-1])


@pytest.mark.parametrize(("method", "settings"), [("calm", {"epsilon": 6.0}), ("shared", {"n_rounds": 60})])
def test_what_was_kept_is_read_again(method: str, settings: dict[str, object], tmp_path: Path) -> None:
    older, newer = halves()
    run = begun(method, keep=True, **settings)
    assert set(run.kept) == {party["name"] for party in run.record["parties"]}
    run.save(tmp_path / "run")
    loaded = Run.load(tmp_path / "run")
    words = newer.vocabulary
    after, again = (each.update(newer, words=words, n_parties=2, n_threads=1) for each in (run, loaded))
    np.testing.assert_array_equal(after.model.topic_word, again.model.topic_word)
    assert after.record["update"]["stable"] == [0, 1, 2]
    assert after.model.n_tokens == pytest.approx(0.9 * 30 * (older.n_docs + newer.n_docs), rel=0.1)
    assert not any("kept nothing" in note for note in after.record["notes"])
    counts = Run(run.record, run.model).update(newer, words=words, n_parties=2, n_threads=1)
    assert any("kept nothing" in note for note in counts.record["notes"])
    assert counts.model.n_tokens == pytest.approx(after.model.n_tokens, rel=0.1)
    price = after.ledger.statements()[0]
    assert price == counts.ledger.statements()[0]  # what is read again costs nothing
    third = after.update(FIRST, n_parties=2, n_threads=1)  # runs before the last are kept, too
    assert third.model.n_tokens == pytest.approx(0.9 * 30 * (2 * older.n_docs + newer.n_docs), rel=0.1)
    assert third.record["settings"]["n_rounds"] == after.record["settings"]["n_rounds"]


def test_what_is_kept_is_for_its_owner_alone(tmp_path: Path) -> None:
    run = begun("calm", epsilon=6.0, n_rounds=5, keep=True)
    run.save(tmp_path / "run")
    path = next((tmp_path / "run").glob("kept-*.safetensors"))
    assert path.stat().st_mode & 0o077 == 0
    assert not replace(run, record=run.record | {"noise": "secure", "vocabulary": "as given"}).public.kept
    path.write_bytes(path.read_bytes()[:-40] + bytes(40))
    with pytest.raises(InputError, match="was altered"):
        Run.load(tmp_path / "run")


def test_a_method_that_keeps_nothing_is_refused_before_it_is_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(in_process, "run")
    with pytest.raises(InputError, match="calm or shared"):
        begun("pooled", keep=True)


def test_what_a_party_kept_waits_until_it_has_new_documents() -> None:
    parties = {name: FIRST.select(range(n, 120, 2)) for n, name in enumerate(("north", "south"))}
    run = train(Data(parties, FIRST.select([])), "calm", n_topics=3, n_rounds=10, n_threads=1, keep=True)
    north = run.update(Data({"north": SECOND}, SECOND.select([])), n_threads=1)
    np.testing.assert_array_equal(north.kept["south"]["words"], run.kept["south"]["words"])
    assert len(north.kept["north"]["words"]) > len(run.kept["north"]["words"])
    south = north.update(Data({"south": SECOND}, SECOND.select([])), n_threads=1)
    assert len(south.kept["south"]["words"]) > len(run.kept["south"]["words"])


def test_a_method_that_begins_anew_goes_on_without_documents_held_out() -> None:
    after = begun("ftm", n_rounds=2, test_fraction=0).update(SECOND, n_rounds=2, test_fraction=0, n_threads=1)
    assert after.scores["perplexity"] is None
    assert after.record["n_topics"] == after.model.n_topics >= 3


def test_a_method_that_begins_anew_looks_for_as_many_topics_in_every_update() -> None:
    """Not for as many as the model has by then: that doubled them again and again."""
    run = begun("ftm", n_rounds=2)
    joined = replace(run, model=merge(run.model, run.model.reduce_topics(2), threshold=1.0))
    assert joined.model.n_topics > 3
    after = joined.update(SECOND, n_rounds=2, n_new_topics=1, n_parties=2, n_threads=1)
    assert after.record["settings"]["n_topics"] == 4
    assert after.update(FIRST, n_parties=2, n_threads=1).record["settings"]["n_topics"] == 4


@pytest.mark.parametrize("shift", range(3))
def test_what_parties_have_of_merged_topics_goes_by_the_numbers_of_the_model(shift: int) -> None:
    """Topics of new documents alone have an order of their own; the report shows parties by the model's."""
    texts = [RNG.choice(36, 30, p=0.9 * TOPICS[n % 3] + 0.1 * TOPICS.mean(axis=0)) for n in range(120)]
    dealt = {name: list(range(n, 120, 3)) for n, name in enumerate(("one", "two", "three"))}
    both = Corpus(np.concatenate(texts).astype(np.int32), np.arange(0, 30 * 120 + 1, 30), WORDS)
    data = Data({name: both.select(numbers) for name, numbers in dealt.items()}, SECOND)
    run = begun("ftm", n_rounds=3, epsilon=20.0)
    turned = replace(run.model, topic_word=np.roll(run.model.topic_word, shift, axis=0))
    after = replace(run, model=turned).update(data, n_threads=1)
    for n, name in enumerate(dealt):
        amounts = after.record["party_topics"][name]
        assert len(amounts) == after.model.n_topics
        first = after.model.top_words(8)[int(np.argmax(amounts))]
        assert sum(int(word[1:]) // 12 == n for word in first) >= 6


def test_topics_that_were_tied_by_a_public_relation_are_tied_again_or_it_is_said() -> None:
    related = np.kron(np.eye(3), np.full((12, 12), 0.5))
    run = begun("calm", epsilon=6.0, n_rounds=5, consistency=related, consistency_tau=0.2)
    options = {"n_parties": 2, "n_threads": 1}
    loose = run.update(SECOND, **options)
    assert "consistency" not in loose.record
    assert any("drawn towards" in note and "give that again" in note for note in loose.record["notes"])
    tied = run.update(SECOND, consistency=related, **options)
    assert tied.record["consistency"]["tau"] == 0.2
    assert not any("drawn towards" in note for note in tied.record["notes"])
    assert not np.array_equal(tied.model.topic_word, loose.model.topic_word)
    plain = begun("calm", epsilon=6.0, n_rounds=5).update(SECOND, consistency=related, **options)
    assert plain.record["consistency"]["tau"] == 0.1


def test_histograms_of_another_epsilon_or_of_more_words_are_refused() -> None:
    run, method = begun("calm", epsilon=6.0, n_rounds=5, keep=True), make("calm", n_topics=3, epsilon=5.0)
    arrays = next(iter(run.kept.values()))
    with pytest.raises(InputError, match="noise of this epsilon"):
        method.resumed(arrays, 36)
    with pytest.raises(InputError, match="words may only be added"):
        make("calm", n_topics=3, epsilon=6.0).resumed(arrays, 35)


def test_words_that_a_histogram_does_not_know_are_missing_and_not_absent() -> None:
    """As with a channel over the known words alone: what is unknown changes no document."""
    run = begun("calm", epsilon=6.0, n_rounds=5, keep=True)
    arrays = next(iter(run.kept.values()))
    law = {"decay": float(arrays["decay"]), "burstiness": 0.3}
    found = arrays["offsets"], arrays["words"], arrays["values"]
    narrow, wide = Histograms(*found, 36, **law), Histograms(*found, 40, **law)
    phi = np.random.default_rng(0).dirichlet(np.full(40, 0.3), 3).T.astype(np.float32)
    sizes, alpha = np.full(3, 100.0, np.float32), np.full(3, 0.1, np.float32)
    documents = channel_em.start(narrow, 3, 30.0)
    whole = channel_em.expect(wide, documents, SizedTopics(phi, sizes), alpha, n_known=36, n_steps=5)
    short = channel_em.expect(wide, documents, SizedTopics(phi, sizes), alpha, n_steps=5)
    lost = phi[36:].sum()
    assert lost > 0.05
    # A document is as long as its known words say: longer than where the others count as absent.
    assert whole.documents.lengths.mean() > 1.02 * short.documents.lengths.mean()
    seen = whole.documents.lengths * (whole.documents.theta @ phi[:36].sum(axis=0))
    assert whole.counts.sum() == pytest.approx(seen.sum(), rel=0.05)


def test_totals_of_parties_are_enough_to_go_on() -> None:
    older, newer = halves()
    method, words = make("calm", n_topics=3, n_rounds=30, epsilon=6.0), newer.vocabulary
    dealt = [{f"p{i}": each.select(range(i, each.n_docs, 2)) for i in range(2)} for each in (older, newer)]
    first = in_process.run(method, dealt[0], seed=1)
    assert first.model is not None
    options = {"seed": 2, "begun": widened(first.model, words), "kept": first.kept}
    plain = in_process.run(method.for_sums(), dealt[1], **options)
    summed = in_process.run(method, dealt[1], summing=Summing(0), **options)
    assert plain.model is not None
    assert summed.model is not None
    np.testing.assert_allclose(plain.model.topic_word, summed.model.topic_word, atol=2e-3)
    alone = in_process.run(method, dealt[1], **(options | {"kept": {"p0": first.kept["p0"]}}))
    assert alone.model is not None
    assert alone.model.n_tokens == pytest.approx(plain.model.n_tokens, rel=0.05)  # counts stand for p1
