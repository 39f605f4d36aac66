"""Engine: all parties in this process, one after another. The reference for every other engine."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import TypeAlias

from fedtopics.documents.corpus import Corpus, require_words
from fedtopics.documents.text.words import check_words
from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.privacy.price.cost import Cost
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.privacy.price.release import Release
from fedtopics.privacy.words import Agreement
from fedtopics.protocol.agreeing import PROPOSAL, WordRounds
from fedtopics.protocol.carried import Carried, Overhear
from fedtopics.protocol.engine import Outcome, Round, Rounds, digest
from fedtopics.protocol.method import Method
from fedtopics.protocol.summed import checked
from fedtopics.protocol.summing import Summing, added_in_steps
from fedtopics.protocol.turn import Arrays, Party, Turn

# What answers for a party: `Method.contribute`, or what does the same elsewhere.
Contribute: TypeAlias = Callable[[Party, Arrays, Turn], tuple[Release[Arrays], Arrays]]
# Given the number of a round and a way to have its model made: more measures of that round.
Monitor: TypeAlias = Callable[[int, Callable[[], TopicModel | None]], dict[str, float]]


def _nobody(number: int, party: str, told: Arrays, release: Release[Arrays]) -> None:
    """Hears nothing."""


def run(
    method: Method,
    corpora: Mapping[str, Corpus],
    *,
    seed: int,
    ledger: Ledger | None = None,
    n_threads: int = 1,
    secure: bool = False,
    summing: Summing | None = None,
    on_round: Callable[[Round], None] = lambda _: None,
    monitor: Monitor = lambda number, model: {},
    overhear: Overhear = _nobody,
    contribute: Contribute | None = None,
    begun: TopicModel | None = None,
    kept: Mapping[str, Arrays] | None = None,
) -> Outcome:
    """Train `method` on one corpus per party name (`corpora`); `n_threads` change no bit.

    The `ledger` must afford the method's prices before any document is looked at, and is charged with every
    release. Noise comes from the `seed`, which protects nobody who knows it, unless `secure`. With `summing`
    the parties are added up as by a secure sum. `overhear` is given what every party is told and answers,
    `on_round` the log of each round, to which `monitor` adds. `contribute` answers in place of the method's
    own, where a party works elsewhere. `begun` is a model over the same words to go on from, and `kept` what
    parties have kept of its run.
    """
    method = method if summing is None else method.for_sums()
    together = None if summing is None else checked(method, summing).together(len(corpora), len(corpora))
    vocabulary = _shared_vocabulary(corpora)
    require_words(len(vocabulary))
    check_words(vocabulary, "the vocabulary")
    ledger = _affording(ledger, corpora, method.prices(len(vocabulary)))
    rounds, answer = list[Round](), method.contribute if contribute is None else contribute
    resumed = partial(method.resumed, n_words=len(vocabulary))
    parties = {
        name: Party(name, corpora[name], memory=resumed((kept or {}).get(name, {})))
        for name in sorted(corpora)
    }
    turn = Turn(seed, "server", n_threads=n_threads, secure=secure, together=together)
    state = method.start(len(vocabulary), turn) | method.known_words(vocabulary)
    state |= {} if begun is None else method.continued(begun)
    with closing(Carried(masked=summing is not None)) as carried:
        answer, overhear = _counted(carried, answer), carried.by(overhear)
        for number in range(method.n_rounds):
            began, turn = perf_counter(), replace(turn, round=number)
            combine = partial(_combined, method, summing, len(corpora))
            state, parties = _played(method, state, parties, turn, ledger, overhear, combine, answer)
            up, down = carried.since_last()
            seconds = perf_counter() - began
            seen = method.measures(state) | monitor(number, partial(method.model, state, vocabulary))
            rounds.append(Round(number, seconds, up, down, seen))
            on_round(rounds[-1])
    local = {name: method.local_model(party) for name, party in parties.items()}
    own = {name: model for name, model in local.items() if model is not None}
    shares, remarks = method.party_topics(state), method.remarks(state)
    left = {name: arrays for name, party in parties.items() if (arrays := method.kept(party))}
    return Outcome(method.model(state, vocabulary), own, ledger, rounds, shares, remarks, left)


def agree(
    agreement: Agreement,
    corpora: Mapping[str, Corpus],
    *,
    seed: int,
    ledger: Ledger | None = None,
    secure: bool = False,
) -> tuple[str, ...]:
    """The words that the parties agree on in the two rounds before training, each from its own vocabulary."""
    rounds = WordRounds(agreement, tuple(sorted(corpora)))
    ledger = _affording(ledger, corpora, rounds.prices())
    parties = {name: Party(name, corpora[name], memory={}) for name in rounds.parties}
    turn = Turn(seed, "server", secure=secure)
    state = rounds.start(0, turn)
    for number in range(PROPOSAL, rounds.n_rounds):
        state, parties = _played(rounds, state, parties, replace(turn, round=number), ledger, _nobody)
    return rounds.words(state)


def _affording(ledger: Ledger | None, parties: Iterable[str], prices: Sequence[Cost]) -> Ledger:
    """The ledger, if every party can pay all of it and none is unknown."""
    ledger = Ledger() if ledger is None else ledger
    ledger.check_parties(parties)
    for name in parties:
        ledger.require(name, prices)
    return ledger


def _played(
    rounds: Rounds,
    state: Arrays,
    parties: Mapping[str, Party],
    turn: Turn,
    ledger: Ledger,
    overhear: Overhear,
    combine: Callable[[Arrays, dict[str, Arrays], Turn], Arrays] | None = None,
    contribute: Contribute | None = None,
) -> tuple[Arrays, dict[str, Party]]:
    """One round: the next state, and the parties after it."""
    contribute = rounds.contribute if contribute is None else contribute
    sent: dict[str, Arrays] = {}
    after: dict[str, Party] = {}
    for name, party in parties.items():
        told = rounds.tell(state, name)
        release, memory = contribute(party, told, replace(turn, role="party", party=name))
        ledger.charge(name, turn.round, release.cost, content=digest(release.value))
        overhear(turn.round, name, told, release)
        sent[name], after[name] = release.value, replace(party, memory=memory)
    combine = rounds.combine if combine is None else combine
    return combine(state, sent, turn), after


def _counted(carried: Carried, contribute: Contribute) -> Contribute:
    """The same answers, with what parties are told counted meanwhile."""

    def answer(party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        carried.tell(party.name, told)
        return contribute(party, told, turn)

    return answer


def _combined(
    method: Method,
    summing: Summing | None,
    n_parties: int,
    state: Arrays,
    sent: dict[str, Arrays],
    turn: Turn,
) -> Arrays:
    """The next state: of what each party sent, or of their sum in steps."""
    if summing is None:
        return method.combine(state, sent, turn)
    return method.combine_total(state, added_in_steps(sent, method.sums or {}, n_parties), turn)


def _shared_vocabulary(corpora: Mapping[str, Corpus]) -> tuple[str, ...]:
    vocabularies = {corpus.vocabulary for corpus in corpora.values()}
    if len(vocabularies) != 1:
        raise InputError(
            f"all parties must use one vocabulary, got {len(vocabularies)} different ones; "
            "build the corpora with vocabulary=..."
        )
    return vocabularies.pop()
