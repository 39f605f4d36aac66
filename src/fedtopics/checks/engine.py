"""Whether an engine gives the reference result, and lets nothing leave a party that is not paid for.

    check_engine(my_engine)        raises AssertionError, which says what is wrong

An engine is what `protocol.engine.Engine` says: `my_engine(method, corpora, seed=..., ledger=...)` gives an
`Outcome`. It is compared with `in_process.run`, on methods and on probes that note what reaches the server.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from fedtopics import methods as known
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.privacy.price.budget import Budget
from fedtopics.privacy.price.cost import Cost, Loss, Relation
from fedtopics.privacy.price.events import Pure
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.privacy.price.release import Release
from fedtopics.protocol import in_process
from fedtopics.protocol.engine import Engine, Outcome, same
from fedtopics.protocol.method import About, Method
from fedtopics.protocol.told import Form, Numbers
from fedtopics.protocol.turn import Arrays, Party, Turn

SEED = 3
RELATION: Relation = "document add/remove"
PRICE = 1.0  # of one release of a probe


def check_engine(engine: Engine, methods: Iterable[Method] | None = None) -> None:
    """Raise `AssertionError` unless `engine` is one; `methods` are those to compare it on (else all)."""
    corpora = invented_corpora()
    check_verbs(engine, corpora)
    check_budgets(engine, corpora)
    check_dear_releases(engine, corpora)
    check_failing_party(engine, corpora)
    check_refusals(engine, corpora)
    small = [known.make(name, n_topics=3, n_rounds=2) for name in known.names()]
    for method in small if methods is None else methods:
        check_same_result(engine, method, corpora)
        check_same_result(engine, method, {name: corpora[name] for name in ("north", "west")})


def check_same_result(engine: Engine, method: Method, corpora: Mapping[str, Corpus]) -> None:
    """The same outcome, bit for bit, and the same charges as the reference engine, whoever takes part."""
    wanted = _run(in_process.run, method, corpora, Ledger())
    found = _run(engine, method, corpora, Ledger())
    name = type(method).__name__
    _expect(_same_model(found.model, wanted.model), f"another model of {name} than the reference engine")
    _expect(found.local_models.keys() == wanted.local_models.keys(), f"other local models of {name}")
    for party, model in wanted.local_models.items():
        _expect(_same_model(found.local_models[party], model), f"another local model of {party} with {name}")
    _expect(_charges(found.ledger) == _charges(wanted.ledger), f"a ledger of {name} with other charges")
    for entry in found.ledger.entries:
        told = f"a charge of {entry.party} in round {entry.round} without `content`, which a retry must show"
        _expect(entry.content != "", told)
    _expect(len(found.rounds) == len(wanted.rounds), f"{len(found.rounds)} rounds of {name} in the log")
    same_measures = all(
        one.measures == other.measures for one, other in zip(found.rounds, wanted.rounds, strict=True)
    )
    _expect(same_measures, f"other `measures` of {name} in the log")
    _expect(same(found.party_topics, wanted.party_topics), f"other `party_topics` of {name}")
    _expect(found.remarks == wanted.remarks, f"other `remarks` of {name}")
    kept = found.kept.keys() == wanted.kept.keys()
    kept = kept and all(same(found.kept[party], arrays) for party, arrays in wanted.kept.items())
    _expect(kept, f"something else `kept` by the parties of {name}")


def check_verbs(engine: Engine, corpora: Mapping[str, Corpus]) -> None:
    """Every verb gets what the contract says: streams, memories, what is told, parties in order of names."""
    probe, reference = Probe(), Probe()
    _run(engine, probe, corpora, Ledger())
    _run(in_process.run, reference, corpora, Ledger())
    for number, (heard, wanted) in enumerate(zip(probe.heard, reference.heard, strict=False)):
        _expect(list(heard) == list(wanted), f"parties {list(heard)} in round {number}, not {list(wanted)}")
        for party in wanted:
            problem = f"{heard[party]} of {party} in round {number}, not {wanted[party]}"
            listed = "round, stream, memory, told by a state with `known_words`, documents"
            _expect(heard[party] == wanted[party], f"{problem} ({listed})")
    _expect(len(probe.heard) == len(reference.heard), f"{len(probe.heard)} rounds that were combined")


def check_budgets(engine: Engine, corpora: Mapping[str, Corpus]) -> None:
    """A budget that cannot pay for the whole method is refused before anything is sent."""
    probe = Probe()
    enough = Budget(RELATION, PRICE * probe.n_rounds)
    _run(engine, probe, corpora, Ledger(budgets=(enough,)))
    short = (replace(enough, epsilon=1.5 * PRICE),)
    for ledger in (Ledger(budgets=short), Ledger(budgets_of={"south": short})):
        _expect_refusal(engine, Probe(), corpora, ledger, "a budget that is too small")


def check_dear_releases(engine: Engine, corpora: Mapping[str, Corpus]) -> None:
    """A release that costs more than the method said, and than is left, never reaches the server."""
    probe = Probe(costs={"south": 5 * PRICE})
    ledger = Ledger(budgets=(Budget(RELATION, 2.5 * PRICE),))
    with suppress(InputError):
        _run(engine, probe, corpora, ledger, "a release that costs too much")
    _expect("south" not in probe.names, "a release that was combined although its price could not be charged")


def check_failing_party(engine: Engine, corpora: Mapping[str, Corpus]) -> None:
    """A party that fails ends the run with an error, or is missing in the round: nothing stands in for it."""
    probe = Probe(failing="south")
    with suppress(InputError):
        _run(engine, probe, corpora, Ledger(), "what a party fails at")
    _expect("south" not in probe.names, "something combined of a party that failed")


def check_refusals(engine: Engine, corpora: Mapping[str, Corpus]) -> None:
    """What cannot be trained, or names a party that does not take part, is refused with an `InputError`."""
    stranger = Ledger(budgets_of={"nroth": (Budget(RELATION, 100.0),)})
    _expect_refusal(engine, Probe(), corpora, stranger, "a budget of an unknown party")
    _expect_refusal(engine, Probe(), {}, Ledger(), "no party at all")
    other = {**corpora, "west": corpora["west"].with_vocabulary(corpora["west"].vocabulary[::-1])}
    _expect_refusal(engine, Probe(), other, Ledger(), "parties with different vocabularies")


@dataclass(frozen=True)
class Probe(Method):
    """A method that notes what reaches its server: of each party the numbers that its verbs were given."""

    n_topics: int = 2
    n_rounds: int = 2
    costs: Mapping[str, float] = field(default_factory=dict)  # of releases that are not what `prices` says
    failing: str = ""
    heard: list[dict[str, list[int]]] = field(default_factory=list, compare=False)
    about: ClassVar[About] = About("notes what reaches the server", "none", "")

    @property
    def names(self) -> set[str]:
        """Every party of which something was combined."""
        return {name for sent in self.heard for name in sent}

    def prices(self, n_words: int) -> list[Cost]:
        return [_cost(PRICE)] * self.n_rounds

    def start(self, n_words: int, turn: Turn) -> Arrays:
        return {"told": np.array(turn.seed % 1000)}

    def known_words(self, vocabulary: tuple[str, ...]) -> Arrays:
        return {"known": np.array(len(vocabulary))}

    def tell(self, state: Arrays, party: str) -> Arrays:
        return {"told": state["told"] + state.get("known", np.array(0)) + len(party)}

    def may_be_told(self, n_words: int, party: str) -> list[Form]:
        return [{"told": Numbers("int64")}]

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        if party.name == self.failing:
            raise InputError("this party fails")
        memory = int(party.memory.get("n_rounds", 0))
        numbers = [turn.round, turn.seed % 1000, memory, int(told["told"]), party.corpus.n_docs]
        release = Release({"numbers": np.array(numbers)}, _cost(self.costs.get(party.name, PRICE)))
        return release, {"n_rounds": np.array(memory + 1)}

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        self.heard.append({name: arrays["numbers"].tolist() for name, arrays in sent.items()})
        return state | {"told": state["told"] + turn.seed % 1000}

    def model(self, state: Arrays, vocabulary: tuple[str, ...]) -> TopicModel | None:
        even = np.full((self.n_topics, len(vocabulary)), 1 / len(vocabulary))
        return TopicModel(even, np.full(self.n_topics, 0.1), vocabulary)


def invented_corpora() -> dict[str, Corpus]:
    """Three parties with some documents each, over the same words."""
    generator, words = np.random.default_rng(0), tuple(f"word{number}" for number in range(12))
    found = {}
    for name, n_docs in (("north", 9), ("south", 12), ("west", 15)):
        tokens = generator.integers(0, len(words), n_docs * 20).astype(np.int32)
        places = np.arange(0, len(tokens) + 1, 20)
        sentences = np.arange(n_docs + 1)
        found[name] = Corpus(
            tokens, places, words, sentence_offsets=places, document_sentences=sentences, language="en"
        )
    return found


def _run(
    engine: Engine, method: Method, corpora: Mapping[str, Corpus], ledger: Ledger, refused: str = ""
) -> Outcome:
    """What an engine gives; an `InputError` is an answer to what may be `refused`, and no other error is."""
    name = type(method).__name__
    try:
        outcome = engine(method, corpora, seed=SEED, ledger=ledger)
    except Exception as error:
        if refused and isinstance(error, InputError):
            raise
        where = f", where {refused} is refused with an InputError" if refused else ""
        told = f"expected an engine like the reference, got {error!r} with {name}{where}"
        raise AssertionError(told) from error
    _expect(isinstance(outcome, Outcome), f"{outcome!r:.60} with {name}, which is no Outcome")
    return outcome


def _cost(epsilon: float) -> Cost:
    return Cost((Loss(RELATION, Pure(epsilon)),), noise="simulated")


def _charges(ledger: Ledger) -> list[tuple[str, int, Cost]]:
    return sorted(((entry.party, entry.round, entry.cost) for entry in ledger.entries), key=lambda e: e[:2])


def _same_model(one: TopicModel | None, other: TopicModel | None) -> bool:
    if one is None or other is None:
        return one is other
    pairs: list[tuple[Any, Any]] = [(one.topic_word, other.topic_word), (one.alpha, other.alpha)]
    same = all(a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in pairs)
    return same and one.vocabulary == other.vocabulary


def _expect(holds: bool, got: str) -> None:
    if not holds:
        raise AssertionError(f"expected an engine like the reference, got {got}")


def _expect_refusal(
    engine: Engine, probe: Probe, corpora: Mapping[str, Corpus], ledger: Ledger, what: str
) -> None:
    outcome: Outcome | None = None
    with suppress(InputError):
        outcome = _run(engine, probe, corpora, ledger, what)
    _expect(outcome is None, f"a run where {what} should be refused with an InputError")
    _expect(not probe.heard, f"something sent where {what} should be refused")
