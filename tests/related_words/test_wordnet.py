"""WordNet's files: a few entries in its format, with inflections and links."""

from __future__ import annotations

from pathlib import Path

import pytest

from fedtopics import related_words
from fedtopics.errors import InputError

LICENSE = "  1 This software and database is being provided to you, the LICENSEE\n"
FILES = {
    "data.noun": (
        "00000100 04 n 02 tax 0 revenue_enhancement 0 002 @ 00000300 n 0000 + 00000100 v 0101 | charge\n"
        "00000200 04 n 01 war 0 001 ! 00000400 n 0101 | fighting\n"
        "00000300 04 n 01 levy 0 001 ~ 00000100 n 0000 | a charge imposed\n"
        "00000400 04 n 01 peace 0 001 ! 00000200 n 0101 | no war\n"
        "00000500 04 n 01 mouse 0 000 | animal\n"
    ),
    "index.noun": (
        "levy n 1 1 ~ 1 0 00000300\nmouse n 1 0 1 0 00000500\npeace n 1 1 ! 1 0 00000400\n"
        "revenue_enhancement n 1 1 @ 1 0 00000100\ntax n 1 2 @ + 1 0 00000100\nwar n 1 1 ! 1 0 00000200\n"
    ),
    "noun.exc": "mice mouse\n",
    "data.verb": "00000100 30 v 01 tax 0 001 + 00000100 n 0101 01 + 08 00 | levy a tax on\n",
    "index.verb": "tax v 1 1 + 1 0 00000100\n",
    "data.adj": "",
    "index.adj": "",
    "data.adv": "",
    "index.adv": "",
}
WORDS = ("tax", "taxes", "taxed", "levy", "war", "peace", "mice", "mouse", "zzz")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content if name.endswith(".exc") else LICENSE + content)
    return tmp_path


def test_words_of_one_meaning_and_of_neighboring_ones_are_related(folder: Path) -> None:
    relation = related_words.load(folder, WORDS)
    weight = {
        (one, other): relation.weights[WORDS.index(one), WORDS.index(other)]
        for one in WORDS
        for other in WORDS
    }
    assert relation.n_known == len(WORDS) - 1
    assert weight["tax", "taxes"] == pytest.approx(1, abs=1e-6)
    assert weight["mice", "mouse"] == pytest.approx(1, abs=1e-6)
    assert weight["tax", "taxed"] > weight["tax", "levy"] > 0.2
    assert weight["war", "peace"] == 0  # opposites are no neighbors
    assert weight["war", "tax"] == 0
    assert weight["zzz", "zzz"] == 1


def test_a_folder_without_the_files_and_a_foreign_vocabulary_are_refused(folder: Path) -> None:
    with pytest.raises(InputError, match="no word of the vocabulary is in the WordNet"):
        related_words.load(folder, ("impôt", "guerre"))
    (folder / "data.verb").unlink()
    with pytest.raises(InputError, match=r"got no data\.verb; install Debian's wordnet-base"):
        related_words.load(folder, WORDS)
