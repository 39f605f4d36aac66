"""What a party is asked before it joins: its budget, its limits and its consent, line by line."""

from collections.abc import Mapping

import typer

from fedtopics.commands import options
from fedtopics.errors import InputError
from fedtopics.network.plan.in_words import points
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.policy import LOGS
from fedtopics.network.plan.text import DELTA_OF_POLICY, Answers, policy_text


def ask_consent(plan: Plan) -> None:
    """Show the plan line by line; whoever does not agree to a line ends here."""
    for point in points(plan):
        options.say(f"\n{point.title}")
        for sentence in point.sentences:
            options.say(f"  {sentence}")
        typer.confirm(f"  {point.question}", abort=True)
    options.say("")


def asked_policy(plan: Plan, party: str, fingerprint: str, proxy: str | None = None) -> str:
    """The policy of a party that has none yet, as follows from its answers."""
    promise = plan.privacy
    what = f"epsilon ({promise.relation}, delta {promise.delta:g})"
    epsilon = typer.prompt(f"budget over ALL runs together, {what}", type=float, default=promise.epsilon)
    if not epsilon >= promise.epsilon:
        raise InputError(f"expected a budget of at least {promise.epsilon:g} for one run, got {epsilon:g}")
    if promise.delta > DELTA_OF_POLICY:
        typer.confirm(f"the promise may fail with chance {promise.delta:g}; is that low enough?", abort=True)
    if plan.simulation_seed is not None:
        typer.confirm("noise from a seed protects nobody; go on, to try it?", abort=True)
    log = typer.prompt(f"log on this machine ({', '.join(LOGS)})", default=LOGS[1])
    peers = _peers(plan, party, fingerprint) if plan.secure_sum is not None else {}
    simulation = plan.simulation_seed is not None
    return policy_text(plan, Answers(epsilon, promise.delta, log, simulation, proxy, peers))


def _peers(plan: Plan, party: str, fingerprint: str) -> Mapping[str, str]:
    """Fingerprints of the others: without them a coordinator could pass for the others in a secure sum."""
    options.say(f"your fingerprint, for the others: {fingerprint}")
    told = {
        name: typer.prompt(
            f"fingerprint of {name}, as it reads it out (Enter: none)", default="", show_default=False
        )
        for name in plan.parties
        if name != party
    }
    return {name: value for name, value in told.items() if value}
