"""A run as a statement that people can file: the fields of the Deployments Registry, filled from the record.

The fields, their tiers and the values that they may have are those of the registry of deployments of
differential privacy (OpenDP and NIST; github.com/opendp/deployments-registry-data, schemas/
deployments-schema.yaml, read at commit 3e9c812). Only what `runs.sharing` lets be shown is used. What the
record cannot know (for what, where, by whom, how settings were chosen) is said by who files it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import inf
from typing import Any

from fedtopics.errors import InputError
from fedtopics.privacy.explain import CHANGES, meaning, priced
from fedtopics.privacy.forecast import PublicFacts, explain_prices
from fedtopics.privacy.grades import worth
from fedtopics.report import statement_parts as parts
from fedtopics.report.yaml_text import Value
from fedtopics.runs import sharing
from fedtopics.runs.run import Run, label, protects

TIER = 3
NOT_SAID = "Not stated."


@dataclass(frozen=True)
class Filing:
    """What only who files a statement knows; what is not said is called so in the statement."""

    name: str = ""
    curators: Sequence[str] = ()
    use: str = ""
    region: str = ""
    sector: str = ""
    date: str = ""
    tuning: str = ""
    authors: Sequence[str] = field(default_factory=tuple)


def statement(run: Run, filing: Filing) -> dict[str, Value]:
    """The registry's record of a `run`, as data; what who files it says is in `filing`."""
    record = sharing.shown(run.record)
    epsilon, delta = _bound(record)
    simulated = " (simulation: protects nobody)" if record.get("noise") == "simulated" else ""
    name = (filing.name or f"{record['n_topics']} topics by {label(record)}") + simulated
    return {
        "url_slug": _slug(name),
        "status": "Draft",
        "tier": TIER,
        "deployment": {
            "basic": _basic(record, filing, name),
            "dp_variant": {
                "variant_name": "Approximate DP" if delta else "Pure DP",
                "data_domain": parts.data_domain(record),
                "unprotected_quantities": _unprotected(run, record),
            },
            "privacy_loss": _privacy_loss(record, epsilon, delta),
            "deployment_model": parts.deployment_model(record),
            "accounting": parts.accounting(record, run.ledger),
            "implementation": parts.implementation(record, run.ledger, filing.tuning or NOT_SAID),
            "administrative": {
                "notes": parts.notes(record),
                "registry_authors": list(filing.authors) or [f"drafted by {parts.VERSION}, to be reviewed"],
            },
        },
    }


def _bound(record: Mapping[str, Any]) -> tuple[float, float]:
    """What the worst party has spent of what the method protects; refused where nothing is proved."""
    relation, names = protects(dict(record)), {party["name"] for party in record["parties"]}
    rows = [
        row for row in sharing.spent(dict(record)) if row["relation"] == relation and row["basis"] == "proved"
    ]
    worst = max(rows, key=lambda row: float(row["epsilon"]), default=None)
    held = {row["party"] for row in rows} >= names and record.get("noise") in ("secure", "simulated")
    if worst is None or not held or float(worst["epsilon"]) == inf:
        raise InputError(
            f"expected a run with a proved epsilon for {relation}, got {record['method']} without; "
            "there is no guarantee to state"
        )
    return float(worst["epsilon"]), max(float(row["delta"]) for row in rows)


def _basic(record: Mapping[str, Any], filing: Filing, name: str) -> dict[str, Value]:
    n_parties = parts.plural(len(record["parties"]), "party", "parties")
    found: dict[str, Value] = {
        "name": name,
        "data_curators": list(filing.curators) or [party["name"] for party in record["parties"]],
        "intended_use": filing.use or NOT_SAID,
        "data_product_type": "Machine learning model",
        "data_product_region": filing.region or NOT_SAID,
        "description": f"A topic model: {record['n_topics']} topics, each a distribution over "
        f"{record['n_words']:,} words, learned from documents of {n_parties} by "
        f"{label(dict(record))}.",
        "publication_date": filing.date or f"{datetime.now(UTC):%Y-%m-%d}",
    }
    return found | ({"data_product_sector": filing.sector} if filing.sector else {})


def _privacy_loss(record: Mapping[str, Any], epsilon: float, delta: float) -> dict[str, Value]:
    relation, n_words = protects(dict(record)), record["n_words"]
    unit = relation.split()[0]
    others = sorted(
        {
            priced(r["relation"], float(r["epsilon"]), r["delta"])
            for r in sharing.spent(dict(record))
            if r["basis"] != "claimed"
        }
    )
    parameters: dict[str, Value] = {"epsilon": epsilon, **({"delta": delta} if delta else {})}
    return {
        "privacy_unit": f"one {unit}" + (" of one document" if unit == "word" else ""),
        "privacy_unit_details": f"Adjacent datasets ({relation}): {CHANGES[relation]}. "  # type: ignore[index]
        "All other documents of all parties are the same, and known to the adversary.",
        "privacy_parameters": parameters,
        "privacy_parameters_details": "\n".join(
            [
                f"In one word: {worth(epsilon, delta, n_words)}.",
                f"For {meaning(relation, epsilon, delta, n_words)}",
                f"All that is stated of the worst party: {'; '.join(others)}.",
                parts.COMPARISON[unit],
            ]
        ),
    }


def _unprotected(run: Run, record: Mapping[str, Any]) -> str:
    """What shows as it is, as lines."""
    costs = [entry.cost for entry in run.ledger.entries if entry.party == run.ledger.parties[0]]
    known = explain_prices(costs, PublicFacts(record["n_words"])).public if costs else []
    words = parts.WORDS.get(record.get("vocabulary", ""), parts.WORDS["that of the corpus"])
    lines = [
        words,
        *known[1:],
        "the names of the parties",
        "when a party answers, and how long its messages are",
    ]
    return "\n".join(f"- {line}" for line in lines)


def _slug(name: str) -> str:
    letters = "".join(c if c.isascii() and c.isalnum() else "-" for c in name.lower())
    return "-".join(part for part in letters.split("-") if part)[:80] or "topics"
