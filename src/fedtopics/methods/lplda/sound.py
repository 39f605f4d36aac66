"""LP-LDA, repaired: every user sends the words of a document as bits that were flipped at random.

After F. Zhao, X. Ren, S. Yang, X. Yang, On privacy protection of latent Dirichlet allocation model training,
IJCAI 2019. A user is a document; a party holds many of them (in deployment: one).

    once     user:    a bit for every word of the vocabulary: send a 1 with probability p where the document
                      has it, with q where it has not; (p, q) is the most informative pair at this epsilon
    round t  server:  n_sweeps of Gibbs sampling on the bits as they came (`parts/noisy_reports.py`): a fixed
                      background for the false ones, and a base of the private unigram

Guarantee: epsilon for a word replaced, less than epsilon for a word added or removed, U epsilon for a
document of at most U = max_length different words replaced. Bits are sent once, so rounds cost nothing.
Public: vocabulary, settings, number of users. Lengths are hidden.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from fedtopics.errors import InputError
from fedtopics.methods.parts.noisy_reports import ReportSampling
from fedtopics.methods.parts.reports import Bits
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.exact import dyadic_epsilon
from fedtopics.privacy.mechanisms.unary_encoding import UnaryEncoding
from fedtopics.privacy.price.cost import Relation
from fedtopics.protocol.method import About


@dataclass(frozen=True)
class LpLda(ReportSampling):
    epsilon: float = 4.0  # word replace
    distinct_words: int = 60  # public guess of the different words of a document, for p and q
    max_length: int | None = None  # public bound on the different words of a document; prices documents

    about: ClassVar[About] = About(
        summary="users send the words of one document as noisy bits",
        guarantee="epsilon for a word replaced, for all rounds",
        citation="Zhao et al., IJCAI 2019",
    )
    variant: ClassVar[str | None] = "sound"
    heard_with: ClassVar[tuple[Mapping[str, Any], ...]] = ({"epsilon": 4.0},)

    def __post_init__(self) -> None:
        dyadic_epsilon(self.epsilon)
        self.check_sampling()
        if not self.distinct_words > 0:
            raise InputError(f"distinct_words must be above 0, got {self.distinct_words}")
        Bounds(max_length=self.max_length)

    @property
    def protects(self) -> Relation:
        return "word replace"

    def reported(self, n_words: int) -> Bits:
        return Bits(self.mechanism(n_words), n_words)

    def mechanism(self, n_words: int) -> UnaryEncoding:
        """What the bits of documents go through."""
        bounds = Bounds(max_length=self.max_length)
        return UnaryEncoding.informative(self.epsilon, n_words, self.distinct_words, bounds)


METHOD = LpLda
