"""A cluster for the length of a run."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from fedtopics.cluster.connection import Connection
from fedtopics.cluster.party import OnCluster
from fedtopics.cluster.settings import Cluster, check_method
from fedtopics.errors import InputError
from fedtopics.files import scratch_folder
from fedtopics.protocol.in_process import Contribute
from fedtopics.protocol.method import Method


def check(cluster: Cluster, method: Method) -> None:
    """Refuse a method or a cluster that cannot work, before any document is read."""
    with opened(cluster, method):
        pass


def placed(cluster: Cluster | str | None, method: Method) -> Cluster | None:
    """The cluster that was named, by its address or in full, checked for this `method`."""
    found = Cluster(cluster) if isinstance(cluster, str) else cluster
    if found is not None:
        check(found, method)
    return found


class Place(NamedTuple):
    """Where parties work: who answers for them, and what the record says of it in the end."""

    contribute: Contribute
    facts: Callable[[], dict[str, Any]]


@contextmanager
def opened(cluster: Cluster | None, method: Method) -> Iterator[Place]:
    """Parties on the cluster, or here; what they kept in the shared folder is deleted in the end."""
    if cluster is None:
        yield Place(method.contribute, dict)
        return
    check_method(method)
    if cluster.folder is not None and not Path(cluster.folder).is_dir():
        raise InputError(f"expected a folder that the whole cluster sees, got {cluster.folder!r:.80}")
    with scratch_folder(cluster.folder) as folder, closing(Connection(cluster, folder)) as connection:
        connection.require()
        parties = OnCluster(method, connection, folder, cluster.shards)
        yield Place(parties.contribute, lambda: {"cluster": parties.to_dict()})
