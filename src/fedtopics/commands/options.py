"""Arguments and options that several commands share, and what they print alike."""

import inspect
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from fedtopics.documents.corpus import Corpus
from fedtopics.documents.reading import read
from fedtopics.documents.text.harmless import printable
from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.protocol.method import Method, checked
from fedtopics.protocol.summing import Summing
from fedtopics.related_words import TAU

Source = Annotated[
    str,
    typer.Argument(
        help="A built-in corpus (sotu), a file (.csv, .jsonl, .parquet, UCI docword, LDA-C; also .gz, .xz), "
        "a folder of .txt files, or a postgresql:// address (with --query).",
        show_default=False,
    ),
]
RunFolder = Annotated[
    Path, typer.Argument(metavar="DIR", help="A folder written by `fedtopics train --out`.")
]
Coordinator = Annotated[Path, typer.Argument(metavar="FOLDER", help="Of the coordinator.")]
Member = Annotated[Path, typer.Argument(metavar="FOLDER", help="Of this coordinator or party.")]
MemberOption = Annotated[Path, typer.Option("--folder", help="Of this coordinator or party.")]
TopicCount = Annotated[int, typer.Option("--topics", "-k", help="Number of topics.")]
Epsilon = Annotated[
    float | None,
    typer.Option(
        help="Privacy price of the methods that have one; its relation is printed.", show_default=False
    ),
]
Variant = Annotated[
    str | None, typer.Option(help="paper (as printed) or sound (repaired).", show_default=False)
]
Unit = Annotated[
    str | None,
    typer.Option(
        help="What is protected or released as a whole, where the method has a choice, as hush: document or "
        "person.",
        show_default=False,
    ),
]
Rounds = Annotated[int | None, typer.Option(help="Rounds of training, where not the method's own number.")]
VocabularySize = Annotated[int, typer.Option(help="Number of words of the vocabulary.")]
Delta = Annotated[float, typer.Option(help="Chance that the promise may fail, well below 1 / documents.")]
Seed = Annotated[int, typer.Option(help="Same seed, same model.")]
TestFraction = Annotated[float, typer.Option(help="Share of the documents held out for the scores.")]
Threads = Annotated[
    int | None,
    typer.Option(min=1, help="Threads (all cores if not given); the result does not depend on it."),
]
Secure = Annotated[
    bool,
    typer.Option(
        "--secure-noise",
        help="Privacy noise from the operating system instead of the seed: for models to be published.",
    ),
]
Audited = Annotated[
    bool,
    typer.Option("--audit", help="Attack the method too, with canaries in copies of some documents."),
]
Setting = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Any other setting of the method, as `fedtopics methods NAME` lists them; may be repeated.",
    ),
]
Consistency = Annotated[
    str | None,
    typer.Option(
        metavar="RELATION",
        help="Public word relation that the server draws topics towards: default, wordllama, wordnet, or a "
        "file of word vectors. Never one trained on the parties' documents.",
        show_default=False,
    ),
]
ConsistencyTau = Annotated[
    float | None,
    typer.Option(help=f"How strongly; 0: not at all; {TAU:g} if not given.", show_default=False),
]
PersonColumn = Annotated[
    str | None,
    typer.Option(help="Column with the person behind each document, who is kept whole.", show_default=False),
]
Title = Annotated[str | None, typer.Option(help="Of the page that is written.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]


@dataclass(frozen=True)
class Reading:
    """Where in SOURCE the documents are."""

    text_column: Annotated[
        str | None, typer.Option(help="Column with the text, where it is not called text.")
    ] = None
    id_column: Annotated[str | None, typer.Option(help="Column with each document's name.")] = None
    query: Annotated[str | None, typer.Option(help="SQL query, where SOURCE is a database.")] = None
    encoding: Annotated[str, typer.Option(help="Of text files.")] = "utf-8"

    def options(self) -> dict[str, Any]:
        """The options as `fedtopics.documents.reading.read` takes them."""
        return asdict(self)

    def all_words(self, source: str, model: TopicModel, **columns: Any) -> Corpus:
        """The documents in the language of a model; no word of them is left out."""
        return read(
            source,
            language=model.language or "en",
            stop_words=False,
            min_df=1,
            max_df=1.0,
            sentences=False,
            progress=None,
            **self.options(),
            **columns,
        )


@dataclass(frozen=True)
class Preparing(Reading):
    """And how its texts become words."""

    label_column: Annotated[str | None, typer.Option(help="Column with each document's label.")] = None
    vocabulary: Annotated[
        Path | None, typer.Option(help="Public word list, one word per line; other words are left out.")
    ] = None
    max_words: Annotated[int | None, typer.Option(help="Keep the most frequent words only.")] = None
    min_df: Annotated[
        float | None, typer.Option(help="Leave out words in fewer documents (a number, or a share below 1).")
    ] = None
    max_df: Annotated[
        float | None, typer.Option(help="Leave out words in more documents (a number, or a share up to 1).")
    ] = None
    stop_words: Annotated[bool, typer.Option(help="Leave out the language's stop words.")] = True
    paragraphs: Annotated[
        bool, typer.Option("--paragraphs", help="Cut texts at blank lines instead of into sentences.")
    ] = False
    language: Annotated[str, typer.Option(help="Language of the texts, as en, de, zh.")] = "en"

    def options(self) -> dict[str, Any]:
        given = super().options()
        return given | ({"sentences": "paragraphs"} if given.pop("paragraphs") else {})


@dataclass(frozen=True)
class Indexing(Preparing):
    """And who owns them."""

    party_column: Annotated[str | None, typer.Option(help="Column that names each document's party.")] = None
    person_column: PersonColumn = None

    @property
    def keeps_all(self) -> bool:
        """Whether no word is left out for how frequent it is, or for a list."""
        return (self.vocabulary, self.min_df, self.max_df, self.max_words) == (None, 1, 1, None)


@dataclass(frozen=True)
class Dealing(Indexing):
    """And how the documents are dealt to parties and a test set."""

    parties: Annotated[
        int | None,
        typer.Option(
            help="Deal the documents to this many unlike, unequal parties (3 where no column names them)."
        ),
    ] = None
    test_fraction: TestFraction = 0.1
    seed: Seed = 0
    vocabulary_epsilon: Annotated[
        float | None,
        typer.Option(help="Let the parties agree on the words at this epsilon (document add/remove)."),
    ] = None

    def options(self) -> dict[str, Any]:
        given = super().options()
        return given | {"n_parties": given.pop("parties")}


def takes(group: type[Reading], parameter: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of `group` in place of its one parameter of this name."""
    hints = get_type_hints(group, include_extras=True)
    keyword = inspect.Parameter.KEYWORD_ONLY
    added = [
        inspect.Parameter(field.name, keyword, default=field.default, annotation=hints[field.name])
        for field in fields(group)
    ]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def call(*args: Any, **given: Any) -> None:
            chosen = group(**{field.name: given.pop(field.name) for field in fields(group)})
            command(*args, **given, **{parameter: chosen})

        own = get_type_hints(command, include_extras=True)
        kept = [
            value.replace(annotation=own[name], kind=keyword)
            for name, value in inspect.signature(command).parameters.items()
            if name != parameter
        ]
        call.__signature__ = inspect.Signature(kept + added)  # type: ignore[attr-defined]
        call.__annotations__ = {value.name: value.annotation for value in kept + added}
        del call.__wrapped__  # else typer reads the inner signature
        return call

    return decorate


SecureSum = Annotated[
    int | None,
    typer.Option(
        help="The server sees totals of parties alone, of whom so many may work together with it.",
        metavar="THRESHOLD",
    ),
]
NoiseOf = Annotated[
    str | None,
    typer.Option(help="With --secure-sum: noise by each party (each), or shares of it (together)."),
]

Repeats = Annotated[
    int | None, typer.Option(help="With --secure-sum: rounds that may be lost and played again.")
]


def summing(
    threshold: int | None, noise: str | None, repeats: int | None = None, method: Method | None = None
) -> Summing | None:
    """How parties are added up, where that was asked for, if the `method` can be."""
    if threshold is None:
        for name, given in (("--noise", noise), ("--repeats", repeats)):
            if given is not None:
                raise InputError(f"{name} needs --secure-sum, got {given} without it")
        return None
    found = Summing(threshold, noise or "each", repeats or 0)
    return found if method is None else checked(method, found)


def method_settings(
    variant: str | None,
    epsilon: float | None,
    rounds: int | None,
    others: list[str] | None,
    unit: str | None = None,
) -> dict[str, Any]:
    """The hyper-parameters that were given, by their names in the method."""
    named = {"variant": variant, "epsilon": epsilon, "n_rounds": rounds, "unit": unit}
    given = {name: value for name, value in named.items() if value is not None}
    for item in others or []:
        name, equals, value = item.partition("=")
        if not equals:
            raise InputError(f"--set expects NAME=VALUE, got {item!r}")
        if name.strip() == "n_topics":
            raise InputError("the number of topics is set with --topics, got --set n_topics")
        if name.strip() in given:
            raise InputError(f"expected {name.strip()} once, got it by its own option and by --set")
        given[name.strip()] = _value(value.strip())
    return given


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def require_new_file(path: Path | None, option: str, suffix: str | None = None) -> None:
    """Refuse a file that could not be written in the end, before anything is computed for it."""
    if path is None:
        return
    if suffix is not None and path.suffix.lower() != suffix:
        raise InputError(f"{option} writes a {suffix} file, got {path}; let its name end in {suffix}")
    if path.exists():
        raise InputError(f"{path} exists; choose another {option}, nothing is overwritten")
    if not path.parent.is_dir():
        raise InputError(f"{option} needs a folder that exists, got {path}; make {path.parent} first")


def say(line: object, *, beside: bool = False) -> None:
    """Print a line for people, harmless whatever it quotes; `beside` what a program reads: on stderr."""
    typer.echo(printable(str(line)), err=beside)


def print_json(value: Any) -> None:
    """Write `value` to standard output as strict JSON."""
    typer.echo(json.dumps(value, indent=1, allow_nan=False))
