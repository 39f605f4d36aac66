"""Words of several languages tied by a public dictionary: a file of translations.

The first line names two languages, or more, by their codes; each other line has words that translate each
other, with tabs between, and may leave some out:

    en<TAB>de
    tax<TAB>steuer
    harvest<TAB>ernte

In a vocabulary such words stand with their languages, "de:steuer".
"""

import re
from itertools import combinations
from pathlib import Path
from typing import Any

from fedtopics.errors import InputError

_CODE = re.compile(r"[a-z]{2,3}")


def is_dictionary(path: Path) -> bool:
    """Whether the first line of a file names languages."""
    try:
        with path.open(encoding="utf-8") as file:
            return _codes(file.readline(200)) is not None
    except (OSError, UnicodeDecodeError):
        return False


def weights(path: Path, place: dict[str, int]) -> Any:
    """1 for each two words of the vocabulary that translate each other, as a sparse matrix.

    place   the place of each word of the vocabulary
    """
    rows: list[int] = []
    columns: list[int] = []
    with path.open(encoding="utf-8") as file:
        codes = _codes(file.readline(200)) or []
        for number, line in enumerate(file, start=2):
            words = line.rstrip("\r\n").split("\t")
            if len(words) > len(codes):
                got = f"{len(words)} at {path}, line {number}"
                raise InputError(f"expected {len(codes)} words with tabs between, got {got}")
            named = [f"{code}:{word.strip().lower()}" for code, word in zip(codes, words, strict=False)]
            found = [place[word] for word in named if word in place]
            for one, other in combinations(found, 2):
                rows += [one, other]
                columns += [other, one]
    if not rows:
        raise InputError(
            f"expected translations of words of the vocabulary, got none in {path}; words of documents with "
            "languages stand with these, as de:steuer"
        )
    from scipy.sparse import csr_array

    matrix = csr_array(([1.0] * len(rows), (rows, columns)), shape=(len(place), len(place)))
    matrix.sum_duplicates()
    matrix.data[:] = 1.0
    return matrix


def _codes(line: str) -> list[str] | None:
    codes = line.strip().split("\t")
    return codes if len(codes) > 1 and all(map(_CODE.fullmatch, codes)) else None
