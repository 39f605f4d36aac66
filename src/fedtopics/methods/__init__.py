"""One paper per file. A file placed here is found by the command line, the report and the tests."""

from __future__ import annotations

import re
from dataclasses import MISSING, fields, is_dataclass
from importlib import import_module
from inspect import getsource
from pkgutil import iter_modules
from typing import Any, cast

from fedtopics.errors import InputError
from fedtopics.federation.protocol import Method

DEFAULT = "calm"
MOST_TOPICS = 10_000
IN_EVERY_METHOD = {
    "n_topics": "number of topics (--topics, which is 50 where not given)",
    "n_rounds": "rounds of training (--rounds)",
    "epsilon": "privacy price (--epsilon)",
    "variant": "which form of the method (--variant)",
    "burstiness": "how much a word that is there tends to come again",
    "channel": "how words are made noisy",
    "n_sweeps": "sweeps of the sampler",
    "sampler": "how topics are drawn",
    "alpha": "prior of each topic in a document",
    "beta": "prior of each word in a topic",
}
COMMENTED = re.compile(r"^ {4}(\w+): .*?  # (.+)$", re.MULTILINE)  # a field with a comment beside it


def names() -> list[str]:
    """Every method by the name of its file."""
    return sorted(module.name for module in iter_modules(__path__))


def find(name: str) -> type[Method]:
    """The method of this name, which its file exports as METHOD.

    >>> find("shared").__name__
    'Shared'
    """
    if name not in names():
        raise InputError(f"unknown method {name!r}; choose one of {', '.join(names())}")
    return cast("type[Method]", import_module(f"{__name__}.{name}").METHOD)


def settings(method: type[Method]) -> dict[str, Any]:
    """The hyper-parameters of a method with their defaults; one without a default is `None`."""
    return {
        field.name: None if field.default is MISSING else field.default for field in fields(cast(Any, method))
    }


def meanings(method: type[Method]) -> dict[str, str]:
    """What each hyper-parameter means: what its name means everywhere, and the comment beside the field.

    >>> meanings(find("calm"))["n_steps"]
    'updates of each document in a round'
    """
    comments: dict[str, str] = {}
    for kind in reversed(method.__mro__):
        if is_dataclass(kind):
            comments |= dict(COMMENTED.findall(getsource(kind)))
    known = {name: (IN_EVERY_METHOD.get(name), comments.get(name)) for name in settings(method)}
    return {name: "; ".join(filter(None, parts)) for name, parts in known.items()}


def make(name: str, **given: Any) -> Method:
    """The method with these hyper-parameters; one that it does not have is an error.

    >>> make("shared", n_topics=5).n_topics
    5
    """
    known = settings(find(name))
    if unknown := sorted(set(given) - set(known)):
        hint = " (it is not private)" if "epsilon" in unknown else ""
        raise InputError(f"method {name} takes no {', '.join(unknown)}{hint}; it takes {', '.join(known)}")
    for setting, value in given.items():
        _check_number(f"{setting} of method {name}", value, known[setting])
    method = find(name)(**given)
    if method.n_topics < 2:
        raise InputError(f"a topic model needs at least 2 topics, got {method.n_topics}")
    if method.n_topics > MOST_TOPICS:
        raise InputError(f"a topic model has at most {MOST_TOPICS} topics, got {method.n_topics}")
    if method.n_rounds < 1:
        raise InputError(f"training needs at least 1 round, got {method.n_rounds}")
    return method


def _check_number(name: str, value: Any, default: Any) -> None:
    """Refuse a value of another kind than a default that is a number."""
    if type(default) in (int, float) and (not isinstance(value, int | float) or isinstance(value, bool)):
        raise InputError(f"{name} must be a number, got {value!r}")
    if type(default) is int and type(value) is not int:
        raise InputError(f"{name} must be a whole number, got {value!r}")
