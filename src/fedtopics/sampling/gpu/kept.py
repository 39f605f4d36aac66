"""What was made of arrays that do not change, kept as long as they are: documents stay on the card."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar
from weakref import ref

from numpy.typing import NDArray

T = TypeVar("T")


class Kept(Generic[T]):
    """Things by the arrays that they were made of: the same arrays, not equal ones."""

    def __init__(self) -> None:
        self._things: dict[tuple[int, ...], tuple[tuple[ref[NDArray[Any]], ...], T]] = {}

    def of(self, arrays: tuple[NDArray[Any], ...], make: Callable[[], T]) -> T:
        """What was made of these `arrays`, or what `make` makes now.

        >>> import numpy as np
        >>> kept, array = Kept[int](), np.zeros(3)
        >>> kept.of((array,), lambda: 1), kept.of((array,), lambda: 2), kept.of((array.copy(),), lambda: 3)
        (1, 1, 3)
        """
        key = tuple(id(array) for array in arrays)
        if key not in self._things:
            self.put(arrays, make())
        return self._things[key][1]

    def get(self, arrays: tuple[NDArray[Any], ...]) -> T | None:
        """What was made of these `arrays`, if anything was."""
        found = self._things.get(tuple(id(array) for array in arrays))
        return None if found is None else found[1]

    def pop(self, arrays: tuple[NDArray[Any], ...]) -> T | None:
        """The same, which from now on was not."""
        found = self.get(arrays)
        self._things.pop(tuple(id(array) for array in arrays), None)
        return found

    def put(self, arrays: tuple[NDArray[Any], ...], thing: T) -> None:
        """From now on this is what was made of these arrays."""
        key = tuple(id(array) for array in arrays)

        def forget(_: ref[NDArray[Any]]) -> None:
            self._things.pop(key, None)

        self._things[key] = (tuple(ref(array, forget) for array in arrays), thing)
