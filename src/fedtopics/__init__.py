"""Federated, differentially private topic modeling."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# Imported on first use, so that `import fedtopics` stays quick.
_HOMES = {
    "Corpus": "corpus",
    "InputError": "errors",
    "LDA": "estimator",
    "Run": "run",
    "TopicModel": "model",
    "align": "alignment",
    "compare": "experiment",
    "prepare": "dealing",
    "read": "reading",
    "train": "experiment",
}
_MODULES = ("datasets", "evaluation", "methods", "privacy", "splitting")

__all__ = [*_HOMES, *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"fedtopics.{name}")
    if name in _HOMES:
        return getattr(import_module(f"fedtopics.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'fedtopics' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
