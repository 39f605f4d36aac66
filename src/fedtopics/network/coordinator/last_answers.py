"""What the parties say after the last round: private scores, and what the run has cost them, signed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fedtopics.network.attestation import Attested, Statement
from fedtopics.network.coordinator import attestations
from fedtopics.network.coordinator.checkpoint import Checkpoint
from fedtopics.network.coordinator.folder import CoordinatorFolder
from fedtopics.network.coordinator.rounds import Coordinator
from fedtopics.network.plan.plan import Plan
from fedtopics.network.private_scores import Scored, combined, read_sums


@dataclass(frozen=True)
class LastAnswers:
    """Scores where the plan has private ones, and the statement of every party that attests."""

    scored: Scored | None = None
    attested: Mapping[str, tuple[Attested, Statement]] = field(default_factory=dict)

    @classmethod
    def of(cls, coordinator: Coordinator, folder: CoordinatorFolder, end: Checkpoint) -> LastAnswers:
        """Ask for scores first, as they have their price too, and then for what everything cost."""
        scored = asked_for(coordinator, folder.plan, end)
        return cls(scored, attestations.collected(coordinator, folder, end, scored))


def asked_for(coordinator: Coordinator, plan: Plan, end: Checkpoint) -> Scored | None:
    """[server] The private score of a finished run; None where its plan has none."""
    mechanism, words = plan.evaluation.mechanism(), end.words or ()
    model = coordinator.terms.method.model(end.state, words)
    if mechanism is None or model is None:
        return None
    sent = coordinator.score(words, model.topic_word, read_sums)
    score = combined(sent, mechanism, len(words))
    told = "more noise than documents" if score is None else f"{score.low:.1f} to {score.high:.1f}"
    coordinator.log(f"private perplexity of {len(sent)} parties: {told}")
    return Scored(tuple(sent), mechanism.price(), score)
