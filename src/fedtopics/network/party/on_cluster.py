"""A party of a federation on its own cluster: what its shards leave lies beside its ledger, or is shared.

    FOLDER/store/shards/NAME/   documents, noise and memory of one run, until `party forget`; with `folder`
                                in the policy's [cluster] there instead, under a NAME of this ledger

Whether the cluster can work is looked up before documents are opened: that it cannot costs nothing. Where it
goes away in the middle of a release, that is a failure like any other, which may depend on documents.
"""

import shutil
from hashlib import sha256
from pathlib import Path

from fedtopics import files
from fedtopics.cluster.connection import Connection
from fedtopics.cluster.party import OnCluster
from fedtopics.cluster.settings import Cluster
from fedtopics.network.party.store import PartyStore
from fedtopics.protocol.method import Method

SHARDS = "shards"


def opened(cluster: Cluster, method: Method, store: PartyStore, run: str) -> OnCluster:
    """The party's shards in this run; the cluster is called when there is work."""
    folder = _folder(cluster, store, run)
    files.make_folder(folder)
    return OnCluster(method, Connection(cluster, folder), folder, cluster.shards, durable=True)


def check(cluster: Cluster, store: PartyStore) -> None:
    """Refuse a cluster that cannot work."""
    folder = _folder(cluster, store, "").parent
    files.make_folder(folder)
    connection = Connection(cluster, folder)
    try:
        connection.require()
    finally:
        connection.close()


def forget(cluster: Cluster, store: PartyStore, run: str) -> None:
    """Delete what the shards of a run have left."""
    shutil.rmtree(_folder(cluster, store, run), ignore_errors=True)


def _folder(cluster: Cluster, store: PartyStore, run: str) -> Path:
    home = store.folder / SHARDS if cluster.folder is None else Path(cluster.folder)
    return home.resolve() / sha256(f"{store.ledger_id}/{run}".encode()).hexdigest()[:32]
