"""Print the parameter of a mechanism with the least noise that keeps a budget.

Example: fedtopics calibrate histogram --epsilon 9 --relation "document replace" --max-length 50
"""

from inspect import signature
from typing import Annotated, Any

import typer

from fedtopics.commands import options
from fedtopics.privacy.explain import priced
from fedtopics.privacy.mechanisms import calibration
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.mechanism import every, find_mechanism
from fedtopics.privacy.price.cost import check_relation


def calibrate(
    mechanism: Annotated[str, typer.Argument(help="One that `fedtopics mechanisms` lists.")],
    epsilon: Annotated[float, typer.Option(help="The budget.")],
    relation: Annotated[str, typer.Option(help="What the budget protects, as 'word add/remove'.")],
    delta: options.Delta = 0.0,
    rounds: Annotated[int, typer.Option(help="Number of fresh releases.")] = 1,
    words: options.VocabularySize = 10_000,
    max_length: Annotated[int | None, typer.Option(help="Public maximum of words of a document.")] = None,
    max_documents: Annotated[int | None, typer.Option(help="Public maximum of texts of a person.")] = None,
) -> None:
    known = find_mechanism(mechanism if mechanism in every() else mechanism.replace("-", " "))
    public: dict[str, Any] = {"n_words": words} if "n_words" in signature(known.make).parameters else {}
    if (max_length, max_documents) != (None, None):
        public["bounds"] = Bounds(max_length, max_documents)
    found = calibration.calibrate(known.name, check_relation(relation), epsilon, delta, rounds, **public)
    releases = "1 fresh release costs" if rounds == 1 else f"{rounds} fresh releases cost"
    bound = priced(relation, epsilon, delta)
    options.say(f"{known.name} with {known.parameter} {found:.6g}: {releases} at most {bound}")
