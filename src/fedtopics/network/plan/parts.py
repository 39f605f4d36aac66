"""The tables of a plan: its words, its texts, its scores."""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from fedtopics import files
from fedtopics.documents.text.languages import BETWEEN, several
from fedtopics.documents.text.preparation import lines_of, read_vocabulary
from fedtopics.documents.text.stop_words import stop_words_for
from fedtopics.documents.text.words import MOST as MOST_WORDS
from fedtopics.documents.text.words import word_digest
from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.calibration import calibrate
from fedtopics.privacy.mechanisms.clipped_sum import ClippedSum
from fedtopics.privacy.price.cost import Cost
from fedtopics.privacy.price.events import check_delta
from fedtopics.privacy.words import Agreement
from fedtopics.protocol.method import Method
from fedtopics.related_words import TAU, RelatedWords, load
from fedtopics.related_words.related import check_tau

RUN = re.compile(r"[a-z0-9][a-z0-9-]{0,40}")  # the name of one, as its coordinator gives it
WORD_LIST = "words.txt"  # beside every plan with a public list, under no other name
RELATION = re.compile(r"relation(\.[a-z0-9]{1,8}){0,2}")  # beside the coordinator's plan, under such a name
SCORE_RESOLUTION = 2**12
MOST_DELTA = 1e-3  # that any promise may fail with


@dataclass(frozen=True)
class PlannedWords:
    """Where the vocabulary comes from: a public file, known by its hash, or a private agreement."""

    mode: str
    file: str | None = None  # public: words.txt, beside the plan, one word per line
    sha256: str | None = None  # public: of the words, one per line
    n_words: int | None = None  # public
    epsilon: float | None = None  # private: document add/remove
    delta: float | None = None  # private
    max_size: int | None = None  # private: the most words that are kept
    min_parties: int | None = None  # private: that must hold a word

    def __post_init__(self) -> None:
        wanted = {"public": ("file", "sha256", "n_words"), "private": ("epsilon", "delta", "max_size")}
        if self.mode not in wanted:
            raise InputError(f"vocabulary.mode must be public or private, got {self.mode!r}")
        allowed = (*wanted[self.mode], *(("min_parties",) if self.mode == "private" else ()))
        given = {key for key, value in vars(self).items() if value is not None and key != "mode"}
        for key in sorted(given - set(allowed)):
            raise InputError(f"vocabulary.{key} has no meaning where the mode is {self.mode}; leave it out")
        for key in wanted[self.mode]:
            if key not in given:
                raise InputError(f"vocabulary.{key} is missing; the mode {self.mode} needs it")
        if self.file not in (None, WORD_LIST):
            raise InputError(f"vocabulary.file must be {WORD_LIST}, got {self.file!r:.60}; call the list so")
        if not 2 <= self.most_words <= MOST_WORDS:
            raise InputError(
                f"a vocabulary needs at least 2 words, at most {MOST_WORDS:,}, got {self.most_words}"
            )
        check_small_delta("vocabulary.delta", self.delta or 0.0)
        self.agreement(20)

    @classmethod
    def of_file(cls, source: str | Path) -> "PlannedWords":
        """A public list, by its name or as its file is now."""
        words = read_vocabulary(source)
        return cls("public", WORD_LIST, word_digest(words), len(words))

    @property
    def most_words(self) -> int:
        """The number of words, or the most that there may be."""
        return (self.n_words if self.mode == "public" else self.max_size) or 0

    def agreement(self, n_parties: int) -> Agreement | None:
        """How this many parties agree; None where the list is public."""
        if self.epsilon is None or self.delta is None:
            return None
        least = min(2, n_parties) if self.min_parties is None else self.min_parties
        return Agreement(self.epsilon, self.delta, min_parties=least, max_size=self.max_size)

    def read(self, folder: Path) -> tuple[str, ...] | None:
        """The public words beside the plan, if they are those of the plan."""
        if self.file is None:
            return None
        return self.checked(read_vocabulary(folder / WORD_LIST), folder / WORD_LIST)

    def parse(self, content: bytes, path: Path) -> tuple[str, ...]:
        """The public words in the content of a file, if they are those of the plan."""
        return self.checked(read_vocabulary(lines_of(content, path)), path)

    def checked(self, words: tuple[str, ...], path: Path) -> tuple[str, ...]:
        """The words that were read from `path`, if they are those of the plan."""
        if len(words) != self.n_words or word_digest(words) != self.sha256:
            raise InputError(
                f"{path} is not the word list of this plan (another run's, or edited); "
                f"expected {self.n_words} words with hash {self.sha256}, got {len(words)} others"
            )
        return words


