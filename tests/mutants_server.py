"""Tries tests in a fork for each planted bug, with what is slow to import in memory: see `mutants.py`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable

import cryptography.x509
import hypothesis
import numpy
import pytest
import rich.console
import scipy.special
import scipy.stats
import typer

IMPORTED = (cryptography.x509, hypothesis, numpy, rich.console, scipy.special, scipy.stats, typer)


class Likely:
    """Begins with the tests that have such words in their names."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = set(words)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items.sort(key=lambda item: -len(self.words & set(item.name.lower().replace("[", "_").split("_"))))


def serve() -> None:
    """Read options and words, a line of JSON each time; write pytest's status."""
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if not child:
            written = os.open(asked["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            nothing = os.open(os.devnull, os.O_RDONLY)
            for mine, theirs in ((nothing, 0), (written, 1), (written, 2)):
                os.dup2(mine, theirs)
            status = pytest.main(asked["options"], plugins=[Likely(asked["words"])])
            sys.stdout.flush()
            os._exit(status)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    serve()
