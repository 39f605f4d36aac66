"""One corpus divided among parties: by column, at random, by skewed labels, by what the documents are about.

Every function gives a list of corpora, one for each party, none of them empty, over the one vocabulary; the
`name` of each is its party. The order of a party's documents is that of the whole. Same seed, same parties.
A person, where known, is with all documents at one party: where the first of them was dealt.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.documents.persons import different, seeded
from fedtopics.documents.text.harmless import showing_no_text
from fedtopics.errors import InputError

_SAMPLE = 10_000


def automatic(corpus: Corpus, n_parties: int | None = None, *, seed: int) -> list[Corpus]:
    """By column where `corpus` says who owns what and `n_parties` fits, else by topics (and `seed`)."""
    named = len(set(corpus.parties or ()))
    if named and n_parties in (None, named):
        return by_column(corpus)
    if n_parties is None:
        raise InputError("expected a column of parties or a number of parties, got neither")
    return by_topics(corpus, n_parties, seed=seed)


def by_column(corpus: Corpus) -> list[Corpus]:
    """As `corpus.parties` says, in alphabetical order of the names; a person may be at one party only.

    >>> corpus = Corpus.from_texts(["iron ore", "wheat", "coal"], parties=["mine", "farm", "mine"])
    >>> [(party.name, party.n_docs) for party in by_column(corpus)]
    [('farm', 1), ('mine', 2)]
    """
    if corpus.parties is None:
        raise InputError("expected documents with parties, got none; name a --party-column (party_column)")
    if missing := corpus.parties.count(""):
        raise InputError(f"expected a party for every document, got none for {missing} of {corpus.n_docs}")
    names, party = np.unique(np.array(corpus.parties, dtype=object).astype(str), return_inverse=True)
    _check_whole(corpus, party)
    if len(names) == 1:  # no need of a copy
        return [corpus]
    return [corpus.select(party == number) for number in range(len(names))]


def by_proportions(corpus: Corpus, proportions: Sequence[float], *, seed: int) -> list[Corpus]:
    """`corpus` dealt at random (`seed`), each party its share: `proportions` [6, 3, 1] are 60, 30 and 10 %.

    >>> corpus = Corpus.from_texts(["word"] * 10)
    >>> [(party.name, party.n_docs) for party in by_proportions(corpus, [6, 3, 1], seed=0)]
    [('party-1', 6), ('party-2', 3), ('party-3', 1)]
    """
    with showing_no_text("expected proportions above 0, got texts"):
        shares = np.asarray(proportions, dtype=float)
    if not (shares.ndim == 1 and len(shares) and np.isfinite(shares).all() and (shares > 0).all()):
        raise InputError(f"expected proportions above 0, got {shares.tolist()}")
    _check_number(corpus, len(shares))
    party = np.repeat(np.arange(len(shares)), _rounded(shares, corpus.n_docs))
    shuffled = seeded(seed).permutation(party)
    return _divided(corpus, shuffled, len(shares))


def by_labels(corpus: Corpus, n_parties: int, *, concentration: float = 0.5, seed: int) -> list[Corpus]:
    """`corpus` by skewed labels: those of each label are shared out in Dirichlet(`concentration`) parts.

    A small concentration gives each label to few of the `n_parties`; a large one gives all of them the same
    mixture. `seed` draws the parts.
    """
    if corpus.labels is None:
        raise InputError("expected documents with labels, got none; name a --label-column (label_column)")
    if not concentration > 0:
        raise InputError(f"expected a concentration above 0, got {concentration}")
    _check_number(corpus, n_parties)
    generator = seeded(seed)
    label = np.unique(np.array(corpus.labels, dtype=object).astype(str), return_inverse=True)[1]
    party = np.empty(corpus.n_docs, dtype=np.int64)
    for number in range(label.max() + 1):
        documents = np.flatnonzero(label == number)
        sizes = _rounded(generator.dirichlet(np.full(n_parties, concentration)), len(documents))
        party[documents] = generator.permutation(np.repeat(np.arange(n_parties), sizes))
    return _divided(corpus, party, n_parties)


def by_topics(corpus: Corpus, n_parties: int, *, seed: int) -> list[Corpus]:
    """`corpus` by what documents are about: k-means on a latent semantic embedding (TF-IDF, 50 dimensions).

    The `n_parties` differ in their words and their sizes, as hospitals or newsrooms do. Party 1 is the
    largest. `seed` draws where k-means begins.
    """
    from threadpoolctl import threadpool_limits

    from fedtopics.documents.embedding import embedded
    from fedtopics.documents.k_means import k_means, nearest

    _check_number(corpus, n_parties)
    if n_parties == 1:
        return _divided(corpus, np.zeros(corpus.n_docs, np.int64), 1)
    sample = _sample(corpus.n_docs, seed)
    with threadpool_limits(1):  # one order of sums, whatever the number of threads
        points = embedded(corpus.to_sparse(), sample, seed=seed)
        party = nearest(points, k_means(points[sample], n_parties, seed=seed))
    first, unit = _units(corpus)
    party = party[first][unit]
    by_size = np.argsort(-np.bincount(party, minlength=n_parties), kind="stable")
    return _divided(corpus, np.argsort(by_size)[party], n_parties)


def _sample(n_docs: int, seed: int) -> NDArray[np.int64]:
    if n_docs <= _SAMPLE:
        return np.arange(n_docs)
    return np.sort(seeded(seed).choice(n_docs, _SAMPLE, replace=False))


def _check_number(corpus: Corpus, n_parties: int) -> None:
    most, units = len(_units(corpus)[0]), "documents" if corpus.persons is None else "persons"
    if not 1 <= n_parties <= most:
        raise InputError(f"expected 1 to {most} parties, as there are {units}, got {n_parties}")


def _check_whole(corpus: Corpus, party: NDArray[np.int64]) -> None:
    """Refuse a person at two parties: a person is protected where all of their documents are."""
    first, unit = _units(corpus)
    several = len(np.unique(unit[party != party[first][unit]]))
    if several:
        raise InputError(
            f"expected each person at one party, got {several} of {len(first)} persons at several; a person "
            "is protected on one machine: bring their documents together"
        )


def _units(corpus: Corpus) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What is dealt as a whole, persons where known, else documents: their first document, and of which each
    document is one."""
    unit = np.arange(corpus.n_docs) if corpus.persons is None else different(corpus.persons).of
    return np.unique(unit, return_index=True)[1], unit


def _rounded(shares: NDArray[np.float64], total: int) -> NDArray[np.int64]:
    """Whole numbers that sum to the total, each near its share (largest remainders round up)."""
    exact = shares / shares.sum() * total
    sizes = np.floor(exact).astype(np.int64)
    missing = total - int(sizes.sum())
    sizes[np.argsort(sizes - exact, kind="stable")[:missing]] += 1
    return np.asarray(sizes)


def _none_empty(party: NDArray[np.int64], n_parties: int) -> NDArray[np.int64]:
    """The same parties of documents or persons, each empty one given one of the largest."""
    party = party.copy()
    for empty in np.flatnonzero(np.bincount(party, minlength=n_parties) == 0):
        largest = np.bincount(party, minlength=n_parties).argmax()
        party[np.flatnonzero(party == largest)[-1]] = empty
    return party


def _divided(corpus: Corpus, party: NDArray[np.int64], n_parties: int) -> list[Corpus]:
    first, unit = _units(corpus)
    party = _none_empty(party[first], n_parties)[unit]
    width = len(str(n_parties))
    names = np.array([f"party-{number + 1:0{width}}" for number in range(n_parties)])
    return by_column(replace(corpus, parties=tuple(names[party].tolist())))
