"""Say what a planned run would cost and mean. No data is read.

Example: fedtopics explain calm --epsilon 6 --words 8000 --distinct 120
"""

from dataclasses import asdict, replace
from typing import Annotated

import typer

from fedtopics import methods
from fedtopics.commands import options, tables
from fedtopics.documents import lengths
from fedtopics.errors import InputError
from fedtopics.privacy.forecast import PublicFacts, explain_prices
from fedtopics.protocol.method import Amounts

USUAL_WORDS = 10_000


@options.takes(options.Settings, "settings")
def explain(
    method: Annotated[str, typer.Argument(help="A method, as `fedtopics methods` lists them.")],
    settings: options.Settings,
    words: Annotated[
        int | None,
        typer.Option(help="Words of the vocabulary: 10000, or 2000 of short texts, where not given."),
    ] = None,
    topics: options.TopicCount = 20,
    documents: Annotated[int | None, typer.Option(help="Documents in all, roughly.")] = None,
    persons: Annotated[int | None, typer.Option(help="Persons who wrote them, roughly.")] = None,
    parties: Annotated[
        int, typer.Option(min=1, help="Parties that hold them, each with noise of its own.")
    ] = 1,
    distinct: Annotated[int | None, typer.Option(help="Different words of a document, roughly.")] = None,
    texts: options.TextsOption = lengths.LONG,
    delta: Annotated[
        float | None,
        typer.Option(help="Chance that the promise may fail; the method's own, or 1e-6, where not given."),
    ] = None,
    as_json: options.Json = False,
) -> None:
    short = lengths.is_short(texts)
    given = methods.for_texts(texts, method, settings.given())
    if words is None:
        words = lengths.MOST_WORDS if short else USUAL_WORDS
    if distinct is None and short:
        distinct = min(int(lengths.DISTINCT_WORDS), words)
    planned = methods.make(method, n_topics=topics, **given)
    if delta is not None and planned.hides_documents:
        planned = methods.make(method, n_topics=topics, **given | {"delta": delta})
    facts = PublicFacts(words, topics, documents, distinct, bool(given.get("one_topic")))
    delta = planned.privacy_delta if delta is None else delta
    found = explain_prices(planned.prices(words), facts, 1e-6 if delta is None else delta)
    if documents is not None or persons is not None:
        found = replace(found, outlook=planned.outlook(_amounts(words, documents, persons, parties)))
    if as_json:
        options.print_json(asdict(found))
        return
    if found.statements:
        tables.print_rows(found.statements)
    for title in ("public", "meaning", "outlook", "warnings"):
        for line in getattr(found, title):
            tables.print_titled(title, f"  {line}")


def _amounts(words: int, documents: int | None, persons: int | None, parties: int) -> Amounts:
    """What was said of the documents; there are at least as many as persons."""
    if documents is not None and persons is not None and persons > documents:
        raise InputError(f"expected at most {documents} persons, as there are documents, got {persons}")
    return Amounts(words, documents or persons or 0, persons, parties)
