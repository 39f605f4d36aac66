"""Say what a planned run would cost and mean. No data is read.

Example: fedtopics privacy explain calm --epsilon 6 --words 8000 --distinct 120
"""

from dataclasses import asdict
from typing import Annotated

import typer

from fedtopics import methods
from fedtopics.commands import options, tables
from fedtopics.privacy.forecast import PublicFacts, explain_plan


def explain(
    method: Annotated[str, typer.Argument(help="A method, as `fedtopics methods` lists them.")],
    words: options.VocabularySize = 10_000,
    topics: options.TopicCount = 20,
    documents: Annotated[int | None, typer.Option(help="Documents of a party, roughly.")] = None,
    distinct: Annotated[int | None, typer.Option(help="Different words of a document, roughly.")] = None,
    epsilon: options.Epsilon = None,
    variant: options.Variant = None,
    rounds: options.Rounds = None,
    settings: options.Setting = None,
    delta: Annotated[
        float | None,
        typer.Option(help="Chance that the promise may fail; the method's own, or 1e-6, where not given."),
    ] = None,
    as_json: options.Json = False,
) -> None:
    given = options.method_settings(variant, epsilon, rounds, settings)
    planned = methods.make(method, n_topics=topics, **given)
    facts = PublicFacts(words, topics, documents, distinct)
    delta = planned.privacy_delta if delta is None else delta
    found = explain_plan(planned.prices(words), facts, 1e-6 if delta is None else delta)
    if as_json:
        options.print_json(asdict(found))
        return
    if found.statements:
        tables.print_rows(found.statements)
    for title in ("public", "meaning", "warnings"):
        for line in getattr(found, title):
            tables.print_titled(title, f"  {line}")
