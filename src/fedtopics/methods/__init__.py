"""One paper per file. A file placed here is found by the command line, the report and the tests."""

from __future__ import annotations

import re
from dataclasses import MISSING, fields, is_dataclass
from importlib import import_module
from inspect import getsource
from pkgutil import iter_modules
from types import UnionType
from typing import Any, cast, get_args, get_type_hints

from fedtopics.errors import InputError
from fedtopics.protocol.method import Method

DEFAULT = "calm"
MOST_TOPICS = 10_000
MOST_TIMES = 100_000  # of anything that is done or sent again and again, such as rounds
MOST_NUMBER = 1e12  # far above any sensible setting
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
    """Every method by the name of its file or folder."""
    return sorted(module.name for module in iter_modules(__path__) if module.name != "parts")


def find(name: str) -> type[Method]:
    """The method of this `name`, which its file exports as METHOD.

    >>> find("shared").__name__
    'Shared'
    """
    if name not in names():
        raise InputError(f"unknown method {name!r}; choose one of {', '.join(names())}")
    return cast("type[Method]", import_module(f"{__name__}.{name}").METHOD)


def settings(method: type[Method]) -> dict[str, Any]:
    """The hyper-parameters of a `method` with their defaults; one without a default is `None`."""
    return {
        field.name: None if field.default is MISSING else field.default for field in fields(cast(Any, method))
    }


def meanings(method: type[Method]) -> dict[str, str]:
    """What each hyper-parameter of a `method` means, in all that have it and by the comment beside it.

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
    """The method of this `name` with the hyper-parameters `given`; one that it does not have is an error.

    >>> make("shared", n_topics=5).n_topics
    5
    """
    known = settings(find(name))
    if unknown := sorted(set(given) - set(known)):
        hint = " (it is not private)" if "epsilon" in unknown else ""
        raise InputError(f"method {name} takes no {', '.join(unknown)}{hint}; it takes {', '.join(known)}")
    hints = get_type_hints(find(name))
    for setting, value in given.items():
        _check_kind(f"{setting} of method {name}", value, hints[setting])
        if setting.startswith("n_") and value is not None:
            _check_times(setting, value)
    return find(name)(**given)


def _check_kind(name: str, value: Any, hint: Any) -> None:
    """Refuse a value of another kind than the setting's, and a number that is none."""
    kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    if value is None and type(None) in kinds:
        return
    if int in kinds or float in kinds:
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise InputError(f"{name} must be a number, got {value!r:.60}")
        if float not in kinds and type(value) is not int:
            raise InputError(f"{name} must be a whole number, got {value!r}")
        if not -MOST_NUMBER <= value <= MOST_NUMBER:
            raise InputError(f"{name} must be a number up to {MOST_NUMBER:g}, got {value!r:.60}")
    elif str in kinds and not isinstance(value, str):
        raise InputError(f"{name} must be a text, got {value!r:.60}")


def _check_times(setting: str, value: int) -> None:
    """Refuse a number of topics, rounds, sweeps or the like that no run has."""
    if setting == "n_topics" and value < 2:
        raise InputError(f"a topic model needs at least 2 topics, got {value}")
    if setting == "n_topics" and value > MOST_TOPICS:
        raise InputError(f"a topic model has at most {MOST_TOPICS} topics, got {value}")
    if setting == "n_rounds" and value < 1:
        raise InputError(f"training needs at least 1 round, got {value}")
    if value > MOST_TIMES:
        raise InputError(f"{setting} must be at most {MOST_TIMES:,}, got {value}")
