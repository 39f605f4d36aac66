"""The options of a command that can work on a cluster."""

from dataclasses import dataclass
from typing import Annotated, Any

from fedtopics.cluster import session
from fedtopics.cluster.settings import Cluster
from fedtopics.commands import options
from fedtopics.commands.options.panels import of_cluster
from fedtopics.errors import InputError
from fedtopics.protocol.method import Method


@dataclass(frozen=True)
class Placed(options.Dealing):
    """And where the parties work."""

    cluster: Annotated[
        str | None,
        of_cluster(
            metavar="ADDRESS",
            help="Work on a Dask cluster of your own, as tcp://10.0.0.5:8786 or tls://HOST:PORT.",
        ),
    ] = None
    shards: Annotated[
        int | None,
        of_cluster(help="With --cluster: parts of a party's documents; by their number where not given."),
    ] = None
    cluster_folder: Annotated[
        str | None,
        of_cluster(metavar="DIR", help="With --cluster: a folder that all its machines see."),
    ] = None

    def options(self) -> dict[str, Any]:
        own = ("cluster", "shards", "cluster_folder")
        return {name: value for name, value in super().options().items() if name not in own}

    def check(self, method: Method) -> None:
        """Refuse a cluster that cannot work, or not with this method, before any document is read."""
        found = self.place()
        if found is not None:
            session.check(found, method)

    def place(self) -> Cluster | None:
        """The cluster that was named."""
        if self.cluster is None:
            for name, given in (("--shards", self.shards), ("--cluster-folder", self.cluster_folder)):
                if given is not None:
                    raise InputError(f"{name} needs --cluster, got {given} without it")
            return None
        return Cluster(self.cluster, self.shards, self.cluster_folder)
