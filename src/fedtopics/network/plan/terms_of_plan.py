"""The plan of a federation as the terms that both sides of the wire work by."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.terms import Terms


def terms_of(plan: Plan, folder: Path, run: str) -> Terms:
    """The terms of a run; `folder` holds the public word list, where the plan has one."""
    seed = plan.simulation_seed
    if seed is None:
        seed = int.from_bytes(sha256(f"{plan.digest}/{run}".encode()).digest()[:4], "little")
    return Terms(
        plan=plan.digest,
        parties=tuple(sorted(plan.parties)),
        method=plan.method(),
        seed=seed,
        secure=plan.simulation_seed is None,
        min_parties=plan.min_parties,
        timeout_seconds=plan.timeout_seconds,
        words=plan.words(folder),
        agreement=plan.agreement(),
        significant_bits=plan.significant_bits,
        n_threads=os.cpu_count() or 1,
    )
