"""A plan in plain words, for one party: what leaves, what it costs, who sees what, and for how long."""

from dataclasses import dataclass

from fedtopics.network.plan.plan import NUMBER, Plan
from fedtopics.privacy.explain import meaning, priced


@dataclass(frozen=True)
class Point:
    """One thing to agree to: a title, sentences, and the question."""

    title: str
    sentences: tuple[str, ...]
    question: str


def points(plan: Plan) -> list[Point]:
    """What a party has to agree to, one after another."""
    return [_leaves(plan), _costs(plan), _seen(plan), _kept(plan)]


def _leaves(plan: Plan) -> Point:
    method, words, scores = plan.method(), plan.vocabulary, plan.evaluation
    found = [
        f"In {method.n_rounds} rounds of each run: statistics of your documents, with noise that is drawn on "
        f"this machine (method {plan.method_name}: {method.about.summary}).",
    ]
    if plan.continues is not None:
        again = (
            f"The noisy histograms that were drawn here in {plan.continues.run} are used again, at no price."
            if method.goes_on
            else f"The coordinator joins the topics that come of it with those of {plan.continues.run}."
        )
        found.append(f"{again} Give new documents alone: what is trained on once more pays once more.")
    if words.mode == "private":
        found.append(f"Before them, in 2 rounds: votes for at most {words.max_size} words, with noise.")
    if scores.mode == "private":
        share = f"{scores.test_fraction:.0%}"
        found.append(f"After them: how well the topics fit {share} of your documents, summed, with noise.")
    if NUMBER in plan.public:
        found.append("The number of your documents, exactly.")
    if plan.simulation_seed is not None:
        found.append("THE NOISE COMES FROM A SEED THAT EVERYBODY KNOWS: it protects nobody. For trying only.")
    if plan.consistency is not None:
        found.append(
            "The coordinator draws topics towards public knowledge of words: nothing of yours is in it."
        )
    found.append("Never: documents, keys, logs, texts of errors, your policy.")
    return Point("what leaves", tuple(found), "may that leave this machine?")


def _costs(plan: Plan) -> Point:
    promise, prices = plan.privacy, plan.prices()
    n_words = plan.vocabulary.most_words
    others = "; ".join(
        priced(relation, epsilon, promise.delta)
        for relation, epsilon in prices.items()
        if relation != promise.relation
    )
    found = (
        f"Each run costs at most {priced(promise.relation, promise.epsilon, promise.delta)} in all.",
        f"That means, {meaning(promise.relation, promise.epsilon, promise.delta, n_words)}",
        f"For others: {others}.",
    )
    return Point("what it costs", found, "is a run worth that?")


def _seen(plan: Plan) -> Point:
    """Who sees what, and what a run costs before the coordinator alone, where that is less."""
    others, sees = ", ".join(plan.parties), coordinator_sees(plan).removeprefix("the coordinator sees ")
    found = (
        f"The coordinator ({plan.coordinator}): {sees}.",
        f"All parties ({others}) and whoever they give it to: the topics, and what each has spent.",
        f"Everybody: {'; '.join(plan.public)}.",
    )
    return Point("who sees what", found, "may they see that?")


def _kept(plan: Plan) -> Point:
    found = (
        "What has left cannot be called back: the coordinator and the other parties may keep it for ever.",
        "You may stop at any time; from then on nothing more leaves. Your ledger counts what was spent.",
        f"Your yes is for this plan ({plan.digest[:16]}...) alone: a changed one asks again.",
    )
    return Point("for how long", found, "do you agree to this plan?")


def coordinator_sees(plan: Plan) -> str:
    """What the coordinator sees, and what the run costs before it alone, where that is less."""
    summing, promise = plan.secure_sum, plan.privacy
    if summing is None:
        return "the coordinator sees what each party sends"
    seen = summing.in_words(len(plan.parties), plan.min_parties)
    if summing.repeats:
        number = "one round" if summing.repeats == 1 else f"{summing.repeats} rounds"
        seen += f"; {number} may be lost and played again, which the price includes"
    if summing.noise == "together":
        alone = plan.prices_before_one()[promise.relation]
        seen += f"; before a coordinator whom none helps {priced(promise.relation, alone, promise.delta)}"
    return seen
