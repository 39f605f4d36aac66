"""Going on from a model: what parties have kept of its run is read again, counts stand for all the rest.

    earlier   what the model was released with: its topics, their shares, the tokens behind them
    kept      histograms, or documents, of that run that parties still have: they say how much text that is,
              and send counts of it along with those of new documents
    alone     share of the earlier counts that no party reads again: these counts stay as they are

Nothing of this costs anything: it was paid for when it was released. New documents pay for themselves.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.protocol.told import Form, Numbers
from fedtopics.protocol.turn import Arrays

EARLIER, ALONE = "earlier", "alone"
CONTINUES, KEPT = "continues", "kept_tokens"  # what parties are told and send
NEGLIGIBLE = 0.02  # share of the earlier counts


def earlier(model: TopicModel, n_topics: int) -> Arrays:
    """Counts (n_words, n_topics) behind a `model`; topics that it does not have are new and begin empty."""
    if n_topics < model.n_topics:
        raise InputError(
            f"expected at least the {model.n_topics} topics of the model to go on from, got {n_topics}; "
            "take as many, or reduce_topics of the model first"
        )
    counts = np.zeros((model.n_words, n_topics))
    counts[:, : model.n_topics] = model.counts.T
    return {EARLIER: counts, ALONE: np.array(1.0)}


def told(state: Arrays) -> Arrays:
    """What parties are told beside all else: that the run goes on from a model, where it does."""
    return {CONTINUES: np.array(1, np.int8)} if EARLIER in state else {}


def forms(usual: list[Form]) -> list[Form]:
    """The `usual` forms of what a party is told, and the same where the run goes on from a model."""
    return [*usual, *({**form, CONTINUES: Numbers("int8", (), least=1, most=1)} for form in usual)]


def sent(told: Mapping[str, Any], n_tokens: float) -> Arrays:
    """What a party sends beside all else: how much text of the run before it reads again."""
    return {KEPT: np.array(float(n_tokens))} if CONTINUES in told else {}


def begun(state: Arrays, counts: NDArray[Any]) -> NDArray[Any]:
    """Counts to begin with: those of the earlier model, and random `counts` in topics that are new."""
    if EARLIER not in state:
        return counts
    found = np.array(state[EARLIER])
    empty = found.sum(axis=0) == 0
    found[:, empty] = counts[:, empty]
    return found


def noted(state: Arrays, arrays: Arrays) -> Arrays:
    """What the server keeps: the earlier counts and the share of them that nobody has read again so far."""
    if EARLIER not in state:
        return {}
    share = max(0.0, 1 - float(arrays[KEPT]) / max(float(state[EARLIER].sum()), 1.0)) if KEPT in arrays else 1
    share = min(share, float(state[ALONE]))
    return {EARLIER: state[EARLIER], ALONE: np.array(share if share > NEGLIGIBLE else 0.0)}


def with_earlier(state: Arrays, now: Arrays, combined: Callable[[Arrays], Arrays]) -> Arrays:
    """What `combined` makes of the state of what parties send alone; what stands `alone` is added again.

    `state` is that before the round, and `now` what `noted` says in it.
    """
    if EARLIER not in state:
        return combined(state)
    found = combined(state | {"counts": state["counts"] - state[ALONE] * state[EARLIER]})
    return found | {"counts": found["counts"] + now[ALONE] * state[EARLIER]}
