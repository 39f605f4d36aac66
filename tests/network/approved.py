"""A coordinator of two parties with a plan over a public word list, and whom of them it has approved."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from fedtopics.network.party.offer import Offer
from fedtopics.network.plan import certificates, onboarding
from fedtopics.network.plan.parts import PlannedWords
from fedtopics.network.plan.plan import Plan
from fedtopics.privacy.price.budget import Budget

NAMES = ("north", "south")


def approved(
    folder: Path,
    words: Iterable[str] = ("apple", "pear", "plum"),
    *,
    address: str = "localhost:8002",
    n_rounds: int = 2,
    parties: Iterable[str] = NAMES[:1],
    budget: float = 6.0,
) -> Plan:
    """The plan; keys are short, as long ones take a while."""
    listed = folder / "list.txt"
    listed.write_text("".join(f"{word}\n" for word in words))
    plan = Plan(
        "demo",
        address,
        NAMES,
        "calm",
        Budget("word add/remove", 6.0),
        PlannedWords.of_file(listed),
        settings={"epsilon": 6.0, "n_topics": 3, "n_rounds": n_rounds},
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certificates, "KEY_BITS", 2048)
        onboarding.establish(folder / "hub", plan, listed)
        for name in parties:
            onboarding.approve(folder / "hub", onboarding.request(folder / name, name))
            template = (folder / "hub" / onboarding.TEMPLATE).read_text()
            policy = template.replace("epsilon = 6.0", f"epsilon = {budget}")
            (folder / name / onboarding.POLICY).write_text(policy)
    return plan


def offer(here: Path) -> Offer:
    return Offer.read(here / "north", here / "hub" / "approved" / "north")
