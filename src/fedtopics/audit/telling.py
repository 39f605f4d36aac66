"""What an audit found, in sentences: for each relation what is proved and what attacks reached."""

from collections.abc import Mapping, Sequence
from typing import Any

FROM = {"messages": "from the messages", "model": "from the model"}
CHANCE = "above it, as one audit in twenty is by chance"


def sentences(audit: Mapping[str, Any]) -> list[str]:
    """A line for each relation of an audit, as `Audit.to_dict` gives it.

    >>> row = {"relation": "word add/remove", "proved": 6.0, "delta": 0.0, "surely": 5.0, "refutes": False}
    >>> sentences({"attacks": [row | {"view": "messages", "epsilon": 5.81}]})
    ['word add/remove: proved at most 6; attacks reached 5.8 from the messages']
    """
    relations = dict.fromkeys(row["relation"] for row in audit["attacks"])
    return [
        _line(relation, [row for row in audit["attacks"] if row["relation"] == relation])
        for relation in relations
    ]


def _line(relation: str, rows: Sequence[Mapping[str, Any]]) -> str:
    proved = rows[0]["proved"]
    bound = "no bound is proved" if proved == "inf" else f"proved at most {proved:.3g}"
    if rows[0]["delta"]:
        bound += f" at delta {rows[0]['delta']:g}"
    if "claimed" in rows[0]:
        bound += f", claimed {rows[0]['claimed']:.3g}"
    best = {view: max((row["epsilon"] for row in rows if row["view"] == view), default=None) for view in FROM}
    reached = ", ".join(f"{best[view]:.1f} {FROM[view]}" for view in FROM if best[view] is not None)
    told = f"{relation}: {bound}; attacks reached {reached}"
    if any(row["refutes"] for row in rows):
        return f"{told}: THE PROOF DOES NOT HOLD"
    above = proved != "inf" and any(row["epsilon"] > proved for row in rows)
    return f"{told} ({CHANCE})" if above else told
