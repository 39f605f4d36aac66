"""PC-TD: semantic units of one topic each, federated EM, Gaussian noise on the counts.

Yexuan Shi et al., Federated topic discovery: a semantic consistent approach, IEEE Intelligent Systems 2021.

    unit           n words in a row (of one sentence, where known), a sentence or a paragraph; has one topic
    paper, round t server:  send phi;  t = 0: random topics
                   party:   Y_uw = N_uw + Gaussian noise of deviation sigma, for each unit u and word w, anew;
                            r_uk ~ theta_dk prod_w phi_kw^Y_uw;  theta_dk ~ sum_u r_uk;
                            send M_wk = sum_u Y_uw r_uk
                   server:  phi_kw ~ max(sum over the parties of M_wk, 0) + beta
    sound, once    party:   Y_dw = N_dw + Gaussian noise, for every document d (release="unit": every unit)
                            and word w;  keep the entries >= 1
           round 0 party:   send its word totals and mean length, estimated from Y
                   server:  phi <- unigram times random factors
           round t server:  send phi and the topic sizes
                   party:   E step on Y that knows the law of the noise;  send the expected counts M
                   server:  phi_kw ~ M_wk + base (mean of M_w over the topics) + beta,  beta = 3 / n_topics

Word relations (Eq. 12, 13) are a part of their own: `fedtopics.related_words`, with any method.

With release="document" Y does not say which words stood together. What remains of "one topic for each unit"
is how much a document says of its mixture: theta_dk ~ alpha + (expected words in k) / (words of a unit).

Guarantee, of `sound`: (epsilon, delta) for a word added or removed, (less than 2 epsilon, delta) for one
replaced, with the sigma that this takes; whatever the number of rounds. Of `paper`: n_rounds Gaussian
releases compose, to 380 at sigma 0.25, 35 rounds and delta 1e-5. Both need documents, sentences or paragraphs
as vectors. With n-grams (`paper` as printed, and release="unit") a word that comes between others moves those
after it to other n-grams and may make one more: a word replaced is all that has a bound, epsilon cannot be
asked for, and what would follow if a count changed by 1, as the paper says, is recorded as a claim. Public:
vocabulary, settings, number of documents, with vectors of units their number in each document (for n-grams so
the length). theta never leaves.

Corrections to the printed algorithm: all parties start from the same topics (drawn each by itself, topic k of
one party has nothing to do with topic k of another). Negative sums of M, which have no logarithm, are cut at
zero and beta is added. The noise is discrete on a grid of 1/64.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError
from fedtopics.methods.pctd.claimed import moments_claim
from fedtopics.methods.pctd.noisy_units import NoisyUnits, least_sigma
from fedtopics.methods.pctd.semantic_units import KINDS
from fedtopics.model import TopicModel
from fedtopics.privacy.explain import worth
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.calibration import total
from fedtopics.privacy.mechanisms.gaussian_counts import GaussianCounts
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.price.cost import Claim, Relation
from fedtopics.privacy.price.events import check_delta, check_number
from fedtopics.privacy.price.release import Cost, Release
from fedtopics.protocol.method import About, Arrays, Form, Party, ToldTopics, Turn
from fedtopics.protocol.told import mean_length, topics_with_sizes
from fedtopics.sampling import channel_em, unit_em
from fedtopics.sampling.channel_em import Documents, Topics
from fedtopics.sampling.histograms import Histograms

PARTY = "party/"
EPSILON = 8.0  # where neither it nor sigma is given
GRID = 64  # steps of the papers' noise in one token
COUNTS_OF_PRIOR = 3.0  # of every word in all topics together
WORDS_OF_UNIT = {"ngram": 3, "sentence": 10, "paragraph": 40}


@dataclass(frozen=True)
class Pctd:
    epsilon: float | None = None  # word add/remove, at delta; 8 where neither it nor sigma is given (sound)
    delta: float = 1e-5  # chance that epsilon does not hold
    sigma: float | None = None  # deviation of the noise, instead of epsilon; 0.25 in the paper
    n_topics: int = 50
    n_rounds: int = 35
    variant: str = "sound"  # or "paper"
    unit: str = "ngram"  # or "sentence", "paragraph": what has one topic
    unit_length: int | None = None  # words of an n-gram (3), or roughly of a sentence (10), a paragraph (40)
    release: str | None = None  # "document" (sound's own) or "unit": what one noisy vector covers
    alpha: float = 0.1
    beta: float | None = None  # 3 / n_topics (paper: 0.05) where not given
    base: float = 0.05  # share of the mean of all topics that is added to each; sound
    burstiness: float = 0.3  # with release="document"
    max_length: int | None = None  # public bound on the tokens of a document; prices whole documents (sound)

    about: ClassVar[About] = About(
        summary="one topic for each n-gram, sentence or paragraph; Gaussian noise",
        guarantee="(epsilon, delta) for a word added or removed (paper: none with its n-grams)",
        citation="Shi et al., IEEE Intelligent Systems 2021",
    )
    told_topics: ClassVar[ToldTopics] = ToldTopics("phi", word_axis=0)

    def __post_init__(self) -> None:
        choices = {"unit": KINDS, "variant": ("sound", "paper")}
        releases = (None, "unit") if self._paper else (None, "unit", "document")
        for name, allowed in (choices | {"release": releases}).items():
            if getattr(self, name) not in allowed:
                raise InputError(f"{name} must be one of {allowed}, got {getattr(self, name)!r}")
        if self.epsilon is not None and self.sigma is not None:
            raise InputError(f"expected epsilon or sigma, got both ({self.epsilon} and {self.sigma})")
        if self.epsilon is not None:
            check_number("epsilon", self.epsilon)
        if self.sigma is not None:
            check_number("sigma", self.sigma, open_minimum=True)
        check_delta(self.delta)
        if not self.delta > 0:
            raise InputError(f"Gaussian noise needs a delta above 0, got {self.delta}")
        if not (self.alpha > 0 and self._beta > 0 and self.base >= 0 and 0 <= self.burstiness < 1):
            given = f"{self.alpha}, {self.beta}, {self.base} and {self.burstiness}"
            raise InputError(
                f"expected alpha and beta above 0, base of at least 0 and burstiness in [0, 1), got {given}"
            )
        if not isinstance(self.words_of_unit, int) or self.words_of_unit < 1:
            raise InputError(f"unit_length must be a whole number above 0, got {self.unit_length!r}")
        if self._paper and self.max_length is not None:
            raise InputError("max_length needs variant='sound', got 'paper', which prices words alone")
        Bounds(self.max_length)
        if self._ngrams:
            self._check_ngrams()

    def _check_ngrams(self) -> None:
        """Refuse what vectors of n-grams cannot keep: a bound on words added or removed, or on documents."""
        if self.epsilon is not None or (self.sigma is None and not self._paper):
            given = "no sigma" if self.epsilon is None else f"epsilon {self.epsilon:g}"
            raise InputError(
                "vectors of n-grams keep no epsilon for a word added or removed, since those behind it move, "
                f"got {given}; use unit='sentence' or 'paragraph' or vectors of documents "
                "(variant='sound', release='document'), or give sigma"
            )
        if self.max_length is not None:
            raise InputError(
                f"max_length needs vectors of documents, sentences or paragraphs, got {self.max_length} with "
                "n-grams, of which only a word replaced is priced"
            )

    @property
    def privacy_delta(self) -> float:
        """At which epsilon is meant."""
        return self.delta

    @property
    def words_of_unit(self) -> int:
        return WORDS_OF_UNIT[self.unit] if self.unit_length is None else self.unit_length

    @property
    def deviation(self) -> float:
        """sigma as given, or the least that keeps epsilon; infinite at epsilon 0."""
        if self.sigma is not None:
            return self.sigma
        if self.epsilon is None and self._paper:
            return 0.25
        rounds, grid = (self.n_rounds, GRID) if self._paper else (1, 1)
        wanted = EPSILON if self.epsilon is None else self.epsilon
        return least_sigma(wanted, self.delta, rounds, grid, self.max_length)

    def in_force(self, n_words: int) -> dict[str, Any]:
        wanted = EPSILON if self.sigma is None and not self._paper else None
        return {
            "epsilon": wanted if self.epsilon is None else self.epsilon,
            "sigma": self.deviation if isfinite(self.deviation) else None,  # at epsilon 0 nothing is released
            "unit_length": self.words_of_unit,
            "release": self.release or ("unit" if self._paper else "document"),
            "beta": self._beta,
        }

    def notes(self, n_words: int) -> list[str]:
        relation: Relation = "word replace" if self._ngrams else "word add/remove"
        plan = self.prices(n_words)
        proved = total(plan[0], relation, self.delta, len(plan))
        weak = ", which protects nothing" if worth(relation, proved, n_words) == "not protected" else ""
        told = f"epsilon {proved:.4g} ({relation}, delta {self.delta:g}) is proved{weak}"
        if self._ngrams:
            told = f"a word added or removed has no bound, since it moves others to other n-grams; {told}"
        return [told] if self._ngrams or weak else []

    def shows(self) -> tuple[str, ...]:
        return self._vectors(2).shows

    def prices(self, n_words: int) -> list[Cost]:
        return [self._mechanism(n_words).price()] * (self.n_rounds if self._paper else 1)

    def start(self, n_words: int, turn: Turn) -> Arrays:
        if not self._paper:
            return {}
        return {"counts": turn.generator().gamma(5.0, 1 / 5.0, (n_words, self.n_topics))}

    def broadcast(self, state: Arrays, party: str) -> Arrays:
        if "counts" not in state:
            return {}
        topics = channel_em.maximize(self._with_base(state), self._beta)
        length = {"length": state["length"]} if "length" in state else {}
        return {"phi": topics.phi, "sizes": topics.sizes} | length

    def may_be_told(self, n_words: int, party: str) -> list[Form]:
        topics = topics_with_sizes(n_words, self.n_topics, self._beta)
        return [topics] if self._paper else [{}, topics | {"length": mean_length()}]

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        if not party.corpus.n_docs:
            raise InputError(f"party {party.name!r} must have documents, got none; leave it out")
        vectors = self._vectors(party.corpus.n_words)
        if self._paper:
            theta = party.memory.get("theta", self._random_mixtures(party.corpus.n_docs, turn))
            fresh = vectors.fresh_counts(party.corpus, theta, told["phi"], turn.noise())
            return fresh.map(lambda found: {"counts": found["counts"]}), {"theta": fresh.value["theta"]}
        released = vectors.release(party, turn)
        held, rows = released.value, vectors.view(released.value)
        if not told:
            totals, length = channel_em.unigram(rows, n_threads=turn.n_threads)
            overview = {"unigram": totals, "length": np.array(length), "n_rows": np.array(rows.n_docs)}
            return released.map(lambda _: overview), held
        step = self._by_units if self.release == "unit" else self._by_documents
        counts, known = step(rows, held, party.memory, told, turn)
        return released.map(lambda _: {"counts": counts}), held | known

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        if not sent:
            return state
        if "counts" not in state:
            return self._begin(sent, turn)
        kept = {name: array for name, array in state.items() if name.startswith(PARTY)}
        kept |= {f"{PARTY}{name}": arrays["counts"] for name, arrays in sent.items()}
        counts = np.stack([kept[name] for name in sorted(kept)]).sum(axis=0, dtype=np.float64)
        return state | kept | {"counts": np.maximum(counts, 0.0)}

    def model(self, state: Arrays, vocabulary: tuple[str, ...]) -> TopicModel:
        if "counts" not in state:
            raise InputError("expected vectors of at least one party, got none; run again")
        alpha = self.alpha * self.words_of_unit  # for new documents, which are read word by word
        return TopicModel.from_counts(self._with_base(state).T, vocabulary, alpha=alpha, beta=self._beta)

    def local_model(self, party: Party) -> None:
        return None

    @property
    def _paper(self) -> bool:
        return self.variant == "paper"

    @property
    def _beta(self) -> float:
        """As given, or a share of the counts that every word has in all topics together."""
        if self.beta is not None:
            return self.beta
        return 0.05 if self._paper else COUNTS_OF_PRIOR / self.n_topics

    @property
    def _ngrams(self) -> bool:
        """Whether a noisy vector covers an n-gram."""
        return self.unit == "ngram" and (self._paper or self.release == "unit")

    def _mechanism(self, n_words: int) -> GaussianCounts | Histogram:
        bounds = Bounds(self.max_length)
        if self.deviation == float("inf"):
            return Histogram(0.0, n_words, bounds=bounds)  # releases nothing
        counts = GaussianCounts(self.deviation, n_words, grid=GRID if self._paper else 1, bounds=bounds)
        claims = []
        if self._paper:
            claimed = moments_claim(self.deviation, self.n_rounds, self.delta)
            claims.append((claimed, "PC-TD, conditions in the proof of Theorem 1"))
        if self._ngrams:
            n_releases = self.n_rounds if self._paper else 1
            claimed = total(counts.price(), "word add/remove", self.delta, n_releases)
            claims.append((claimed, "PC-TD, sensitivity 1 of each count; composed exactly"))
        return replace(
            counts,
            claims=tuple(Claim("word add/remove", value, self.delta, source) for value, source in claims),
            shifting=self._ngrams,
        )

    def _vectors(self, n_words: int) -> NoisyUnits:
        documents = self.release != "unit" and not self._paper
        return NoisyUnits(self._mechanism(n_words), self.unit, self.words_of_unit, documents, self.burstiness)

    def _by_documents(
        self, rows: Histograms, held: Arrays, memory: Arrays, told: Arrays, turn: Turn
    ) -> tuple[NDArray[np.float32], Arrays]:
        documents = channel_em.start(rows, self.n_topics, float(told["length"]))
        if "theta" in memory:
            documents = Documents(memory["theta"], memory["document_lengths"])
        step = channel_em.expect(
            rows,
            documents,
            Topics(told["phi"], told["sizes"]),
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

    def _with_base(self, state: Arrays) -> NDArray[np.float64]:
        """The counts with some of the mean of all topics in each: where noise hides a word, they agree."""
        counts: NDArray[np.float64] = state["counts"]
        return counts if self._paper else counts + self.base * counts.mean(axis=1, keepdims=True)

    def _random_mixtures(self, n_docs: int, turn: Turn) -> NDArray[np.float32]:
        return turn.generator().dirichlet(np.ones(self.n_topics), n_docs).astype(np.float32)

    def _begin(self, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        """Topics that are the unigram times random factors, in counts."""
        unigram = np.stack([arrays["unigram"] for arrays in sent.values()]).sum(axis=0)
        n_rows = np.array([arrays["n_rows"] for arrays in sent.values()])
        lengths = np.array([arrays["length"] for arrays in sent.values()])
        counts = unigram[:, None] * turn.generator().gamma(5.0, 1 / 5.0, (len(unigram), self.n_topics))
        counts *= unigram.sum() / self.n_topics / counts.sum(axis=0)
        return {"counts": counts, "length": np.array(lengths @ n_rows / n_rows.sum())}


METHOD = Pctd
