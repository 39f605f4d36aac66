"""Whether a model is worth a federation: it must beat what the best party has by itself."""

from collections.abc import Sequence
from dataclasses import replace

from fedtopics.documents import lengths
from fedtopics.evaluation.perplexity import perplexity
from fedtopics.methods.alone import Alone
from fedtopics.protocol import in_process
from fedtopics.runs.preparing import Data
from fedtopics.runs.run import Run

ALONE = "alone"


def all_told(runs: Sequence[Run]) -> list[Run]:
    """The `runs`, each with that warning where one of `alone` with its seed is among them and does better."""
    return [told(run, reached(runs, run.record["seed"])) for run in runs]


def told(run: Run, alone: float | None) -> Run:
    """The `run` with a warning where a party `alone`, by this perplexity, does as well; itself where not."""
    reached = run.record["scores"].get("perplexity")
    if alone is None or reached is None or run.record["method"] == ALONE or reached < alone:
        return run
    said = (
        f"the best party alone does better, without sending anything (perplexity {alone:,.0f}, this model "
        f"{reached:,.0f}): take fewer words, fewer topics or more text, with noise a larger epsilon, or no "
        "federation"
    )
    return replace(run, record=run.record | {"warnings": [*run.record.get("warnings", []), said]})


def reached(runs: Sequence[Run], seed: int) -> float | None:
    """The perplexity of the best party alone with this `seed`; None where no such run is among the `runs`."""
    records = [run.record for run in runs if (run.record["method"], run.record["seed"]) == (ALONE, seed)]
    return records[0]["scores"]["perplexity"] if records else None


def compared(run: Run, data: Data, texts: str, *, seed: int, n_threads: int | None = None) -> Run:
    """The `run` on `data` with that warning, once every party has trained by itself: on short `texts` only.

    There it is quick, and noise most likely to be worse than no federation.
    """
    if (
        not (lengths.is_short(texts) and data.test.n_docs)
        or run.record["method"] == ALONE
        or len(data.parties) < 2
    ):
        return run
    method = Alone(n_topics=run.record["settings"]["n_topics"])
    found = in_process.run(method, data.parties, seed=seed, n_threads=n_threads or 1).local_models
    return told(run, min(perplexity(model, data.test) for model in found.values()))
