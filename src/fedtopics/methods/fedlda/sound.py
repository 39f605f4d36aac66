"""FedLDA, repaired: users with one document each report words of it once, by local privacy.

After Y. Wang, Y. Tong, D. Shi, Federated latent Dirichlet allocation: a local differential privacy based
framework, AAAI 2020. A user is a document; a party holds many of them (in deployment: one).

    once     user:    report l words of the document: each by randomized response (krr), or l different ones
                      as the bits of one vector (ue)
    round t  server:  n_sweeps of Gibbs sampling on the reports (`methods/parts/noisy_reports.py`): a fixed
                      background for the channel's noise, and a base of the private unigram

Guarantee: epsilon for a document replaced, epsilon / l for a word replaced; reports are made once and
remembered, so rounds cost nothing. Public: vocabulary, settings (l among them), number of users. Lengths are
hidden.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log
from typing import Any, ClassVar

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.methods.parts.noisy_reports import ReportSampling
from fedtopics.methods.parts.reports import Bits, Reported, Words
from fedtopics.privacy.grades import NOTHING, worth
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.sampled_response import SampledResponse
from fedtopics.privacy.mechanisms.unary_encoding import UnaryEncoding
from fedtopics.privacy.price.cost import Relation
from fedtopics.privacy.price.events import check_number
from fedtopics.protocol.method import About


@dataclass(frozen=True)
class FedLda(ReportSampling):
    epsilon: float = 128.0  # of a document replaced
    n_topics: int = 30
    channel: str = "krr"  # or "ue"
    n_reports: int | None = None  # l, of a user; epsilon / (ln n_words + 2) where not given
    base: float = 0.1  # private unigram under each topic, as a share of the reports per topic

    about: ClassVar[About] = About(
        summary="users with one document each report words themselves",
        guarantee="epsilon for a document replaced, for all rounds",
        citation="Wang, Tong and Shi, AAAI 2020",
    )
    variant: ClassVar[str | None] = "sound"
    heard_with: ClassVar[tuple[Mapping[str, Any], ...]] = tuple(
        {"channel": name, "epsilon": 128.0} for name in ("krr", "ue")
    )

    def __post_init__(self) -> None:
        if self.channel not in ("krr", "ue"):
            raise InputError(f"channel must be krr or ue, got {quoted(self.channel)}")
        check_number("epsilon", self.epsilon)
        self.check_sampling()
        self.reported(1000)

    def in_force(self, n_words: int) -> dict[str, Any]:
        return super().in_force(n_words) | {"n_reports": self.reports_of(n_words)}

    def notes(self, n_words: int) -> list[str]:
        word = self.epsilon / self.reports_of(n_words)
        if worth(self.epsilon, 0.0, n_words) != NOTHING:
            return []
        hidden = worth(word, 0.0, n_words) != NOTHING
        rest = "is all that is promised" if hidden else "hides no single word either"
        return [
            f"epsilon {self.epsilon:.4g} (document replace) protects no document as a whole; "
            f"epsilon {word:.4g} (word replace) {rest}"
        ]

    @property
    def protects(self) -> Relation:
        return "document replace"

    def reported(self, n_words: int) -> Reported:
        n_reports = self.reports_of(n_words)
        epsilon = self.epsilon / n_reports
        if self.channel == "krr":
            return Words(SampledResponse(epsilon, n_words, n_reports), n_words)
        bounds = Bounds(max_length=n_reports)
        return Bits(UnaryEncoding.informative(epsilon, n_words, n_reports, bounds), n_words)

    def reports_of(self, n_words: int) -> int:
        """l: how many words a user reports."""
        best = self.epsilon / (log(n_words) + 2)
        n_reports = max(1, round(best)) if self.n_reports is None else self.n_reports
        if type(n_reports) is not int or n_reports < 1:
            raise InputError(f"n_reports must be a whole number above 0, got {quoted(n_reports)}")
        return n_reports


METHOD = FedLda
