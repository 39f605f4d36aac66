"""Whatever one party sends, the coordinator leaves it out and goes on; its votes count as one party's."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from network.rehearsal import Direct, Rehearsal, simulated
from planted import drawn_corpus, planted_topics

from fedtopics import methods
from fedtopics.documents.text.words import MOST, word_array, words_of
from fedtopics.errors import InputError
from fedtopics.network import wire
from fedtopics.network.coordinator import answers
from fedtopics.network.coordinator.rounds import Coordinator
from fedtopics.network.expected import read_declared
from fedtopics.network.messages import Reply, Request
from fedtopics.network.wire import WireError
from fedtopics.privacy.choice_of_words import capped
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.words import Agreement, homes, most_proposed, most_voted
from fedtopics.protocol.agreeing import CONFIRMATION, PROPOSAL, WordRounds
from fedtopics.protocol.turn import Arrays, Turn

TOPICS = planted_topics(3, 8)
CORPORA = {name: drawn_corpus(TOPICS, 60, 10, seed) for seed, name in enumerate(("evil", "north", "south"))}
AGREEMENT = Agreement(40.0, 1e-6, min_parties=2)
COMMON = [f"w{number}" for number in range(300)]


def message(*rows: list[object], blocks: bytes = b"") -> bytes:
    header = json.dumps(rows).encode()
    return wire.MAGIC + struct.pack("<I", len(header)) + header + blocks


def proposal(words: bytes, n_votes: int, vote: float = 9.0) -> bytes:
    return wire.pack({"words": np.frombuffer(words, np.uint8), "votes": np.full(n_votes, vote)})


NONSENSE = {
    "a dimension of nothing beside huge ones": message(["counts", "float32", [0, *[2**39] * 3], "stored", 0]),
    "a lone surrogate": proposal(b'["\\ud800"]', 1),
    "an escape sequence": proposal(b'["\\u001b[2J"]', 1),
    "an empty word": proposal(b'[""]', 1),
    "a very long word": proposal(b'["' + b"x" * 101 + b'"]', 1),
    "votes without end": proposal(b'["word"]', 1, 1e308),
    "nothing": b"",
    "a deep header": wire.MAGIC + struct.pack("<I", 50_000) + b"[" * 50_000,
}


def lies(rounds: range, body: bytes) -> Callable[[str, bytes, bytes], bytes]:
    """A channel on which the party `evil` answers the questions of these rounds with this."""

    def bend(name: str, asked: bytes, answer: bytes) -> bytes:
        question = Request.from_bytes(asked)
        if name != "evil" or question.operation != "contribute" or question.round not in rounds:
            return answer
        return Reply(name, "contribute", question.run, question.round, question.nonce, "", body).to_bytes()

    return bend


@pytest.mark.parametrize("first", [PROPOSAL, CONFIRMATION, 0], ids=["propose", "confirm", "train"])
@pytest.mark.parametrize("body", NONSENSE.values(), ids=NONSENSE)
def test_no_answer_of_a_party_ends_a_run(tmp_path: Path, first: int, body: bytes) -> None:
    method = methods.make("calm", n_topics=3, n_rounds=2, epsilon=20.0)
    agreed = {} if first == 0 else {"words": None, "agreement": AGREEMENT}
    rounds = range(2) if first == 0 else range(first, first + 1)
    rehearsal = Rehearsal(tmp_path, simulated(method, CORPORA, min_parties=2, **agreed), CORPORA)
    end = rehearsal.trained(channel=Direct(rehearsal.sides, lies(rounds, body)))
    method.model(end.state, end.words or ()).save(tmp_path / "model")
    assert any("party evil sent" in line and "refused" in line for line in rehearsal.lines)
    assert {0, 1} <= set(end.answered["north"]) & set(end.answered["south"])


def test_an_error_that_nobody_thought_of_leaves_out_one_party_and_names_its_type() -> None:
    lines: list[str] = []
    terms = simulated(methods.make("calm", n_topics=3, n_rounds=1, epsilon=20.0), CORPORA)

    class Echo:
        parties = ("evil",)

        def ask(self, requests: dict[str, bytes], timeout: float) -> dict[str, bytes]:
            asked = Request.from_bytes(requests["evil"])
            reply = Reply("evil", asked.operation, asked.run, asked.round, asked.nonce, "", b"")
            return {"evil": reply.to_bytes()}

    def read(name: str, body: bytes) -> Arrays:
        raise OverflowError("its own words")

    coordinator = Coordinator(terms, "run", Path(), Echo(), lines.append)
    assert coordinator._asking.collect("contribute", 0, {"evil": b""}, read) == {}
    assert "OverflowError" in lines[0]
    assert "its own words" not in lines[0]


SHAPES = st.lists(st.integers(0, 2**41), max_size=9)


@settings(max_examples=200, deadline=None)
@given(SHAPES, st.sampled_from(sorted(wire.TYPES)), st.sampled_from(["stored", "zstd", "shuffled zstd"]))
def test_any_shape_is_an_array_or_a_wire_error(shape: list[int], kind: str, coding: str) -> None:
    for dimensions in (shape, [0, *shape][:8]):
        try:
            back = wire.unpack(message(["a", kind, dimensions, coding, 0]), limit=10**6)
        except WireError:
            continue
        assert back["a"].shape == tuple(dimensions)


def test_a_list_of_words_is_bounded_before_it_is_parsed() -> None:
    many = np.frombuffer(b"[" + b"0," * MOST + b"0]", np.uint8)
    with pytest.raises(InputError, match="at most"):
        words_of(many)


def test_the_header_of_an_answer_holds_no_endless_number() -> None:
    good = Reply("evil", "hello", "run", 0, "nonce").to_bytes()
    bad = good.replace(b'"round":0', b'"round":' + b"9" * 4000)
    with pytest.raises(WireError):
        Reply.from_bytes(struct.pack("<I", len(bad) - 4) + bad[4:])


def test_a_clock_is_one_number() -> None:
    for said in (np.zeros(1), np.array(True), np.zeros(0), np.array(3, np.int64)):
        assert answers.clock(wire.pack({"time": said})) == float("inf")
    assert answers.clock(wire.pack({"time": np.array(5.0)})) == 5.0


def drawn(seed: int, n_documents: int = 400) -> list[list[str]]:
    generator = np.random.default_rng(seed)
    return [generator.choice(COMMON, 30).tolist() for _ in range(n_documents)]


def agreed(proposed_by_evil: list[str], votes_of_evil: float, agreement: Agreement) -> tuple[str, ...]:
    """The words of two honest parties and of one that proposes and votes as it likes."""
    names = ("evil", "north", "south")
    honest = {"north": drawn(1), "south": drawn(2)}

    def noise(name: str, step: int) -> Noise:
        return Noise.simulated(5, "attack", name, step)

    proposed = {
        name: agreement.propose(documents, name, names, noise(name, 1)).value
        for name, documents in honest.items()
    }
    proposed["evil"] = dict.fromkeys(proposed_by_evil, 1e6)
    candidates = sorted(set().union(*proposed.values()))
    confirmed = {
        name: agreement.confirm(documents, candidates, noise(name, 2)).value
        for name, documents in honest.items()
    }
    mine = np.array([word in proposed["evil"] for word in candidates])
    confirmed["evil"] = np.where(mine, votes_of_evil, -votes_of_evil)
    named = np.array([[word in proposed[name] for word in candidates] for name in names])
    return agreement.choose(candidates, named, np.array([confirmed[name] for name in names]))


def test_a_party_cannot_bring_in_words_that_nobody_else_holds() -> None:
    """Two deviations of noise let 1 of 22 through at either honest party: 99 of 2,000 before."""
    agreement = Agreement(4.0, 1e-6, min_parties=2)
    junk = [f"junk{number}" for number in range(2000)]
    chosen = agreed(junk, 1e6, agreement)
    assert not any(word.startswith("junk") for word in chosen)
    assert len(chosen) > 0.9 * len(agreed([], 0.0, agreement)) > 90


def test_true_words_buy_few_false_ones() -> None:
    """Of the words that one party alone proposes and that are taken, one in twenty may be nobody's."""
    agreement = Agreement(4.0, 1e-6, min_parties=2)
    chosen = agreed([*COMMON, *(f"junk{number}" for number in range(2000))], 1e6, agreement)
    assert sum(word.startswith("junk") for word in chosen) <= 0.05 * len(chosen) + 5


