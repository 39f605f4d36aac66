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

    A GPU that is asked for, here or outside, and is not there is refused at once.
    """
    device.chosen(name or _now(), worth_it=False)
    if name is None:
        yield
        return
    token = _chosen.set(name)
    try:
        yield
    finally:
        _chosen.reset(token)


def current(size: int) -> device.Device | None:
    """The GPU to use now for a call that works on so many tokens or stored counts; None for the processor."""
    return device.chosen(_now(), worth_it=size >= WORTH_IT)


def asked() -> str | None:
    """The device that was asked for, for workers in other processes; None: they ask their environment."""
    return _chosen.get() or os.environ.get(VARIABLE) or None


def check() -> str:
    """The device that the environment asks for, in words; refused if it cannot be used."""
    name = _now()
    found = device.chosen(name)
    return f"{name}: {'the processor' if found is None else found.card.name}"


def _now() -> str:
    return asked() or "cpu"
