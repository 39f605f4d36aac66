"""Which device the kernels run on. It changes no number, so it is no argument of what uses them.

`using("cuda")` holds for what is called inside it; else the environment variable FEDTOPICS_DEVICE says it,
which processes hand on to those they start; else it is the processor.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from fedtopics.sampling.gpu import device

VARIABLE = "FEDTOPICS_DEVICE"
WORTH_IT = 1_000_000  # tokens, or stored counts, that a call works on: from there on "auto" takes a GPU
_chosen: ContextVar[str | None] = ContextVar("device", default=None)


@contextmanager
def using(name: str | None) -> Iterator[None]:
    """Kernels run on this device (one of `device.DEVICES`) inside; on that of outside for None.

    A GPU that is asked for and is not there is refused at once.
    """
    if name is None:
        yield
        return
    device.chosen(name)
    token = _chosen.set(name)
    try:
        yield
    finally:
        _chosen.reset(token)


def current(size: int) -> device.Device | None:
    """The GPU to use now for a call that works on so many tokens or stored counts; None for the processor."""
    return device.chosen(_chosen.get() or _by_environment(), worth_it=size >= WORTH_IT)


def check() -> str:
    """The device that the environment asks for, in words; refused if it cannot be used."""
    asked = _by_environment()
    found = device.chosen(asked)
    return f"{asked}: {'the processor' if found is None else found.card.name}"


def _by_environment() -> str:
    return os.environ.get(VARIABLE) or "cpu"
