"""Agreeing on words: two ordinary rounds of any engine, before the first round of training.

    round -2   party    proposes words that are at home with it           (a release)
               server   candidates = the words that any party proposed
    round -1   party    is told the candidates, and votes on each         (a release)
               server   the words that enough parties hold, most voted first

What leaves a party and what it costs is that of `privacy.words.Agreement`; here it has the verbs of a method,
so that an engine which runs rounds runs these too. There are no topics yet; word lists travel as arrays.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fedtopics.documents.corpus import Corpus
from fedtopics.documents.text.words import MOST, MOST_BYTES, word_array, words_of
from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.price.cost import Cost
from fedtopics.privacy.price.release import Release
from fedtopics.privacy.words import Agreement, most_proposed
from fedtopics.protocol.told import Form, Numbers
from fedtopics.protocol.turn import Arrays, Party, Turn

PROPOSAL, CONFIRMATION = -2, -1
LARGEST = 1e12  # votes: far above any number of documents
FEW_WORDS = 1000  # a public list of 5,000 fits texts better and costs nothing


@dataclass(frozen=True)
class WordRounds:
    """The two rounds in which these parties agree on words."""

    agreement: Agreement
    parties: tuple[str, ...]
    n_rounds: ClassVar[int] = 0  # where training begins
    tells_alike: ClassVar[bool] = True
    sums: ClassVar[Mapping[str, int] | None] = None  # who proposed which words counts

    def prices(self, n_words: int = 0) -> list[Cost]:
        """[anyone] Price of both releases of a party; the index is the number of the round."""
        return self.agreement.prices()

    def start(self, n_words: int, turn: Turn) -> Arrays:
        """[server] No words yet."""
        return {"words": word_array(())}

    def tell(self, state: Arrays, party: str) -> Arrays:
        """[server] The candidates; an empty list before there are any."""
        return {"words": state["words"]}

    def may_be_told(self, n_words: int, party: str) -> list[Form]:
        """[anyone] A list of words, each of them once."""
        return [{"words": _list_of(MOST)}]

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        """[party] Words with their votes in the first round, votes on the candidates in the second."""
        documents, noise = word_lists(party.corpus), _noise(turn)
        if turn.round == CONFIRMATION:
            votes = self.agreement.confirm(documents, words_of(told["words"]), noise)
            return votes.map(lambda found: {"votes": found}), {}
        proposed = self.agreement.propose(documents, party.name, self.parties, noise)
        return proposed.map(
            lambda found: {"words": word_array(list(found)), "votes": np.array(list(found.values()))}
        ), {}

    def may_be_sent(self, told: Arrays, number: int) -> Form:
        """[server] What a party may send in this round; votes have noise and may be negative."""
        if number == CONFIRMATION:
            return {"votes": _votes_on(len(words_of(told["words"])))}
        most = most_proposed(len(self.parties))
        return {"words": _list_of(most), "votes": _votes_on(range(most + 1))}

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        """[server] The candidates and who proposed which (parties x words); then the words of the run."""
        if turn.round == CONFIRMATION:
            return {"words": word_array(self._chosen(state, sent))}
        proposed = {name: self._at_home(name, held) for name, held in sent.items()}
        candidates = sorted(set().union(*proposed.values()))
        named = [[word in proposed.get(name, ()) for word in candidates] for name in self.parties]
        return {"words": word_array(candidates), "proposed": np.array(named, bool)}

    def _at_home(self, party: str, held: Arrays) -> set[str]:
        """Of what a party proposed, the words at home with it: it counts as their holder."""
        words = words_of(held["words"])
        if len(words) != len(held["votes"]):
            raise InputError(f"expected {len(words)} votes with the words of {party}, got others")
        return self.agreement.at_home(words, party, self.parties)

    def _chosen(self, state: Arrays, sent: dict[str, Arrays]) -> tuple[str, ...]:
        names = sorted(sent)
        named = state["proposed"][[self.parties.index(name) for name in names]]
        return self.agreement.choose(
            words_of(state["words"]), named, np.array([sent[name]["votes"] for name in names])
        )

    def words(self, state: Arrays) -> tuple[str, ...]:
        """[server] The words of the run, after the last round; it is an error if there is none."""
        found = words_of(state["words"])
        if not found:
            raise InputError(
                f"the parties agreed on no word at epsilon {self.agreement.epsilon:g}; "
                "raise it or give a public word list"
            )
        return found


def told_number(n_words: int) -> str:
    """That so many words were agreed on, and what to take instead where they are few.

    >>> told_number(13)
    'the parties agreed on 13 words; a public list has more and costs nothing, see --vocabulary'
    """
    advice = "; a public list has more and costs nothing, see --vocabulary" if n_words < FEW_WORDS else ""
    return f"the parties agreed on {n_words} words{advice}"


def _list_of(most: int) -> Numbers:
    return Numbers("uint8", (range(2, MOST_BYTES + 1),), most=255, words=most)


def _votes_on(n_words: int | range) -> Numbers:
    return Numbers("float64", (n_words,), -LARGEST, LARGEST)


def word_lists(corpus: Corpus) -> list[list[str]]:
    """The words of each document."""
    words, ends = corpus.vocabulary, corpus.offsets.tolist()
    return [[words[word] for word in corpus.words[ends[i] : ends[i + 1]]] for i in range(corpus.n_docs)]


def _noise(turn: Turn) -> Noise:
    """A party's noise of one round; streams of their own, so that training is the same with a public list."""
    if turn.secure:
        return Noise.secure()
    return Noise.simulated(turn.run_seed, "vocabulary", turn.party, turn.round - PROPOSAL + 1)
