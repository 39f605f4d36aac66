"""LP-LDA as printed: every user sends the words of a document as bits that were flipped at random.

F. Zhao, X. Ren, S. Yang, X. Yang, On privacy protection of latent Dirichlet allocation model training, IJCAI
2019. A user is a document; a party holds many of them (in deployment: one).

    once     user:    a bit for every word of the vocabulary, 1 where the document has it: keep it with
                      probability 1 - f, else send a fair coin
             server:  n_t ones of word t in M vectors; N_t = (2 n_t - f M) / (2 (1 - f)), rounded, in [0, M];
                      set |N_t - n_t| bits of word t at random, so that N_t are left (steps 1 to 5)
    round t  server:  n_sweeps of collapsed Gibbs sampling on the reconstructed documents

Guarantee: epsilon for a word replaced, half of it for a word added or removed, U epsilon for a document of at
most U = max_length different words replaced. Bits are sent once, so rounds cost nothing. Public: vocabulary,
settings, number of users. Lengths are hidden. The paper's Theorem 4 calls ln((1 - f/2) / (f/2)) the epsilon
of a whole document: it is that of one bit.

channel="laplace" is the paper's baseline, and no guarantee: the documents are sent as they are, and what is
noisy are counts. Laplace noise of scale sensitivity / ln((1 - f/2) / (f/2)) is added to the word-topic counts
once (its positive part: counts do not fall below zero), and sampling goes on reading the raw words. The paper
says sensitivity 1; its variance, 2 K^2 / epsilon^2, is that of sensitivity K.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, log
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus, require_words
from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.methods.parts import noisy_reports
from fedtopics.methods.parts.reports import Bits, in_the_clear
from fedtopics.model import TopicModel
from fedtopics.privacy.mechanisms.bit_vector import bit_vector, estimate
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.exact import dyadic_epsilon
from fedtopics.privacy.mechanisms.unary_encoding import UnaryEncoding
from fedtopics.privacy.price.cost import Claim, Cost, Relation
from fedtopics.privacy.price.release import Release, reuse
from fedtopics.protocol.hearing import Hearing
from fedtopics.protocol.method import About, Method
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.sampling import lda


@dataclass(frozen=True)
class PrintedLpLda(Method):
    epsilon: float | None = None  # word replace; 4 where neither it nor f is given
    f: float | None = None  # chance that a bit is a coin, in place of epsilon
    n_topics: int = 50
    n_rounds: int = 60
    channel: str = "bits"  # or "laplace", the paper's baseline, which protects nothing
    sensitivity: float = 1.0  # that the baseline's noise is scaled by
    max_length: int | None = None  # public bound on the different words of a document; prices documents
    n_sweeps: int = 5  # in a round
    alpha: float = 0.1
    beta: float = 0.05

    about: ClassVar[About] = About(
        summary="users send the words of one document as noisy bits; as printed",
        guarantee="epsilon for a word replaced, for all rounds; the paper claims half of it for a document",
        citation="Zhao et al., IJCAI 2019",
    )
    variant: ClassVar[str | None] = "paper"
    heard_with: ClassVar[tuple[Mapping[str, Any], ...]] = ({"epsilon": 4.0},)

    def __post_init__(self) -> None:
        if self.channel not in ("bits", "laplace"):
            raise InputError(f"channel must be bits or laplace, got {quoted(self.channel)}")
        self._check_noise()
        if not (self.alpha > 0 and self.beta > 0 and self.n_sweeps > 0 and self.sensitivity > 0):
            given = f"{self.alpha}, {self.beta}, {self.n_sweeps} and {self.sensitivity}"
            raise InputError(f"alpha, beta, n_sweeps and sensitivity must be above 0, got {given}")
        Bounds(max_length=self.max_length)

    def _check_noise(self) -> None:
        """Refuse a noise that is none or is told twice."""
        if self.f is not None and self.epsilon is not None:
            raise InputError(f"expected epsilon or f, got both ({self.epsilon} and {self.f})")
        if self.f is not None and not (isinstance(self.f, float) and 0 < self.f < 1):
            raise InputError(f"f must lie between 0 and 1, got {quoted(self.f)}")
        dyadic_epsilon(self._epsilon)

    def in_force(self, n_words: int) -> dict[str, Any]:
        epsilon = self._epsilon if self.f is None else 2 * self._rate
        return super().in_force(n_words) | {"epsilon": epsilon, "f": self._f}

    def notes(self, n_words: int) -> list[str]:
        baseline = "the Laplace baseline of LP-LDA protects nothing: it reads the raw documents"
        return [baseline] if self.channel == "laplace" else []

    @property
    def protects(self) -> Relation:
        return "word replace"

    def prices(self, n_words: int) -> list[Cost]:
        require_words(n_words)
        return [self._baseline_price() if self.channel == "laplace" else self.mechanism(n_words).price()]

    def start(self, n_words: int, turn: Turn) -> Arrays:
        return {
            "words": np.zeros(0, np.int32),
            "offsets": np.zeros(1, np.int64),
            "topics": np.zeros(0, np.uint16),
            "n_words": np.array(n_words),
        }

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        corpus, memory = party.corpus, {"reported": np.array(True)}
        if party.memory:
            return reuse({}), party.memory
        if self.channel == "laplace":
            documents: Arrays = {"words": corpus.words, "lengths": corpus.lengths}
            return Release(documents, self._baseline_price()), memory
        return Bits(self.mechanism(corpus.n_words), corpus.n_words).made(corpus, turn.noise()), memory

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        new = [arrays for arrays in sent.values() if arrays]
        state = self._joined(state, new, turn) if new else state
        corpus = Corpus(state["words"], state["offsets"], tuple(map(str, range(int(state["n_words"])))))
        topics = lda.sweep(
            corpus,
            lda.State(state["topics"], turn.round * self.n_sweeps),
            lda.Priors.symmetric(self.n_topics, self.alpha, self.beta),
            seed=turn.seed,
            n_sweeps=self.n_sweeps,
            n_threads=turn.n_threads,
            others=state.get("noise"),
        ).topics
        return state | {"topics": topics}

    def model(self, state: Arrays, vocabulary: tuple[str, ...]) -> TopicModel:
        corpus = Corpus(state["words"], state["offsets"], vocabulary)
        counts = lda.word_topic_counts(corpus, state["topics"], self.n_topics) + state.get("noise", 0.0)
        return TopicModel.from_counts(counts.T, vocabulary, alpha=self.alpha, beta=self.beta)

    def hearing(self, model: TopicModel) -> Hearing:
        if self.channel == "laplace":
            return in_the_clear(model.n_words)
        return Bits(self.mechanism(model.n_words), model.n_words).hearing()

    @property
    def _epsilon(self) -> float:
        return 4.0 if self.epsilon is None else self.epsilon

    @property
    def _f(self) -> float:
        """The noise rate: a bit costs half of what a word replaced does."""
        if self.f is not None:
            return self.f
        odds_of_noise = exp(-self._epsilon / 2)  # cannot overflow, as exp(epsilon / 2) could
        return 2 * odds_of_noise / (1 + odds_of_noise)

    @property
    def _rate(self) -> float:
        """Epsilon of one bit, by Theorem 4."""
        return log((1 - self._f / 2) / (self._f / 2))

    def mechanism(self, n_words: int) -> UnaryEncoding:
        """What the bits of documents go through."""
        return bit_vector(self._f, n_words, Bounds(max_length=self.max_length))

    def _baseline_price(self) -> Cost:
        """No bound, and what is claimed of a word."""
        return Cost(
            claims=(Claim("word add/remove", self._rate, 0.0, "LP-LDA, section 4.2: Laplace baseline"),)
        )

    def _joined(self, state: Arrays, sent: list[Arrays], turn: Turn) -> Arrays:
        """The documents behind what was sent, added to those of the state."""
        n_words, generator = int(state["n_words"]), turn.generator()
        for arrays in sent:
            noisy_reports.check(arrays, n_words)
        words = np.concatenate([arrays["words"] for arrays in sent]).astype(np.int32)
        lengths = np.concatenate([arrays["lengths"] for arrays in sent]).astype(np.int64)
        noise: Arrays = {}
        if self.channel == "laplace":
            scale = self.sensitivity / self._rate
            drawn = generator.laplace(0.0, scale, (n_words, self.n_topics))
            noise = {"noise": np.maximum(drawn, 0.0).astype(np.float32)}
        elif self._f < 1:
            rows = np.repeat(np.arange(len(lengths)), lengths)
            words, lengths = reconstruct(words, rows, (len(lengths), n_words), self._f, generator)
        topics = generator.integers(0, self.n_topics, len(words)).astype(np.uint16)
        joined = {
            "words": np.concatenate([state["words"], words]),
            "offsets": np.concatenate([state["offsets"], len(state["words"]) + np.cumsum(lengths)]),
            "topics": np.concatenate([state["topics"], topics]),
        }
        return state | joined | noise


def reconstruct(
    words: NDArray[np.int32],
    rows: NDArray[np.int64],
    shape: tuple[int, int],
    f: float,
    generator: np.random.Generator,
) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Steps 1 to 5: words and lengths of documents in which every word is as frequent as estimated.

    Entry i says that row rows[i] has word words[i]; `shape` is (n_rows, n_words).
    """
    n_rows, n_words = shape
    ones = np.bincount(words, minlength=n_words)
    wanted = estimate(ones, n_rows, f)[0].astype(np.int64)
    order = np.lexsort((generator.random(len(words)), words))
    rank = np.arange(len(words)) - (np.cumsum(ones) - ones)[words[order]]
    kept = order[rank < wanted[words[order]]]
    cells = [rows[kept] * n_words + words[kept]]
    for word in np.flatnonzero(wanted > ones):
        without = np.setdiff1d(np.arange(n_rows), rows[words == word])
        cells.append(generator.choice(without, wanted[word] - ones[word], replace=False) * n_words + word)
    whole = np.sort(np.concatenate(cells))
    return (whole % n_words).astype(np.int32), np.bincount(whole // n_words, minlength=n_rows)


METHOD = PrintedLpLda
