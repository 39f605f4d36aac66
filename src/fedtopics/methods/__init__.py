"""One paper per file. A file placed here is found by the command line, the report and the tests.

A folder is a method in several variants: `sound.py`, which is what its name alone means, and `paper.py`, the
method as printed; or one with parts of its own, in `method.py`. What methods share is in `parts/`.
"""

import re
from collections.abc import Iterable
from dataclasses import MISSING, fields, is_dataclass
from importlib import import_module
from inspect import getsource
from pkgutil import iter_modules
from types import ModuleType, UnionType
from typing import Any, NoReturn, cast, get_args, get_type_hints

from fedtopics.documents import lengths
from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.protocol.method import Method

DEFAULT = "calm"
VARIANTS = ("sound", "paper")
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


def variants(name: str) -> tuple[str, ...]:
    """The variants of the method called `name`, its own choice first; none where it has one form only.

    >>> variants("ftm"), variants("calm")
    (('sound', 'paper'), ())
    """
    files = {module.name for module in iter_modules(getattr(_module(name), "__path__", ()))}
    return tuple(variant for variant in VARIANTS if variant in files)


def find(name: str, variant: str | None = None) -> type[Method]:
    """The method of this `name`, which its file, or that of its `variant`, exports as METHOD.

    >>> find("shared").__name__, find("ftm", "paper").__name__
    ('Shared', 'PrintedFtm')
    """
    known = variants(name)
    if variant is not None and variant not in known:
        expected = f"variant must be {' or '.join(known)}" if known else f"method {name} has no variants"
        raise InputError(f"{expected}, got {quoted(variant)}")
    file = ".".join((name, variant or known[0]) if known else (name,))
    return cast("type[Method]", _module(file).METHOD)


def settings(name: str, variant: str | None = None) -> dict[str, Any]:
    """The settings of the method `name` with their defaults, `variant` among them where it has several.

    >>> settings("fedlda")["epsilon"], settings("fedlda", "paper")["epsilon"]
    (128.0, 7.5)
    """
    method = find(name, variant)
    own = {} if method.variant is None else {"variant": method.variant}
    return own | {
        field.name: None if field.default is MISSING else field.default for field in fields(cast(Any, method))
    }


def meanings(name: str, variant: str | None = None) -> dict[str, str]:
    """What each setting of the method `name`, in this `variant`, means: as everywhere, and by its comment.

    >>> meanings("calm")["n_steps"]
    'updates of each document in a round, once topics have formed'
    """
    comments: dict[str, str] = {"variant": " or ".join(variants(name))}
    for kind in reversed(find(name, variant).__mro__):
        if is_dataclass(kind):
            comments |= dict(COMMENTED.findall(getsource(kind)))
    known = {each: (IN_EVERY_METHOD.get(each), comments.get(each)) for each in settings(name, variant)}
    return {each: "; ".join(filter(None, parts)) for each, parts in known.items()}


def make(name: str, *, variant: str | None = None, **given: Any) -> Method:
    """The method of this `name` and `variant` with the settings `given`; one that it lacks is an error.

    >>> make("shared", n_topics=5).n_topics
    5
    """
    method, known = find(name, variant), settings(name, variant)
    for unknown in sorted(set(given) - set(known)):
        _refuse(name, method.variant, unknown, known)
    hints = get_type_hints(method)
    for setting, value in given.items():
        _check_kind(f"{setting} of method {name}", value, hints[setting])
        if setting.startswith("n_") and value is not None:
            _check_times(setting, value)
    return method(**given)


def for_texts(texts: str, name: str, given: dict[str, Any]) -> dict[str, Any]:
    """The settings `given` to the method `name`, above those that serve `texts`, "short" or "long".

    >>> for_texts("short", "calm", {"beta": 0.2})["one_topic"], for_texts("long", "calm", {"beta": 0.2})
    (True, {'beta': 0.2})
    """
    usual = find(name, given.get("variant")).for_short if lengths.is_short(texts) else {}
    return {**usual, **given}


def takes(name: str, variant: str | None = None, **given: Any) -> bool:
    """Whether the method of this `name` and `variant` takes the settings `given`.

    >>> takes("hush", unit="person"), takes("calm", unit="person"), takes("shared", unit="person")
    (True, False, False)
    """
    try:
        make(name, variant=variant, **given)
    except InputError:
        return False
    return True


def _module(name: str) -> ModuleType:
    if str(name).partition(".")[0] not in names():
        raise InputError(f"unknown method {quoted(name)}; choose one of {', '.join(names())}")
    return import_module(f"{__name__}.{name}")


def _refuse(name: str, variant: str | None, setting: str, known: Iterable[str]) -> NoReturn:
    """Say where a setting belongs that this form of the method does not have."""
    owners = [each for each in variants(name) if setting in settings(name, each)]
    if owners:
        raise InputError(f"{setting} is a setting of {name} {owners[0]}, got it with variant={variant}")
    hint = " (it is not private)" if setting == "epsilon" else ""
    raise InputError(f"method {name} takes no {setting}{hint}; it takes {', '.join(known)}")


def _check_kind(name: str, value: Any, hint: Any) -> None:
    """Refuse a value of another kind than the setting's, and a number that is none."""
    kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    if value is None and type(None) in kinds:
        return
    if int in kinds or float in kinds:
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise InputError(f"{name} must be a number, got {quoted(value)}")
        if float not in kinds and type(value) is not int:
            raise InputError(f"{name} must be a whole number, got {quoted(value)}")
        if not -MOST_NUMBER <= value <= MOST_NUMBER:
            raise InputError(f"{name} must be a number up to {MOST_NUMBER:g}, got {quoted(value)}")
    elif bool in kinds and not isinstance(value, bool):
        raise InputError(f"{name} must be true or false, got {quoted(value)}")
    elif str in kinds and not isinstance(value, str):
        raise InputError(f"{name} must be a text, got {type(value).__name__}")


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
