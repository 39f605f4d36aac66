"""Vectors of the wheel `wordllama` (the extra `vectors`): 32,000 tokens, of which 10,000 are English words.

Words have the vector of their token, or of the one with a capital (Soviet). A word of several tokens has
none: their mean relates it to whatever shares one of them (rain, racial). The wheel's files are read, and its
code is not run:

    tokenizers/*.json        as the library `tokenizers` stores it: {"model": {"vocab": {token: row}}}; a
                             token that begins a word starts with U+2581
    weights/*.safetensors    `embedding.weight`, a row for each token
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError

PACKAGE, NAME = "wordllama", "wordllama"
TABLE, BEGINS_WORD = "embedding.weight", "\u2581"
INSTALL = "`pip install 'fedtopics[vectors]'`"


def folder() -> Path | None:
    """Where the wheel's files are; None where it is not installed."""
    found = find_spec(PACKAGE)
    locations = found.submodule_search_locations if found else None
    return Path(next(iter(locations))) if locations else None


def table() -> Path:
    """The file of the vectors."""
    return _only("weights/*.safetensors")


def read(place: Mapping[str, int]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Places and vectors of the words in `place` that are one token."""
    from safetensors import SafetensorError, safe_open

    tokenizer = _only("tokenizers/*.json")
    try:
        rows: dict[str, int] = json.loads(tokenizer.read_text("utf-8"))["model"]["vocab"]
        tokens = {at: (BEGINS_WORD + word, BEGINS_WORD + word.capitalize()) for word, at in place.items()}
        pairs = sorted(
            (at, rows[next(token for token in both if token in rows)])
            for at, both in tokens.items()
            if not rows.keys().isdisjoint(both)
        )
        with safe_open(table(), "numpy") as stored:
            vectors: NDArray[np.float32] = stored.get_tensor(TABLE).astype(np.float32)
    except (ValueError, KeyError, TypeError, SafetensorError) as error:
        raise InputError(
            f"expected a tokenizer and a table of vectors in {tokenizer.parents[1]}, got {error!r}; "
            f"install it again: {INSTALL}"
        ) from None
    if not pairs:
        raise InputError(f"no word of the vocabulary is a token of {NAME}; it knows English in lower case")
    known, chosen = (np.array(column, np.int64) for column in zip(*pairs, strict=True))
    return known, vectors[chosen]


def _only(pattern: str) -> Path:
    files = folder()
    if files is None:
        raise InputError(f"{NAME} is not installed; {INSTALL} brings it")
    found = sorted(files.glob(pattern))
    if not found:
        raise InputError(f"expected {pattern} in {files}, got none; install it again: {INSTALL}")
    return found[0]
