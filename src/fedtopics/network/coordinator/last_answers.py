"""What the parties say after the last round: private scores, and what the run has cost them, signed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fedtopics.network.attestation import Statement
from fedtopics.network.coordinator import attestations
from fedtopics.network.coordinator.attestations import Attested
from fedtopics.network.coordinator.checkpoint import Checkpoint
from fedtopics.network.coordinator.folder import CoordinatorFolder
from fedtopics.network.coordinator.rounds import Coordinator
from fedtopics.network.private_scores import Scored, asked_for


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
