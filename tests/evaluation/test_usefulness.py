"""Topics that are worth nothing are called so, and those that are worth something are not."""

import json
from pathlib import Path

import numpy as np
import pytest
from planted import corpus_of, drawn_corpus, planted_topics
from typer.testing import CliRunner

from fedtopics import train
from fedtopics.commands.application import app
from fedtopics.documents.corpus import Corpus
from fedtopics.evaluation.perplexity import perplexity, unigram_among
from fedtopics.evaluation.scores import scores, scores_on, topic_scores
from fedtopics.evaluation.usefulness import random_topics, warnings
from fedtopics.model import TopicModel
from fedtopics.report.comparison_page import comparison_page
from fedtopics.report.run_page import run_page
from fedtopics.runs.preparing import Data
from fedtopics.runs.run import Run

TOPICS = planted_topics(4, 30)
TRAIN, TEST = drawn_corpus(TOPICS, 200, 40, seed=1), drawn_corpus(TOPICS, 60, 40, seed=2)


def model_of(topics: np.ndarray) -> TopicModel:
    return TopicModel(topics, np.ones(len(topics)), TRAIN.vocabulary)


def shuffled() -> TopicModel:
    """Words of all topics in every topic."""
    return model_of(TOPICS[:, np.random.default_rng(5).permutation(TOPICS.shape[1])])


def test_good_topics_get_no_warning_and_shuffled_ones_both() -> None:
    assert warnings(scores(model_of(TOPICS), TRAIN, TEST)) == []
    assert warnings(scores_on(model_of(TOPICS), TEST)) == []
    for found in (scores(shuffled(), TRAIN, TEST), scores_on(shuffled(), TEST)):
        assert "word frequencies" in warnings(found)[0]
    made_up = {"perplexity": 5.0, "perplexity_unigram": 6.0, "coherence_npmi": 0.1}
    assert warnings(made_up | {"coherence_npmi_chance": 0.05}) == []
    assert "random words" in warnings(made_up | {"coherence_npmi_chance": 0.1})[0]
    assert warnings(dict.fromkeys(made_up)) == []


def test_random_topics_have_other_words_of_the_same_frequency() -> None:
    frequency = np.arange(1000)[::-1]
    topics = [[0, 1, 2], [500, 501, 999]]
    found = random_topics(topics, frequency)
    assert len(found) == 100
    for own, drawn in zip(np.repeat(topics, 50, axis=0), found, strict=True):
        assert len(set(drawn)) == 3
        assert not {int(a) for a, b in zip(own, drawn, strict=True) if a == b}
        assert np.abs(own - drawn).max() <= 10
    assert found != random_topics(topics, frequency, seed=1)
    assert random_topics([[0, 1]], np.array([2, 1]))[0] == [1, 0]


def test_a_model_of_noise_is_called_so_without_training_documents() -> None:
    """Its own frequencies of words are those of noise, too: it may well be better than they are."""
    documents = drawn_corpus(np.repeat([[1.95, 0.05]], 60, axis=1) / 120, 150, 20, seed=1)
    noise = np.random.default_rng(0).dirichlet(np.full(120, 50.0), 4)
    assert "word frequencies" in warnings(scores_on(model_of(noise), documents))[0]


def test_topics_of_random_words_mean_nothing_however_they_fall() -> None:
    """Half of them are above the mean of chance; none is far above it."""
    for seed in range(8):
        own = np.random.default_rng(seed).dirichlet(np.full(120, 0.2), 4)
        said = warnings(topic_scores(model_of(own), TRAIN))
        assert said
        assert "mean nothing" in said[0]


def test_chance_is_no_coherence_where_words_are_independent() -> None:
    found = scores(model_of(TOPICS), TRAIN, TEST)
    assert abs(found["coherence_npmi_chance"]) < 0.15 < found["coherence_npmi"]


def some_texts(lengths: np.ndarray, n_words: int = 1200) -> Corpus:
    """Half of the words of a text are of one of six groups; frequent words are so in all of them."""
    rng = np.random.default_rng(0)
    even = 1 / np.arange(1, n_words + 1)
    rows = []
    for number, length in enumerate(lengths):
        own = even * (np.arange(n_words) % 6 == number % 6)
        rows.append(list(rng.choice(n_words, length, p=(even / even.sum() + own / own.sum()) / 2)))
    return corpus_of(rows, n_words)


