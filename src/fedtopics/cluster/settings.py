"""Which cluster a party works on. Everything here is the party's own: other parties and the server see none.

A cluster is the party's own machines, within its own walls. Dask's scheduler and workers trust each other and
whoever reaches them, and pass pickled objects: no machine of anybody else may be one of them.
"""

import re
from dataclasses import dataclass

from fedtopics.documents.text.harmless import shown_path
from fedtopics.errors import InputError
from fedtopics.protocol.method import Method

ADDRESS = re.compile(r"(tcp|tls)://[^\s/]+:\d+")
MOST_SHARDS = 10_000
LOOPBACK = re.compile(r"\w+://(127\.\d+\.\d+\.\d+|localhost|\[::1\]):\d+")
USABLE = "calm, hush, pctd (sound) or shared"


class ClusterError(InputError):
    """The cluster cannot do the work, or went away; the text says which."""


@dataclass(frozen=True)
class Cluster:
    """A Dask cluster of one party.

    address   of its scheduler, as tcp://10.0.0.5:8786; tls://... with Dask's own configuration of keys
    shards    parts that the documents of a party are cut into; where not given, their number follows from
              the number of documents alone. Results depend on it, and never on the workers
    folder    that all machines of the cluster see under one name, for documents and noise while a run lasts;
              this machine's folder for temporary files where not given, which other machines do not see
    """

    address: str
    shards: int | None = None
    folder: str | None = None

    def __post_init__(self) -> None:
        if not ADDRESS.fullmatch(self.address):
            raise InputError(
                f"expected a scheduler as tcp://HOST:PORT or tls://HOST:PORT, got {shown_path(self.address)}"
            )
        if self.shards is not None and not 1 <= self.shards <= MOST_SHARDS:
            raise InputError(f"shards must lie between 1 and {MOST_SHARDS:,}, got {self.shards}")

    @property
    def is_open(self) -> bool:
        """Whether what travels to the scheduler leaves this machine and can be read on the way.

        >>> Cluster("tcp://10.0.0.5:8786").is_open, Cluster("tcp://127.0.0.1:8786").is_open
        (True, False)
        """
        return self.address.startswith("tcp://") and not LOOPBACK.fullmatch(self.address)


def check_method(method: Method) -> None:
    """Refuse a method whose answers cannot be made shard by shard."""
    if not (method.in_shards or method.noise_on_sums):
        raise InputError(
            f"a cluster needs a method that works shard by shard, got {method.about.summary}; use {USABLE}"
        )