def test_votes_of_one_party_do_not_decide_which_words_are_kept() -> None:
    """Two words have 120 votes of honest parties, two have 50 and a million of evil."""
    proposed = np.array([[False] * 4, [True] * 4, [True] * 4])
    honest = [60.0, 60.0, 25.0, 25.0]
    votes = np.array([[-1e6, -1e6, 1e6, 1e6], honest, honest])
    agreement = Agreement(4.0, 1e-6, min_parties=2, max_size=2)
    assert agreement.choose("abcd", proposed, votes) == ("a", "b")


def test_no_vote_counts_for_more_than_the_largest_of_another_party() -> None:
    votes = np.array([[1e15, -1e15, 3.0], [40.0, 10.0, 0.0], [7.0, 8.0, -2.0]])
    assert capped(votes).tolist() == [[40.0, 0.0, 3.0], [40.0, 10.0, 0.0], [7.0, 8.0, 0.0]]
    assert capped(votes[1:2]).tolist() == [[40.0, 10.0, 0.0]]


def test_the_number_of_words_that_a_party_may_propose_is_public_and_kept() -> None:
    most = most_proposed(10**5)
    words = [f"word{number}" for number in range(most + 1)]
    body = wire.pack({"words": word_array(words), "votes": np.ones(len(words))})
    rounds = WordRounds(AGREEMENT, tuple(map(str, range(10**5))))
    form = rounds.may_be_sent(rounds.start(0, Turn(0, "server")), PROPOSAL)
    with pytest.raises(InputError, match=f"at most {most} words"):
        read_declared(body, form)
    short = wire.pack({"words": word_array(words[:most]), "votes": np.ones(most)})
    assert len(read_declared(short, form)["votes"]) == most


