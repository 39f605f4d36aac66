"""What a whole run will cost, told before it starts; one that costs more than its epsilon must be wanted."""

import sys
from collections.abc import Sequence
from math import inf
from typing import Annotated

import typer

from fedtopics.commands import options
from fedtopics.commands.options.panels import of_privacy
from fedtopics.errors import InputError
from fedtopics.network.plan.plan import Plan
from fedtopics.privacy.explain import Guarantee, guarantees, priced
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.cost import Cost, total
from fedtopics.privacy.words import Agreement
from fedtopics.protocol.method import Method
from fedtopics.runs.preparing import AGREEMENT_DELTA

MOST_WORDS = 10_000  # for which a run is priced whose words are yet to be agreed on
ROUNDING = 1e-6

AcceptCost = Annotated[
    bool,
    of_privacy("--accept-cost", help="Start although the whole run costs more than epsilon; else it asks."),
]


def require_wanted(
    method: Method,
    agreed: Sequence[Cost],
    rest: Sequence[Cost],
    n_words: int,
    delta: float,
    *,
    accepted: bool,
) -> None:
    """Print what a party pays for `agreed` words and the `rest`; ask or refuse where it is above epsilon."""
    bounds = guarantees(total([*agreed, *rest]), n_words, delta)
    for line in told(bounds, n_words):
        options.say(line, beside=True)
    asked = method.in_force(n_words).get("epsilon")
    bound = next(bound for bound in bounds if bound.relation == method.protects)
    if agreed:
        words, slack = accounting.guarantee(total(agreed).losses_of(method.protects), delta)
        part = f"  of it for agreeing on the words: {priced(method.protects, words, slack)}"
        options.say(part, beside=True)
    if asked is None or bound.epsilon <= asked * (1 + ROUNDING) or accepted:
        return
    whole = priced(bound.relation, bound.epsilon, bound.delta)
    if sys.stdin.isatty() and sys.stderr.isatty():
        typer.confirm(f"epsilon is {asked:g}; start a run that costs {whole}?", abort=True, err=True)
        return
    cheaper = ", or give a public list of words (--vocabulary)" if agreed else ""
    raise InputError(
        f"expected a run that costs at most epsilon {asked:g}, got one that costs {whole}; "
        f"give --accept-cost to pay that{cheaper}"
    )


def require_plan_wanted(plan: Plan, *, accepted: bool) -> None:
    """The same for a federation's `plan`, at the most words that it allows."""
    agreement = plan.agreement()
    agreed = [] if agreement is None else agreement.prices()
    most = plan.vocabulary.most_words
    rest = plan.costs(most)[len(agreed) :]
    require_wanted(plan.method(), agreed, rest, most, plan.privacy.delta, accepted=accepted)


def told(bounds: Sequence[Guarantee], n_words: int) -> list[str]:
    """The price in lines: what is proved for each relation, how far it protects, and what has no bound."""
    if all(bound.epsilon == bound.delta == 0 for bound in bounds):
        return ["price of the whole run: none, nothing that leaves a party depends on its documents"]
    proved = [bound for bound in bounds if bound.epsilon < inf]
    missing = [bound.relation for bound in bounds if bound.epsilon == inf]
    return [
        f"price of the whole run, for each party, with {n_words:,} words:",
        *(f"  {priced(bound.relation, bound.epsilon, bound.delta)}: {bound.worth}" for bound in proved),
        *([f"  no bound, not protected: {', '.join(missing)}"] if missing else []),
    ]


def of_agreement(epsilon: float | None) -> list[Cost]:
    """What the agreement on words costs one party in a run in one process; nothing without one."""
    return [] if epsilon is None else Agreement(epsilon, AGREEMENT_DELTA).prices()
