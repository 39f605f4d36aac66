"""Every planted bug can be planted: its place is there once, its tests are there, its name is its own."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from mutants import ROOT, Mutant, mutants

SOURCE = ROOT / "src" / "fedtopics"
EVERY = mutants()


@pytest.mark.parametrize("mutant", EVERY, ids=lambda mutant: mutant.name)
def test_a_bug_can_be_planted(mutant: Mutant) -> None:
    assert (SOURCE / mutant.file).read_text(encoding="utf-8").count(mutant.old) == 1
    assert mutant.old != mutant.new
    for test in mutant.tests:
        file, _, name = test.partition("::")
        assert (
            f"def {name}(" in Path(ROOT / file).read_text(encoding="utf-8")
            if name
            else (ROOT / file).is_file()
        )


def test_no_two_bugs_have_one_name() -> None:
    assert [name for name, number in Counter(mutant.name for mutant in EVERY).items() if number > 1] == []
