"""What a round of CALM is told: counts and those before, further along their last step by momentum.

Counts travel as whole roots (`roots.py`), from which a party makes topics, or as topics ready made. The
momentum (Nesterov 1983) fades where one round moves many of the counts, as while topics form.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.methods.calm import roots
from fedtopics.protocol.told import Form, Numbers, mean_length, topics_with_sizes
from fedtopics.protocol.turn import Arrays
from fedtopics.sampling import channel_em
from fedtopics.sampling.channel_em import SizedTopics

LONG_STEP = 0.5  # share of the counts that one round moves; from here on there is no momentum


@dataclass(frozen=True)
class LookingAhead:
    """How counts are told: the form (`tells`: "roots" or "topics"), the prior `beta`, and the `momentum`."""

    tells: str
    beta: float
    momentum: float

    def told(self, state: Arrays) -> Arrays:
        """What all parties are told of the counts in `state`."""
        if self.tells == "roots":
            return {name: state[name] for name in ("roots", "before", "pace", "length")}
        topics = channel_em.maximize(self._ahead(state["counts"], state["previous"]), self.beta)
        return {"phi": topics.phi, "sizes": topics.sizes, "length": state["length"]}

    def form(self, n_words: int, n_topics: int) -> Form:
        """The form of it."""
        topics = topics_with_sizes(n_words, n_topics, self.beta)
        if self.tells == "roots":
            plane = Numbers("int32", (n_words, n_topics), most=roots.MOST)
            topics = {"roots": plane, "before": plane, "pace": Numbers("float64", (), most=1.0)}
        return topics | {"length": mean_length()}

    def noted(self, counts: NDArray[Any], state: Arrays, *, still: bool = False) -> Arrays:
        """What the server keeps to tell of new `counts`, given the `state` before; no step if `still`."""
        first = "counts" not in state
        if self.tells == "topics":
            return {"previous": counts if first or still else state["counts"]}
        now = roots.of(counts)
        if first:
            return {"roots": now, "before": now, "pace": np.array(0.0)}
        pace = 0.0 if still else self._pace(counts, counts - state["counts"])
        return {"roots": now, "before": state["roots"], "pace": np.array(pace)}

    def topics(self, told: Arrays) -> SizedTopics:
        """The topics of what is told; where those are roots, further along their last step."""
        if "phi" in told:
            return SizedTopics(told["phi"], told["sizes"])
        ahead = told["roots"] + float(told["pace"]) * (told["roots"] - told["before"])
        return channel_em.maximize(roots.to_counts(ahead), self.beta)

    def _pace(self, counts: NDArray[Any], step: NDArray[Any]) -> float:
        """The momentum; less of it while topics form and steps are long."""
        moved = np.abs(step).sum() / counts.sum()
        return self.momentum * max(0.0, 1 - float(moved) / LONG_STEP)

    def _ahead(self, counts: NDArray[Any], previous: NDArray[Any]) -> NDArray[Any]:
        """The counts, further along their last step."""
        step = counts - previous
        return np.asarray(np.maximum(counts + self._pace(counts, step) * step, 0))
