"""Documents that say whose they are: the Blog Authorship Corpus, and imdb reviews in made-up threes.

J. Schler, M. Koppel, S. Argamon, J. Pennebaker. Effects of age and gender on blogging. AAAI Spring Symposium,
2006. One file for each author, its posts as <post> elements, in Latin-1 that is not well-formed XML.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from html import unescape
from pathlib import Path

import numpy as np

from benchmarks import corpora
from fedtopics.documents.corpus import Corpus, Document
from fedtopics.documents.reading import read
from fedtopics.runs.preparing import Data, prepare

POST = re.compile(r"<post>(.*?)</post>", re.DOTALL)
LINK = "urlLink"  # stands where a link was
SHORTEST = 10  # known words of a post; shorter ones are left out
TOGETHER = 3  # reviews of a made-up person
TESTED = {"blogs": 0.05, "imdb": 0.1}  # share of the persons whose documents are for testing


@cache
def written(name: str, max_words: int) -> Data:
    """All documents at one party, with their persons; those to test on are by other persons."""
    corpus = blogs(max_words) if name == "blogs" else in_threes(name, max_words)
    return replace(prepare(corpus, n_parties=1, test_fraction=TESTED[name]), source=name)


def blogs(max_words: int) -> Corpus:
    """The posts of all authors that have at least ten of the most frequent words."""
    corpus = Corpus.from_documents(posts(corpora.path("blogs")), max_words=max_words, sentences=False)
    return corpus.select(corpus.lengths >= SHORTEST)


def in_threes(name: str, max_words: int) -> Corpus:
    """A corpus whose documents are grouped at random, three to a person."""
    corpus = read(str(corpora.path(name)), progress=False, max_words=max_words, sentences=False)
    person = np.random.default_rng(0).permutation(corpus.n_docs) // TOGETHER
    return replace(corpus, persons=tuple(map(str, person.tolist())))


def posts(folder: Path) -> Iterator[Document]:
    """Every post; a person is a file."""
    for file in sorted(folder.glob("*.xml")):
        for post in POST.findall(file.read_text(encoding="latin-1")):
            yield Document(unescape(post.replace(LINK, " ")), person=file.name.split(".")[0])
