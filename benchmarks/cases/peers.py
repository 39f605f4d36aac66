"""One LDA library in a process of its own, driven line by line from standard input.

    python -m benchmarks.cases.peers fedtopics data.npz 100 1

`go N` trains N more sweeps (passes), `score` gives held-out perplexity; every answer is one line of JSON.
All libraries get the same documents, alpha = 0.1 and beta = 0.01, and keep their own habit of optimizing
alpha: tomotopy does by default, so fedtopics does as well; the others do not. Perplexity is always that of
fedtopics.evaluation, on the topics as the library returns them after its last sweep.
"""

from __future__ import annotations

import json
import logging
import sys
from abc import ABC, abstractmethod
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.evaluation.perplexity import perplexity
from fedtopics.sampling import lda as samplers

ALPHA, BETA = 0.1, 0.01
TOMOTOPY, LDA = {"tomotopy": "bench"}, {"lda": "bench"}  # the extra that brings them
OPTIMIZE_EVERY = 10  # sweeps: what tomotopy does


class Peer(ABC):
    """A library holding a corpus."""

    def __init__(self, corpus: Corpus, n_topics: int, n_threads: int) -> None:
        self.corpus, self.n_topics, self.n_threads = corpus, n_topics, n_threads

    @abstractmethod
    def go(self, n_sweeps: int) -> None:
        """Trains some more sweeps."""

    @abstractmethod
    def topics(self) -> NDArray[Any]:
        """Topic-word weights (n_topics, n_words)."""

    def documents(self) -> list[NDArray[np.int32]]:
        return np.split(self.corpus.words, self.corpus.offsets[1:-1])


class Fedtopics(Peer):
    def __init__(self, corpus: Corpus, n_topics: int, n_threads: int) -> None:
        super().__init__(corpus, n_topics, n_threads)
        self.priors = samplers.Priors.symmetric(n_topics, ALPHA, BETA)
        self.state = samplers.start(corpus, n_topics, seed=1)

    def go(self, n_sweeps: int) -> None:
        end = self.state.n_sweeps + n_sweeps
        while self.state.n_sweeps < end:
            step = min(end - self.state.n_sweeps, OPTIMIZE_EVERY - self.state.n_sweeps % OPTIMIZE_EVERY)
            given = self.corpus, self.state, self.priors
            self.state = samplers.sweep(*given, seed=1, n_sweeps=step, n_threads=self.n_threads)
            if self.state.n_sweeps % OPTIMIZE_EVERY == 0:
                self.priors = samplers.optimize_alpha(
                    self.corpus, self.state, self.priors, n_threads=self.n_threads
                )

    def topics(self) -> NDArray[Any]:
        return (samplers.word_topic_counts(self.corpus, self.state.topics, self.n_topics) + BETA).T


class Tomotopy(Peer):
    def __init__(self, corpus: Corpus, n_topics: int, n_threads: int) -> None:
        super().__init__(corpus, n_topics, n_threads)
        import tomotopy

        self.model = tomotopy.LDAModel(k=n_topics, alpha=ALPHA, eta=BETA, seed=1)
        for document in self.documents():
            self.model.add_doc(document.astype(str))
        self.model.train(0)

    def go(self, n_sweeps: int) -> None:
        self.model.train(n_sweeps, workers=self.n_threads)

    def topics(self) -> NDArray[Any]:
        return tomotopy_topics(self.model, self.corpus.n_words)


class ScikitLearn(Peer):
    def __init__(self, corpus: Corpus, n_topics: int, n_threads: int) -> None:
        super().__init__(corpus, n_topics, n_threads)
        from sklearn.decomposition import LatentDirichletAllocation

        options: dict[str, Any] = {"doc_topic_prior": ALPHA, "topic_word_prior": BETA, "random_state": 1}
        self.matrix = corpus.to_sparse()
        self.model = LatentDirichletAllocation(
            n_topics, total_samples=corpus.n_docs, n_jobs=n_threads, **options
        )

    def go(self, n_sweeps: int) -> None:
        for _ in range(n_sweeps):
            self.model.partial_fit(self.matrix)

    def topics(self) -> NDArray[Any]:
        return np.asarray(self.model.components_)


