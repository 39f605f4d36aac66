"""Print the plan of a folder, its digest and whether it was accepted, and until when certificates hold.

Example: fedtopics federation show office
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fedtopics.commands import options

if TYPE_CHECKING:
    from fedtopics.network.plan.plan import Plan


def show(folder: options.Member) -> None:
    from fedtopics.network.plan import acceptance, certificates
    from fedtopics.network.plan.plan import Plan

    plan = Plan.read(folder / "plan.toml")
    print_plan(plan)
    for path in sorted([*folder.glob("*.crt"), *folder.glob("approved/*/party.crt")]):
        found = certificates.read_certificate(path)
        who = certificates.common_name(found.subject)
        options.say(f"{path.relative_to(folder)}: {who}, until {found.not_valid_after_utc:%Y-%m-%d}")
    if (folder / "party.key").exists():
        accepted = acceptance.check(folder, plan)
        options.say(f"accepted by {accepted.party} at {accepted.time}")


def print_plan(plan: Plan) -> None:
    for title, line in summary(plan).items():
        options.say(f"{title:<10} {line}")


def summary(plan: Plan) -> dict[str, Any]:
    """What a reviewer must see, one line each."""
    from fedtopics.privacy.explain import priced

    method, words, promise = plan.method(), plan.vocabulary, plan.privacy
    document = f"(document add/remove, delta {words.delta})"
    agreed = f"agreed on at epsilon {words.epsilon} {document}, at most {words.max_size} words"
    scores = plan.evaluation
    private = f" at epsilon {scores.epsilon} (document add/remove, delta {scores.delta})"
    noise = "from a SEED: for trying alone" if plan.simulation_seed is not None else "secure, at each party"
    others = "; ".join(
        priced(relation, epsilon, promise.delta)
        for relation, epsilon in plan.prices().items()
        if relation != promise.relation
    )
    return {
        "plan": plan.name,
        "parties": f"{', '.join(plan.parties)}; at least {plan.min_parties} in each round",
        "method": f"{plan.method_name}, {method.n_topics} topics, {method.n_rounds} rounds",
        "words": f"{words.n_words} of the public list {words.file}" if words.mode == "public" else agreed,
        "costs": f"{priced(promise.relation, promise.epsilon, promise.delta)} in all",
        "and": others,
        "noise": noise,
        "public": "; ".join(plan.public),
        "scores": scores.mode + (private if scores.mode == "private" else ""),
        "digest": plan.digest,
    }
