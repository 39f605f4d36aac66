"""What a GPU has of arrays is what they hold now."""

import numpy as np
import pytest

from fedtopics.sampling.gpu.kept import Kept


def test_what_is_kept_goes_with_its_arrays() -> None:
    kept, array = Kept[str](), np.zeros(3)
    kept.put((array,), "first")
    assert kept.get((array,)) == "first"
    assert kept.get((np.zeros(3),)) is None
    del array
    assert not kept._things
    other = np.zeros(3)
    kept.put((other,), "other")
    assert kept.pop((other,)) == "other"
    assert kept.pop((other,)) is None


def test_nothing_is_kept_of_what_can_be_written() -> None:
    kept, array = Kept[str](), np.zeros(3)
    assert kept.of((array,), lambda: "first") == "first"
    assert kept.of((array,), lambda: "second") == "second"
    view = array[1:]
    view.flags.writeable = False
    assert kept.of((view,), lambda: "first") == "first"
    assert kept.of((view,), lambda: "second") == "second"
    kept.put((array,), "third", 60)
    assert kept.of((array,), lambda: "fourth", 60) == "third"
    assert kept.get((array,)) is kept.get((array,), 61) is None
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1
