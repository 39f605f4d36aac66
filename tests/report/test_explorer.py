"""What the explorer works on: packed probabilities, places, parties, the tree, the first sentence."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from reported import large_run, small_run, with_model

from fedtopics.model import TopicModel
from fedtopics.model.tree import Join
from fedtopics.report import packed_topics as packing
from fedtopics.report import privacy_shown
from fedtopics.report.first_sentence import first_sentence
from fedtopics.report.packed_topics import packed_topics
from fedtopics.report.parties_shown import leading, parties_shown
from fedtopics.report.topic_map import places
from fedtopics.report.topics_shown import similarity
from fedtopics.report.tree_drawn import drawn_tree


def unpacked(packed: dict[str, Any], n_topics: int) -> tuple[list[str], NDArray[np.float64]]:
    """Words, and their probabilities in every topic, as the page reads them."""

    def numbers(name: str, kind: str) -> NDArray[np.float64]:
        return np.frombuffer(b64decode(packed[name]), kind).astype(float)

    words = packed["words"].split("\n")
    peaks = 2 ** (-numbers("peaks", "<u2") / 2048)
    rests = numbers("rests", "u1")
    values = np.repeat(np.where(rests == 255, 0, peaks * 2 ** (-rests / 10))[:, None], n_topics, axis=1)
    rows = np.repeat(np.arange(len(words)), numbers("counts", "u1").astype(int))
    topics = numbers("topics", "u1" if packed["width"] == 1 else "<u2").astype(int)
    values[rows, topics] = peaks[rows] * 2 ** (-numbers("ratios", "u1") / 20)
    return words, values


@pytest.mark.parametrize("n_topics", [1, 3, 40, 300])
def test_listed_probabilities_are_off_by_less_than_two_percent(n_topics: int) -> None:
    counts = np.random.default_rng(n_topics).gamma(0.3, size=(n_topics, 90)) * 100
    model = TopicModel.from_counts(counts, [f"w{number}" for number in range(90)], beta=0.01)
    words, values = unpacked(packed_topics(model), n_topics)
    order = [int(word[1:]) for word in words]
    assert sorted(order) == list(range(90))
    assert (np.diff(model.word_frequencies[order]) <= 1e-15).all()
    exact = model.topic_word[:, order].T
    large = exact > exact.max(axis=1, keepdims=True) / 1000
    if n_topics <= packing.MOST_LISTED:
        assert np.abs(values / exact - 1)[large].max() < 0.019
    assert np.abs(values.sum(axis=1) / exact.sum(axis=1) - 1).max() < 0.05


def test_what_does_not_fit_is_left_to_the_rest_and_then_the_rarest_words_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = large_run(50, 2000).model
    monkeypatch.setattr(packing, "MOST_BYTES", 60_000)
    packed = packed_topics(model)
    assert len("".join(map(str, packed.values()))) <= 60_000
    words, values = unpacked(packed, 50)
    assert len(words) == 2000
    assert np.abs(values.sum(axis=1) / np.sort(model.topic_word.sum(axis=0))[::-1] - 1).mean() < 1
    monkeypatch.setattr(packing, "MOST_BYTES", 20_000)
    fewer = unpacked(packed_topics(model), 50)[0]
    assert 500 < len(fewer) < 1500
    assert fewer == words[: len(fewer)]


def test_topics_are_spread_over_the_map_and_similar_ones_are_near() -> None:
    rng = np.random.default_rng(0)
    kinds = rng.gamma(0.2, size=(4, 100))
    counts = np.concatenate([kind + 0.1 * rng.gamma(0.2, size=(10, 100)) for kind in kinds])
    alike = similarity(TopicModel.from_counts(counts, list(map(str, range(100)))))
    found = places(alike)
    assert ((found >= 0) & (found <= 1)).all()
    assert (np.ptp(found, axis=0) > 0.99).all()
    distance = np.sqrt(((found[:, None] - found) ** 2).sum(axis=2))
    kind = np.arange(40) // 10
    same = (kind[:, None] == kind) & ~np.eye(40, dtype=bool)
    assert distance[same].mean() < 0.75 * distance[kind[:, None] != kind].mean()
    assert distance[~np.eye(40, dtype=bool)].min() > 0.04
    assert (places(alike) == found).all()
    assert places(np.ones((1, 1))).tolist() == [[0.5, 0.5]]
    assert np.isfinite(places(np.ones((5, 5)))).all()


def test_what_sets_a_party_apart_is_what_it_sent_more_of() -> None:
    run = small_run()
    amounts = {"north": [80.0, 10.0, 5.0, 5.0], "south": [-3.0, 10.0, 5.0, 85.0], "empty": [0.0] * 4}
    parties = parties_shown(replace(run, record=run.record | {"party_topics": amounts}))
    assert [party.name for party in parties] == ["north", "south"]
    assert [each.topic for each in parties[0].apart] == [0]
    assert parties[0].apart[0].ratio == pytest.approx(2.0)
    assert leading(parties)[0] == 0
    assert leading(parties)[3] == 1
    many = {f"p{number}": [1.0 + number, 1, 1, 1] for number in range(30)}
    assert len(parties_shown(replace(run, record=run.record | {"party_topics": many}))) == 8


def test_the_tree_has_all_topics_and_similar_ones_beside_each_other() -> None:
    joins = (Join(0, 3, 0.1, 0.6), Join(1, 2, 0.2, 0.3), Join(4, 5, 0.5, 0.9))
    tree = drawn_tree(joins, 4)
    assert tree.order == (0, 3, 1, 2)
    assert tree.svg.count("M") == 3
    assert drawn_tree((), 1).order == (0,)


def sentence(run: Any) -> str:
    return first_sentence(run, privacy_shown.headline(run, privacy_shown.spendings(run)))


def test_the_first_sentence_says_who_how_good_and_how_private() -> None:
    run, shared = small_run(), small_run("shared", None)
    change = 100 * (run.scores["perplexity"] / shared.scores["perplexity"] - 1)
    told = f"{abs(change):.1f} % {'worse' if change >= 0 else 'better'} than sharing exact counts"
    assert sentence(run) == (
        f"2 parties, 120 documents, 4 topics; {told}; "
        "single words hardly protected at epsilon 8 (word add/remove)."
    )
    assert sentence(small_run("alone", None)).endswith("nothing leaves a party.")
    assert sentence(shared).endswith("single words not protected: no bound (word add/remove).")
    secret = replace(run, record=run.record | {"parties": [{"name": "north"}], "compared": []})
    plain = f"perplexity {run.scores['perplexity']:,.0f}, against"
    assert sentence(secret).startswith(f"1 party, 4 topics; {plain}")
    unscored = replace(secret, record=secret.record | {"scores": dict.fromkeys(run.scores)})
    assert "than without noise, by forecast;" in sentence(unscored)


def test_other_epsilons_are_graded_as_they_would_be_and_cost_what_is_forecast() -> None:
    run = small_run()
    bound = privacy_shown.headline(run, privacy_shown.spendings(run))
    outlook = privacy_shown.outlook(run, bound)
    assert outlook is not None
    rows = outlook["prospects"]
    now = rows[outlook["at"]]
    assert (now["epsilon"], now["worth"]) == (8.0, "hardly protected")
    assert now["told"] == "epsilon 8 (word add/remove)"
    assert now["ratio"] == pytest.approx(run.record["forecast"]["perplexity_ratio"], abs=1e-4)
    assert [row["epsilon"] for row in rows] == sorted(row["epsilon"] for row in rows)
    assert {row["worth"] for row in rows} == {
        "protected",
        "partly protected",
        "hardly protected",
        "not protected",
    }
    ratios = [row["ratio"] for row in rows]
    assert ratios == sorted(ratios, reverse=True)
    dearer = replace(bound, epsilon=9.5) if bound else None  # with an agreement on words, which stays
    moved = privacy_shown.outlook(run, dearer)
    assert moved is not None
    assert (moved["prospects"][moved["at"]]["epsilon"], moved["prospects"][0]["epsilon"]) == (9.5, 1.75)
    assert moved["prospects"][0]["ratio"] == rows[0]["ratio"]
    alone = small_run("alone", None)
    assert privacy_shown.outlook(alone, privacy_shown.headline(alone, privacy_shown.spendings(alone))) is None


def test_an_empty_topic_and_labels_are_kept_apart() -> None:
    model = TopicModel.from_counts([[3, 2, 1], [0, 0, 0]], "abc").set_topic_labels({0: "first one"})
    from fedtopics.report.run_page import run_page

    page = run_page(with_model(small_run(), model), title="Letters <of> mine")
    assert "<h1><bdi>Letters &lt;of&gt; mine</bdi></h1>" in page
    assert '"label":["first","one"]' in page
    assert '"empty":true' in page
