"""A source dealt to the parties of a federation on this machine, for trying."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fedtopics.documents.corpus import Corpus
from fedtopics.documents.reading import documents
from fedtopics.network.local import HUB, LocalFederation, free_port, write_texts
from fedtopics.network.plan.parts import Evaluation, Texts, Words
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.text import policy_template
from fedtopics.privacy.price.budget import Budget
from fedtopics.runs.preparing import prepare

DELTA = 1e-6
MOST_WORDS = 10_000


@dataclass(frozen=True)
class Texted:
    """Texts of each party, and those held out for the scores, as `prepare` deals them."""

    parties: Mapping[str, list[str]]
    test: list[str]
    dealing: str = ""


def dealt(
    source: str,
    *,
    n_parties: int | None,
    test_fraction: float,
    seed: int,
    secure: bool = False,
    **where: Any,
) -> Texted:
    """The texts behind a source, dealt and held out exactly as `fedtopics train` does."""
    language, stop_words = where.pop("language", "en"), where.pop("stop_words", True)
    found = documents(source, **where)
    corpus = Corpus.from_documents(found, language=language, stop_words=stop_words, min_df=1, max_df=1.0)
    numbered = replace(corpus, ids=tuple(map(str, range(corpus.n_docs))))
    data = prepare(numbered, n_parties=n_parties, test_fraction=test_fraction, seed=seed, secure=secure)

    def texts(part: Corpus) -> list[str]:
        return [found[int(number)].text for number in part.ids or ()]

    parties = {_safe(name): texts(part) for name, part in data.parties.items()}
    return Texted(parties, texts(data.test), data.dealing)


def plan_for(
    texted: Texted,
    method: str,
    settings: dict[str, Any],
    *,
    vocabulary_epsilon: float,
    simulation_seed: int | None,
    language: str = "en",
    **others: Any,
) -> Plan:
    """A plan of all these parties on a free port of this machine, with its price as its promise."""
    parties = tuple(sorted(texted.parties))
    known: dict[str, Any] = {"min_parties": len(parties), "timeout_seconds": 120.0} | others
    draft = Plan(
        "simulation",
        f"localhost:{free_port()}",
        parties,
        method,
        Budget("word add/remove", 1e9, DELTA),
        Words("private", epsilon=vocabulary_epsilon, delta=DELTA, max_size=MOST_WORDS),
        settings=settings,
        texts=Texts(language),
        evaluation=Evaluation("public"),
        simulation_seed=simulation_seed,
        **known,
    )
    price = draft.price(draft.vocabulary.most_words)
    return replace(draft, privacy=Budget("word add/remove", float(f"{price * 1.0001:.4g}") + 1e-3, DELTA))


def found(folder: Path, plan: Plan, texted: Texted) -> LocalFederation:
    """The federation of this plan below `folder`, ready to be started."""
    federation = LocalFederation.found(folder, plan, texted.parties, policy_template(plan, simulation=True))
    write_texts(folder / HUB / "test.jsonl", texted.test)
    return federation


def _safe(name: str) -> str:
    """A party's name as certificates and folders can carry it."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-_")[:40] or "party"
