"""Folders of a coordinator or a party, the run that is meant, and the words of a plan."""

from pathlib import Path
from typing import Annotated

import typer

from fedtopics.commands.options.printing import say
from fedtopics.documents import lengths
from fedtopics.documents.text import word_lists
from fedtopics.documents.text.languages import several
from fedtopics.documents.text.preparation import read_vocabulary
from fedtopics.errors import InputError
from fedtopics.network.plan.parts import PlannedRelation

Coordinator = Annotated[Path, typer.Argument(metavar="FOLDER", help="Of the coordinator.")]
Member = Annotated[Path, typer.Argument(metavar="FOLDER", help="Of this coordinator or party.")]
MemberOption = Annotated[Path, typer.Option("--folder", help="Of this coordinator or party.")]
Office = Annotated[Path, typer.Argument(metavar="FOLDER", help="Of this party.")]
Metrics = Annotated[
    Path | None,
    typer.Option(help="FILE.prom for Prometheus (textfile collector of node_exporter), replaced as a whole."),
]
RunName = Annotated[str, typer.Option("--run", help="Name of the run; the newest if not given.")]
PublicWords = Annotated[
    str | None,
    typer.Option(
        "--vocabulary",
        help="Public word list: by name, as english-20000, or a file with one word per line. Where nothing "
        "is said of words, it is the list of 20,000 of the language.",
        show_default=False,
    ),
]
RelationFile = Annotated[
    Path | None,
    typer.Option(
        "--consistency",
        metavar="FILE",
        help="Public dictionary, or word vectors, that the coordinator draws topics towards, free of cost.",
        show_default=False,
    ),
]
AgreementEpsilon = Annotated[
    float | None,
    typer.Option(
        "--vocabulary-epsilon",
        help="Let the parties agree on words instead, at this epsilon (document add/remove).",
        show_default=False,
    ),
]


LanguageOfAll = Annotated[
    str | None,
    typer.Option(
        "--language",
        help="Of all documents of this party, as de, where the plan has several and no column says it.",
        show_default=False,
    ),
]


def related(source: Path | None, tau: float | None) -> PlannedRelation | None:
    """The word relation of a plan, by its file; None where there is none."""
    if source is None:
        if tau is not None:
            raise InputError(f"--consistency-tau needs --consistency, got {tau:g} without one")
        return None
    return PlannedRelation.of_file(source, tau)


def public_words(
    given: str | None, epsilon: float | None, language: str = "en", *, texts: str = lengths.LONG
) -> str | None:
    """The public list to take: the one given, that of the language and `texts`, or None for an agreement."""
    if given is not None and epsilon is not None:
        raise InputError("expected --vocabulary or --vocabulary-epsilon, got both; leave one out")
    if given is not None:
        _check_languages(given, language)
    if given is not None or epsilon is not None:
        return given
    number = lengths.LISTED_WORDS if lengths.is_short(texts) else word_lists.USUAL
    usual = word_lists.usual(language, number)
    if usual is None:
        raise InputError(
            f"there is no public word list for {language!r}; give --vocabulary FILE (`fedtopics vocabulary` "
            "makes one from public texts) or --vocabulary-epsilon"
        )
    say(f"words: {usual}, a public list; --vocabulary names another")
    return usual


def _check_languages(given: str, language: str) -> None:
    """Refuse a list that the documents of a plan cannot meet: no party could say that it knows no word."""
    names, codes = given.split("+"), several(language)
    if all(map(word_lists.is_name, names)):
        found = {word_lists.code(name) for name in names}
        fits = found == set(codes or (language,)) and bool(codes) == (len(names) > 1)
    else:
        starts = {word.partition(":")[0] for word in read_vocabulary(given)} if codes else set()
        fits = set(codes) <= starts
    if not fits:
        usual = word_lists.usual(language)
        example = f" as {usual}" if usual else ""
        named = ", with its language before each word, as en:tax" if codes else ""
        raise InputError(
            f"expected a list of words of {language}{example}{named}, got {given}; see --language"
        )