def test_an_honest_party_keeps_to_the_number_by_its_most_voted_words() -> None:
    found = {"apple": 9.0, "fig": 12.0, "pear": 30.0}
    assert most_voted(found, 2) == {"fig": 12.0, "pear": 30.0}
    assert list(most_voted(found, 3)) == list(found)


def test_a_word_that_is_not_at_home_with_a_party_does_not_count_as_proposed_by_it(tmp_path: Path) -> None:
    """Of three parties two are homes of a word: a false claim would be one of the two that must hold it."""
    words = [f"word{number}" for number in range(60)]
    here = {word for word in words if "evil" in homes(word, tuple(CORPORA), AGREEMENT.n_homes)}
    assert 0 < len(here) < len(words)
    terms = simulated(methods.make("calm", n_topics=3, n_rounds=1, epsilon=20.0), CORPORA, min_parties=2)
    rehearsal = Rehearsal(tmp_path, replace(terms, words=None, agreement=AGREEMENT), CORPORA)
    told = {"words": word_array(words), "votes": np.full(len(words), 9.0)}
    lie = lies(range(PROPOSAL, CONFIRMATION), wire.pack(told))
    candidates: set[str] = set()

    def bend(name: str, asked: bytes, answer: bytes) -> bytes:
        question = Request.from_bytes(asked)
        if (question.operation, question.round) == ("contribute", CONFIRMATION):
            candidates.update(words_of(wire.unpack(question.body, limit=2**20)["words"]))
        return lie(name, asked, answer)

    rehearsal.trained(channel=Direct(rehearsal.sides, bend))
    assert candidates & set(words) == here
