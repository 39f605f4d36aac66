"""Hush: topics that protect whole documents, or whole persons, by noise on sums (our own).

    round 0      totals   party:   word counts, at most 10 of a word in a document, each unit cut to norm 12
                          server:  totals by empirical Bayes;  u = their shares
    round 1      moments  party:   products f_i f_j of unit-length features of the most frequent words; a word
                                   lends presence to those near it by public vectors
                          server:  eigenvectors: a private space of documents
    8 rounds     groups   party:   its documents' places in that space, summed by the nearest center
                          server:  centers (spherical k-means);  in the end topics of frequent words, which
                                   public vectors carry to rarer ones
    8 rounds     counts   party:   responsibilities r_dwk given phi (each entry left out of its own evidence);
                                   sum of c_dw (r_dwk - r0_wk), weighted, each unit cut to norm C
                          server:  Y = r0 totals + noisy sum;  phi by empirical Bayes, with phi before as
                                   expectation (`rounds.py`);  C rises from 1.5 to 3.5
    the last     gain     party:   nats by which phi predicts its documents better than u does, summed
                          server:  where that is not clearly above 0 the topics are withdrawn: u instead

A unit is a document, or a person with all documents, which are summed before the cut. Every release is a sum
of integer vectors with discrete Gaussian noise; the shares of the budget are 14 % for the totals, 10 % for
the moments, 6 % for the groups, 68 % for the counts, 2 % for the gain. Only what documents add to the public
expectation r0 is sent: its norm is half, and what is cut falls back to what is expected.

Guarantee: (epsilon, delta) for a unit added or removed, by exact composition of all releases; a unit replaced
is priced too. Public: vocabulary, settings; the number of documents is not. Each party adds all of the noise,
or a share of it where a secure sum carries the totals.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.methods.hush import beginning, contributions, forms, outlook, rounds, server
from fedtopics.methods.hush.denoising import clear_totals
from fedtopics.methods.hush.rounds import Topics
from fedtopics.methods.hush.spending import SHARES, Spending
from fedtopics.model import TopicModel
from fedtopics.privacy.price.cost import Cost, Relation
from fedtopics.privacy.price.events import check_delta, check_number
from fedtopics.privacy.price.release import Release, reuse
from fedtopics.protocol.method import About, Amounts, BeforeNoise, Method
from fedtopics.protocol.summing import Total
from fedtopics.protocol.told import Form
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.related_words import general_english

LARGEST_DELTA = 1e-3
CAP, TOTALS_CLIP = 10.0, 12.0  # of a word in a document; of a unit's totals
FIRST_CLIP, LAST_CLIP = 1.5, 3.5  # of what a unit adds to the expectation, in the first and the last round
STEADY = 2  # last rounds of EM, in which topics are not moved ahead
USELESS = (
    "the topics were no better than word frequencies, by a private score or number, and were withdrawn: "
    "every topic of this model is the frequency of words. Take more documents, a larger epsilon, fewer words "
    "or fewer topics"
)


@dataclass(frozen=True)
class Hush(Method):
    epsilon: float = 8.0  # document add/remove, or person add/remove, at delta
    delta: float = 1e-6  # chance that epsilon does not hold; well below 1 / number of documents
    unit: str = "document"  # or "person": what is protected as a whole
    n_topics: int = 30
    n_rounds: int = 19  # totals, moments, half of the others k-means, half EM, and the gain
    alpha: float = 0.05
    n_steps: int = 15  # updates of each document in a round of EM
    n_frequent: int = 500  # words of the private basis
    rank: int = 16  # directions of the private basis

    about: ClassVar[About] = About(
        summary="whole documents or persons hidden by noise on sums",
        guarantee="(epsilon, delta) for a document, or a person, added or removed",
        citation="this package",
    )
    may_be_negative: ClassVar[tuple[str, ...]] = tuple(SHARES)
    sums: ClassVar[Mapping[str, int] | None] = dict.fromkeys(SHARES, 0)
    noise_on_sums: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.unit not in ("document", "person"):
            raise InputError(f"unit must be document or person, got {quoted(self.unit)}")
        check_number("epsilon", self.epsilon)
        check_delta(self.delta)
        if not 0 < self.delta <= LARGEST_DELTA:
            raise InputError(
                f"delta must be above 0 and at most {LARGEST_DELTA:g}, well below 1 / number of documents, "
                f"got {self.delta:g}"
            )
        if not self.alpha > 0:
            raise InputError(f"alpha must be above 0, got {self.alpha}")
        for name in ("n_steps", "n_frequent", "rank"):
            if vars(self)[name] < 1:
                raise InputError(f"{name} must be at least 1, got {vars(self)[name]}")
        self.spending.check()

    @property
    def spending(self) -> Spending:
        """How the budget is shared."""
        return Spending(self.epsilon, self.delta, self.unit, self.n_rounds)

    @property
    def privacy_delta(self) -> float:
        return self.delta

    @property
    def protects(self) -> Relation:
        return "document add/remove" if self.unit == "document" else "person add/remove"

    def outlook(self, amounts: Amounts) -> list[str]:
        n_units = amounts.n_documents if self.unit == "document" else amounts.n_persons
        if n_units is None:
            raise InputError('unit="person" needs documents with persons, got none; name a --person-column')
        if self.epsilon == 0:
            return []
        if self.delta * n_units > 1:
            raise InputError(
                f"delta must be below 1 / {n_units:,}, the number of {self.unit}s, got {self.delta:g}"
            )
        given = (n_units, self.unit, self.epsilon, self.delta, self.n_topics, amounts.n_words)
        told = outlook.expected(*given, amounts.n_noises or amounts.n_parties)
        return told + outlook.of_persons(self.unit, amounts.n_documents, amounts.n_persons)

    def notes(self, n_words: int) -> list[str]:
        return [] if self.n_rounds > 4 else ["fewer than 5 rounds leave none for EM: topics stay rough"]

    def prices(self, n_words: int) -> list[Cost]:
        spending = self.spending
        return [spending.price(what) for what, number in spending.times.items() for _ in range(number)]

    def in_force(self, n_words: int) -> dict[str, Any]:
        return super().in_force(n_words) | {"noise_multipliers": self.spending.multipliers}

    def known_words(self, vocabulary: tuple[str, ...]) -> Arrays:
        return {"vectors": general_english.vectors(vocabulary)}

    def start(self, n_words: int, turn: Turn) -> Arrays:
        return {}

    def broadcast(self, state: Arrays) -> Arrays:
        if "totals" not in state:
            return {}
        if "projection" not in state:
            n_frequent, _ = self._sizes(len(state["totals"]))
            frequent = beginning.frequent_words(state["totals"], n_frequent)
            return {"frequent": frequent, "weights": server.weights(state), "vectors": state["vectors"]}
        if "phi" not in state:
            centers = state["centers"].astype(np.float32)
            return {"projection": state["projection"], "centers": centers}
        topics = {"phi": state["phi"].astype(np.float32), "unigram": server.unigram(state).astype(np.float32)}
        if int(state["counted"]) >= self.spending.n_countings:
            return topics
        return topics | {"shares": state["shares"].astype(np.float32), "clip": np.array(self._clip(state))}

    def may_be_told(self, n_words: int, party: str) -> list[Form]:
        return forms.told(n_words, self.n_topics, *self._sizes(n_words))

    def price_of(self, told: Arrays) -> Cost | None:
        return self.spending.price(forms.asked(told))

    def may_be_sent(self, told: Arrays, number: int) -> Form | None:
        return forms.sent(told)

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        what = forms.asked(told)
        total = self.summed(what, party.corpus, told, turn.n_threads)
        if self.epsilon == 0:
            return reuse({what: np.zeros_like(total)}), {}
        released = self.spending.mechanism(what).release(total, turn.noise())
        return released.map(lambda steps: {what: steps}), {}

    def before_noise(self, corpus: Corpus, told: Arrays, n_threads: int) -> BeforeNoise | None:
        if self.epsilon == 0:  # nothing is released
            return None
        what = forms.asked(told)
        return BeforeNoise(what, self.summed(what, corpus, told, n_threads), self.spending.mechanism(what))

    def summed(self, what: str, corpus: Corpus, told: Arrays, n_threads: int) -> NDArray[np.int64]:
        """The party's sum of what is asked for, in steps."""
        if what == "gain":
            return contributions.gain(corpus, self.unit, told["phi"], told["unigram"], n_threads)
        units = contributions.units_of(corpus, self.unit)
        if what == "totals":
            return contributions.totals(units, CAP, TOTALS_CLIP)
        if what == "moments":
            near = beginning.nearness(told["vectors"], told["frequent"])
            return contributions.moments(units, told["weights"], near)
        if what == "groups":
            return contributions.groups(units, told["projection"], told["centers"])
        expected = rounds.expectation(
            Topics(told["phi"].astype(np.float64), told["shares"].astype(np.float64))
        )
        return contributions.differences(
            units,
            told["phi"],
            expected.astype(np.float32),
            rounds.coordinates(told["unigram"].astype(np.float64), expected),
            alpha=self.alpha,
            n_steps=self.n_steps,
            cap=CAP,
            clip=float(told["clip"]),
            n_threads=n_threads,
        )

    def combine_total(self, state: Arrays, total: Total, turn: Turn) -> Arrays:
        from threadpoolctl import threadpool_limits

        if not total.parties:
            return state
        [(what, steps)] = total.arrays.items()
        with threadpool_limits(1):  # one order of sums, whatever the number of threads
            return state | self._learned(state, what, steps, turn.noise_of_sum(len(total.parties)), turn)

    def _learned(
        self, state: Arrays, what: str, total: NDArray[Any], parties_noise: float, turn: Turn
    ) -> Arrays:
        """What the server makes of the sum over parties, with so much of the noise of one release."""
        noise = parties_noise * self.spending.multipliers.get(what, 1.0)
        if what == "totals":
            step = TOTALS_CLIP / contributions.FINE
            return {"totals": clear_totals(total * step, noise * TOTALS_CLIP)}
        if what == "moments":
            products = total / contributions.LENGTH**2
            sizes = self._sizes(len(state["totals"]))
            return server.begun(state, products, *sizes, self.n_topics, turn.generator())
        if what == "groups":
            sums = total * (contributions.group_clip() / contributions.FINE)
            learned = server.regrouped(state, sums, self.spending.n_groupings, turn.generator())
            return learned | {"units": np.array([sums[:, -1].sum() / contributions.MARK, parties_noise**2])}
        if what == "gain":
            scale = contributions.GAIN
            return {"gain": np.array([float(total[0]) / contributions.FINE * scale, noise * scale])}
        clip = self._clip(state)
        topics = rounds.improved(
            Topics(state["phi"], state["shares"]),
            state["totals"],
            total * (clip / contributions.FINE),
            noise * clip,
            ahead=int(state["counted"]) < self.spending.n_countings - STEADY,
        )
        return {"phi": topics.phi, "shares": topics.shares, "counted": np.array(int(state["counted"]) + 1)}

    def model(self, state: Arrays, vocabulary: tuple[str, ...]) -> TopicModel | None:
        if "totals" not in state:
            return None
        known = "phi" in state and not self._useless(state)
        unigram = np.repeat(server.unigram(state)[:, None], self.n_topics, axis=1)
        return TopicModel(
            topic_word=(state["phi"] if known else unigram).T,
            alpha=np.full(self.n_topics, self.alpha),
            vocabulary=vocabulary,
            topic_shares=state["shares"] if known else np.full(self.n_topics, 1 / self.n_topics),
        )

    def remarks(self, state: Arrays) -> list[str]:
        return [USELESS] if self._useless(state) else []

    def measures(self, state: Arrays) -> dict[str, float]:
        return {"noisy gain in nats": float(state["gain"][0])} if "gain" in state else {}

    def _sizes(self, n_words: int) -> tuple[int, int]:
        """Number of frequent words, and of directions, in a vocabulary of this size."""
        n_frequent = min(self.n_frequent, n_words)
        return n_frequent, max(1, min(self.rank, n_frequent - 1))

    def _useless(self, state: Arrays) -> bool:
        """Whether topics gain nothing over word frequencies, by the score or as there are too few units."""
        if "gain" not in state or self.epsilon == 0:
            return False
        n_units, n_noises = state["units"].tolist()
        few = outlook.hopeless(n_units, n_noises, len(state["totals"]), self.epsilon, self.delta)
        return few or bool(state["gain"][0] < 2 * state["gain"][1])

    def _clip(self, state: Arrays) -> float:
        """The norm that a unit's contribution is cut to in this round of EM."""
        done = min(float(state["counted"]) / max(1, self.spending.n_countings - 1), 1.0)
        return FIRST_CLIP + (LAST_CLIP - FIRST_CLIP) * done
