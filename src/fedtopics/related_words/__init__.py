"""Global semantic consistency: related words, from public sources alone, pull topics together at the server.

`load` reads a source and gives the `RelatedWords` of a vocabulary. Nothing here sees a document: a source
must be public, since whatever it knows of the parties' documents leaves with the topics, unpriced. Vectors
trained on those documents are a leak.
"""

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics import files
from fedtopics.errors import InputError
from fedtopics.related_words import dictionary, token_table, vector_files, wordnet
from fedtopics.related_words.related import N_NEIGHBORS, RelatedWords, from_matrix, from_vectors

__all__ = ["RelatedWords", "from_matrix", "from_vectors", "load"]
TAU = 0.1


def load(source: Any, vocabulary: Sequence[str], *, n_neighbors: int = N_NEIGHBORS) -> RelatedWords:
    """The relation of the words of a `vocabulary` by `source`, each with its `n_neighbors` nearest.

    "wordllama"  the token table of the wheel of that name (the extra `vectors`)
    "wordnet"    Debian's wordnet-base
    "default"    the first of these two that is installed
    a path       word vectors (see `vector_files`), a dictionary of several languages (see `dictionary`), a
                 folder of WordNet's files, or weights of your own as scipy's sparse .npz, in the order of the
                 vocabulary
    a matrix     weights of your own; a `RelatedWords` is taken as it is
    """
    if isinstance(source, RelatedWords):
        return source
    if not isinstance(source, str | PathLike):
        return from_matrix(source, len(vocabulary))
    if source == "default":
        source = _installed()
    path = Path(source)
    if path.suffix == ".npz" and path.is_file():
        relation = from_matrix(_stored(path), len(vocabulary), path.name)
    elif path.is_file() and dictionary.is_dictionary(path):
        place = {word: number for number, word in enumerate(vocabulary)}
        relation = from_matrix(dictionary.weights(path, place), len(vocabulary), path.name)
    else:
        known, vectors = _vectors(path, {word: number for number, word in enumerate(vocabulary)})
        relation = from_vectors(vectors, known, len(vocabulary), n_neighbors)
    content = token_table.table() if str(path) == token_table.NAME else path
    return replace(relation, source=path.name, sha256=files.digest(content) if content.is_file() else "")


def _vectors(path: Path, place: dict[str, int]) -> tuple[NDArray[np.int64], Any]:
    """Places of the words that the source knows, and a vector for each."""
    if str(path) == token_table.NAME:
        return token_table.read(place)
    if str(path) == "wordnet":
        return wordnet.read(wordnet.FOLDER, place)
    if not path.exists():
        shown = path if len(str(path).split()) < 4 else "of this name"  # which may be a document
        raise InputError(
            f"no file or folder {shown}, and no word relation of that name; there are wordllama, wordnet and "
            "default"
        )
    if path.is_dir():
        return wordnet.read(path, place)
    files.check_regular(path)
    return vector_files.read(path, place)


def _installed() -> str:
    if token_table.folder() is not None:
        return token_table.NAME
    if wordnet.FOLDER.is_dir():
        return "wordnet"
    raise InputError(
        f"no word relation is installed; {token_table.INSTALL} or `apt install wordnet-base` brings one, "
        "or name a file of word vectors"
    )


def _stored(path: Path) -> Any:
    from scipy.sparse import load_npz

    try:
        return load_npz(path)
    except (ValueError, OSError, KeyError) as error:
        raise InputError(f"expected scipy's sparse .npz, got {path}: {error}") from None
