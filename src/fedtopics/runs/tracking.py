"""A run in MLflow (extra `fedtopics[mlflow]`): settings, scores, price and files, where people track them.

A tracking server is another place that sees the run. What goes there is what anybody may see of it
(`runs.sharing`): no score on documents, no number of documents, and no model whose words were read from
documents. `private=True` sends all of it, for a server of those who hold the documents.
"""

from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fedtopics.errors import InputError
from fedtopics.runs import sharing
from fedtopics.runs.run import Run, label

EXPERIMENT = "fedtopics"
_PARAMETERS = (
    "method",
    "variant",
    "n_topics",
    "n_words",
    "seed",
    "protects",
    "noise",
    "vocabulary",
    "engine",
)
PLACES = (
    "expected a server of MLflow, as --tracking-uri http://HOST:PORT (tracking_uri), or a folder, for which "
    "MLflow wants MLFLOW_ALLOW_FILE_STORE=true"
)
_LONGEST = 500  # characters of a value


def log_to_mlflow(
    run: Run,
    *,
    experiment: str = EXPERIMENT,
    tracking_uri: str | None = None,
    name: str | None = None,
    private: bool = False,
) -> str:
    """Log a `run` to an `experiment`, which is made if need be; gives the id of the run in MLflow.

    tracking_uri   of the server; None: as MLFLOW_TRACKING_URI says
    name           of the run there; None: its method
    private        all of it, not only what anybody may see
    """
    try:
        from mlflow.exceptions import MlflowException
        from mlflow.tracking import MlflowClient
    except ImportError:
        raise InputError(
            "MLflow is not installed; install it with: pip install 'fedtopics[mlflow]'"
        ) from None
    seen = run if private else run.public
    try:
        client = MlflowClient(tracking_uri=tracking_uri)
        found = client.get_experiment_by_name(experiment)
        place = client.create_experiment(experiment) if found is None else found.experiment_id
        made: str = client.create_run(place, run_name=name or label(run.record)).info.run_id
        for key, value in _parameters(seen.record):
            client.log_param(made, key, value)
        for key, number, step in _metrics(seen.record):
            client.log_metric(made, key, number, step=step)
        client.set_tag(made, "privacy", seen.privacy_line[:_LONGEST])
        with TemporaryDirectory() as folder:
            seen.save(Path(folder) / "run")
            client.log_artifacts(made, str(Path(folder) / "run"), "run")
        client.set_terminated(made)
    except (MlflowException, OSError) as error:
        raise InputError(f"{PLACES}; MLflow answered: {' '.join(str(error).split())[:300]}") from None
    return made


def _parameters(record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key in _PARAMETERS:
        if record.get(key) is not None:
            yield key, str(record[key])[:_LONGEST]
    for key, value in record.get("settings", {}).items():
        yield f"settings.{key}", str(value)[:_LONGEST]


def _metrics(record: dict[str, Any]) -> Iterator[tuple[str, float, int]]:
    """Scores, the proved epsilon of the worst party by relation, and measures of progress by round."""
    for key, value in record["scores"].items():
        if value is not None:
            yield key, float(value), 0
    worst: dict[str, float] = {}
    for entry in sharing.spent(record):
        epsilon = float(entry["epsilon"]) if entry["basis"] == "proved" else float("inf")
        worst[entry["relation"]] = max(worst.get(entry["relation"], 0.0), epsilon)
    for relation, epsilon in worst.items():
        if isfinite(epsilon):
            yield f"epsilon.{relation.replace(' ', '_').replace('/', '_')}", epsilon, 0
    for entry in record["rounds"]:
        for key, value in entry.get("measures", {}).items():
            yield f"round.{key}", float(value), int(entry["round"])
