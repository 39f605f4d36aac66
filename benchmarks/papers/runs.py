"""One run of a method, scored round by round."""

from __future__ import annotations

from typing import Any

from benchmarks.watching import Watched
from fedtopics import methods
from fedtopics.evaluation.coherence import umass
from fedtopics.evaluation.cooccurrence import cooccurrences
from fedtopics.evaluation.perplexity import perplexity
from fedtopics.protocol import in_process
from fedtopics.runs.preparing import Data


def run(data: Data, name: str, seed: int, *, every: int = 1, **settings: Any) -> dict[str, Any]:
    """Perplexity by round (every so many), of the parties' own models and of the last; bytes; UMass."""
    watched = Watched(methods.make(name, **settings), data.test, every=every)
    outcome = in_process.run(watched, data.parties, seed=seed, n_threads=1)  # type: ignore[arg-type]
    local = {party: perplexity(model, data.test) for party, model in outcome.local_models.items()}
    result: dict[str, Any] = {
        "by_round": watched.perplexities,
        "local": local,
        "bytes": sum(entry.bytes_up + entry.bytes_down for entry in outcome.rounds),
        "perplexity": min(local.values()) if outcome.model is None else perplexity(outcome.model, data.test),
    }
    if outcome.model is not None:
        counts = cooccurrences(outcome.model.top_words(10, by="probable"), data.train)
        result |= {"umass": float(umass(counts).mean()), "n_topics": outcome.model.n_topics}
    return result
