"""What a reviewer must see of a plan."""

from typing import Any

from fedtopics.commands import options
from fedtopics.documents.text.languages import several
from fedtopics.network.plan.in_words import coordinator_sees
from fedtopics.network.plan.plan import Plan
from fedtopics.privacy.explain import priced


def print_plan(plan: Plan) -> None:
    """One line for each thing that a reviewer must see."""
    for title, line in summary(plan).items():
        options.say(f"{title:<10} {line}")
    foretold = plan.method().forecast(plan.vocabulary.most_words)
    if foretold is not None:
        ratio = foretold["perplexity_ratio"]
        options.say(f"{'forecast':<10} a perplexity of about {ratio:.2f} times that without noise")


def summary(plan: Plan) -> dict[str, Any]:
    """What a reviewer must see, one line each."""
    method, words, promise = plan.method(), plan.vocabulary, plan.privacy
    document = f"(document add/remove, delta {words.delta})"
    agreed = f"agreed on at epsilon {words.epsilon} {document}, at most {words.max_size} words"
    scores = plan.evaluation
    private = f" at epsilon {scores.epsilon} (document add/remove, delta {scores.delta})"
    shared = plan.secure_sum is not None and plan.secure_sum.noise == "together"
    secure = "secure, a share of it at each party" if shared else "secure, at each party"
    noise = "from a SEED: for trying alone" if plan.simulation_seed is not None else secure
    others = "; ".join(
        priced(relation, epsilon, promise.delta)
        for relation, epsilon in plan.prices().items()
        if relation != promise.relation
    )
    spoken = several(plan.texts.language)
    relation = plan.consistency
    more = {} if not spoken else {"languages": f"{', '.join(spoken)}; each document says which"}
    if relation is not None:
        towards = f"the public relation {relation.file} (SHA-256 {relation.sha256:.16}...)"
        more["related"] = f"topics are drawn towards {towards}, tau {relation.tau:g}"
    return {
        "plan": plan.name,
        "parties": f"{', '.join(plan.parties)}; at least {plan.min_parties} in each round",
        "method": f"{plan.method_name}, {method.n_topics} topics, {method.n_rounds} rounds",
        "words": f"{words.n_words} of the public list {words.file}" if words.mode == "public" else agreed,
        **more,
        "costs": f"{priced(promise.relation, promise.epsilon, promise.delta)} in all",
        "and": others,
        "noise": noise,
        "seen": coordinator_sees(plan),
        "public": "; ".join(plan.public),
        "scores": scores.mode + (private if scores.mode == "private" else ""),
        "digest": plan.digest,
    }
