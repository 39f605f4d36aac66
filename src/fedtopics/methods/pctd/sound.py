"""PC-TD, repaired: semantic units of one topic each, federated EM, Gaussian noise drawn once.

After Yexuan Shi et al., Federated topic discovery: a semantic consistent approach, IEEE Intelligent Systems
2021.

    unit      n words in a row (of one sentence, where known), a sentence or a paragraph; has one topic
    once      party:   Y_dw = N_dw + Gaussian noise, for every document d (release="unit": every unit) and
                       word w;  keep the entries >= 1
    round 0   party:   send its word totals and mean length, estimated from Y
              server:  phi <- unigram times random factors
    round t   server:  send phi and the topic sizes
              party:   E step on Y that knows the law of the noise;  send the expected counts M
              server:  phi_kw ~ M_wk + base (mean of M_w over the topics) + beta,  beta = 3 / n_topics

Word relations (Eq. 12, 13) are a part of their own: `fedtopics.related_words`, with any method.

With release="document" Y does not say which words stood together. What remains of "one topic for each unit"
is how much a document says of its mixture: theta_dk ~ alpha + (expected words in k) / (words of a unit).

Guarantee: (epsilon, delta) for a word added or removed, (less than 2 epsilon, delta) for one replaced, with
the sigma that this takes; whatever the number of rounds. It needs documents, sentences or paragraphs as
vectors; of n-grams (release="unit") see `gaussian_units.py`. Public: vocabulary, settings, number of
documents, with vectors of units their number in each document (for n-grams so the length). theta never
leaves.
"""

from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.methods.pctd import semantic_units
from fedtopics.methods.pctd.gaussian_units import GaussianUnits, least_sigma
from fedtopics.methods.pctd.semantic_units import SemanticUnits
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.gaussian_counts import GaussianCounts
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.mechanisms.rows import SparseRows
from fedtopics.privacy.price.release import Release, reuse
from fedtopics.protocol.method import About
from fedtopics.protocol.summing import Total
from fedtopics.protocol.told import Form, mean_length, topics_with_sizes
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.sampling import channel_em, private_mh, unit_em
from fedtopics.sampling.channel_em import Mixtures, SizedTopics
from fedtopics.sampling.histograms import LARGEST_SIGMA, Histograms

ROWS = ("offsets", "words", "values", "documents", "lengths")


@dataclass(frozen=True)
class NoisyUnits:
    """What a party releases once: noisy counts of its units or documents, those that reach 1.

    There is one sparse vector per document or unit, read with the law of its noise ever after. At epsilon 0
    the noise would be infinite: a mechanism that releases nothing takes its place.
    """

    mechanism: GaussianCounts | Histogram
    unit: str
    words_of_unit: int
    documents: bool  # a vector covers a document, not a unit
    burstiness: float = 0.0

    def release(self, party: Party, turn: Turn) -> Release[Arrays]:
        """The party's sparse vectors: drawn the first time, free ever after."""
        if party.memory:
            return reuse({name: party.memory[name] for name in ROWS})
        corpus = party.corpus
        units = semantic_units.cut(corpus, self.unit, self.words_of_unit)
        if self.documents:
            units = SemanticUnits(corpus.offsets, np.arange(corpus.n_docs + 1))
        drawn = self._draw(corpus, units.offsets, turn.noise())
        return drawn.map(lambda rows: self._arrays(rows, units.documents))

    def view(self, rows: Arrays) -> Histograms:
        """Vectors as the E step reads them, with the law of their noise."""
        silent = isinstance(self.mechanism, Histogram)
        return Histograms(
            rows["offsets"],
            rows["words"],
            rows["values"],
            self.mechanism.n_words,
            decay=1.0 if silent else 0.0,
            burstiness=self.burstiness if self.documents else 0.0,
            sigma=0.0 if isinstance(self.mechanism, Histogram) else float(self.mechanism.variance) ** 0.5,
        )

    def _draw(self, corpus: Corpus, units: NDArray[np.int64], noise: Noise) -> Release[SparseRows]:
        if isinstance(self.mechanism, GaussianCounts):
            return self.mechanism(corpus.words, corpus.offsets, noise, units)
        nothing = np.zeros(0, np.int32)
        return self.mechanism(nothing, np.zeros(len(units), np.int64), noise)

    def _arrays(self, rows: SparseRows, documents: NDArray[np.int64]) -> Arrays:
        """Released vectors and, for units of unknown length, how long they seem to be."""
        arrays: Arrays = {"offsets": rows.offsets, "words": rows.words, "values": rows.values}
        arrays["documents"] = documents
        lengths = np.full(rows.n_rows, float(self.words_of_unit))
        if not self.documents and self.unit != "ngram":
            lengths = private_mh.expected_lengths(self.view(arrays))
        return arrays | {"lengths": lengths}


EPSILON = 8.0  # where neither it nor sigma is given
COUNTS_OF_PRIOR = 3.0  # of every word in all topics together


