"""A party of a federation in shards: restarts, prices, and a cluster that is not there."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from cluster.here import Here
from cluster.shard_corpora import PARTIES, bits, made, trained
from network.rehearsal import Rehearsal, simulated

from fedtopics import methods
from fedtopics.cluster.party import OnCluster
from fedtopics.cluster.settings import Cluster, ClusterError
from fedtopics.documents.text.words import word_array, word_digest
from fedtopics.errors import InputError
from fedtopics.network import wire
from fedtopics.network.messages import Reply, Request
from fedtopics.network.party import on_cluster
from fedtopics.network.party.side import PartySide
from fedtopics.network.plan.policy import Policy, PolicyError
from fedtopics.network.plan.typed_file import build, parse
from fedtopics.privacy.price.cost import FREE


class Gone(Here):
    """A cluster that cannot be reached."""

    def require(self) -> None:
        raise ClusterError("expected a Dask scheduler, got no answer")


def staged(folder: Path, name: str) -> Rehearsal:
    terms = simulated(made(name), PARTIES, seed=4, min_parties=2)
    stage = Rehearsal(folder, terms, PARTIES)
    for side in stage.sides.values():
        side.elsewhere = sharded(stage, side)
    return stage


def sharded(stage: Rehearsal, side: PartySide, workers: Here | None = None) -> OnCluster:
    place = stage.folder / side.name / on_cluster.SHARDS
    return OnCluster(stage.terms.method, workers or Here(), place, 5, durable=True)


@pytest.mark.parametrize("name", ["calm", "hush"])
def test_a_federation_of_clusters_learns_what_one_process_does(name: str, tmp_path: Path) -> None:
    end = staged(tmp_path / "wired", name).trained()
    expected = trained(made(name), tmp_path / "here")
    model = made(name).model(end.state, end.words or ())
    assert model is not None
    assert model.topic_word.tobytes() == bits(expected)


def test_a_party_that_is_started_again_goes_on_with_the_noise_that_it_drew(tmp_path: Path) -> None:
    stage = staged(tmp_path / "wired", "calm")
    coordinator = stage.coordinator()
    asked = 0
    answer = PartySide.answer

    def restarting(side: PartySide, request: Request) -> bytes:
        nonlocal asked
        asked += request.operation == "contribute"
        if asked == 6:
            asked += 1
            again = stage.start(side.name)
            again.elsewhere = sharded(stage, again)
            return answer(again, request)
        return answer(side, request)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(PartySide, "answer", restarting)
        end = coordinator.train()
    model = made("calm").model(end.state, end.words or ())
    assert model is not None
    assert model.topic_word.tobytes() == bits(trained(made("calm"), tmp_path / "here"))
    costs = [entry.cost for side in stage.sides.values() for entry in side.store.entries]
    assert sum(cost != FREE for cost in costs) == 2  # one release of each party


def test_a_cluster_that_is_not_there_costs_nothing_and_ends_no_run(tmp_path: Path) -> None:
    stage = staged(tmp_path, "hush")
    side = stage.sides["north"]
    words = stage.terms.words or ()

    def ask(operation: str, told: dict[str, np.ndarray]) -> str:
        asked = Request(operation, "first", 0, stage.terms.plan, word_digest(words), body=wire.pack(told))
        return Reply.from_bytes(side.answer(asked)).error

    assert ask("vocabulary", {"words": word_array(words)}) == ""
    side.elsewhere = sharded(stage, side, Gone())
    assert ask("contribute", {}) == "ClusterError"
    assert side.store.entries == []
    side.elsewhere = sharded(stage, side)
    assert ask("contribute", {}) == ""
    assert len(side.store.entries) == 1


POLICY = """methods = ["calm", "ftm"]
{more}
[[budget]]
relation = "word add/remove"
epsilon = 100.0
delta = 1e-6
"""


def policy(more: str) -> Policy:
    return parse(POLICY.format(more=more).encode(), "policy.toml", partial(build, Policy))


def test_a_policy_names_the_cluster() -> None:
    found = policy('[cluster]\naddress = "tls://10.0.0.5:8786"\nshards = 8\nfolder = "shared"')
    assert found.cluster == Cluster("tls://10.0.0.5:8786", 8, "shared")
    assert policy("").cluster is None
    with pytest.raises(InputError, match=r"expected a scheduler as tcp://HOST:PORT"):
        policy('[cluster]\naddress = "hub"')
    with pytest.raises(InputError, match=r"unknown key cluster\.workers"):
        policy('[cluster]\naddress = "tcp://hub:1"\nworkers = 3')


class PlanOf:
    """As much of a plan as a policy looks at."""

    min_parties, secure_sum, simulation_seed, parties = 2, None, None, ("north", "south")

    def __init__(self, name: str) -> None:
        self.method_name = name

    def method(self) -> methods.Method:
        return methods.make(self.method_name)


def test_a_plan_whose_method_has_no_shards_is_refused() -> None:
    found = policy('[cluster]\naddress = "tcp://127.0.0.1:8786"')
    found.check(PlanOf("calm"))  # type: ignore[arg-type]
    with pytest.raises(PolicyError, match="this party works on a cluster: a cluster needs a method that"):
        found.check(PlanOf("ftm"))  # type: ignore[arg-type]


def test_what_shards_left_is_forgotten_with_the_run(tmp_path: Path) -> None:
    stage = staged(tmp_path, "calm")
    store, cluster = stage.sides["north"].store, Cluster("tcp://127.0.0.1:9")
    first, other = (on_cluster.opened(cluster, made("calm"), store, run) for run in ("first", "other"))
    assert first.folder.parent == (tmp_path / "north" / "shards").resolve()
    assert first.folder.is_dir()
    on_cluster.forget(cluster, store, "first")
    assert not first.folder.exists()
    assert other.folder.is_dir()
