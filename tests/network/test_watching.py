"""What a coordinator, and a party, see of a run under way: what is in their own folders, and no more."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from time import time

import pytest
from network.folders import PARTIES, conducted, made
from network.rehearsal import Direct

from fedtopics.errors import InputError
from fedtopics.network.coordinator import coordinating
from fedtopics.network.coordinator.answers import Silence
from fedtopics.network.coordinator.desk import Desk
from fedtopics.network.coordinator.folder import CoordinatorFolder
from fedtopics.network.coordinator.standing import Standing
from fedtopics.network.coordinator.watching import RunWatch
from fedtopics.network.messages import Request
from fedtopics.network.party.doing import Doing
from fedtopics.network.party.folder import PartyFolder
from fedtopics.network.party.watching import STOP, PartyWatch
from fedtopics.network.phases import phase
from fedtopics.network.plan import certificates
from fedtopics.network.pulse import FILE, OLD, beat, present
from fedtopics.privacy.price.budget import BudgetError


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A federation whose run has ended."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certificates, "KEY_BITS", 2048)
        place = made(tmp_path_factory.mktemp("watched"))
    conducted(place)
    return place


def test_a_coordinator_sees_rounds_topics_and_prices_from_its_own_folder(
    trained: Path, tmp_path: Path
) -> None:
    hub = CoordinatorFolder(shutil.copytree(trained / "hub", tmp_path / "hub"))
    seen = RunWatch(hub, hub.run("run-1")).look()
    json.dumps(seen, allow_nan=False)
    assert (seen["run"]["state"], seen["run"]["round"], seen["run"]["n_rounds"]) == ("finished", 4, 4)
    assert [row["name"] for row in seen["rounds"]] == [f"round {number}" for number in range(1, 5)]
    assert all(row["up"] > 0 and row["down"] > 0 and row["missing"] == [] for row in seen["rounds"])
    assert len(seen["topics"]) == 3
    assert set(seen["topics"][0]["words"]) <= set(hub.plan.words(hub.path) or ())
    assert {party["name"]: party["answers"] for party in seen["parties"]} == dict.fromkeys(PARTIES, 4)
    assert seen["privacy"]["promised"] == 80.0
    assert seen["privacy"]["spent"] == pytest.approx(8.0)
    assert {party["state"] for party in seen["parties"]} == {"not connected"}


def test_a_round_without_a_party_is_shown_as_one(trained: Path, tmp_path: Path) -> None:
    place = shutil.copytree(trained, tmp_path / "again")
    text = (place / "hub" / "plan.toml").read_text()
    hub = CoordinatorFolder(place / "hub")
    assert re.search("min_parties = 2", text)
    run = hub.submit("lost")
    watched = RunWatch(hub, run)
    assert watched.look()["rounds"] == []
    assert watched.look()["run"]["phase"] == "the coordinator is not running"
    sides = {name: PartyFolder(place / name).side(run.name) for name in PARTIES}

    def swallow(name: str, asked: bytes, answer: bytes) -> bytes | Silence:
        about = Request.from_bytes(asked)
        lost = name == PARTIES[0] and about.operation == "contribute" and about.round == 2
        return Silence("gone") if lost else answer

    with pytest.raises(InputError, match="the plan needs 2 parties"):
        coordinating.conduct(hub, run, Direct(sides, swallow))
    for side in sides.values():
        side.store.close()
    assert [row["round"] for row in watched.look()["rounds"]] == [0, 1]
    assert watched.look()["parties"][0]["last"] == "round 2"


def test_a_party_sees_what_left_its_machine_with_size_hash_and_price(trained: Path) -> None:
    watched = PartyWatch(trained / "north")
    seen = watched.look()
    json.dumps(seen, allow_nan=False)
    assert (seen["party"], seen["state"], seen["n_releases"]) == ("north", "not running", 5)
    scores, *_, first = seen["releases"]
    assert first["name"] == "contribution, round 1"
    assert first["price"] == "epsilon 8 (word add/remove)"
    assert [row["price"] for row in seen["releases"][1:-1]] == ["free, already paid for"] * 3
    assert (scores["name"], scores["paid"]) == ("private scores, round 5", True)
    with PartyFolder(trained / "north").store() as store:
        stored = store.stored("run-1", 0, "contribute") or b""
        entry = store.charged("run-1", 0, "contribute")
    assert entry is not None
    assert (first["size"], first["sha256"]) == (len(stored), entry.content)
    (budget,) = seen["budget"]
    assert 8.0 < budget["spent"] <= budget["run"] <= budget["allowed"] == 80.0


def test_a_page_stops_a_party_only_where_its_policy_says_so(trained: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(trained / "north", tmp_path / "north")
    watched = PartyWatch(folder)
    assert watched.look()["stop"] == {"allowed": False, "asked": False}
    with pytest.raises(InputError, match="expected stop_button = true"):
        watched.stop()
    assert not (folder / STOP).exists()
    policy = (folder / "policy.toml").read_text()
    (folder / "policy.toml").write_text(policy.replace("stop_button = false", "stop_button = true"))
    watched.stop()
    assert watched.look()["stop"] == {"allowed": True, "asked": True}


def test_a_budget_that_was_changed_is_shown_at_once(trained: Path, tmp_path: Path) -> None:
    watched = PartyWatch(shutil.copytree(trained / "north", tmp_path / "north"))
    assert [row["allowed"] for row in watched.look()["budget"]] == [80.0]
    path = tmp_path / "north" / "policy.toml"
    path.write_text(path.read_text().replace("epsilon = 80.0", "epsilon = 90.0"))
    assert [row["allowed"] for row in watched.look()["budget"]] == [90.0]


def test_what_is_old_is_not_taken_for_what_holds(tmp_path: Path) -> None:
    assert present(tmp_path) == {}
    beat(tmp_path, {"connected": True})
    assert present(tmp_path)["connected"]
    beat(tmp_path, {"connected": True, "time": time() - 2 * OLD})
    assert present(tmp_path) == {}
    (tmp_path / FILE).write_text("[]")
    assert present(tmp_path) == {}


def test_a_folder_that_is_no_partys_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected the folder of a party"):
        PartyWatch(tmp_path)


def test_a_desk_says_who_is_there_who_computes_and_who_has_answered() -> None:
    from network.coordinator.test_desk import asking

    desk = Desk()
    standing = Standing(desk)
    visits = {name: desk.arrive(name) for name in ("north", "south", "west")}
    assert standing.look() == {
        "connected": ("north", "south", "west"),
        "parties": dict.fromkeys(sorted(visits), "connected"),
        "asked": {},
    }
    question = Request("contribute", "run-1", 7, "plan").to_bytes()
    answers = asking(desk, north=question, south=question, west=question)
    taken = {name: desk.fetch(name, visits[name], 5) for name in ("north", "south")}
    assert taken["north"] is not None
    desk.bring("north", taken["north"][0], b"answer")
    desk.leave("west", visits["west"], for_good=True)
    seen = standing.look()
    assert seen["connected"] == ("north", "south")
    assert seen["parties"] == {"north": "answered", "south": "computing", "west": "missing"}
    assert seen["asked"] == {"run": "run-1", "operation": "contribute", "round": 7}
    assert phase(seen["asked"], 30) == "training: round 8 of 30"
    assert taken["south"] is not None
    desk.bring("south", taken["south"][0], b"answer")
    answers.result(5)
    assert standing.look()["asked"] == {}


def test_a_party_says_what_it_does_while_it_does_it() -> None:
    seen = []

    def answer(question: bytes, begin: Callable[[Request], None]) -> bytes:
        if question != b"nonsense":
            begin(Request.from_bytes(question))
        seen.append(doing.look())
        return b"twelve bytes"

    doing = Doing(answer)
    question = Request("attest", "run-1", 3, "plan").to_bytes()
    doing.answer(question)
    doing.answer(b"nonsense")
    assert [each["asked"]["operation"] for each in seen] == ["attest", ""]
    assert doing.look() == {"asked": {}, "bytes_up": 24, "bytes_down": len(question) + 8}


def test_a_party_that_has_paid_for_most_of_a_run_may_come_back_to_it(trained: Path, tmp_path: Path) -> None:
    folder = PartyFolder(shutil.copytree(trained / "north", tmp_path / "north"))
    policy = (folder.path / "policy.toml").read_text()
    (folder.path / "policy.toml").write_text(policy.replace("epsilon = 80.0", "epsilon = 30.0"))
    with folder.store() as store:
        with pytest.raises(BudgetError):
            store.require(folder.plan.costs(folder.plan.vocabulary.most_words))
        assert folder.unfinished(store) == []
        shutil.rmtree(folder.path / "models")
        assert folder.unfinished(store) == ["run-1"]
