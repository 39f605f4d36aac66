"""Make the public word lists that come with the package (docs/how-to/word-lists.md).

    python -m venv lists && lists/bin/pip install wordfreq==3.1.1 .
    lists/bin/python tools/word_lists.py src/fedtopics/documents/text/word_lists

A list holds the most frequent words of a language by wordfreq (Robyn Speer, 2022: Wikipedia, subtitles, news,
books, web pages, Reddit and Twitter up to 2021; data under CC BY-SA 4.0), the most frequent first, as this
package cuts words: in lower case, two letters or more, no digits; stop words are left out. The same version
gives the same files, byte for byte.
"""

import argparse
import lzma
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from wordfreq import iter_wordlist

from fedtopics.documents.text.stop_words import stop_words_for
from fedtopics.documents.text.tokens import tokenizer_for
from fedtopics.documents.text.word_lists import CODES, MOST

PRESET = 9 | lzma.PRESET_EXTREME


def words(language: str) -> Iterator[str]:
    """The words of a language (ISO 639-1) that make its list, the most frequent first."""
    stop_words, cut = stop_words_for(language), tokenizer_for(language)
    seen = set()
    for found in iter_wordlist(language, "large"):
        word = found.replace("’", "'")
        letters = word.replace("'", "").replace("\u200c", "")
        fits = letters.isalpha() and len(letters) > 1 and word not in stop_words and cut(word) == [word]
        if fits and word not in seen:
            seen.add(word)
            yield word


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    for name, code in CODES.items():
        chosen = list(islice(words(code), MOST))
        content = lzma.compress("".join(f"{word}\n" for word in chosen).encode(), preset=PRESET)
        (folder / f"{name}.txt.xz").write_bytes(content)
        print(f"{name}: {len(chosen):,} words, {len(content):,} bytes")


if __name__ == "__main__":
    main()
