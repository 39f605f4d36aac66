"""The plan of runs that go on from a finished one, and the model that they begin with."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fedtopics import files
from fedtopics.documents.text.words import word_digest
from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.model.files import numbers_digest
from fedtopics.model.merging import union
from fedtopics.network.coordinator.folder import CoordinatorFolder
from fedtopics.network.plan import certificates, onboarding
from fedtopics.network.plan.parts import WORD_LIST, Continues, PlannedWords
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.text import policy_template
from fedtopics.runs.run import read_record


def write(
    hub: CoordinatorFolder,
    run: str,
    *,
    words: Sequence[str] = (),
    n_new_topics: int = 0,
    n_rounds: int | None = None,
) -> Plan:
    """Write the plan of runs that go on from a finished `run`, with new `words` and topics; all accept it."""
    plan, finished = hub.plan, hub.run(run)
    if finished.status().state != "finished":
        raise InputError(f"expected a finished run to go on from, got {run}: {finished.status().state}")
    model = TopicModel.load(finished.result)
    settings, listed = dict(plan.settings), union(model.vocabulary, words)
    method = plan.method()
    settings["n_topics"] = (model.n_topics if method.goes_on else method.n_topics) + n_new_topics
    share = method.rounds_again if plan.continues is None else 1.0  # then its rounds are few already
    settings["n_rounds"] = n_rounds if n_rounds is not None else max(1, round(method.n_rounds * share))
    changed = replace(
        plan,
        settings=settings,
        vocabulary=PlannedWords("public", WORD_LIST, word_digest(listed), len(listed)),
        continues=Continues(run, numbers_digest(finished.result), model.n_words, model.n_topics),
    )
    content = "".join(f"{word}\n" for word in listed).encode()
    files.write(hub.path / WORD_LIST, content, mode=certificates.PUBLIC_FILE)
    changed.write(hub.path / onboarding.PLAN)
    files.publish(hub.path / onboarding.TEMPLATE, policy_template(changed))
    for certificate in sorted((hub.path / onboarding.APPROVED).glob("*/party.crt")):
        onboarding.share_plan(hub.path, certificate.parent.name)
    return changed


def begun(hub: CoordinatorFolder) -> TopicModel | None:
    """The model that runs of the plan begin with; an error where it is not the one that was accepted."""
    before = hub.plan.continues
    if before is None:
        return None
    result = hub.run(before.run).result
    if numbers_digest(result) != before.model_sha256:
        raise InputError(f"expected the model of {before.run} that the plan names, got another in {result}")
    if hub.plan.simulation_seed is None and read_record(result / "run.json").get("noise") == "simulated":
        raise InputError(f"expected secure noise to go on from, got a simulation: {before.run}; begin anew")
    return TopicModel.load(result)


def earlier(hub: CoordinatorFolder) -> tuple[TopicModel, dict[str, Any]] | None:
    """The model that runs of the plan begin with, and the record of its run."""
    before, model = hub.plan.continues, begun(hub)
    if before is None or model is None:
        return None
    return model, read_record(hub.run(before.run).result / "run.json")
