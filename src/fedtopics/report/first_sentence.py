"""The sentence under the title: who, how much, how good, how private."""

from fedtopics.privacy.explain import SAYS_NOTHING, Guarantee, in_short
from fedtopics.runs.run import Run

REFERENCE = "shared"  # what training without noise reaches


def first_sentence(run: Run, headline: Guarantee | None) -> str:
    """One line of a run: `headline` is the bound of what its method protects."""
    parts = [_amounts(run), quality(run), _privacy(run, headline)]
    return "; ".join(part for part in parts if part) + "."


def measured_ratio(run: Run) -> float | None:
    """Perplexity relative to that of sending exact counts, where both were measured."""
    others = {other["method"]: other["scores"]["perplexity"] for other in run.record.get("compared", [])}
    reached, wanted = run.scores["perplexity"], others.get(REFERENCE)
    if run.record["method"] == REFERENCE or reached is None or wanted is None:
        return None
    return float(reached / wanted)


def quality(run: Run) -> str:
    """How good the topics are, by the best that is known of that."""
    measured, forecast = measured_ratio(run), run.record.get("forecast")
    if measured is not None:
        return f"{worse(measured)} than sharing exact counts"
    plain, reached = run.scores.get("perplexity_unigram"), run.scores["perplexity"]
    if reached is not None and plain:
        return f"perplexity {reached:,.0f}, against {plain:,.0f} without topics"
    if forecast:
        return f"expected {worse(forecast['perplexity_ratio'])} than without noise, by forecast"
    return ""


def worse(ratio: float) -> str:
    """A ratio of perplexities in percent.

    >>> worse(1.017), worse(0.98), worse(1.0001)
    ('1.7 % worse', '2.0 % better', '0.0 % worse')
    """
    return f"{100 * abs(ratio - 1):.1f} % {'worse' if ratio >= 1 else 'better'}"


def _amounts(run: Run) -> str:
    record, n_topics = run.record, run.model.n_topics
    counts = [party.get("n_docs") for party in record["parties"]]
    known = [count for count in counts if count is not None]
    documents = [_counted(sum(known), "document")] if known and len(known) == len(counts) else []
    return ", ".join([_counted(len(counts), "party"), *documents, _counted(n_topics, "topic")])


def _counted(n: int, thing: str) -> str:
    many = f"{thing[:-1]}ies" if thing.endswith("y") else f"{thing}s"
    return f"{n:,} {thing if n == 1 else many}"


def _privacy(run: Run, headline: Guarantee | None) -> str:
    sent = any(entry.get("bytes_up", True) for entry in run.record["rounds"])
    if headline is None:
        return "no ledger says what was sent" if sent else "nothing leaves a party"
    if headline.epsilon == 0:
        return SAYS_NOTHING if sent else "nothing leaves a party"
    return in_short(headline)