@dataclass(frozen=True)
class Continues:
    """The finished run whose model the runs of a plan go on from: its words are the first of the list."""

    run: str
    model_sha256: str  # of the numbers of its model
    n_words: int
    n_topics: int

    def __post_init__(self) -> None:
        if not RUN.fullmatch(self.run):
            raise InputError(f"continues.run must be the name of a run, got {self.run!r:.60}")
        if not 2 <= self.n_words <= MOST_WORDS:
            raise InputError(f"continues.n_words must lie between 2 and {MOST_WORDS:,}, got {self.n_words}")

    def check(self, method: Method, vocabulary: PlannedWords) -> None:
        """Refuse what cannot go on from a model of these words and topics."""
        if vocabulary.mode != "public" or vocabulary.most_words < self.n_words:
            raise InputError(
                f"a plan that continues {self.run} needs a public list that begins with its {self.n_words} "
                "words; make it with `fedtopics federation go-on`"
            )
        if method.goes_on and method.n_topics < self.n_topics:
            raise InputError(
                f"n_topics must be at least the {self.n_topics} of {self.run}, got {method.n_topics}"
            )


@dataclass(frozen=True)
class Texts:
    """How every party turns its texts into words."""

    language: str = "en"
    stop_words: bool = True

    def __post_init__(self) -> None:
        codes = several(self.language) or (self.language,)
        object.__setattr__(self, "language", BETWEEN.join(sorted(set(codes))))  # one plan in any order
        for language in codes:
            stop_words_for(language)  # refuses a language that nobody knows


@dataclass(frozen=True)
class PlannedRelation:
    """The public word relation that the coordinator draws topics towards: a dictionary, or word vectors."""

    file: str  # relation.*, beside the coordinator's plan
    sha256: str
    tau: float = TAU

    def __post_init__(self) -> None:
        if not RELATION.fullmatch(self.file):
            raise InputError(f"consistency.file must be relation.*, got {self.file!r:.60}; call the file so")
        check_tau(self.tau)

    @classmethod
    def of_file(cls, source: Path, tau: float | None = None) -> "PlannedRelation":
        """The relation in a file as it is now."""
        name = "".join(("relation", *source.suffixes[-2:])).lower()
        name = name if RELATION.fullmatch(name) else f"relation{source.suffix.lower()}"
        return cls(name, _digest(source), TAU if tau is None else tau)

    def load(self, folder: Path, words: tuple[str, ...]) -> RelatedWords:
        """The relation of these words, by the file beside the plan, if it is that of the plan."""
        self.check(folder)
        return load(folder / self.file, words)

    def check(self, folder: Path) -> None:
        """Refuse a folder without the file of the plan."""
        path = folder / self.file
        if _digest(path) != self.sha256:
            raise InputError(f"expected the relation of the plan in {path}, got another file; put it back")


def _digest(path: Path) -> str:
    try:
        return files.digest(path)
    except OSError as error:
        raise InputError(f"cannot read the word relation {path}: {error.strerror}; give a file") from None


@dataclass(frozen=True)
class Evaluation:
    """How the model is scored: on public documents of the coordinator, or privately on each party's own."""

    mode: str = "none"
    test_fraction: float | None = None  # private: share of each party's documents, left out of training
    epsilon: float | None = None  # private: document add/remove
    delta: float | None = None  # private

    def __post_init__(self) -> None:
        if self.mode not in ("none", "public", "private"):
            raise InputError(f"evaluation.mode must be none, public or private, got {self.mode!r}")
        for key in ("test_fraction", "epsilon", "delta"):
            if (getattr(self, key) is not None) != (self.mode == "private"):
                needs = "needs" if self.mode == "private" else "does not take"
                raise InputError(f"evaluation.{key}: the mode {self.mode} {needs} it")
        if self.test_fraction is not None and not 0 < self.test_fraction < 1:
            raise InputError(f"evaluation.test_fraction must lie in (0, 1), got {self.test_fraction}")
        check_small_delta("evaluation.delta", self.delta or 0.0)
        self.mechanism()

    def mechanism(self) -> ClippedSum | None:
        """Noisy sums of vectors of norm at most 1, one per held-out document; None where not private."""
        if self.epsilon is None or self.delta is None:
            return None
        return _score_sum(self.epsilon, self.delta)

    def prices(self) -> list[Cost]:
        mechanism = self.mechanism()
        return [] if mechanism is None else [mechanism.price()]


def check_small_delta(name: str, delta: float) -> None:
    """Refuse a delta under which even a small epsilon says nothing."""
    check_delta(delta)
    if delta > MOST_DELTA:
        raise InputError(
            f"{name} must be at most {MOST_DELTA:g}, got {delta:g}: with this chance the promise fails "
            "altogether; choose it well below 1 / documents"
        )


@lru_cache(maxsize=64)
def _score_sum(epsilon: float, delta: float) -> ClippedSum:
    multiplier = calibrate("clipped sum", "document add/remove", epsilon, delta, clip=1.0)
    return ClippedSum(multiplier, 1.0, SCORE_RESOLUTION)
