"""Words as vectors of meanings: WordNet's database files (Debian package `wordnet-base`).

A word has one coordinate for each synset: 1 for its own senses, 1/2 for the senses next to them (more general
and more special ones, parts, similar and derived ones). Cosines of these vectors are the relation. Inflected
words have the senses of their base forms, by WordNet's own rules (morphy).

Fellbaum (ed.), WordNet: An Electronic Lexical Database, MIT Press 1998; file formats: wndb(5WN).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FOLDER = Path("/usr/share/wordnet")
KINDS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
NEAR = frozenset(["@", "@i", "~", "~i", "#m", "#s", "#p", "%m", "%s", "%p", "&", "+", "\\", ";c", "-c"])
NEAR_WEIGHT = 0.5
ENDINGS = {
    "n": [
        *(("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z")),
        *(("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y")),
    ],
    "v": [
        *(("s", ""), ("ies", "y"), ("es", "e"), ("es", "")),
        *(("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    ],
    "a": [("er", ""), ("est", ""), ("er", "e"), ("est", "e")],
    "r": [],
}

Synset = tuple[str, int]  # kind and place in its file


def read(folder: Path, place: Mapping[str, int]) -> tuple[NDArray[np.int64], "csr_array"]:
    """Places and sparse vectors of the words in `place` that WordNet knows."""
    from scipy.sparse import csr_array

    missing = [name for name in KINDS.values() if not (folder / f"data.{name}").is_file()]
    if missing:
        raise InputError(
            f"expected WordNet's files in {folder}, got no data.{missing[0]}; install Debian's wordnet-base "
            "or name the folder that has them"
        )
    senses = _senses(folder, place)
    if not senses:
        raise InputError(f"no word of the vocabulary is in the WordNet of {folder}; it knows English only")
    near = _links(folder, {synset for own in senses.values() for synset in own})
    coordinate: dict[Synset, int] = defaultdict(lambda: len(coordinate))
    rows, columns, values = [], [], []
    for row, at in enumerate(sorted(senses)):
        own = senses[at]
        around = {next_to for synset in own for next_to in near.get(synset, ())} - own
        weighted = [(synset, 1.0) for synset in own] + [(synset, NEAR_WEIGHT) for synset in around]
        for synset, weight in sorted(weighted):
            rows.append(row)
            columns.append(coordinate[synset])
            values.append(weight)
    shape = (len(senses), len(coordinate))
    return np.array(sorted(senses), np.int64), csr_array((values, (rows, columns)), shape=shape)


def _senses(folder: Path, place: Mapping[str, int]) -> dict[int, set[Synset]]:
    """Synsets of each word, by its place, through its base forms."""
    senses: dict[int, set[Synset]] = defaultdict(set)
    for kind, name in KINDS.items():
        bases: dict[str, set[int]] = defaultdict(set)
        exceptions = _exceptions(folder / f"{name}.exc")
        for word, at in place.items():
            for base in (word, *exceptions.get(word, ()), *_endings(word, kind)):
                bases[base].add(at)
        for lemma, synsets in _index(folder / f"index.{name}", kind):
            for at in bases.get(lemma, ()):
                senses[at].update(synsets)
    return dict(senses)


def _endings(word: str, kind: str) -> Iterator[str]:
    for ending, base in ENDINGS[kind]:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            yield word.removesuffix(ending) + base


def _exceptions(path: Path) -> dict[str, list[str]]:
    if not path.is_file():
        return {}
    lines = (line.split() for line in path.read_text("utf-8").splitlines())
    return {parts[0]: parts[1:] for parts in lines if len(parts) > 1}


def _index(path: Path, kind: str) -> Iterator[tuple[str, list[Synset]]]:
    """Each lemma of one word with its synsets."""
    for line in _entries(path):
        parts = line.split()
        if "_" not in parts[0]:
            yield parts[0], [(kind, int(offset)) for offset in parts[len(parts) - int(parts[2]) :]]


def _links(folder: Path, wanted: set[Synset]) -> dict[Synset, set[Synset]]:
    """The synsets next to each wanted one."""
    near: dict[Synset, set[Synset]] = {}
    for kind, name in KINDS.items():
        for line in _entries(folder / f"data.{name}"):
            parts = line.partition("|")[0].split()
            synset = kind, int(parts[0])
            if synset in wanted:
                first = 5 + 2 * int(parts[3], 16)
                pointers = zip(parts[first::4], parts[first + 1 :: 4], parts[first + 2 :: 4], strict=False)
                near[synset] = {
                    ("a" if other == "s" else other, int(offset))
                    for symbol, offset, other in pointers
                    if symbol in NEAR
                }
    return near


def _entries(path: Path) -> Iterator[str]:
    """The lines after the license, which is indented."""
    with path.open(encoding="utf-8") as file:
        yield from (line for line in file if not line.startswith("  "))
