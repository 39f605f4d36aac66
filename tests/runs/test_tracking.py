"""Runs in MLflow, in a store of files: what anybody may see, and all of it only where that was asked for."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from planted import drawn_corpus, planted_topics

from fedtopics.errors import InputError
from fedtopics.runs.experiment import train
from fedtopics.runs.preparing import GIVEN, Data
from fedtopics.runs.run import Run
from fedtopics.runs.tracking import log_to_mlflow

TOPICS = planted_topics(3, 8)


@pytest.fixture(scope="module")
def run() -> Run:
    data = Data({"a": drawn_corpus(TOPICS, 60, 30, 1)}, drawn_corpus(TOPICS, 20, 30, 2), vocabulary=GIVEN)
    return train(data, "calm", n_topics=3, n_rounds=2, epsilon=20.0, secure=True)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    pytest.importorskip("mlflow.tracking")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    return (tmp_path / "mlruns").as_uri()


@pytest.mark.filterwarnings("ignore")
def test_what_anybody_may_see_is_logged(run: Run, store: str) -> None:
    from mlflow.tracking import MlflowClient

    client = MlflowClient(tracking_uri=store)
    found = client.get_run(log_to_mlflow(run, experiment="topics", tracking_uri=store))
    assert found.data.params["method"] == "calm"
    assert found.data.params["settings.epsilon"] == "20.0"
    assert found.data.metrics["epsilon.word_add_remove"] == pytest.approx(20)
    assert "diversity" in found.data.metrics
    assert not any("perplexity" in name or "npmi" in name for name in found.data.metrics)
    files = {item.path for item in client.list_artifacts(found.info.run_id, "run")}
    assert {"run/model.safetensors", "run/run.json", "run/ledger.json"} <= files
    assert "run/private.json" not in files
    everything = client.get_run(log_to_mlflow(run, experiment="topics", tracking_uri=store, private=True))
    assert everything.data.metrics["perplexity"] == pytest.approx(run.scores["perplexity"])
    assert everything.info.experiment_id == found.info.experiment_id


@pytest.mark.filterwarnings("ignore")
def test_a_model_that_must_not_be_published_is_not_logged(store: str, tmp_path: Path) -> None:
    texts = ["tax law court", "ship sea port"] * 10
    made = train(texts, "shared", n_topics=2, n_rounds=2, n_parties=1, test_fraction=0)
    with pytest.raises(InputError):
        log_to_mlflow(made, tracking_uri=store)
    assert not (tmp_path / "mlruns").exists()


@pytest.mark.filterwarnings("ignore")
def test_where_mlflow_cannot_write_the_places_are_named_that_it_can(run: Run, store: str) -> None:
    with pytest.raises(
        InputError, match=r"--tracking-uri http://HOST:PORT.* MLFLOW_ALLOW_FILE_STORE=true; MLflow"
    ):
        log_to_mlflow(run, tracking_uri="nosuch://place")


def test_without_mlflow_the_extra_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlflow.exceptions", None)
    with pytest.raises(InputError, match=r"fedtopics\[mlflow\]"):
        log_to_mlflow(run)
