"""Parties by topics: those that scikit-learn's parts deal, and the same whatever the number of threads."""

import subprocess
import sys
import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

from fedtopics.documents import datasets, splitting
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.splitting import by_topics


def scikit_learn(corpus: Corpus, n_parties: int, seed: int) -> list[Corpus]:
    """The parties as they were dealt when scikit-learn did it."""
    sample = splitting._sample(corpus.n_docs, seed)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        points = TfidfTransformer(sublinear_tf=True).fit_transform(corpus.to_sparse())
        n_dimensions = min(50, corpus.n_words - 1, corpus.n_docs - 1)
        if n_dimensions > 1:
            embedding = TruncatedSVD(n_dimensions, n_iter=5, random_state=seed).fit(points[sample])
            points = normalize(embedding.transform(points))
        else:
            points = points.toarray()
        party = KMeans(n_parties, n_init=3, random_state=seed).fit(points[sample]).predict(points)
    first, unit = splitting._units(corpus)
    party = party[first][unit]
    by_size = np.argsort(-np.bincount(party, minlength=n_parties), kind="stable")
    return splitting._divided(corpus, np.argsort(by_size)[party], n_parties)


def check_dealt_alike(corpus: Corpus, n_parties: int, seed: int) -> None:
    theirs = scikit_learn(corpus, n_parties, seed)
    ours = by_topics(corpus, n_parties, seed=seed)
    assert [(party.name, party.ids) for party in ours] == [(party.name, party.ids) for party in theirs]


@pytest.fixture(scope="module")
def speeches() -> Corpus:
    corpus = datasets.load("sotu", sentences=False)
    return replace(corpus, ids=tuple(map(str, range(corpus.n_docs))))


@pytest.mark.parametrize(("n_parties", "seed"), [(2, 0), (3, 0), (3, 1), (3, 2), (5, 7), (10, 3), (40, 4)])
def test_the_speeches_are_dealt_as_by_scikit_learn(speeches: Corpus, n_parties: int, seed: int) -> None:
    assert speeches.n_docs > splitting._SAMPLE
    check_dealt_alike(speeches, n_parties, seed)


@given(
    documents=st.lists(st.lists(st.sampled_from("ABCDEFGH"), max_size=5), min_size=2, max_size=25),
    persons=st.none() | st.lists(st.sampled_from("xyz"), min_size=25, max_size=25),
    n_parties=st.integers(2, 25),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=50, deadline=None)
def test_few_and_equal_documents_are_dealt_as_by_scikit_learn(
    documents: Sequence[Sequence[str]], persons: Sequence[str] | None, n_parties: int, seed: int
) -> None:
    n_docs = len(documents)
    corpus = Corpus.from_texts(
        ["anyword", *(" ".join(f"word{letter}" for letter in document) for document in documents[1:])],
        ids=range(n_docs),
        persons=None if persons is None else persons[:n_docs],
        min_df=1,
        max_df=1.0,
    )
    most = n_docs if persons is None else len(set(persons[:n_docs]))
    check_dealt_alike(corpus, min(n_parties, most), seed)


DEAL = """
import os
from threadpoolctl import threadpool_info
from fedtopics.documents import embedding, k_means, splitting
from fedtopics.documents.corpus import Corpus

def asked(function):
    def called(*given, **options):
        found = function(*given, **options)
        print(max(pool["num_threads"] for pool in threadpool_info()))
        return found
    return called

embedding.embedded, k_means.nearest = asked(embedding.embedded), asked(k_means.nearest)
corpus = Corpus.from_texts([f"word{n} word{n % 7} other{n % 3}" for n in range(90)], min_df=1)
splitting.by_topics(corpus, 3, seed=0)
"""


def test_linear_algebra_is_held_to_one_thread() -> None:
    """In a process of its own, where nothing but what is needed has been loaded before."""
    dealt = subprocess.run([sys.executable, "-P", "-c", DEAL], capture_output=True, text=True, check=True)
    assert set(dealt.stdout.split()) == {"1"}
