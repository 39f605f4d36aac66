"""Train on two centuries of speeches held by three parties: private and not, in under a minute.

Example: fedtopics demo --out runs/first
"""

from itertools import chain, count
from pathlib import Path
from typing import Annotated

import typer

from fedtopics import methods
from fedtopics.commands import options, report, tables
from fedtopics.runs import experiment
from fedtopics.runs.preparing import prepare
from fedtopics.runs.run import require_free

TOPICS = 30
FEW_TOPICS = 10  # of hush: as many as so few documents can carry when each is protected as a whole
DISTINCT = 60  # different words of a passage of 150 words, stop words left out: a guess for the forecast
METHODS = ["alone", methods.DEFAULT, "hush", "shared", "pooled"]


def demo(
    out: Annotated[
        Path | None, typer.Option(help="New or empty folder for the run; runs/demo or the next free one.")
    ] = None,
    seed: options.Seed = 0,
    threads: options.Threads = None,
) -> None:
    out = _next_free(Path("runs/demo")) if out is None else require_free(out)
    data = prepare("sotu", seed=seed)
    tables.print_parties(data.parties, data.dealing)
    own = {methods.DEFAULT: {"distinct_words": DISTINCT}, "hush": {"n_topics": FEW_TOPICS}}
    runs = experiment.compare(data, METHODS, n_topics=TOPICS, seed=seed, n_threads=threads, own=own)
    tables.print_runs(runs)
    tables.print_note(
        f"calm hides words, hush whole documents, with {FEW_TOPICS} topics, as these are few for that"
    )
    federated = runs[METHODS.index(methods.DEFAULT)]
    tables.print_topics(federated.model, method=methods.DEFAULT)
    federated.save(out)
    report.put_beside(out)
    tables.print_saved(out)


def _next_free(folder: Path) -> Path:
    """The folder, or the first of folder-2, folder-3, ... that is not there yet."""
    numbered = (folder.with_name(f"{folder.name}-{number}") for number in count(2))
    return next(path for path in chain([folder], numbered) if not path.exists())
