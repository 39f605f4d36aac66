"""Options that come together: a dataclass of them in place of one parameter of a command."""

import inspect
from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import Any, get_type_hints


def takes(group: type[Any], parameter: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of `group` in place of its one parameter of this name."""
    hints = get_type_hints(group, include_extras=True)
    keyword = inspect.Parameter.KEYWORD_ONLY
    added = [
        inspect.Parameter(field.name, keyword, default=field.default, annotation=hints[field.name])
        for field in fields(group)
    ]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def call(*args: Any, **given: Any) -> None:
            chosen = group(**{field.name: given.pop(field.name) for field in fields(group)})
            command(*args, **given, **{parameter: chosen})

        own = get_type_hints(command, include_extras=True)
        kept = [
            value.replace(annotation=own[name], kind=keyword)
            for name, value in inspect.signature(command).parameters.items()
            if name != parameter
        ]
        call.__signature__ = inspect.Signature(kept + added)  # type: ignore[attr-defined]
        call.__annotations__ = {value.name: value.annotation for value in kept + added}
        del call.__wrapped__  # else typer reads the inner signature
        return call

    return decorate
