"""Raw text to words and sentences: normalization, tokenizers, sentence boundaries.

What a word is (the default tokenizer): a run of letters of any script with their combining marks, which may
hold digits ("covid19", "1990s") but is no bare number, in lower case, at least two characters long. English
keeps the apostrophe inside a word ("don't") and drops the possessive ("nation's" is "nation"); in languages
that elide ("l'homme") an apostrophe separates. Underscores and hyphens separate. HTML tags and entities are
markup, and addresses of pages ("https://..", "www.") are no words either. An emoji is a word, whatever its
color of skin; several that are joined to one are one.

Sentences come from `sentencex`. Counts seen on real text: ohsumed abstracts, 16,952 sentences in 2,000
documents (a plain full-stop rule finds 16,929); IMDB reviews, 24,576 (23,739: the plain rule misses "..."
and lower-case starts). Its one weakness: it never breaks inside an open parenthesis or quotation mark, so
that "(a) ..." or a quotation left open swallows what follows: one "sentence" of the State of the Union
speeches had 12,026 words. Sentences over 100 words are therefore split again with parentheses and quotation
marks blanked out; what is still long (up to 587 words there) is one sentence of its century.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, TypeAlias

from fedtopics.documents.text._words import Indexer, KnownWords
from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError

Tokenizer: TypeAlias = Callable[[str], list[str]]

_TAG = re.compile(
    r"</?(?:a|b|blockquote|br|code|dd|div|dl|dt|em|font|h[1-6]|hr|i|img|li|ol|p|pre|q|s|small|span|strong|sub|sup"
    r"|table|tbody|td|th|thead|tr|tt|u|ul)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});", re.IGNORECASE)
# Of ASCII alone, as native code knows it too; in lower case, where no word or name runs.
_ADDRESS = re.compile(r"(?<![\w'])(?:https?://|ftp://|www\.)[!#-;=?-~]+")
_PICTURE = (
    "[\U0001f300-\U0001f3fa\U0001f400-\U0001f64f\U0001f680-\U0001f6ff\U0001f7e0-\U0001f7f0"
    "\U0001f900-\U0001faff☀-☄☎☔☕☘☝☠☢☣☮☯☹☺♀♂♠♣♥♦♻♿⚓⚠⚡⚽⚾⛄⛅⛔⛪⛲⛳⛵⛺⛽✂✅✈-✍✔✖✨❄❌❎❓❗❣❤➕➖⭐⭕]"
)
_EMOJI = rf"(?:[\U0001f1e6-\U0001f1ff]{{2}}|{_PICTURE}(?:\u200d{_PICTURE})*)"  # flags are two letters
_LOOK = re.compile("[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]")  # how an emoji is drawn: in color, the skin
_ENCLOSING = re.compile(r"[()\[\]{}\"“”„«»‘]|(?<!\w)['’]|['’](?!\w)")
# Wide spaces before a full stop, as in "B\u00a0.", on which sentencex ends with a panic of its own.
_WIDE_SPACE = re.compile(r"[^\S\x00-\x7f](?=\s*\.)")
_LONG = 100
_BLOCK = 2**20  # characters: sentencex takes the square of a text's length
_MOST_MARKS = 30  # on one letter, as in Unicode's stream-safe text (UAX 15)
_BLANK_LINES = re.compile(r"\n\s*\n")

_ELIDING = frozenset({"ca", "fr", "it", "oc"})
_WITHOUT_SPACES = frozenset({"ja", "km", "lo", "my", "th"})


def tokenizer_for(language: str) -> Tokenizer:
    """The default tokenizer of a language (ISO 639-1 code).

    >>> tokenizer_for("en")("The Nation's 13 colonies don't re-unite; COVID19 in Málaga")
    ['the', 'nation', 'colonies', "don't", 're', 'unite', 'covid19', 'in', 'málaga']
    >>> tokenizer_for("fr")("L'homme qu'on aime 👍🏽 : https://example.org/a?b")
    ['homme', 'qu', 'on', 'aime', '👍']
    """
    if language == "zh":
        return _chinese_tokenizer()
    if language in _WITHOUT_SPACES:
        raise InputError(
            f"expected a language that writes spaces between words, or 'zh', got {quoted(language)}; "
            "give your own tokenizer= (a function from text to a list of words)"
        )
    return PlainTokenizer(language)


@dataclass(frozen=True)
class PlainTokenizer:
    """The tokenizer of a `language` that writes spaces between words."""

    language: str

    def __call__(self, text: str) -> list[str]:
        words = _words(text, apostrophes=self.language not in _ELIDING)
        if self.language == "en" and ("'" in text or "’" in text or "&" in text):
            return [word.removesuffix("'s") for word in words if word[1:] != "'s"]
        return words

    def indexer(self) -> Indexer:
        """What numbers the same words much faster, in texts of Western letters."""
        return Indexer(**self._habits)

    def known(self, vocabulary: Sequence[str]) -> KnownWords:
        """The same for the words of one `vocabulary`."""
        return KnownWords(list(vocabulary), **self._habits)

    @property
    def _habits(self) -> dict[str, bool]:
        return {"apostrophes": self.language not in _ELIDING, "possessive": self.language == "en"}


def has_markup(text: str) -> bool:
    """Whether a text may hold tags or entities of HTML."""
    return "<" in text or "&" in text


def without_markup(text: str) -> str:
    """Text with HTML tags turned into line ends and entities into their characters.

    >>> without_markup("War &amp; peace.<br />Read it")
    'War & peace.\\nRead it'
    """
    if "<" in text:
        text = _TAG.sub("\n", text)
    if "&" in text:
        text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    return text


def normalized(text: str) -> str:
    """Text without markup, in Unicode normal form C, with one kind of apostrophe and no soft hyphens.

    >>> normalized("Cafe\\u0301: it’s co\\u00adoperative")
    "Café: it's cooperative"
    """
    text = without_markup(text)
    if text.isascii():
        return text
    text = text.replace("’", "'").replace("\u00ad", "")
    # Sorting the marks of one letter takes the square of their number: a text made for it would take hours.
    return unicodedata.normalize("NFC", _thinned(text) if _piled_marks().search(text) else text)


def _words(text: str, *, apostrophes: bool) -> list[str]:
    text = _cleared(text).replace("_", " ")
    return _pattern(apostrophes=apostrophes, marks=not text.isascii()).findall(text)


def _cleared(text: str) -> str:
    """The text in lower case, without addresses of pages and with one look for each emoji."""
    text = normalized(text).lower()
    if "://" in text or "www." in text:
        text = _ADDRESS.sub(" ", text)
    return text if text.isascii() else _LOOK.sub("", text)


@cache
def _pattern(*, apostrophes: bool, marks: bool) -> re.Pattern[str]:
    """A word: starts where no word runs, holds a letter, has two characters or more; or it is an emoji."""
    letter = r"[^\W\d]"
    inside = rf"[\w{_combining_marks()}]" if marks else r"\w"
    joined = rf"(?:'{letter}{inside}*)*" if apostrophes else ""
    second = rf"(?:{inside}|'{letter})" if apostrophes else inside
    emoji = f"|{_EMOJI}" if marks else ""
    return re.compile(rf"(?<!{inside})(?:\d+{letter}|{letter}{second}){inside}*{joined}{emoji}")


@cache
def _piled_marks() -> re.Pattern[str]:
    """Finds every text with too many marks on one letter, and few others: those of rare scripts."""
    marks = "".join(letter for letter in map(chr, range(0x300, 0xD800)) if _is_mark(letter))
    marks += "".join(letter for letter in map(chr, range(0xE000, 0x10000)) if _is_mark(letter))
    return re.compile(rf"[{marks}\U00010000-\U0010ffff]{{{_MOST_MARKS + 1}}}")


def _is_mark(letter: str) -> bool:
    """Whether normalization sorts it among its neighbors, perhaps after taking it apart."""
    return unicodedata.combining(unicodedata.normalize("NFD", letter)[0]) > 0


def _thinned(text: str) -> str:
    """The text with no more marks on a letter than any script has."""
    kept, n_marks = [], 0
    for letter in text:
        n_marks = n_marks + 1 if _is_mark(letter) else 0
        if n_marks <= _MOST_MARKS:
            kept.append(letter)
    return "".join(kept)


@cache
def _combining_marks() -> str:
    """Combining marks of the basic plane and the two joiners, which Python's `\\w` leaves out."""
    marks = (chr(code) for code in range(0x300, 0xFFFF) if unicodedata.category(chr(code)) in ("Mn", "Mc"))
    return "".join(marks) + "\u200c\u200d"


