"""Mixtures of texts that come one by one, on all cores, with memory for a few thousand of them at a time.

A batch is cut into words, folded in, and handed on by one thread, while others do the next: all of that is
native and lets go of Python's lock. The order of the documents is kept, and no number depends on the threads.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

Batch = TypeVar("Batch")
Answer = TypeVar("Answer")


def in_order(work: Callable[[Batch], Answer], batches: Iterable[Batch], n_threads: int) -> Iterator[Answer]:
    """What becomes of each batch, in their order; two more are under way than there are threads."""
    if n_threads == 1:
        yield from map(work, batches)
        return
    with ThreadPoolExecutor(n_threads) as threads:
        under_way: deque[Future[Answer]] = deque()
        try:
            for batch in batches:
                under_way.append(threads.submit(copy_context().run, work, batch))
                if len(under_way) > n_threads + 1:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            for future in under_way:
                future.cancel()
