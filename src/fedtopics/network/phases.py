"""What a run is doing, in words: the only place that chooses them for who watches it."""

from collections.abc import Mapping
from typing import Any

from fedtopics.protocol.agreeing import CONFIRMATION, PROPOSAL

WORDS = {PROPOSAL: "words: parties propose", CONFIRMATION: "words: parties vote"}
LOGGED = {PROPOSAL: "round of proposals", CONFIRMATION: "round of votes"}
OPERATIONS = {
    "hello": "asking who takes part",
    "vocabulary": "words: telling the list",
    "key": "exchanging keys",
    "peers": "exchanging keys",
    "evaluate": "private scores",
    "attest": "parties sign what it cost",
    "deliver": "handing out the model",
}


def round_name(number: int) -> str:
    """A round as people count: those before training by what is done in them.

    >>> round_name(-2), round_name(0)
    ('words: parties propose', 'round 1')
    """
    return WORDS.get(number, f"round {number + 1}")


def logged(number: int) -> str:
    """A round as logs and ledgers call it: by its number in records, or by what is done about words.

    >>> logged(-2), logged(0)
    ('round of proposals', 'round 0')
    """
    return LOGGED.get(number, f"round {number}")


def phase(asked: Mapping[str, Any], n_rounds: int) -> str:
    """What is done with a question such as that which was `asked`.

    >>> phase({"operation": "contribute", "round": 11}, 30), phase({"operation": "attest", "round": 30}, 30)
    ('training: round 12 of 30', 'parties sign what it cost')
    """
    operation, number = str(asked.get("operation", "")), int(asked.get("round", 0))
    if operation in ("contribute", "sum"):
        if number < 0:
            return round_name(number)
        adding = ": adding up" if operation == "sum" else ":"
        return f"training{adding} round {number + 1} of {n_rounds}"
    return OPERATIONS.get(operation, "between two questions")
