"""The longest way through the house: which files a word and a round pass.

    python tools/longest_path.py word     texts in a file, through `fedtopics train`, to a run folder
    python tools/longest_path.py round    a run over the wire, both sides in one process (tests/network/rehearsal.py)

Printed is the longest chain of different files of the package that stand on the call stack at once, from the
outside in.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from types import FrameType
from typing import Any

import fedtopics

SOURCE = str(Path(fedtopics.__file__).parent) + "/"
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))


class Longest:
    """Watches calls, and keeps the longest chain of files."""

    def __init__(self) -> None:
        self.chain: list[str] = []
        self._stack: list[str] = []

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        file = frame.f_code.co_filename
        if not file.startswith(SOURCE) or frame.f_code.co_name == "<module>":
            return
        if event == "call":
            self._stack.append(file.removeprefix(SOURCE))
            chain = list(dict.fromkeys(self._stack))
            self.chain = max(self.chain, chain, key=len)
        elif event == "return" and self._stack:
            self._stack.pop()


def a_word(folder: Path) -> None:
    """Train on texts by the command line."""
    from fedtopics.commands.application import main

    texts = folder / "texts.txt"
    texts.write_text("court judge law\nwheat crop farm\n" * 30)
    options = ["--epsilon", "6", "--topics", "2", "--rounds", "2"]
    sys.argv = ["fedtopics", "train", str(texts), "--out", str(folder / "run"), *options]
    with suppress(SystemExit), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        main()


def a_round(folder: Path) -> None:
    """Train over the wire, without a network."""
    from network.rehearsal import Rehearsal, simulated
    from planted import drawn_corpus, planted_topics

    topics = planted_topics(3, 8)
    corpora = {name: drawn_corpus(topics, 30, 20, seed) for seed, name in enumerate(["north", "south"])}
    method = fedtopics.methods.make("calm", n_topics=3, n_rounds=2)
    Rehearsal(folder, simulated(method, corpora), corpora).trained()


def longest(work: Callable[[Path], None]) -> list[str]:
    """The longest chain of files while this is done."""
    watch = Longest()
    with tempfile.TemporaryDirectory() as folder:
        sys.setprofile(watch)
        try:
            work(Path(folder))
        finally:
            sys.setprofile(None)
    return watch.chain


if __name__ == "__main__":
    chain = longest({"word": a_word, "round": a_round}[sys.argv[1]])
    print(len(chain), *chain, sep="\n  ")
