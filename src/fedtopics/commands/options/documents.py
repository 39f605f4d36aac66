"""Which documents a command reads, how their texts become words, and who owns them."""

from dataclasses import asdict, dataclass
from typing import Annotated, Any

import typer

from fedtopics.commands.options.panels import of_documents, of_parties, of_privacy, of_words
from fedtopics.commands.options.run import Seed, TestFraction
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.reading import read
from fedtopics.model import TopicModel

Source = Annotated[
    str,
    typer.Argument(
        help="A built-in corpus (sotu), a file (.csv, .jsonl, .parquet, .xlsx, UCI docword, LDA-C; also .gz, "
        ".xz), a folder of .txt files, or a postgresql:// address (with --query).",
        show_default=False,
    ),
]
Vocabulary = Annotated[
    str | None,
    of_parties(
        help="Public word list: by name, as english-20000, or a file with one word per line; other words are "
        "left out.",
        show_default=False,
    ),
]
TextsOption = Annotated[
    str,
    of_documents(
        "--texts",
        help="How long they are, as you know without counting: long, or short (titles, messages: up to "
        "about ten words), for which one topic each, fewer words and a forecast are the default.",
    ),
]
PersonColumn = Annotated[
    str | None,
    of_parties(help="Column with the person behind each document, who is kept whole.", show_default=False),
]


@dataclass(frozen=True)
class Reading:
    """Where in SOURCE the documents are."""

    text_column: Annotated[
        list[str] | None,
        of_documents(help="Column with the text, where it is not called text; several are joined."),
    ] = None
    id_column: Annotated[str | None, of_documents(help="Column with each document's name.")] = None
    language_column: Annotated[
        str | None,
        of_documents(help="Column with each document's language (en, de ...), where there are several."),
    ] = None
    query: Annotated[str | None, of_documents(help="SQL query, where SOURCE is a database.")] = None
    encoding: Annotated[str, of_documents(help="Of text files.")] = "utf-8"
    encoding_errors: Annotated[
        str,
        of_documents(
            help="What becomes of documents with bytes that are not in the encoding: strict (an error), "
            "replace (a mark for each), skip (left out); they are counted."
        ),
    ] = "strict"
    separator: Annotated[
        str | None,
        of_documents(help="Between the columns of .csv and .tsv, where the first line does not show it."),
    ] = None
    header: Annotated[
        bool, of_documents(help="Whether the first row of a table names the columns; else they are 1, 2 ...")
    ] = True
    sheet: Annotated[str | None, of_documents(help="Of a spreadsheet; the first if not given.")] = None

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

    label_column: Annotated[str | None, of_documents(help="Column with each document's label.")] = None
    vocabulary: Vocabulary = None
    max_words: Annotated[int | None, of_words(help="Keep the most frequent words only.")] = None
    min_df: Annotated[
        float | None, of_words(help="Leave out words in fewer documents (a number, or a share below 1).")
    ] = None
    max_df: Annotated[
        float | None, of_words(help="Leave out words in more documents (a number, or a share up to 1).")
    ] = None
    stop_words: Annotated[bool, of_words(help="Leave out the language's stop words.")] = True
    paragraphs: Annotated[
        bool, of_words("--paragraphs", help="Cut texts at blank lines instead of into sentences.")
    ] = False
    language: Annotated[str, of_words(help="Of the texts, as en, de, zh; de+en for several.")] = "en"

    def options(self) -> dict[str, Any]:
        given = super().options()
        return given | ({"sentences": "paragraphs"} if given.pop("paragraphs") else {})


@dataclass(frozen=True)
class Indexing(Preparing):
    """And who owns them."""

    party_column: Annotated[str | None, of_parties(help="Column that names each document's party.")] = None
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
        of_parties(
            help="Deal the documents to this many unlike, unequal parties (3 where no column names them)."
        ),
    ] = None
    test_fraction: TestFraction = 0.1
    seed: Seed = 0
    vocabulary_epsilon: Annotated[
        float | None,
        of_privacy(help="Let the parties agree on the words at this epsilon (document add/remove)."),
    ] = None

    def options(self) -> dict[str, Any]:
        given = super().options()
        return given | {"n_parties": given.pop("parties")}