NEWS = some_texts(np.full(400, 20))
JOINED = some_texts(np.full(60, 300))
UNEVEN = some_texts(
    np.clip(30 * np.exp(1.5 * np.random.default_rng(0).standard_normal(150)), 2, 3000).astype(int)
)


@pytest.mark.parametrize(
    ("method", "epsilon", "texts"),
    [("fedlda", 10.0, JOINED), ("pctd", None, NEWS), ("calm", 0.0, NEWS), ("calm", 1.0, UNEVEN)],
    ids=["fedlda at 10", "pctd on news", "epsilon 0", "texts of very different length"],
)
def test_no_useless_model_without_a_word(method: str, epsilon: float | None, texts: Corpus) -> None:
    given = {} if epsilon is None else {"epsilon": epsilon}
    run = train(texts, method, n_topics=10, n_rounds=5, n_parties=2, n_threads=1, **given)
    assert run.scores["perplexity"] > run.scores["perplexity_unigram"]
    assert "no better than word frequencies" in run.warnings[0]
    if texts is UNEVEN:  # what is long has all words that are frequent: a coherence that looks fine
        assert 0.2 < run.scores["coherence_npmi"] <= run.scores["coherence_npmi_chance"]


@pytest.mark.parametrize(("epsilon", "useless"), [(1.5, True), (2.0, True), (5.0, False)])
def test_few_public_documents_are_enough_to_say_so_in_a_federation(epsilon: float, useless: bool) -> None:
    """By their frequencies alone, or by those of the model, topics at 1.5 and 2 would seem to be of use."""
    texts = some_texts(np.full(440, 20))
    test, parties = texts.select(range(40)), {"a": range(40, 440, 2), "b": range(41, 440, 2)}
    data = Data({name: texts.select(numbers) for name, numbers in parties.items()}, test)
    run = train(data, "calm", n_topics=10, n_rounds=5, epsilon=epsilon, n_threads=1)
    found = scores_on(run.model, test)
    assert any("word frequencies" in said for said in warnings(run.scores)) is useless
    assert any("word frequencies" in said for said in warnings(found)) is useless
    own = perplexity(run.model.word_frequencies[None], test)
    assert found["perplexity_unigram"] <= min(own, unigram_among(test))
    assert found["perplexity"] < min(own, unigram_among(test))


def test_a_useless_run_says_so_in_every_place(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """FedLDA with so little budget gives topics that are worse than none."""
    source = tmp_path / "texts.csv"
    rng = np.random.default_rng(0)
    words = [f"{'abcdef'[group]}{number}x" for group in range(6) for number in range(40)]
    texts = [" ".join(words[int(40 * (d % 6) + w)] for w in 40 * rng.random(12) ** 3) for d in range(150)]
    source.write_text("text\n" + "\n".join(texts))
    given = ["train", str(source), "--method", "fedlda", "--epsilon", "0.5", "--topics", "6", "--rounds", "3"]
    shown = CliRunner().invoke(app, [*given, "--accept-cost", "--out", str(tmp_path / "run")])
    assert shown.exit_code == 0, shown.output
    assert "no better than word frequencies" in " ".join(shown.output.split())
    run = Run.load(tmp_path / "run")
    assert run.warnings
    assert "WARNING" in repr(run)
    assert "Of no use:" in run_page(run)
    assert "is of no use" in comparison_page([run.record])
    assert "warnings" not in json.loads((tmp_path / "run" / "run.json").read_text())
    folder = str(tmp_path / "run")
    for used in (
        ["topics", folder, "--tree"],
        ["label", folder],
        ["transform", folder, str(source)],
        ["report", folder, "--public"],
    ):
        caplog.clear()
        ended = CliRunner().invoke(app, used)
        assert ended.exit_code == (used[-1] == "--public")  # refused: its words were read from documents
        assert "no better than word frequencies" in caplog.text
    found = CliRunner().invoke(app, ["evaluate", folder, str(source), "--json"])
    assert "no better than word frequencies" in json.loads(found.stdout)["warnings"][0]
    good = train(texts, "pooled", n_topics=6, n_rounds=50, show_progress=False)
    assert good.warnings == []
    assert "Of no use" not in run_page(good)
