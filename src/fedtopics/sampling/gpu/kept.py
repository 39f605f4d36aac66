"""What was made of arrays that do not change, kept as long as they are: documents stay on the card."""

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeAlias, TypeVar
from weakref import ref

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
Arrays: TypeAlias = tuple[NDArray[Any], ...]


class Kept(Generic[T]):
    """Things by the arrays that they were made of (the same arrays, not equal ones) and by further `facts`.

    Arrays that can be written may have other numbers by now: nothing is kept of them.
    """

    def __init__(self) -> None:
        self._things: dict[tuple[Hashable, ...], tuple[tuple[ref[NDArray[Any]], ...], T]] = {}

    def of(self, arrays: Arrays, make: Callable[[], T], *facts: Hashable) -> T:
        """What was made of these `arrays` and `facts`, or what `make` makes now.

        >>> import numpy as np
        >>> kept, array = Kept[int](), np.zeros(3)
        >>> kept.of((array,), lambda: 1), kept.of((array,), lambda: 2)
        (1, 2)
        >>> array.flags.writeable = False
        >>> kept.of((array,), lambda: 3), kept.of((array,), lambda: 4), kept.of((array,), lambda: 5, "wide")
        (3, 3, 5)
        """
        if any(_may_change(array) for array in arrays):
            return make()
        found = self.get(arrays, *facts)
        if found is None:
            found = make()
            self.put(arrays, found, *facts)
        return found

    def get(self, arrays: Arrays, *facts: Hashable) -> T | None:
        """What was made of these `arrays` and `facts`, if anything was."""
        found = self._things.get(_key(arrays, facts))
        return None if found is None else found[1]

    def pop(self, arrays: Arrays, *facts: Hashable) -> T | None:
        """The same, which from now on was not."""
        found = self.get(arrays, *facts)
        self._things.pop(_key(arrays, facts), None)
        return found

    def put(self, arrays: Arrays, thing: T, *facts: Hashable) -> None:
        """From now on this is what was made of these `arrays`, which can be written no more."""
        key = _key(arrays, facts)

        def forget(_: ref[NDArray[Any]]) -> None:
            self._things.pop(key, None)

        for array in arrays:
            array.flags.writeable = False
        self._things[key] = (tuple(ref(array, forget) for array in arrays), thing)


def _may_change(array: NDArray[Any] | None) -> bool:
    """Whether the array, or one that it is a view of, can be written."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return True
        array = array.base
    return False


def _key(arrays: Arrays, facts: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
    return (*(id(array) for array in arrays), *facts)
