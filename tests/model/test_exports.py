"""Other tools see the same topics."""

import csv
import sys

import numpy as np
import pytest
from planted import corpus_of, drawn_corpus, planted_topics

from fedtopics.errors import InputError
from fedtopics.model import TopicModel

TOPICS = planted_topics(3, 5, noise=1e-4)
NEW = drawn_corpus(TOPICS, 30, 25, seed=8)
MODEL = TopicModel(TOPICS, np.array([0.1, 0.2, 0.3]), NEW.vocabulary).set_topic_labels({1: "money"})


def test_gensim_gets_the_same_topics_words_and_mixtures():
    exported = MODEL.to_gensim()
    assert np.allclose(exported.get_topics(), TOPICS, rtol=1e-9, atol=0)
    assert np.allclose(exported.alpha, MODEL.alpha)
    words = [[word for word, _ in exported.show_topic(topic, 5)] for topic in range(3)]
    assert [set(topic) for topic in words] == [set(topic) for topic in MODEL.top_words(5)]
    bags = [exported.id2word.doc2bow([f"w{word}" for word in document]) for document in ([0, 1, 1], [12, 13])]
    gamma, _ = exported.inference(bags)
    assert gamma.argmax(axis=1).tolist() == [0, 2]


def test_pyldavis_gets_distributions_without_empty_rows_or_columns():
    documents = corpus_of([[0, 1, 1, 7], [], [12, 13]], 15)
    prepared = MODEL.to_pyldavis(documents)
    assert prepared["vocab"] == ["w0", "w1", "w7", "w12", "w13"]
    assert prepared["term_frequency"].tolist() == [1, 2, 1, 1, 1]
    assert prepared["doc_lengths"].tolist() == [4, 2]
    assert prepared["topic_term_dists"].shape == (3, 5)
    assert prepared["doc_topic_dists"].shape == (2, 3)
    for rows in (prepared["topic_term_dists"], prepared["doc_topic_dists"]):
        assert np.allclose(rows.sum(axis=1), 1, atol=1e-12)
    with pytest.raises(InputError, match="got none"):
        MODEL.to_pyldavis(corpus_of([[], []], 15))


def test_csv_holds_every_probability(tmp_path):
    MODEL.to_csv(tmp_path / "topics.csv")
    with (tmp_path / "topics.csv").open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == ["word", "topic 0", "money", "topic 2"]
    assert [row[0] for row in rows] == list(MODEL.vocabulary)
    assert np.array_equal(np.array([row[1:] for row in rows], float).T, MODEL.topic_word)
    assert [path.name for path in tmp_path.iterdir()] == ["topics.csv"]


def test_topic_info_is_a_table():
    table = TopicModel.from_counts([[3, 1, 0], [0, 0, 4]], ["tax", "law", "war"]).get_topic_info(2)
    assert len(table) == 2
    assert (table[1].topic, table[1].label, table[1].share) == (1, "war", 0.5)
    assert [row.words for row in table] == [("law", "tax"), ("war", "tax")]
    frame = table.to_pandas()
    assert list(frame.columns) == ["topic", "label", "share", "words"]
    assert frame.words[0] == ("law", "tax")


@pytest.mark.parametrize(("package", "export"), [("gensim", "to_gensim"), ("pandas", "to_pandas")])
def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch, package, export):
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    source = MODEL if export == "to_gensim" else MODEL.get_topic_info()
    with pytest.raises(InputError, match=f"pip install {package}"):
        getattr(source, export)()
