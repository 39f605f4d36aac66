"""A document in the place of any argument of any public function: whatever is said of it shows none of it."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from planted import drawn_corpus, planted_topics

import fedtopics
from fedtopics import LDA, Corpus, Data, TopicModel, applications, documents, evaluation, methods, privacy
from fedtopics import related_words as related
from fedtopics.applications import speech

SECRET = "Margarethe complained of headaches and a rash since Tuesday"
DOCUMENTS: dict[str, Callable[[], Any]] = {
    "a text": lambda: SECRET,
    "texts": lambda: [SECRET] * 3,
    "rows": lambda: [{"text": SECRET}] * 3,
    "a row": lambda: {"text": SECRET},
    "documents": lambda: [documents.Document(SECRET)] * 3,
    "an array": lambda: np.array([SECRET] * 3),
    "objects": lambda: np.array([[SECRET] * 2] * 2, object),
    "a data frame": lambda: pd.DataFrame({"text": [SECRET] * 3}),
    "a column": lambda: pd.Series([SECRET] * 3),
    "bytes": lambda: SECRET.encode(),
    "half a character": lambda: SECRET + "\ud83d",
}
TEXTS = ["the tax on wheat and ships", "a war of ships and roads"] * 30
COUNTS = np.array([[1, 2], [2, 1]])


@cache
def data() -> Data:
    topics = planted_topics(2, 6)
    parties = {name: drawn_corpus(topics, 30, 12, seed=seed) for seed, name in enumerate("ab")}
    return Data(parties, drawn_corpus(topics, 12, 12, seed=5))


def corpus() -> Corpus:
    kind = {"labels": ["a", "b"] * 30, "parties": ["n"] * 30 + ["s"] * 30}
    return Corpus.from_texts(TEXTS, stop_words=False, max_df=1.0, **kind)  # type: ignore[arg-type]


def model() -> TopicModel:
    return TopicModel.from_counts([[3, 1, 1], [1, 3, 1]], ["tax", "war", "ships"])


@cache
def run() -> fedtopics.Run:
    return fedtopics.train(data(), "calm", n_topics=2, n_rounds=1, epsilon=6.0)


def fitted(**given: Any) -> LDA:
    return LDA(**{"n_components": 2, "max_iter": 1, **given}).fit(COUNTS)


def over() -> dict[str, Any]:
    return {"topics": np.full((2, 12), 1 / 12), "test": data().test, "seed": 0, "n_threads": 1}


READING = {
    **dict.fromkeys(("text_column", "party_column", "label_column", "id_column", "person_column")),
    **dict.fromkeys(("language_column", "query", "separator", "sheet", "vocabulary", "tokenizer")),
    **dict.fromkeys(("min_df", "max_df", "max_words")),
    **{"encoding": "utf-8", "encoding_errors": "strict", "header": True, "sentences": True, "language": "en"},
}
SMALL = {"n_topics": 2, "n_rounds": 1, "epsilon": 6.0}

# Every function by the name in docs/reference/api.md, and arguments with which it works.
CALLS: dict[str, tuple[Callable[..., Any], Callable[[], dict[str, Any]]]] = {
    "train": (
        fedtopics.train,
        lambda: (
            {"source": data(), "method": "calm", "seed": 0, "n_threads": 1, "consistency": None, **SMALL}
            | {"texts": "long", "device": "cpu", "cluster": None, "secure_sum": None, "beta": 0.1}
        ),
    ),
    "compare": (
        fedtopics.compare,
        lambda: {"source": data(), "methods": ["calm"], "seed": 0, "n_seeds": 1, "own": None, **SMALL},
    ),
    "prepare": (
        fedtopics.prepare,
        lambda: (
            {"source": TEXTS, "n_parties": 2, "test_fraction": 0.1, "seed": 0, "vocabulary_epsilon": None}
            | READING
        ),
    ),
    "leaderboard": (
        fedtopics.leaderboard,
        lambda: (
            {"data": data(), "budget": privacy.Budget("word add/remove", 6.0), "names": ["calm"]}
            | {"n_topics": 2, "seeds": (0,), "n_threads": 1, "n_rounds": 1}
        ),
    ),
    "update": (
        fedtopics.update,
        lambda: (
            {"run": run(), "source": TEXTS, "words": (), "n_new_topics": 0, "n_rounds": 1, "seed": 0}
            | {"n_parties": 2, "test_fraction": 0.1}
        ),
    ),
    "Cluster": (fedtopics.Cluster, lambda: {"address": "tcp://a:1", "shards": None, "folder": None}),
    "Summing": (fedtopics.Summing, lambda: {"threshold": 1, "noise": "each", "repeats": 0}),
    "Run.load": (fedtopics.Run.load, lambda: {"folder": "."}),
    "methods.variants": (methods.variants, lambda: {"name": "calm"}),
    "methods.find": (methods.find, lambda: {"name": "calm"}),
    "methods.make": (methods.make, lambda: {"name": "calm", "epsilon": 6.0, "seed_words": None}),
    "methods.settings": (methods.settings, lambda: {"name": "calm"}),
    "methods.meanings": (methods.meanings, lambda: {"name": "calm"}),
    "read": (fedtopics.read, lambda: {"source": [{"text": text} for text in TEXTS], **READING}),
    "documents.concatenate": (documents.concatenate, lambda: {"corpora": [corpus()]}),
    "datasets.load": (fedtopics.datasets.load, lambda: {"name": "nothing"}),
    "Corpus.from_texts": (Corpus.from_texts, lambda: {"texts": TEXTS, "labels": None, "stop_words": True}),
    "Corpus.from_sparse": (Corpus.from_sparse, lambda: {"counts": COUNTS, "vocabulary": ["a", "b"]}),
    "Corpus.select": (lambda **given: corpus().select(**given), lambda: {"documents": [1]}),
    "Corpus.split": (lambda **given: corpus().split(**given), lambda: {"test_fraction": 0.1, "seed": 0}),
    "splitting.automatic": (
        fedtopics.splitting.automatic,
        lambda: {"corpus": corpus(), "n_parties": 2, "seed": 0},
    ),
    "splitting.by_column": (fedtopics.splitting.by_column, lambda: {"corpus": corpus()}),
    "splitting.by_proportions": (
        fedtopics.splitting.by_proportions,
        lambda: {"corpus": corpus(), "proportions": [1, 2], "seed": 0},
    ),
    "splitting.by_labels": (
        fedtopics.splitting.by_labels,
        lambda: {"corpus": corpus(), "n_parties": 2, "concentration": 0.5, "seed": 0},
    ),
    "splitting.by_topics": (
        fedtopics.splitting.by_topics,
        lambda: {"corpus": corpus(), "n_parties": 2, "seed": 0},
    ),
    "TopicModel": (
        TopicModel,
        lambda: (
            {"topic_word": [[0.5, 0.5]], "alpha": [1.0], "vocabulary": ("a", "b"), "labels": None}
            | {"topic_shares": None, "language": "en", "card": {}, "n_tokens": None, "company": None}
        ),
    ),
    "TopicModel.from_counts": (TopicModel.from_counts, lambda: {"counts": COUNTS, "vocabulary": ["a", "b"]}),
    "TopicModel.load": (TopicModel.load, lambda: {"folder": "."}),
    "TopicModel.transform": (model().transform, lambda: {"documents": TEXTS, "n_threads": 1}),
    "TopicModel.transform_stream": (
        lambda **given: list(model().transform_stream(**given)),
        lambda: {"texts": TEXTS, "n_threads": 1},
    ),
    "TopicModel.top_words": (model().top_words, lambda: {"n": 2, "by": "probable"}),
    "TopicModel.set_topic_labels": (model().set_topic_labels, lambda: {"labels": ["a", "b"]}),
    "align": (
        fedtopics.align,
        lambda: (
            {"models": [model()] * 2, "matching": "assignment", "threshold": None, "n_top": 2}
            | {"n_words": 2, "previous": None}
        ),
    ),
    "merge": (fedtopics.merge, lambda: {"first": model(), "second": model(), "threshold": 0.5}),
    "LDA": (
        fitted,
        lambda: (
            {"doc_topic_prior": None, "topic_word_prior": None, "seed_words": None, "vocabulary": None}
            | {"sampler": "auto", "device": "cpu", "random_state": 0, "n_jobs": 1, "n_components": 2}
        ),
    ),
    "LDA.fit": (LDA(2, max_iter=1).fit, lambda: {"X": COUNTS}),
    "LDA.transform": (fitted().transform, lambda: {"X": COUNTS}),
    "evaluation.perplexity": (evaluation.perplexity, over),
    "evaluation.complete": (evaluation.complete, over),
    "evaluation.unigram_perplexity": (
        evaluation.unigram_perplexity,
        lambda: {"train": data().test, "test": data().test, "seed": 0},
    ),
    **{
        f"evaluation.coherence_{name}": (
            getattr(evaluation, f"coherence_{name}"),
            lambda: {"topics": [["tax", "war"]], "reference": corpus(), "n_words": 2},
        )
        for name in ("npmi", "umass", "cv")
    },
    "evaluation.diversity": (evaluation.diversity, lambda: {"topics": COUNTS, "n_words": 2}),
    "evaluation.scores": (
        evaluation.scores,
        lambda: {"topics": over()["topics"], "train": data().test, "test": data().test, "n_threads": 1},
    ),
    "evaluation.scores_on": (
        evaluation.scores_on,
        lambda: {"topics": over()["topics"], "documents": data().test, "n_threads": 1},
    ),
    "evaluation.select_topics": (
        evaluation.select_topics,
        lambda: {"corpus": corpus(), "candidates": (2,), "n_sweeps": 1, "seed": 0, "n_threads": 1},
    ),
    "evaluation.over_time": (
        evaluation.over_time,
        lambda: (
            {"model": model(), "documents": corpus(), "times": [1990] * 60, "period": "year"}
            | {"events": (), "n_words": 2}
        ),
    ),
    "report.comparison_page": (fedtopics.report.comparison_page, lambda: {"records": [run().record]}),
    "report.run_page": (fedtopics.report.run_page, lambda: {"run": run()}),
    "report.write": (fedtopics.report.write, lambda: {"run": run(), "path": "report.html"}),
    "report.selection_plot": (fedtopics.report.selection_plot, lambda: {"selection": None}),
    "related_words.load": (related.load, lambda: {"source": np.eye(2), "vocabulary": ["a", "b"]}),
    "related_words.from_matrix": (related.from_matrix, lambda: {"matrix": np.eye(2), "n_words": 2}),
    "related_words.from_vectors": (
        related.from_vectors,
        lambda: {"vectors": np.eye(2), "known": [0, 1], "n_words": 2, "n_neighbors": 1},
    ),
    "applications.classify": (
        applications.classify,
        lambda: (
            {"models": {"m": model()}, "train": corpus(), "test": corpus(), "classifier": "logistic"}
            | {"n_resamples": 1, "seed": 0}
        ),
    ),
    "applications.split_by_class": (
        applications.split_by_class,
        lambda: {"corpus": corpus(), "test_share": 0.2, "seed": 0},
    ),
    "applications.split_by_column": (applications.split_by_column, lambda: {"corpus": corpus()}),
    "applications.speech.arpa.read": (speech.arpa.read, lambda: {"path": "no.arpa"}),
    "applications.speech.recognizer.samples": (speech.recognizer.samples, lambda: {"path": "no.wav"}),
    "applications.speech.nbest.read": (speech.nbest.read, lambda: {"path": "no.jsonl"}),
    "privacy.explain_prices": (
        privacy.explain_prices,
        lambda: {"prices": [privacy.Cost()], "facts": privacy.PublicFacts(10), "delta": 1e-6},
    ),
    "privacy.PublicFacts": (privacy.PublicFacts, lambda: {"n_words": 10, "n_topics": 2, "n_documents": 3}),
    "privacy.predicted_ratio": (
        privacy.predicted_ratio,
        lambda: {"epsilon": 1.0, "n_words": 9, "distinct_words": 5},
    ),
    "privacy.surplus": (privacy.surplus, lambda: {"epsilon": 1.0, "n_words": 9, "distinct_words": 5}),
    "privacy.worth": (privacy.worth, lambda: {"epsilon": 1.0, "delta": 0.0, "n_words": 10}),
    "privacy.guarantees": (
        privacy.guarantees,
        lambda: {"spent": privacy.Cost(), "n_words": 9, "delta": 1e-6},
    ),
    "privacy.calibrate": (
        privacy.calibrate,
        lambda: {"mechanism": "histogram", "relation": "word replace", "epsilon": 1.0, "delta": 0.0},
    ),
    "privacy.Budget": (privacy.Budget, lambda: {"relation": "word replace", "epsilon": 1.0, "delta": 0.0}),
    "privacy.Agreement": (privacy.Agreement, lambda: {"epsilon": 1.0, "delta": 1e-6, "min_parties": 2}),
    "privacy.Cost": (privacy.Cost, lambda: {"losses": (), "noise": "none"}),
    "privacy.Bounds": (privacy.Bounds, lambda: {"max_length": None, "max_documents": None}),
    "privacy.find_mechanism": (privacy.find_mechanism, lambda: {"name": "histogram"}),
    "privacy.check_number": (privacy.check_number, lambda: {"name": "epsilon", "value": 1.0}),
    "privacy.check_words": (privacy.check_words, lambda: {"words": np.array([1]), "n_words": 2}),
}
# They take nothing, what was released, a method or an engine, or write what they were given.
ELSEWHERE = (
    r".*names|.*pronunciations|privacy.(reuse|disclose|word_for_word)|checks.*"
    r"|.*speech.(estimate|rescored|.*write)"
)

LONG = dict.fromkeys(("leaderboard", "compare"), pytest.mark.nightly)  # they train many models


def test_every_public_function_is_asked() -> None:
    page = (Path(__file__).parents[1] / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    face = page.split("## For authors")[0]
    listed = re.findall(r"^\.\. autofunction:: fedtopics\.(\S+)$", face, re.MULTILINE)
    assert [name for name in listed if name not in CALLS and not re.fullmatch(ELSEWHERE, name)] == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [pytest.param(name, marks=LONG.get(name, ())) for name in CALLS])
def test_no_error_and_no_note_shows_a_document(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    function, works = CALLS[name]
    said = []
    for argument in works():
        for kind, given in DOCUMENTS.items():
            try:
                function(**{**works(), argument: given()})
            except Exception as error:
                told = "".join(traceback.format_exception(error))  # with what it came from
                if any(word in told for word in ("Margarethe", "headaches", "Tuesday")):
                    said.append((argument, kind, str(error)[:200]))
    assert said == []
    assert "Margarethe" not in caplog.text
