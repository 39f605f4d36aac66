"""What a run has promised for every relation, and how much that is worth, in plain words."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Literal, TypeAlias

from fedtopics.privacy.explain import MEANINGLESS, meaning
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.cost import RELATIONS, Claim, Cost, Relation

Worth: TypeAlias = Literal["protected", "weakly protected", "not protected"]

DENIABLE = 3.0  # an epsilon up to which even odds of 1 to 1 stay a guess: at most 95 %
CHANGES: dict[Relation, str] = {
    "word add/remove": "one word of one document is there or is not",
    "word replace": "one word of one document is this one or another",
    "document add/remove": "one whole document is there or is empty",
    "document replace": "one whole document is this one or any other",
    "user add/remove": "all documents of one person are there or are not",
    "party": "everything that one party holds is this or something else",
}


@dataclass(frozen=True)
class Guarantee:
    """What is proved, and what a paper claims, for neighbors of one relation.

    change   what may differ, in plain words
    worth    how far the bound protects: see `worth`
    meaning  what someone who sees everything may learn
    """

    relation: Relation
    change: str
    epsilon: float
    delta: float
    claims: tuple[Claim, ...]
    worth: Worth
    meaning: str


def guarantees(spent: Cost, n_words: int, delta: float) -> list[Guarantee]:
    """One guarantee for every relation, those without a promise included.

    >>> from fedtopics.privacy.mechanisms.histogram import Histogram
    >>> found = guarantees(Histogram(6.0, 10_000).price(), 10_000, 1e-6)
    >>> [(g.relation, g.epsilon, g.worth) for g in found[:3]]  # doctest: +NORMALIZE_WHITESPACE
    [('word add/remove', 6.0, 'protected'), ('word replace', 12.0, 'weakly protected'),
     ('document add/remove', inf, 'not protected')]
    """
    return [_guarantee(spent, relation, n_words, delta) for relation in RELATIONS]


def worth(relation: Relation, epsilon: float, n_words: int) -> Worth:
    """How far an epsilon protects.

    A word is protected while nobody can single it out among all words (epsilon below ln V), anything larger
    while a guess at even odds stays a guess. Beyond epsilon 20 there is no protection.
    """
    limit = log(n_words) if relation.startswith("word") else DENIABLE
    if epsilon <= limit:
        return "protected"
    return "weakly protected" if epsilon <= MEANINGLESS else "not protected"


def _guarantee(spent: Cost, relation: Relation, n_words: int, delta: float) -> Guarantee:
    epsilon, slack = accounting.guarantee(spent.losses_of(relation), delta)
    claims = tuple(dict.fromkeys(claim for claim in spent.claims if claim.relation == relation))
    return Guarantee(
        relation=relation,
        change=CHANGES[relation],
        epsilon=epsilon,
        delta=slack,
        claims=claims,
        worth=worth(relation, epsilon, n_words),
        meaning=meaning(relation, epsilon, slack, n_words).removeprefix(f"{relation}: "),
    )
