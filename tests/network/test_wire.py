"""Messages come back as they were sent; whatever else arrives is refused and crashes nobody."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of
from planted import drawn_corpus, planted_topics, with_sentences

from fedtopics import methods
from fedtopics.documents.text.words import word_array, words_of
from fedtopics.errors import InputError
from fedtopics.network import wire
from fedtopics.network.expected import Expected, check, expected
from fedtopics.network.wire import WireError, pack, unpack
from fedtopics.privacy.price.release import Release
from fedtopics.protocol import in_process
from fedtopics.protocol.turn import Arrays, Party, Turn

LIMIT = 10**6
TYPES = st.sampled_from(sorted(kind.str for kind in wire.TYPES.values()))
SHAPES = arrays_of.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
ANY_ARRAY = TYPES.flatmap(lambda kind: arrays_of.arrays(kind, SHAPES))
MESSAGES = st.dictionaries(st.text(max_size=4), ANY_ARRAY, max_size=3)
TOPICS = planted_topics(3, 8)


def same(one: Arrays, other: Arrays) -> bool:
    return list(one) == list(other) and all(
        (one[name].dtype, one[name].shape, one[name].tobytes())
        == (other[name].dtype, other[name].shape, other[name].tobytes())
        for name in one
    )


@given(MESSAGES)
@settings(max_examples=50, deadline=None)
def test_messages_come_back_bit_for_bit(arrays: Arrays) -> None:
    assert same(unpack(pack(arrays), limit=LIMIT), arrays)


def test_what_comes_back_can_be_written_and_need_not_be_contiguous() -> None:
    turned = np.arange(12.0).reshape(3, 4).T
    back = unpack(pack({"a": turned, "b": turned.astype(">f8")}), limit=LIMIT)
    back["a"][0, 0] = 5
    assert np.array_equal(back["b"], turned)


@given(MESSAGES, st.data())
@settings(max_examples=100, deadline=None)
def test_altered_bytes_are_refused_or_give_other_arrays(arrays: Arrays, data: st.DataObject) -> None:
    message = bytearray(pack(arrays))
    for _ in range(data.draw(st.integers(1, 4))):
        message[data.draw(st.integers(0, len(message) - 1))] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(message)))
    for attempt in (bytes(message), bytes(message[:end]), bytes(message) + b"more"):
        try:
            back = unpack(attempt, limit=LIMIT)
        except WireError:
            continue
        assert sum(array.nbytes for array in back.values()) <= LIMIT


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=200), st.recursive(st.none() | st.integers() | st.text(), st.lists, max_leaves=8))
def test_any_header_and_any_bytes_are_refused(content: bytes, header: Any) -> None:
    for described in (content, json.dumps(header).encode(), b"[" * 100_000):
        with pytest.raises(WireError):
            unpack(wire.MAGIC + struct.pack("<I", len(described)) + described + b"x", limit=LIMIT)
    with pytest.raises(WireError):
        unpack(content, limit=LIMIT)


def message_of(rows: list[Any], blocks: bytes = b"") -> bytes:
    header = json.dumps(rows).encode()
    return wire.MAGIC + struct.pack("<I", len(header)) + header + blocks


@pytest.mark.parametrize(
    ("row", "block"),
    [
        (["a", "object", [1], "stored", 8], bytes(8)),
        (["a", "float64", [-1], "stored", 8], bytes(8)),
        (["a", "float64", [1.0], "stored", 8], bytes(8)),
        (["a", "float64", [True], "stored", 8], bytes(8)),
        (["a", "float64", [1] * 9, "stored", 8], bytes(8)),
        (["a", "float64", [2], "stored", 8], bytes(8)),
        (["a", "float64", [1], "stored", 9], bytes(8)),
        (["a", "float64", [1], "pickle", 8], bytes(8)),
        (["a", "float64", [1], "zstd", 8], bytes(8)),
        (["a", "bool", [1], "stored", 1], b"\x02"),
        (["a", "float64", [2**39, 2**39], "stored", 0], b""),
        ([5, "float64", [1], "stored", 8], bytes(8)),
        (["a", "float64", [1], "stored"], bytes(8)),
    ],
)
def test_impossible_arrays_are_refused(row: list[Any], block: bytes) -> None:
    with pytest.raises(WireError):
        unpack(message_of([row], block), limit=LIMIT)


def test_names_are_not_repeated() -> None:
    row = ["a", "uint8", [1], "stored", 1]
    with pytest.raises(WireError, match="once"):
        unpack(message_of([row, row], b"xy"), limit=LIMIT)


def test_a_bomb_is_refused_before_it_goes_off() -> None:
    bomb = pack({"zeros": np.zeros(LIMIT, np.uint8)})
    assert len(bomb) < 200
    assert unpack(bomb, limit=LIMIT)["zeros"].size == LIMIT
    with pytest.raises(WireError, match="at most 999999 bytes"):
        unpack(bomb, limit=LIMIT - 1)
    block = bomb[bomb.index(b"]]") + 2 :]
    with pytest.raises(WireError, match="expected 10 bytes"):
        unpack(message_of([["a", "uint8", [10], "zstd", len(block)]], block), limit=LIMIT)
    short = pack({"a": np.zeros(100, np.uint8)})
    block = short[short.index(b"]]") + 2 :]
    with pytest.raises(WireError, match="expected 101 bytes"):
        unpack(message_of([["a", "uint8", [101], "zstd", len(block)]], block), limit=LIMIT)


@pytest.mark.parametrize(
    "array", [np.array(["text"]), np.array([None]), np.array([1j]), np.array([1], "M8[s]")]
)
def test_only_numbers_are_sent(array: Any) -> None:
    with pytest.raises(WireError, match="must hold numbers"):
        pack({"a": array})


@given(
    st.sampled_from(["f4", "f8"]).flatmap(
        lambda kind: arrays_of.arrays(kind, 20, elements={"min_value": -(2.0**100), "max_value": 2.0**100})
    ),
    st.integers(2, 30),
)
def test_rounding_keeps_the_stated_bits(array: Any, bits: int) -> None:
    near = wire.rounded(array, bits)
    normal = np.abs(array) >= np.finfo(array.dtype).tiny
    assert near.dtype == array.dtype
    assert np.all(np.abs(near - array)[normal] <= np.abs(array)[normal] * 2.0**-bits)
    assert np.array_equal(wire.rounded(np.arange(5), 2), np.arange(5))


def test_rounding_makes_messages_smaller() -> None:
    counts = np.random.default_rng(0).gamma(0.01, 1, (500, 20)).astype(np.float32)
    assert len(pack({"counts": counts}, significant_bits=10)) < 0.6 * len(pack({"counts": counts}))


def test_words_travel_as_numbers() -> None:
    words = ("naïve", "two words", '"')
    assert words_of(unpack(pack({"words": word_array(words)}), limit=LIMIT)["words"]) == words
    for wrong in (np.frombuffer(b'["a","a"]', np.uint8), np.frombuffer(b'{"a":1}', np.uint8), np.zeros(3)):
        with pytest.raises(InputError):
            words_of(wrong)


class Watched:
    """A method whose messages are checked on their way, as a coordinator checks them."""

    def __init__(self, method: Any, vocabulary: tuple[str, ...]) -> None:
        self.method, self.vocabulary = method, vocabulary

    def __getattr__(self, name: str) -> Any:
        return getattr(self.method, name)

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        release, memory = self.method.contribute(party, told, turn)
        wanted = expected(
            self.method, party.name, told, self.vocabulary, turn.round, returning=bool(party.memory)
        )
        check(unpack(pack(release.value), limit=10**8), wanted)
        return release, memory


@pytest.mark.parametrize("name", methods.names())
def test_what_every_method_sends_is_what_is_expected(name: str) -> None:
    """At first, later, and from a party with more documents than the invented ones."""
    corpora = {n: with_sentences(drawn_corpus(TOPICS, 20, 10, seed), 5) for seed, n in enumerate("ab")}
    given = {"epsilon": 2.0} if "epsilon" in methods.settings(name) else {}
    method = methods.make(name, n_topics=3, n_rounds=3, **given)
    in_process.run(Watched(method, corpora["a"].vocabulary), corpora, seed=1)


def test_parties_with_other_numbers_of_topics_are_expected() -> None:
    corpora = {n: drawn_corpus(TOPICS, 20, 10, seed) for seed, n in enumerate("ab")}
    method = methods.make("ftm", n_topics=3, n_rounds=3, topics_per_party={"b": 5})
    in_process.run(Watched(method, corpora["a"].vocabulary), corpora, seed=1)
    wanted = expected(method, "b", {}, corpora["a"].vocabulary, 0)
    assert wanted["topics"].shape == (5, 24)


WANTED = {
    "counts": Expected("float32", (2, 3)),
    "n": Expected("int64", ()),
    "rows": Expected("int32", (None,)),
}


def sent(**changed: Any) -> Arrays:
    return {
        "counts": np.ones((2, 3), np.float32),
        "n": np.array(4),
        "rows": np.arange(7, dtype=np.int32),
    } | changed


def test_good_messages_pass() -> None:
    check(sent(), WANTED)
    check(sent(rows=np.empty(0, np.int32)), WANTED)


@pytest.mark.parametrize(
    "changed",
    [
        {"counts": np.full((2, 3), np.nan, np.float32)},
        {"counts": np.full((2, 3), np.inf, np.float32)},
        {"counts": np.full((2, 3), 3e15, np.float32)},
        {"counts": np.full((2, 3), -1e-3, np.float32)},
        {"counts": np.ones((2, 3))},
        {"counts": np.ones((3, 2), np.float32)},
        {"counts": np.ones(6, np.float32)},
        {"n": np.array([4])},
        {"n": np.array(2**62)},
        {"n": np.array(-(2**63))},
        {"extra": np.ones(1)},
    ],
    ids=str,
)
def test_bad_messages_are_refused(changed: Arrays) -> None:
    with pytest.raises(WireError):
        check(sent(**changed), WANTED)


def test_missing_arrays_are_refused() -> None:
    with pytest.raises(WireError, match="other names"):
        check({"n": np.array(4)}, WANTED)


def test_negative_numbers_pass_where_the_method_says_so() -> None:
    check({"a": np.array([-1.0])}, {"a": Expected("float64", (1,), may_be_negative=True)})
