"""Costs and statements as several tests need them."""

from fedtopics.privacy.price.cost import Cost, Loss
from fedtopics.privacy.price.events import Pure
from fedtopics.privacy.price.ledger import Ledger

WORD = "word add/remove"
DOCUMENT = "document add/remove"


def word(epsilon: float) -> Cost:
    return Cost((Loss(WORD, Pure(epsilon)), Loss(DOCUMENT, Pure(100 * epsilon))), noise="secure")


def row(ledger: Ledger, party: str, relation: str, basis: str = "proved") -> dict:
    (found,) = [
        s
        for s in ledger.statements()
        if (s["party"], s["relation"]) == (party, relation)
        and (s["basis"] == "claimed") == (basis == "claimed")
    ]
    return found