class Gensim(Peer):
    def __init__(self, corpus: Corpus, n_topics: int, n_threads: int) -> None:
        super().__init__(corpus, n_topics, n_threads)
        from gensim.models import LdaModel

        self.bags = [
            list(zip(*map(np.ndarray.tolist, np.unique(d, return_counts=True)), strict=True))
            for d in self.documents()
        ]
        names = dict(enumerate(corpus.vocabulary))
        options: dict[str, Any] = {"alpha": [ALPHA] * n_topics, "eta": BETA, "random_state": 1}
        self.model = LdaModel(id2word=names, num_topics=n_topics, eval_every=None, **options)

    def go(self, n_sweeps: int) -> None:
        self.model.update(self.bags, passes=n_sweeps)

    def topics(self) -> NDArray[Any]:
        return np.asarray(self.model.get_topics())


class Ariddell(Peer):
    """The package `lda`."""

    def __init__(self, corpus: Corpus, n_topics: int, n_threads: int) -> None:
        super().__init__(corpus, n_topics, n_threads)
        self.matrix = corpus.to_sparse().astype(int)
        self.phi = np.ones((n_topics, corpus.n_words))

    def go(self, n_sweeps: int) -> None:
        import lda

        logging.getLogger("lda").setLevel(logging.ERROR)
        model = lda.LDA(self.n_topics, n_iter=n_sweeps, alpha=ALPHA, eta=BETA, random_state=1)
        self.phi = model.fit(self.matrix).topic_word_

    def topics(self) -> NDArray[Any]:
        return self.phi


def tomotopy_model(corpus: Corpus, n_topics: int, seed: int = 0) -> Any:
    """tomotopy's collapsed Gibbs sampler with the documents of all parties, before training."""
    import tomotopy

    model = tomotopy.LDAModel(k=n_topics, alpha=0.1, eta=0.05, seed=seed + 1)
    for first, last in zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True):
        if first < last:
            model.add_doc([str(word) for word in corpus.words[first:last]])
    return model


def tomotopy_topics(model: Any, n_words: int) -> NDArray[np.float64]:
    """The topics of a tomotopy model, (n_topics, n_words)."""
    topics = np.zeros((model.k, n_words))
    known = [int(word) for word in model.used_vocabs]
    for k in range(model.k):
        topics[k, known] = model.get_topic_word_dist(k)
    return topics


PEERS: dict[str, type[Peer]] = {
    "fedtopics": Fedtopics,
    "tomotopy": Tomotopy,
    "scikit-learn": ScikitLearn,
    "gensim": Gensim,
    "lda": Ariddell,
}


def save(path: Path, train: Corpus, test: Corpus) -> None:
    np.savez(path, words=train.words, offsets=train.offsets, test_words=test.words, test_offsets=test.offsets,
             n_words=train.n_words)  # fmt: skip


def memory(field: str) -> float:
    """VmRSS (now) or VmHWM (the most so far) of this process in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def serve(name: str, path: str, n_topics: int, n_threads: int) -> None:
    """Answers one line per line of standard input."""
    data = np.load(path)
    vocabulary = tuple(map(str, range(int(data["n_words"]))))
    train = Corpus(data["words"], data["offsets"], vocabulary)
    test = Corpus(data["test_words"], data["test_offsets"], vocabulary)
    before, cpu, wall = memory("VmRSS"), process_time(), perf_counter()
    peer = PEERS[name](train, n_topics, n_threads)
    answer({"cpu": process_time() - cpu, "wall": perf_counter() - wall, "memory": memory("VmRSS") - before})
    for line in sys.stdin:
        command, *values = line.split()
        cpu, wall = process_time(), perf_counter()
        if command == "go":
            peer.go(int(values[0]))
            spent = {"cpu": process_time() - cpu, "wall": perf_counter() - wall}
            answer(spent | {"memory": memory("VmHWM") - before})
        else:
            answer({"perplexity": perplexity(peer.topics(), test)})


def answer(values: dict[str, float]) -> None:
    print(json.dumps(values), flush=True)


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
