"""A party in shards: the price of one machine, noise drawn once and stored first, one noise on sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from cluster.here import Here
from cluster.shard_corpora import MADE, PARTIES, bits, made, trained

from fedtopics import files, methods
from fedtopics.cluster import stored_documents, work
from fedtopics.cluster.party import OnCluster
from fedtopics.cluster.shelf import Drawn, Shelf
from fedtopics.cluster.work import Job, Part
from fedtopics.errors import InputError
from fedtopics.files import StoreError
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.price.cost import FREE
from fedtopics.privacy.price.release import Release
from fedtopics.protocol import in_process
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.sampling.gpu.using import VARIABLE, asked, using

COST = Histogram(1.0, 10).price()


@pytest.mark.parametrize("name", MADE)
def test_shards_cost_what_one_machine_costs(name: str, tmp_path: Path) -> None:
    method = made(name)
    alone = in_process.run(method, PARTIES, seed=4)
    cut = trained(method, tmp_path)
    assert [entry.cost for entry in cut.ledger.entries] == [entry.cost for entry in alone.ledger.entries]
    assert [entry.round for entry in cut.ledger.entries] == [entry.round for entry in alone.ledger.entries]


@pytest.mark.parametrize("name", ["hush", "hush persons"])
def test_noise_on_sums_is_drawn_once_and_the_bits_are_those_of_one_machine(name: str, tmp_path: Path) -> None:
    method = made(name)
    assert bits(trained(method, tmp_path)) == bits(in_process.run(method, PARTIES, seed=4))


def test_hush_at_no_epsilon_releases_nothing(tmp_path: Path) -> None:
    method = made("hush", epsilon=0.0)
    assert bits(trained(method, tmp_path)) == bits(in_process.run(method, PARTIES, seed=4))


@pytest.mark.parametrize("name", ["calm", "shared"])
def test_what_leaves_has_the_form_of_one_party(name: str, tmp_path: Path) -> None:
    heard: dict[str, list[Arrays]] = {"one": [], "cut": []}
    method = made(name)
    overhear = {
        who: lambda number, party, told, release, who=who: heard[who].append(release.value) for who in heard
    }
    in_process.run(method, PARTIES, seed=4, overhear=overhear["one"])
    trained(method, tmp_path, overhear=overhear["cut"])
    for one, cut in zip(heard["one"], heard["cut"], strict=True):
        assert {key: (a.dtype, a.shape) for key, a in one.items()} == {
            key: (a.dtype, a.shape) for key, a in cut.items()
        }


def test_shards_keep_every_token(tmp_path: Path) -> None:
    sums = []
    trained(made("shared"), tmp_path, overhear=lambda *heard: sums.append(heard[3].value["n_wk"].sum()))
    assert set(sums) == {corpus.n_tokens for corpus in PARTIES.values()}


@pytest.mark.parametrize("name", ["pooled", "alone", "ftm", "lplda", "fedlda"])
def test_other_methods_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a cluster needs a method that works shard by shard"):
        OnCluster(methods.make(name), Here(), tmp_path)


def draw(value: int) -> Drawn:
    return Drawn({"noise": np.array([value])}, Release({"n": np.array(value)}, COST))


def test_of_two_that_draw_at_once_the_first_wins_and_the_other_is_thrown_away(tmp_path: Path) -> None:
    shelf = Shelf(str(tmp_path)).made()

    def value(draws: Callable[[], Drawn]) -> int:
        return int(shelf.drawn(0, draws).memory["noise"][0])

    def slowly() -> Drawn:
        assert value(lambda: draw(1)) == 1  # another one sees that nothing is there, too, and writes first
        return draw(2)

    assert value(slowly) == 1
    assert value(lambda: draw(3)) == 1
    assert [path.name for path in (tmp_path / "draws").iterdir()] == ["00000"]


def test_a_file_is_never_there_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "no space")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(StoreError, match="the disk is full"):
        files.write_first(tmp_path / "draw", b"noise")
    assert list(tmp_path.iterdir()) == []


def test_draws_that_were_altered_are_refused(tmp_path: Path) -> None:
    shelf = Shelf(str(tmp_path)).made()
    shelf.drawn(0, lambda: draw(1))
    path = tmp_path / "draws" / "00000"
    whole = path.read_bytes()
    for altered in (whole[:-3], b"{}\n", b"nothing"):
        path.write_bytes(altered)
        with pytest.raises(InputError):
            shelf.drawn(0, lambda: draw(2))
    with pytest.raises(StoreError, match="says that what was drawn is free"):
        Shelf(str(tmp_path)).drawn(1, lambda: Drawn({}, Release({}, FREE)))


@dataclass
class Failing(Here):
    """Works until some round, and then fails after so many shards."""

    fails: int
    done: int = 3

    def total(self, jobs: Sequence[Job]) -> Part:
        if jobs[0].turn.round == self.fails:
            for job in jobs[: self.done]:
                work.answer(job)
            raise InputError("gone")
        return super().total(jobs)


@pytest.mark.parametrize("fails", [0, 1, 3])
def test_noise_is_drawn_once_and_paid_once_whenever_the_cluster_goes_away(fails: int, tmp_path: Path) -> None:
    """Of the operating system, so that a second draw would be another."""
    method, corpus = made("calm"), PARTIES["north"]
    failing, memory, told = OnCluster(method, Failing(fails), tmp_path, 5), Arrays(), Arrays()
    for number in range(fails):
        turn = Turn(1, "party", number, "north", secure=True)
        release, memory = failing.contribute(Party("north", corpus, memory), told, turn)
        state = method.combine(locals().get("state", {}), {"north": release.value}, Turn(1, "server", number))
        told = method.broadcast(state)
    turn = Turn(1, "party", fails, "north", secure=True)
    with pytest.raises(InputError, match="gone"):
        failing.contribute(Party("north", corpus, memory), told, turn)
    drawn = {path: (path.read_bytes(), path.stat().st_ino) for path in tmp_path.glob("*/draws/*")}
    assert len(drawn) == (5 if fails else 3)
    again = OnCluster(method, Here(), tmp_path, 5)  # a new process, that knows what the party remembers
    release, after = again.contribute(Party("north", corpus, memory), told, turn)
    assert release.cost == (replace(method.prices(60)[0], noise="secure") if fails == 0 else FREE)
    assert {path: (path.read_bytes(), path.stat().st_ino) for path in drawn} == drawn
    once_more, _ = OnCluster(method, Here(), tmp_path, 5).contribute(
        Party("north", corpus, memory), told, turn
    )
    assert all(np.array_equal(release.value[name], once_more.value[name]) for name in release.value)
    assert sorted(after) == ["shards"]


def test_a_party_that_comes_after_the_end_draws_nothing(tmp_path: Path) -> None:
    place = OnCluster(made("calm", held_out=0.2), Here(), tmp_path, 5)
    party, end = Party("north", PARTIES["north"], {}), {"stopped": np.array(10)}
    release, _ = place.contribute(party, end, Turn(1, "party", 12, "north", secure=True))
    assert (release.value, release.cost) == ({}, FREE)
    assert list(tmp_path.glob("*/draws/*")) == []


def test_a_party_that_comes_late_draws_before_it_answers(tmp_path: Path) -> None:
    method = made("calm")
    state = method.combine({}, {"north": _overview(method)}, Turn(1, "server"))
    place = OnCluster(method, Here(), tmp_path, 5)
    party = Party("north", PARTIES["north"], {})
    release, _ = place.contribute(party, method.broadcast(state), Turn(1, "party", 2, "north"))
    assert set(release.value) == {"roots", "likelihood"}
    assert release.cost == replace(method.prices(60)[0], noise="simulated")


def _overview(method: methods.Method) -> Arrays:
    return method.contribute(Party("north", PARTIES["north"], {}), {}, Turn(1, "party", 0, "north"))[0].value


def test_noise_that_was_not_stored_is_never_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "_is_end", lambda told: True)
    with pytest.raises(InputError, match="noise was drawn that is not stored"):
        trained(made("calm"), tmp_path)


def test_nothing_is_left_of_earlier_rounds(tmp_path: Path) -> None:
    trained(made("calm"), tmp_path, n_shards=4)
    for party in tmp_path.iterdir():
        assert len(list((party / "memory").iterdir())) == 8  # the newest, and the one that it was made from
        assert len(list((party / "told").iterdir())) == 1


def test_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fedtopics.cluster.party.fedtopics.__version__", "9.9")
    place, seen = OnCluster(made("calm"), Here(), tmp_path, 2), []
    monkeypatch.setattr(Here, "total", lambda self, jobs: seen.append(jobs))
    with pytest.raises(AttributeError):
        place.contribute(Party("north", PARTIES["north"], {}), {}, Turn(1, "party", 0, "north"))
    monkeypatch.setattr("fedtopics.cluster.party.fedtopics.__version__", "0.1.0")
    with pytest.raises(InputError, match=r"expected workers with fedtopics 9\.9, got one with 0\.1\.0"):
        work.answer(seen[0][0])


class Elsewhere(Here):
    """In a thread that knows as little of this one's device as a worker does."""

    def total(self, jobs: Sequence[Job]) -> Part:
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(super().total, jobs).result()


@pytest.mark.parametrize("device", [None, "auto"])
def test_shards_are_worked_on_by_the_device_of_the_party(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: str | None
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    found, part = [], stored_documents.part
    monkeypatch.setattr(stored_documents, "part", lambda *given: found.append(asked()) or part(*given))
    place = OnCluster(made("calm"), Elsewhere(), tmp_path, 2)
    with using(device):
        place.contribute(Party("north", PARTIES["north"], {}), {}, Turn(1, "party", 0, "north"))
    assert found == [device, device]


def test_shards_draw_noise_of_their_own(tmp_path: Path) -> None:
    """Equal documents in all shards: what they draw differs all the same."""
    corpus = PARTIES["north"].select(np.tile(np.arange(10), 4))
    place = OnCluster(made("calm"), Here(), tmp_path, 4)
    place.contribute(Party("north", corpus, {}), {}, Turn(1, "party", 0, "north"))
    assert len({path.read_bytes() for path in tmp_path.glob("*/draws/*")}) == 4
