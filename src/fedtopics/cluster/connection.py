"""The workers of a Dask cluster. Dask schedules, moves and repeats; there is no scheduler of our own.

What travels between scheduler and workers is pickled by Dask, within one party: jobs (settings and names of
files) and sums. Documents, noise and memory travel by the shared folder.
"""

import importlib.metadata
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from secrets import token_hex
from time import monotonic
from typing import Any

import fedtopics
from fedtopics import files
from fedtopics.cluster import shards, work
from fedtopics.cluster.settings import Cluster, ClusterError
from fedtopics.cluster.work import Job, Part

logger = logging.getLogger(__name__)
CONNECT_SECONDS = 10.0  # for the scheduler to answer, and for a first worker
ALONE_SECONDS = 60.0  # without any worker, in the middle of a run
POLL_SECONDS = 2.0
PER_WORKER = 2  # tasks in a round: few, as each costs some, and more than one, for workers that are faster
MOST_BRANCHES = 8  # sums that come here: the others keep working while the first are on their way
KEPT_TRYING = 3  # workers that may die over one shard


class Connection:
    """A client of the scheduler at `cluster.address`, whose workers all see `folder`."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        self.cluster, self.folder = cluster, folder
        self.n_workers = 0  # the most that were there in a round
        self._client: Any = None
        self._numbers, self._run = count(), token_hex(8)
        if cluster.is_open:
            logger.warning(
                "%s is not encrypted: sums before noise travel to it; use tls://, or a network of this "
                "party's machines alone",
                cluster.address,
            )

    def require(self) -> None:
        """Refuse a cluster without scheduler, workers, this version of fedtopics or the shared folder."""
        client = self._connected()
        with self._clear_errors():
            if not self._addresses():
                self._wait_for_first()
            self._check_versions(client)
            self._check_folder(client)

    def total(self, jobs: Sequence[Job]) -> Part:
        """The sum of the answers in the order of the tree: workers add branches, this process the rest."""
        client = self._connected()
        with self._clear_errors():
            n_workers, made = len(self._addresses()), list[Any]()
            self.n_workers = max(self.n_workers, n_workers)
            groups = shards.subtrees(jobs, PER_WORKER * max(n_workers, 1))

            def submit(function: Any, *given: Any) -> Any:
                key = f"{function.__name__}-{self._run}-{next(self._numbers)}"
                made.append(client.submit(function, *given, key=key, pure=False))
                return made[-1]

            try:
                leaves = [submit(work.answers, group) for group in groups]
                branches = [
                    shards.in_tree(branch, lambda one, other: submit(_added, one, other))
                    for branch in shards.subtrees(leaves, MOST_BRANCHES)
                ]
                return shards.in_tree([self._result(branch) for branch in branches], _added)
            except BaseException:
                client.cancel(made)
                raise

    def close(self) -> None:
        """Leave the scheduler, which goes on."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _connected(self) -> Any:
        if self._client is not None and self._client.status == "running":
            return self._client
        self.close()
        distributed = _distributed()
        try:
            self._client = distributed.Client(
                self.cluster.address, timeout=CONNECT_SECONDS, set_as_default=False
            )
        except (OSError, TypeError, ValueError) as error:  # Dask's names for a wrong key, too
            raise ClusterError(
                f"expected a Dask scheduler at {self.cluster.address}, got no answer "
                f"({type(error).__name__}); start it with `dask scheduler`, and look at the address"
            ) from None
        return self._client

    def _addresses(self) -> list[str]:
        """The workers that are there, in one order."""
        return [] if self._client is None else sorted(self._client.nthreads())

    def _wait_for_first(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except TimeoutError:
            raise ClusterError(
                f"expected workers at {self.cluster.address}, got none; start some with `dask worker "
                f"{self.cluster.address} --nthreads 1`"
            ) from None

    def _check_versions(self, client: Any) -> None:
        found = client.run(importlib.metadata.version, "fedtopics", on_error="return")
        for address, version in found.items():
            if version != fedtopics.__version__:
                told = version if isinstance(version, str) else "none"
                raise ClusterError(
                    f"expected workers with fedtopics {fedtopics.__version__}, got {told:.40} at {address}; "
                    "install the same version on all machines"
                )

    def _check_folder(self, client: Any) -> None:
        mark = self.folder / f".seen-{token_hex(8)}"
        files.write(mark, b"", failed=files.UNWRITTEN)
        try:
            for address, seen in client.run(Path.is_file, mark).items():
                if not seen:
                    raise ClusterError(
                        f"expected a folder that all machines see, got {self.folder}, which {address} does "
                        "not; name a shared one (--cluster-folder)"
                    )
        finally:
            mark.unlink(missing_ok=True)

    def _result(self, future: Any) -> Part:
        """What comes of it, waited for as long as there are workers, or hope for some."""
        wait, alone_since = _distributed().wait, None
        while True:
            try:
                with self._client.as_current():
                    wait(future, timeout=POLL_SECONDS)
            except TimeoutError:
                alone_since = None if self._addresses() else alone_since or monotonic()
            else:
                found: Part = future.result()
                return found
            if alone_since is not None and monotonic() - alone_since > ALONE_SECONDS:
                raise ClusterError(
                    f"the last worker of {self.cluster.address} has gone, and none came for "
                    f"{ALONE_SECONDS:.0f} seconds; start workers and train again"
                )

    @contextmanager
    def _clear_errors(self) -> Iterator[None]:
        """Say in one sentence what it means where Dask gives up."""
        distributed = _distributed()
        try:
            yield
        except distributed.KilledWorker as error:
            raise ClusterError(
                f"{KEPT_TRYING} workers died one after the other over the same shard ({error.task}); give "
                "them more memory, or take more shards"
            ) from None
        except (distributed.client.FutureCancelledError, distributed.comm.CommClosedError) as error:
            raise ClusterError(
                f"the scheduler at {self.cluster.address} went away ({type(error).__name__}); start it again"
            ) from None


def _added(one: Part, other: Part) -> Part:
    return one + other


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise ClusterError(
            "a cluster needs Dask, which is not installed: pip install 'fedtopics[dask]'"
        ) from None
    return distributed
