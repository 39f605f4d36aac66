"""What the parties say after the last round: private scores, and what the run has cost them, signed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fedtopics.deployment import attestations
from fedtopics.deployment.attestations import Attested
from fedtopics.deployment.coordinator_folder import CoordinatorFolder
from fedtopics.deployment.private_scores import Scored, asked_for
from fedtopics.federation.attestation import Statement
from fedtopics.federation.checkpoint import Checkpoint
from fedtopics.federation.coordinator import Coordinator


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