@dataclass(frozen=True)
class Pctd(GaussianUnits):
    epsilon: float | None = None  # word add/remove, at delta; 8 where neither it nor sigma is given
    release: str = "document"  # or "unit": what one noisy vector covers
    beta: float | None = None  # 3 / n_topics where not given
    base: float = 0.05  # share of the mean of all topics that is added to each
    burstiness: float = 0.3  # with release="document"
    max_length: int | None = None  # public bound on the tokens of a document; prices whole documents

    about: ClassVar[About] = About(
        summary="one topic for each n-gram, sentence or paragraph; Gaussian noise",
        guarantee="(epsilon, delta) for a word added or removed, for all rounds",
        citation="Shi et al., IEEE Intelligent Systems 2021",
    )
    variant: ClassVar[str | None] = "sound"
    draws_once: ClassVar[bool] = True
    in_shards: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.release not in ("document", "unit"):
            raise InputError(f"release must be document or unit, got {quoted(self.release)}")
        if not (self.base >= 0 and 0 <= self.burstiness < 1):
            given = f"{self.base} and {self.burstiness}"
            raise InputError(f"expected base of at least 0 and burstiness in [0, 1), got {given}")
        super().__post_init__()
        Bounds(self.max_length)
        if self.ngrams and self.sigma is None:
            self.refuse_ngrams("no sigma")
        if self.ngrams and self.max_length is not None:
            raise InputError(
                f"max_length needs vectors of documents, sentences or paragraphs, got {self.max_length} with "
                "n-grams, of which only a word replaced is priced"
            )

    @property
    def deviation(self) -> float:
        if self.sigma is not None:
            return self.sigma
        wanted = EPSILON if self.epsilon is None else self.epsilon
        found = least_sigma(wanted, self.delta, self.n_releases, self.grid, self.bounds)
        if LARGEST_SIGMA < found < inf:
            raise InputError(
                f"expected an epsilon that leaves some signal, got {wanted:g}, whose noise has deviation "
                f"{found:.0f} on every count; take a larger epsilon"
            )
        return found

    @property
    def prior(self) -> float:
        """As given, or a share of the counts that every word has in all topics together."""
        return COUNTS_OF_PRIOR / self.n_topics if self.beta is None else self.beta

    @property
    def ngrams(self) -> bool:
        return self.unit == "ngram" and self.release == "unit"

    @property
    def n_releases(self) -> int:
        return 1

    @property
    def bounds(self) -> Bounds:
        return Bounds(self.max_length)

    def in_force(self, n_words: int) -> dict[str, Any]:
        default = {"epsilon": EPSILON} if self.epsilon is None and self.sigma is None else {}
        return super().in_force(n_words) | default

    def shows(self) -> tuple[str, ...]:
        return super().shows() if self.release == "unit" else ()

    def start(self, n_words: int, turn: Turn) -> Arrays:
        return {}

    def broadcast(self, state: Arrays) -> Arrays:
        return super().broadcast(state) | {"length": state["length"]} if "counts" in state else {}

    def may_be_told(self, n_words: int, party: str) -> list[Form]:
        topics = topics_with_sizes(n_words, self.n_topics, self.prior)
        return [{}, topics | {"length": mean_length()}]

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        party.require_documents()
        mechanism, documents = self.mechanism(party.corpus.n_words), self.release == "document"
        vectors = NoisyUnits(mechanism, self.unit, self.words_of_unit, documents, self.burstiness)
        released = vectors.release(party, turn)
        held, rows = released.value, vectors.view(released.value)
        if not told:
            totals, length = channel_em.unigram(rows, n_threads=turn.n_threads)
            n_rows = rows.n_docs
            overview = {"unigram": totals, "tokens": np.array(length * n_rows), "n_rows": np.array(n_rows)}
            return released.map(lambda _: overview), held
        step = self._by_documents if documents else self._by_units
        counts, known = step(rows, held, party.memory, told, turn)
        return released.map(lambda _: {"counts": counts}), held | known

    def combine_total(self, state: Arrays, total: Total, turn: Turn) -> Arrays:
        if total.parties and "counts" not in state:
            return self._begin(total.arrays, turn)
        return super().combine_total(state, total, turn)

    def counts(self, state: Arrays) -> NDArray[np.float64]:
        """With some of the mean of all topics in each: where noise hides a word, they agree."""
        counts: NDArray[np.float64] = state["counts"]
        return np.asarray(counts + self.base * counts.mean(axis=1, keepdims=True))

    def _by_documents(
        self, rows: Histograms, held: Arrays, memory: Arrays, told: Arrays, turn: Turn
    ) -> tuple[NDArray[np.float32], Arrays]:
        documents = channel_em.start(rows, self.n_topics, float(told["length"]))
        if "theta" in memory:
            documents = Mixtures(memory["theta"], memory["document_lengths"])
        step = channel_em.expect(
            rows,
            documents,
            SizedTopics(told["phi"], told["sizes"]),
            np.full(self.n_topics, self.alpha * self.words_of_unit, np.float32),
            exclude=turn.round > 1,  # before topics have formed, a token is all the evidence there is
            n_threads=turn.n_threads,
        )
        return step.counts, {"theta": step.documents.theta, "document_lengths": step.documents.lengths}

    def _by_units(
        self, rows: Histograms, held: Arrays, memory: Arrays, told: Arrays, turn: Turn
    ) -> tuple[NDArray[np.float32], Arrays]:
        n_docs = len(held["documents"]) - 1
        theta = memory.get("theta", np.full((n_docs, self.n_topics), 1 / self.n_topics, np.float32))
        step = unit_em.expect(rows, held["documents"], held["lengths"], theta, told["phi"], self.alpha)
        return step.counts, {"theta": step.theta}

    def _begin(self, total: Arrays, turn: Turn) -> Arrays:
        """Topics that are the unigram times random factors, in counts."""
        unigram = total["unigram"]
        counts = unigram[:, None] * turn.generator().gamma(5.0, 1 / 5.0, (len(unigram), self.n_topics))
        counts *= unigram.sum() / self.n_topics / counts.sum(axis=0)
        return {"counts": counts, "length": np.array(total["tokens"] / max(total["n_rows"], 1))}


METHOD = Pctd
