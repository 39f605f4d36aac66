"""The examples of docs/privacy.md run as they stand."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "privacy.md"


def test_examples_run():
    failures, n_examples = doctest.testfile(str(PAGE), module_relative=False)
    assert n_examples >= 10
    assert failures == 0
