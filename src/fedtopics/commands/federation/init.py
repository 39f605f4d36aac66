"""Write a plan to review, a template for the parties' policies, and the coordinator's certificates.

Example: fedtopics federation init hub --coordinator hub.example.org:8002 --party north --party south
--party west --epsilon 6 --vocabulary english-20000
"""

from pathlib import Path
from typing import Annotated

import typer

from fedtopics.commands import options
from fedtopics.commands.federation.invite import invite
from fedtopics.commands.plan_shown import print_plan
from fedtopics.documents import lengths
from fedtopics.methods import for_texts, make
from fedtopics.network.plan import onboarding
from fedtopics.network.plan.parts import PlannedWords, Texts
from fedtopics.network.plan.plan import Plan
from fedtopics.privacy.price.budget import Budget
from fedtopics.privacy.price.cost import check_relation

NEXT = "next, when the plan is as it should be: fedtopics federation invite --folder"


@options.takes(options.Settings, "settings")
def init(
    folder: options.Member,
    settings: options.Settings,
    parties: Annotated[list[str], typer.Option("--party", help="Name of a party; repeat for each.")],
    coordinator: Annotated[str, typer.Option(help="host:port that parties connect to.")],
    name: Annotated[str, typer.Option(help="Of the federation.")] = "federation",
    method: Annotated[str, typer.Option(help="As `fedtopics methods` lists them.")] = "calm",
    topics: options.TopicCount = 20,
    vocabulary: options.PublicWords = None,
    vocabulary_epsilon: options.AgreementEpsilon = None,
    max_words: Annotated[int, typer.Option(help="Most words that are agreed on.")] = 10_000,
    relation: Annotated[
        str | None, typer.Option(help="What the promise protects; what the method's epsilon does by default.")
    ] = None,
    delta: Annotated[float, typer.Option(help="Chance that the promise may fail.")] = 1e-6,
    min_parties: Annotated[
        int | None, typer.Option(help="Fewest answers of a round (2; with a secure sum all).")
    ] = None,
    secure_sum: options.SecureSum = None,
    noise: options.NoiseOf = None,
    repeats: options.Repeats = None,
    timeout: Annotated[float, typer.Option(help="Seconds to wait for an answer.")] = 600.0,
    language: Annotated[
        str, typer.Option(help="Of the documents, as en; de+en for several, whose words are kept apart.")
    ] = "en",
    consistency: options.RelationFile = None,
    consistency_tau: options.ConsistencyTau = None,
    simulation_seed: Annotated[
        int | None, typer.Option(help="For trying alone: noise from a seed protects nobody.")
    ] = None,
    texts: options.TextsOption = lengths.LONG,
    invited: Annotated[
        bool, typer.Option("--invite", help="Invite the parties at once, with the plan as it is.")
    ] = False,
) -> None:
    given = for_texts(texts, method, {"n_topics": topics, **settings.given()})
    made, summing = make(method, **given), options.summing(secure_sum, noise, repeats)
    public = options.public_words(vocabulary, vocabulary_epsilon, language, texts=texts)
    plan = Plan(
        name,
        coordinator,
        tuple(parties),
        method,
        Budget(made.protects if relation is None else check_relation(relation), 1e9, delta),
        _words(public, vocabulary_epsilon, max_words, delta),
        settings=given,
        min_parties=min_parties or (2 if summing is None else len(parties)),
        timeout_seconds=timeout,
        texts=Texts(language),
        simulation_seed=simulation_seed,
        secure_sum=summing,
        consistency=options.related(consistency, consistency_tau),
    ).priced()
    onboarding.establish(folder, plan, public, consistency)
    _say_next(plan, folder, invited)


def _say_next(plan: Plan, folder: Path, invited: bool) -> None:
    """Show the plan, invite the parties, where that was asked for, and say what to do next."""
    print_plan(plan)
    options.say(f"\nwritten to {folder}: plan.toml (review it), {onboarding.TEMPLATE}, keys and certificates")
    if not invited:
        options.say(f"{NEXT} {folder}")
        return
    invite(None, folder)
    options.say(f"next: fedtopics federation coordinator start {folder} --submit")


def _words(public: str | None, epsilon: float | None, max_words: int, delta: float) -> PlannedWords:
    if public is not None:
        return PlannedWords.of_file(public)
    return PlannedWords("private", epsilon=epsilon, delta=delta, max_size=max_words)
