"""Federated, differentially private topic modeling."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# Imported on first use, so that `import fedtopics` stays quick.
_HOMES = {"Corpus": "corpus", "LDA": "estimator", "TopicModel": "model"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'fedtopics' has no attribute {name!r}")
    return getattr(import_module(f"fedtopics.{_HOMES[name]}"), name)
