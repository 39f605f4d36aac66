"""The examples of docs/understand/privacy.md run as they stand, and its table names every mechanism."""

import doctest
from pathlib import Path

from fedtopics.privacy.mechanisms.mechanism import every

PAGE = Path(__file__).parents[2] / "docs" / "understand" / "privacy.md"


def test_examples_run():
    failures, n_examples = doctest.testfile(str(PAGE), module_relative=False)
    assert n_examples >= 10
    assert failures == 0


def test_every_mechanism_is_in_the_table():
    text = PAGE.read_text()
    for mechanism in every().values():
        made = type(mechanism.make(**mechanism.examples[0])).__name__
        assert f"`{made}" in text or f"`{mechanism.make.__name__}" in text, made
