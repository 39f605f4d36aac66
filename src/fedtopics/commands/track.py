"""Log a run to MLflow: its settings, price, topics and files; what only its owner may see with --private.

Example: fedtopics track runs/mails --experiment mails --tracking-uri http://localhost:5000
"""

from typing import Annotated

import typer

from fedtopics.commands import options
from fedtopics.runs import tracking
from fedtopics.runs.run import Run


def track(
    folder: options.RunFolder,
    experiment: Annotated[str, typer.Option(help="Of MLflow; made if it is new.")] = tracking.EXPERIMENT,
    tracking_uri: Annotated[
        str | None, typer.Option(help="Of the server; as MLFLOW_TRACKING_URI says if not given.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Of the run there; its method if not given.")] = None,
    private: Annotated[
        bool,
        typer.Option("--private", help="All of it, scores on documents too: for a server of their owners."),
    ] = False,
) -> None:
    made = tracking.log_to_mlflow(
        Run.load(folder), experiment=experiment, tracking_uri=tracking_uri, name=name, private=private
    )
    options.say(f"logged to MLflow: experiment {experiment}, run {made}")
