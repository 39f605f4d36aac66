"""Settings of rescoring that are chosen on some sessions, for others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from fedtopics.applications.bootstrap import Floats
from fedtopics.applications.speech.rescoring import Setting, Utterance, choose, errors


def tune(
    utterances: Sequence[Utterance],
    scores: dict[tuple[str, float], list[Floats]],
    weights: Iterable[float],
) -> Setting:
    """The setting with the fewest errors on these utterances, the mildest among equals.

    scores   of every hypothesis (`adapted_scores`, less what the first pass included), by way and strength
    """
    tried: list[tuple[float, float, float, str]] = []
    for (way, strength), weight in product(scores, weights):
        wrong = errors(utterances, choose(utterances, scores[way, strength], weight))[:, 0].sum()
        tried.append((float(wrong), strength, weight, way))
    _, strength, weight, way = min(tried)
    return Setting(way, strength, weight)


def split_sessions(utterances: Sequence[Utterance], share: float, seed: int) -> NDArray[np.bool_]:
    """Which utterances are for development: whole sessions, about this share of them."""
    sessions = sorted({utterance.session for utterance in utterances})
    order = np.random.default_rng(seed).permutation(len(sessions))
    chosen = {sessions[place] for place in order[: max(1, round(share * len(sessions)))]}
    return np.array([utterance.session in chosen for utterance in utterances])
