"""Real workers, in processes of their own: as many as there are, and those that are killed, change no bit."""

from __future__ import annotations

import importlib.metadata
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Thread
from time import sleep

import pytest
from cluster.shard_corpora import PARTIES, bits, made, trained

import fedtopics
from fedtopics.cluster import connection, session
from fedtopics.cluster.connection import Connection
from fedtopics.cluster.settings import Cluster, ClusterError
from fedtopics.cluster.work import Job, Part, answers
from fedtopics.protocol.engine import Outcome
from fedtopics.protocol.turn import Arrays
from fedtopics.runs.preparing import Data

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def two() -> Iterator[Cluster]:
    """Two worker processes of one thread each."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", silence_logs=50
    ) as found:
        yield Cluster(found.scheduler_address)


@pytest.fixture(scope="module")
def one() -> Iterator[Cluster]:
    """One worker of two threads, in this process."""
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, protocol="tcp", dashboard_address="127.0.0.1:0"
    ) as found:
        yield Cluster(found.scheduler_address)


def on(cluster: Cluster, name: str, folder: Path, **given: object) -> Outcome:
    folder.mkdir(exist_ok=True)
    workers = Connection(cluster, folder)
    workers.require()
    try:
        return trained(made(name), folder, workers, **given)
    finally:
        workers.close()


@pytest.mark.parametrize("name", ["calm", "shared warp", "hush"])
def test_workers_and_threads_change_no_bit(name: str, one: Cluster, two: Cluster, tmp_path: Path) -> None:
    expected = bits(trained(made(name), tmp_path / "here"))
    assert bits(on(one, name, tmp_path / "one")) == expected
    assert bits(on(two, name, tmp_path / "two")) == expected


class Compared(Connection):
    """Workers whose sums have all 64 bits of those that this process adds."""

    def total(self, jobs: Sequence[Job]) -> Part:
        """The sum of all answers."""
        found, expected = super().total(jobs), answers(jobs)
        assert bits_of(found.value) == bits_of(expected.value)
        return found


def bits_of(arrays: Arrays) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in arrays.items()}


@pytest.mark.parametrize("most", [1, 2, 3])
def test_who_adds_which_branches_changes_no_bit(
    most: int, one: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "PER_WORKER", 5)  # three leaves
    monkeypatch.setattr(connection, "MOST_BRANCHES", most)
    expected = bits(trained(made("calm"), tmp_path / "here", n_shards=6))
    (tmp_path / "one").mkdir()
    workers = Compared(one, tmp_path / "one")
    assert bits(trained(made("calm"), tmp_path / "one", workers, n_shards=6)) == expected
    workers.close()


def test_a_worker_that_is_killed_changes_no_bit_and_no_noise(two: Cluster, tmp_path: Path) -> None:
    """Noise of the operating system: what is there when a worker dies must be what is used in the end."""
    with distributed.Client(two.address, set_as_default=False) as client:
        client.wait_for_workers(2)
        victims = list(client.run(os.getpid).values())
    there: dict[Path, tuple[bytes, int]] = {}

    def kill_when_noise_is_drawn() -> None:
        while not (drawn := list(tmp_path.glob("*/draws/0*"))):
            sleep(0.001)
        os.kill(victims[0], signal.SIGKILL)
        there.update({path: (path.read_bytes(), path.stat().st_ino) for path in drawn})

    def kill_later(entry: object) -> None:
        if getattr(entry, "round", 0) == 2:
            os.kill(victims[1], signal.SIGKILL)

    killer = Thread(target=kill_when_noise_is_drawn)
    killer.start()
    outcome = on(two, "calm", tmp_path, secure=True, n_shards=12, on_round=kill_later)
    killer.join()
    assert there
    assert {path: (path.read_bytes(), path.stat().st_ino) for path in there} == there
    assert outcome.ledger.noise == "secure"
    assert bits(trained(made("calm"), tmp_path, secure=True, n_shards=12)) == bits(outcome)


def test_train_on_a_cluster_says_so_and_leaves_nothing(one: Cluster, tmp_path: Path) -> None:
    data = Data(PARTIES, PARTIES["south"], "made up")
    run = fedtopics.train(
        data,
        "calm",
        n_topics=3,
        n_rounds=2,
        cluster=Cluster(one.address, 3, str(tmp_path)),
        show_progress=False,
    )
    assert run.record["cluster"] == {"workers": 1, "shards": {"north": 3, "south": 3}}
    assert list(tmp_path.iterdir()) == []
    run.save(tmp_path / "run")
    assert (
        "cluster" not in (tmp_path / "run" / "run.json").read_text()
    )  # how many shards follows from documents
    assert fedtopics.Run.load(tmp_path / "run").record["cluster"]["workers"] == 1


def test_a_folder_that_workers_do_not_see_is_refused(one: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection.files, "write", lambda *given, **told: None)
    with pytest.raises(ClusterError, match=r"expected a folder that all machines see, .* name a shared one"):
        session.check(one, made("calm"))


def test_workers_of_another_version_are_refused(one: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "0.0.7")
    with pytest.raises(ClusterError, match=r"expected workers with fedtopics 0\.1\.0, got 0\.0\.7 at tcp://"):
        session.check(one, made("calm"))


def test_a_cluster_without_workers_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 0.3)
    with (
        distributed.LocalCluster(
            n_workers=0, processes=False, protocol="tcp", dashboard_address="127.0.0.1:0"
        ) as empty,
        pytest.raises(ClusterError, match=r"expected workers at tcp://.*, got none; start some with"),
    ):
        session.check(Cluster(empty.scheduler_address), made("calm"))


def test_a_scheduler_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 0.3)
    with pytest.raises(ClusterError, match=r"expected a Dask scheduler at tcp://127\.0\.0\.1:9, got no"):
        fedtopics.train("no such file", cluster="tcp://127.0.0.1:9")
    with pytest.raises(fedtopics.InputError, match="expected a folder that the whole cluster sees"):
        session.check(Cluster("tcp://127.0.0.1:9", folder=str(tmp_path / "none")), made("calm"))


def test_a_scheduler_that_goes_away_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 0.3)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, protocol="tcp", dashboard_address="127.0.0.1:0"
    ) as gone:

        def end(entry: object) -> None:
            gone.close()

        with pytest.raises(ClusterError, match=r"scheduler at tcp://127.0.0.1:\d+"):
            on(Cluster(gone.scheduler_address), "calm", tmp_path, on_round=end)


def test_without_dask_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match=r"pip install 'fedtopics\[dask\]'"):
        session.check(Cluster("tcp://127.0.0.1:9"), made("calm"))


def test_what_can_be_read_on_the_way_is_warned_of(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    Connection(Cluster("tcp://127.0.0.1:9"), tmp_path)
    Connection(Cluster("tls://10.0.0.5:9"), tmp_path)
    assert not caplog.records
    Connection(Cluster("tcp://10.0.0.5:9"), tmp_path)
    assert "not encrypted" in caplog.text
