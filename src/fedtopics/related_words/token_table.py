"""Vectors of the wheel `wordllama` (the extra `vectors`): 32,000 tokens, of which 10,000 are English words.

A word has the vector of its token, or of the one with a capital (Soviet). Any other has the mean of the
longest tokens that it consists of, from left to right. The wheel's files are read, and its code is not run:

    tokenizers/*.json        as the library `tokenizers` stores it: {"model": {"vocab": {token: row}}}; a
                             token that begins a word starts with U+2581
    weights/*.safetensors    `embedding.weight`, a row for each token
"""

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
    return _only("weights/*.safetensors")


def read(place: Mapping[str, int]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Places and vectors of the words in `place` that consist of tokens."""
    from safetensors import SafetensorError, safe_open

    tokenizer = _only("tokenizers/*.json")
    try:
        row_of: dict[str, int] = json.loads(tokenizer.read_text("utf-8"))["model"]["vocab"]
        with safe_open(table(), "numpy") as stored:
            vectors: NDArray[np.float32] = stored.get_tensor(TABLE).astype(np.float32)
        tokens = {at: _tokens(word, row_of) for word, at in place.items()}
        means = {at: vectors[rows].mean(axis=0) for at, rows in tokens.items() if rows}
    except (ValueError, KeyError, TypeError, IndexError, SafetensorError) as error:
        raise InputError(
            f"expected a tokenizer and a table of vectors in {tokenizer.parents[1]}, got {error!r}; "
            f"install it again: {INSTALL}"
        ) from None
    if not means:
        raise InputError(f"no word of the vocabulary consists of tokens of {NAME}; it knows English")
    known = np.array(sorted(means), np.int64)
    return known, np.stack([means[at] for at in known.tolist()])


def _tokens(word: str, row_of: Mapping[str, int]) -> list[int]:
    """Rows of the tokens of a word; none where a part of it is not a token."""
    for whole in (BEGINS_WORD + word, BEGINS_WORD + word.capitalize()):
        if whole in row_of:
            return [row_of[whole]]
    rest, rows = BEGINS_WORD + word, []
    while rest:
        size = next((size for size in range(len(rest), 0, -1) if rest[:size] in row_of), 0)
        if not size:
            return []
        rows.append(row_of[rest[:size]])
        rest = rest[size:]
    return rows


def _only(pattern: str) -> Path:
    files = folder()
    if files is None:
        raise InputError(f"{NAME} is not installed; {INSTALL} brings it")
    found = sorted(files.glob(pattern))
    if not found:
        raise InputError(f"expected {pattern} in {files}, got none; install it again: {INSTALL}")
    return found[0]
