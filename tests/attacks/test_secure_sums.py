"""A coordinator of any intention asks a party for its part of secure sums: it gets totals or nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from network.identities import authority, identity
from network.rehearsal import PLAN
from network.test_sums import Adding, numbers, tiny

from fedtopics.documents.text.words import word_array, word_digest
from fedtopics.network import wire
from fedtopics.network.messages import Reply, Request
from fedtopics.network.party.side import PartySide
from fedtopics.network.party.store import PartyStore
from fedtopics.network.party.sums import Identity
from fedtopics.network.plan.terms import Terms
from fedtopics.network.secure_sum import SecureSum, introduced, new_key
from fedtopics.protocol.engine import digest
from fedtopics.protocol.summing import Summing
from fedtopics.protocol.turn import Arrays

NAMES = ("east", "north", "south", "west")
ONE = Summing(1)
REST = {name: new_key() for name in NAMES if name != "north"}


@dataclass
class Asked:
    """Party north, whose answers are seen here; the keys of the others are known to the one who asks."""

    folder: Path
    summing: Summing | None = ONE
    own: Identity | None = None
    min_parties: int = 3

    def __post_init__(self) -> None:
        self.corpus = tiny(["north"])["north"]
        self.start()

    def start(self) -> None:
        if hasattr(self, "side"):
            self.side.store.close()
        store = PartyStore(self.folder, "north", (), secure_only=False)
        terms = Terms(
            PLAN,
            NAMES,
            Adding(),
            1,
            secure=False,
            min_parties=self.min_parties,
            words=self.corpus.vocabulary,
            summing=self.summing,
        )
        known = self.own or identity("north")
        self.side = PartySide("north", terms, store, lambda: self.corpus, lambda *_: None, identity=known)

    def ask(self, operation: str, number: int, body: Arrays, run: str = "first") -> tuple[str, Arrays]:
        """The name of the error and the arrays of the answer."""
        digest = word_digest(self.corpus.vocabulary)
        asked = Request(operation, run, number, PLAN, digest, body=wire.pack(body))
        reply = Reply.from_bytes(self.side.answer(asked))
        return reply.error, wire.unpack(reply.body, limit=2**30) if reply.body else {}

    def meet(self, run: str = "first", **changed: bytes) -> str:
        """Tell it the keys of all, some of them changed; the name of the error."""
        error, told = self.ask("key", 0, {}, run)
        assert not error
        keys = {name: shown(name, private, run) for name, private in REST.items()}
        keys |= {"north": told["introduction"].tobytes()} | changed
        told = {name: np.frombuffer(content, np.uint8) for name, content in keys.items() if content}
        return self.ask("peers", 0, told, run)[0]

    def contribute(self, number: int, run: str = "first") -> tuple[str, Arrays]:
        return self.ask("contribute", number, {"played": np.array(number)}, run)

    def part(self, number: int, *names: str, run: str = "first") -> tuple[str, Arrays]:
        return self.ask("sum", number, {"words": word_array(names)}, run)


def shown(name: str, private: bytes, run: str = "first", who: Identity | None = None) -> bytes:
    own = who or identity(name)
    return introduced(name, run, PLAN, private, own.certificate, own.sign).to_bytes()


@pytest.fixture
def north(tmp_path: Path) -> Asked:
    party = Asked(tmp_path)
    assert party.meet() == ""
    return party


def test_a_release_is_never_shown_however_often_it_is_asked_for(north: Asked) -> None:
    secret = [int(number).to_bytes(8, "little") for number in numbers("north", 0).ravel()]
    for _ in range(2):
        for run in ("first", "first"):
            error, sent = north.contribute(0, run)
            assert (error, sent) == ("", {})
        north.start()
    error, sent = north.part(0, *NAMES)
    assert not error
    assert not any(number in sent["n"].tobytes() for number in secret)


def test_the_digest_that_is_attested_does_not_let_values_be_tried(tmp_path: Path) -> None:
    digests = set()
    for place in ("one", "other"):
        north = Asked(tmp_path / place)
        north.meet()
        north.contribute(0)
        [entry] = north.side.store.of_run("first")
        digests.add(entry.content)
        plain = wire.pack({"n": numbers("north", 0).view(np.uint64)})
        assert entry.content != sha256(plain).hexdigest()
    assert len(digests) == 2  # of the same numbers


def test_the_part_of_a_sum_is_masked_for_just_these_parties(north: Asked) -> None:
    north.contribute(0)
    _, sent = north.part(0, "east", "north", "south")
    keys = {name: north.side._sums._peers("first")[name].key for name in NAMES}  # type: ignore[union-attr]
    heard = f"{digest({'played': np.array(0)})} {word_digest(north.corpus.vocabulary)}"
    told = sha256(heard.encode()).hexdigest()
    others = [
        SecureSum(name, REST[name], keys, PLAN, "first").masked(
            {"n": np.zeros((4, 3), np.uint64)}, 0, ["east", "north", "south"], told
        )["n"]
        for name in ("east", "south")
    ]
    assert np.array_equal((sent["n"] + others[0] + others[1]).view(np.int64), numbers("north", 0))


def test_a_second_sum_of_a_round_is_refused_and_the_first_is_given_again(north: Asked) -> None:
    north.contribute(0)
    error, first = north.part(0, *NAMES)
    assert not error
    assert north.part(0, "east", "north", "south") == ("OtherSumError", {})
    north.start()  # what it knows then is on its disk
    assert north.part(0, "north", "south", "west") == ("OtherSumError", {})
    error, again = north.part(0, *NAMES)
    assert np.array_equal(first["n"], again["n"])


@pytest.mark.parametrize(
    "names",
    [
        ("north", "south"),  # fewer than the plan's threshold leaves
        ("north",),
        ("east", "south", "west"),  # without this party
        ("east", "north", "nobody"),
        ("east", "north", "South"),
        (),
    ],
)
def test_a_sum_over_too_few_or_over_strangers_is_refused(north: Asked, names: tuple[str, ...]) -> None:
    north.contribute(0)
    error, sent = north.part(0, *names)
    assert error in ("OtherSumError", "InputError")
    assert sent == {}


def test_a_party_s_own_policy_asks_for_more_than_the_plan(tmp_path: Path) -> None:
    party = Asked(tmp_path, own=replace(identity("north"), least=4))
    party.meet()
    party.contribute(0)
    assert party.part(0, "east", "north", "south") == ("OtherSumError", {})
    assert party.part(0, *NAMES)[0] == ""


def test_a_sum_before_or_after_its_round_is_refused(north: Asked) -> None:
    assert north.part(0, *NAMES) == ("RoundPassedError", {})
    north.contribute(0)
    north.contribute(1)
    assert north.part(0, *NAMES) == ("RoundPassedError", {})
    assert north.part(-1, *NAMES) == ("RoundPassedError", {})
    assert north.part(2, *NAMES) == ("RoundPassedError", {})
    assert north.part(1, *NAMES)[0] == ""


def test_a_key_never_changes_within_a_run(north: Asked) -> None:
    assert north.meet(south=shown("south", new_key())) == "PeersError"
    assert north.meet(south=b"") == ""  # who is not named again stays who it was
    north.start()
    assert north.meet(south=shown("south", new_key())) == "PeersError"
    assert north.meet() == ""
    assert north.meet("second", south=shown("south", new_key(), "second")) == ""  # of another run it is new


def test_parties_that_come_late_are_added(tmp_path: Path) -> None:
    north = Asked(tmp_path)
    assert north.meet(west=b"") == ""
    north.contribute(0)
    assert north.part(0, *NAMES) == ("PeersError", {})  # nobody knows west yet, and nothing is noted
    assert north.part(0, "east", "north", "south")[0] == ""
    assert north.meet() == ""
    north.contribute(1)
    assert north.part(1, *NAMES)[0] == ""


def test_a_key_in_another_s_name_is_refused(tmp_path: Path) -> None:
    north, evil = Asked(tmp_path), new_key()
    assert north.meet(south=shown("south", evil, who=identity("west"))) == "PeersError"
    assert north.meet(south=shown("west", evil)) == "PeersError"
    assert north.meet(south=shown("south", evil, run="second")) == "PeersError"
    assert north.meet(south=shown("south", evil, who=identity("south", which=1))) == "InputError"
    assert north.meet(north=shown("north", evil)) == "PeersError"
    assert north.meet(nobody=shown("nobody", evil)) == "PeersError"
    assert north.meet(south=b"{}") == "PeersError"
    assert north.meet() == ""


def test_a_coordinator_that_makes_a_certificate_for_another_is_found_out_by_a_fingerprint(
    tmp_path: Path,
) -> None:
    from fedtopics.network.plan.certificates import fingerprint

    true = fingerprint(authority(0)[1].public_key())  # of the key that all parties have here
    forged = shown("south", new_key(), who=identity("south", other_key=True))
    unaware = Asked(tmp_path / "unaware")
    assert unaware.meet(south=forged) == ""  # the authority has signed it
    aware = Asked(tmp_path / "aware", own=replace(identity("north"), known={"south": true.upper()}))
    assert aware.meet(south=forged) == "PeersError"
    assert aware.meet() == ""


def test_nothing_is_masked_where_the_plan_has_no_secure_sum(tmp_path: Path) -> None:
    north = Asked(tmp_path, summing=None)
    assert north.contribute(0)[1].keys() == {"n"}
    for operation in ("key", "peers", "sum"):
        assert north.ask(operation, 0, {}) == ("InputError", {})


def test_the_key_of_a_run_is_deleted_with_its_end_and_never_leaves(north: Asked) -> None:
    note = north.side.store.note("first", "key")
    private = note.read_bytes()
    assert note.stat().st_mode & 0o077 == 0
    north.contribute(0)
    heard = [north.ask("key", 0, {})[1], north.part(0, *NAMES)[1]]
    for arrays in heard:
        for array in arrays.values():
            assert private not in array.tobytes()
            assert private.hex().encode() not in array.tobytes()
    error, _ = north.ask("deliver", 3, {})
    assert error == ""
    assert not note.exists()


def test_a_party_pays_for_no_more_rounds_than_the_plan_may_lose(tmp_path: Path) -> None:
    north = Asked(tmp_path, summing=Summing(1, repeats=1))
    for number in range(4):
        assert north.contribute(number)[0] == ""
    assert north.contribute(4)[0] == "RoundPassedError"
    assert len(north.side.store.of_run("first")) == 4
