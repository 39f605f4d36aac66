"""Which words of general English are near each other: public knowledge that comes with the package.

`general_english.npz` holds a vector of small whole numbers for each word, made by `tools/general_english.py`
from public texts alone: Wikipedia (CC BY-SA 3.0), MedQuAD (CC BY 4.0), FOLDOC and the Linux Documentation
Project (GNU FDL) and others; docs/how-to/general-english.md lists all. It has seen no document of a party.
"""

import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError

FILE = Path(__file__).with_suffix(".npz")


def vectors(vocabulary: Sequence[str]) -> NDArray[np.int8]:
    """A vector for each word of a `vocabulary`, zero where it is not known.

    >>> doctor, nurse, galaxy = vectors(["doctor", "nurse", "galaxy"]).astype(float)
    >>> bool(doctor @ nurse > doctor @ galaxy)
    True
    """
    place, known = _known(FILE)
    found = np.zeros((len(vocabulary), known.shape[1]), np.int8)
    for number, word in enumerate(vocabulary):
        if word in place:
            found[number] = known[place[word]]
    return found


@cache
def _known(path: Path) -> tuple[dict[str, int], NDArray[np.int8]]:
    """Places of the words, and their vectors."""
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            words, table = file["words"].tobytes().decode().split("\n"), file["vectors"]
    except (OSError, EOFError, KeyError, ValueError, BadZipFile, zlib.error) as error:
        raise InputError(f"cannot read the word vectors {path}: {error}; install fedtopics again") from None
    if table.dtype != np.int8 or table.ndim != 2 or table.shape[1] != len(words):
        raise InputError(
            f"expected small whole numbers for {len(words)} words in {path}, got {table.dtype} of shape "
            f"{table.shape}; install fedtopics again"
        )
    return {word: number for number, word in enumerate(words)}, np.ascontiguousarray(table.T)
