"""A cluster that is this process."""

from __future__ import annotations

from collections.abc import Sequence

from fedtopics.cluster.work import Job, Part, answers


class Here:
    """All shards one after the other in this process: the reference for every cluster."""

    n_workers = 1

    def require(self) -> None:
        """It is there."""

    def total(self, jobs: Sequence[Job]) -> Part:
        """The sum of all answers."""
        return answers(jobs)

    def close(self) -> None:
        """Nothing to let go of."""