def _chinese_tokenizer() -> Tokenizer:
    """Chinese words by jieba; only runs that hold a letter or a character, and emoji, count as words."""
    is_emoji = re.compile(_EMOJI).fullmatch
    try:
        import jieba
    except ImportError:
        raise InputError(
            "Chinese text needs the package jieba; install it with: pip install 'fedtopics[chinese]'"
        ) from None
    jieba.setLogLevel(60)

    def tokenize(text: str) -> list[str]:
        words = jieba.cut(_cleared(text))
        return [word for word in words if any(map(str.isalpha, word)) or is_emoji(word)]

    return tokenize


@dataclass(frozen=True)
class SentenceSplitter:
    """Cuts a text of a `language` into sentences.

    >>> SentenceSplitter("en")("The U.S. grew. Did it? (It did.)")
    ['The U.S. grew. ', 'Did it? ', '(It did.)']
    """

    language: str

    def __call__(self, text: str) -> list[str]:
        sentences: list[str] = []
        plain = without_markup(text)
        if not plain.isascii():
            plain = _WIDE_SPACE.sub(" ", plain)
        for block in _blocks(plain):
            for sentence in self._segment(self.language, block):
                sentences.extend(self._again(sentence) if sentence.count(" ") > _LONG else (sentence,))
        return sentences

    @cached_property
    def _segment(self) -> Callable[[str, str], list[str]]:
        from sentencex import segment

        return segment  # type: ignore[no-any-return]

    def _again(self, sentence: str) -> list[str]:
        from sentencex import get_sentence_boundaries

        found: list[Any] = get_sentence_boundaries(self.language, _ENCLOSING.sub(" ", sentence))
        return [sentence[part["start_index"] : part["end_index"]] for part in found]


def _blocks(text: str) -> Iterator[str]:
    """A text of ordinary size as it is, longer ones in blocks that end with a line, a sentence or a word."""
    start = 0
    while len(text) - start > _BLOCK:
        last = start + _BLOCK
        ends = (text.rfind(mark, last - _BLOCK // 16, last) + len(mark) for mark in ("\n", ". ", " "))
        end = next((end for end in ends if end > start + _BLOCK // 2), last)
        yield text[start:end]
        start = end
    yield text[start:]


def paragraphs(text: str) -> list[str]:
    """The parts of a text between blank lines.

    >>> paragraphs("One line.\\nAnother.\\n\\n  \\nA second paragraph.")
    ['One line.\\nAnother.', 'A second paragraph.']
    """
    return _BLANK_LINES.split(without_markup(text))
