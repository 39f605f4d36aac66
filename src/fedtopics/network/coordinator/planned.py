"""What a run costs each party by its plan, for the answers that came."""

from __future__ import annotations

from fedtopics.network.coordinator.checkpoint import Checkpoint
from fedtopics.network.plan.terms import Terms, as_drawn
from fedtopics.network.private_scores import Scored
from fedtopics.privacy.price.cost import FREE
from fedtopics.privacy.price.ledger import Ledger


def planned_ledger(terms: Terms, end: Checkpoint, scored: Scored | None = None) -> Ledger:
    """What each party has paid, by the plan: its costs in order, free when they are used up."""
    ledger = Ledger(run=end.run)
    agreed = [] if terms.agreement is None else terms.agreement.prices()  # by the number of the round
    for party in terms.parties:
        training = iter(terms.method.prices(len(end.words or ())))
        for number in end.answered.get(party, []):
            cost = agreed[number] if number < 0 else next(training, FREE)
            ledger.charge(party, number, as_drawn(cost, terms.secure), content=f"{end.run}/{number}")
        if scored is not None and party in scored.parties:
            number, cost = terms.method.n_rounds, as_drawn(scored.cost, terms.secure)
            ledger.charge(party, number, cost, content=f"{end.run}/{number}")
    return ledger


def released(terms: Terms, end: Checkpoint, scored: Scored | None, party: str) -> set[tuple[str, int]]:
    """Operation and round of everything that this party has sent."""
    sent = {("contribute", number) for number in end.answered.get(party, [])}
    is_scored = scored is not None and party in scored.parties
    return sent | ({("evaluate", terms.method.n_rounds)} if is_scored else set())
