"""Public word lists that come with the package: the most frequent words of a language, without stop words.

`english-20000` are the 20,000 most frequent of English. No document of a party went into them, so that their
words cost no privacy. They are made from wordfreq (Robyn Speer, 2022) by `tools/word_lists.py` and are under
its license, CC BY-SA 4.0; docs/how-to/word-lists.md says what wordfreq is made from.
"""

import lzma
import re
from functools import cache
from pathlib import Path

from fedtopics.errors import InputError

CODES = {
    "czech": "cs",
    "dutch": "nl",
    "english": "en",
    "french": "fr",
    "german": "de",
    "italian": "it",
    "polish": "pl",
    "portuguese": "pt",
    "russian": "ru",
    "spanish": "es",
    "swedish": "sv",
    "ukrainian": "uk",
}
MOST = 50_000
USUAL = 20_000  # words of a list where no number is said
_NAME = re.compile(r"([a-z]+)-(\d{1,9})")


def is_name(name: object) -> bool:
    """Whether this is a word list by its name, not a file.

    >>> is_name("english-20000"), is_name("german-5000"), is_name("words.txt"), is_name("klingon-100")
    (True, True, False, False)
    """
    found = _NAME.fullmatch(name) if isinstance(name, str) else None
    return found is not None and found[1] in CODES


def words(name: str) -> tuple[str, ...]:
    """The words of a list, such as english-20000, the most frequent first.

    >>> len(words("english-20000")), "harvest" in words("english-5000"), words("german-100")[0].isalpha()
    (20000, False, True)
    """
    language, _, number = name.partition("-")
    if not is_name(name) or not 2 <= int(number) <= MOST:
        known = ", ".join(CODES)
        raise InputError(
            f"expected a word list such as english-20000, at most {MOST:,} words, got {name!r:.60}; "
            f"languages: {known}"
        )
    found = _all(language)
    if int(number) > len(found):
        raise InputError(f"expected at most {len(found):,} words of {language}, got {name}")
    return found[: int(number)]


def code(name: str) -> str:
    """The ISO 639-1 code of a list's language.

    >>> code("german-5000")
    'de'
    """
    return CODES[name.partition("-")[0]]


def usual(language: str, number: int = USUAL) -> str | None:
    """The list of this `number` of words for a language (ISO 639-1 code), or several; None: there is none.

    >>> usual("en"), usual("de+en"), usual("ja")
    ('english-20000', 'german-10000+english-10000', None)
    """
    codes = language.split("+")
    names = {code: name for name, code in CODES.items()}
    if not set(codes) <= names.keys():
        return None
    return "+".join(f"{names[code]}-{number // len(codes)}" for code in codes)


@cache
def _all(language: str) -> tuple[str, ...]:
    path = Path(__file__).parent / f"{language}.txt.xz"
    try:
        return tuple(lzma.decompress(path.read_bytes()).decode().split())
    except (OSError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the word list {path}: {error}; install fedtopics again") from None
