"""What may leave a party, and what it costs."""

from importlib import import_module
from typing import Any

# Imported on first use: a part of this package loads no other part for these names.
_HOMES = {
    "Agreement": "words",
    "Bounds": "mechanisms.bounds",
    "Budget": "price.budget",
    "BudgetError": "price.budget",
    "Claim": "price.cost",
    "Cost": "price.cost",
    "Explanation": "forecast",
    "Guarantee": "explain",
    "Law": "mechanisms.mechanism",
    "Ledger": "price.ledger",
    "Loss": "price.cost",
    "Mechanism": "mechanisms.mechanism",
    "Noise": "mechanisms.noise",
    "PublicFacts": "forecast",
    "Pure": "price.events",
    "RELATIONS": "price.cost",
    "Release": "price.release",
    "calibrate": "mechanisms.calibration",
    "check_number": "price.events",
    "check_words": "mechanisms.bounds",
    "disclose": "price.release",
    "explain_prices": "forecast",
    "find_mechanism": "mechanisms.mechanism",
    "guarantees": "explain",
    "predicted_ratio": "forecast",
    "reuse": "price.release",
    "surplus": "forecast",
    "word_for_word": "mechanisms.mechanism",
    "worth": "grades",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
