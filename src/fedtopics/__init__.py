"""Federated, differentially private topic modeling."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

__version__ = "0.1.0"

# Imported on first use, so that `import fedtopics` stays quick.
_HOMES = {
    "Cluster": "cluster.settings",
    "Corpus": "documents",
    "Data": "runs.preparing",
    "InputError": "errors",
    "LDA": "estimator",
    "Run": "runs.run",
    "Summing": "protocol.summing",
    "TopicModel": "model",
    "align": "model",
    "compare": "runs.experiment",
    "leaderboard": "runs.leaderboard",
    "merge": "model",
    "prepare": "runs.preparing",
    "read": "documents",
    "train": "runs.experiment",
    "update": "runs.updating",
}
_MODULES = {
    "applications": "applications",
    "checks": "checks",
    "datasets": "documents.datasets",
    "documents": "documents",
    "evaluation": "evaluation",
    "methods": "methods",
    "model": "model",
    "privacy": "privacy",
    "related_words": "related_words",
    "report": "report",
    "splitting": "documents.splitting",
}

__all__ = [*_HOMES, *_MODULES]
if find_spec("sklearn") is None:  # `import *` and `help` go on; who asks for it is told what to install
    __all__.remove("LDA")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"fedtopics.{_MODULES[name]}")
    if name in _HOMES:
        return getattr(import_module(f"fedtopics.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'fedtopics' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
