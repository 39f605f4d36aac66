"""What the coordinator gets of one relation: canaries for it, replays of a run, and his guesses.

reports of users   a document for each canary
noisy sums         one unit in each replay, and its exact likelihood ratio (`sums.py`)
other sums         many words of one document, or some documents, in each of a few replays
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fedtopics.audit import messages, sums
from fedtopics.audit.canaries import Canaries, in_documents, in_one_document
from fedtopics.audit.guesses import CONFIDENCE, Reached, Scored, reached
from fedtopics.audit.messages import Reference
from fedtopics.documents.corpus import Corpus
from fedtopics.privacy.price.cost import Relation

N_CANARIES = 10_000  # whose coins are known, and as many that are guessed
N_USERS = 50_000  # of them where users report a word or a few, most of which say nothing
FEW_REPORTED = 100  # words, of a document of so many
N_REPLAYS, FEW_REPLAYS = 20, 3  # at most
FEW_WORDS = 200  # canaries of a document where there is a vector for each token or unit: those take long
N_UNITS, OTHER_UNITS = (300, 3000), (100, 400)  # replays with one unit each: known, and guessed


@dataclass(frozen=True, eq=False)
class Replayed:
    """Scores of canaries whose coins are `known` and of those to be `guessed`, by an `attack`.

    delta         at which epsilon is meant
    independent   whether canaries were released each on its own
    gaussian      whether the proof is of Gaussian noise
    """

    attack: str
    known: Scored
    guessed: Scored
    delta: float
    independent: bool
    gaussian: bool

    def reached(self, confidence: float = CONFIDENCE) -> Reached:
        """The lower bound on epsilon at this `confidence`."""
        return reached(
            self.known,
            self.guessed,
            delta=self.delta,
            independent=self.independent,
            gaussian=self.gaussian,
            confidence=confidence,
        )


def overhear(
    reference: Reference,
    told: Mapping[str, Corpus],
    relation: Relation,
    *,
    delta: float,
    seed: int,
    n_threads: int,
) -> Replayed:
    """Replays of a run that was `told` of these copies, with canaries for a `relation`, and their scores."""
    hears = "" if reference.summing is None else ", of totals"
    vocabulary = next(iter(told.values())).vocabulary
    if reference.method.noise_on_sums:
        words = np.concatenate([corpus.words for corpus in told.values()])
        order = np.argsort(-np.bincount(words, minlength=len(vocabulary)), kind="stable")
        n_units = N_UNITS if relation == reference.method.protects else OTHER_UNITS
        unit = sums.worst_unit(relation, vocabulary, order)
        known, guessed = (
            sums.scored(reference, unit, n_replays=number, seed=seed + start, n_threads=n_threads)
            for number, start in zip(n_units, (1, 1 + n_units[0]), strict=True)
        )
        return Replayed(f"likelihood ratio{hears}", known, guessed, delta, True, True)
    canaries, n_replays = _planted(reference, relation, vocabulary)
    known, guessed = messages.scored(
        *(
            messages.overheard(
                reference, canaries, n_replays=n_replays, seed=seed + start, n_threads=n_threads
            )
            for start in (1, 1 + n_replays)
        )
    )
    by_users = reference.senders is not None  # who report each on their own, whatever others do
    return Replayed(f"linear discriminant{hears}", known, guessed, delta, by_users, False)


def _planted(reference: Reference, relation: Relation, vocabulary: tuple[str, ...]) -> tuple[Canaries, int]:
    """The canaries of one replay, and how many replays there are of them."""
    if reference.senders is not None:
        many = relation.startswith("word") and reference.n_words <= FEW_REPORTED
        return in_documents(relation, vocabulary, N_USERS if many else N_CANARIES), 1
    slow = is_slow(reference)
    if relation.startswith("word"):
        canaries = in_one_document(relation, vocabulary, FEW_WORDS if slow else N_CANARIES)
    else:
        canaries = in_documents(relation, vocabulary, max(2, len(vocabulary) // 40))
    most = FEW_REPLAYS if slow else N_REPLAYS
    return canaries, max(1, min(most, round(N_CANARIES / len(canaries))))


def is_slow(reference: Reference) -> bool:
    """FTM and PC-TD as printed have a vector of all words for each token, or unit."""
    return reference.senders is None and reference.method.variant == "paper"
