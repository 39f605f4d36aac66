"""NVIDIA FLARE as the engine: processes, mutual TLS and calls between them. The only file that imports it.

Both sides are found by name among the installed code (`flare_kit.ALLOWED`). Bytes go over the wire and
nothing else: the engine neither sees arrays nor unpickles anything.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar

from nvflare.collab import collab
from nvflare.collab.api.context import get_call_context, set_call_context
from nvflare.collab.api.exceptions import CollabCallError, RunAborted
from nvflare.fuel.flare_api.flare_api import Session, new_secure_session

from fedtopics.errors import InputError
from fedtopics.federation.answers import Silence
from fedtopics.federation.flare_kit import ADMIN

Function = TypeVar("Function", bound=Callable[..., Any])
ENVIRONMENT = {"NVFLARE_SECURE_LOGGING": "1", "MALLOC_ARENA_MAX": "4"}
Aborted = RunAborted


def main(function: Function) -> Function:
    """Mark what the coordinator's job runs."""
    marked: Function = collab.main(function)
    return marked


def publish(function: Function) -> Function:
    """Mark what the coordinator may call at a party."""
    marked: Function = collab.publish(function)
    return marked


def caller() -> str:
    """Who calls, as its certificate says."""
    return str(collab.caller)


def here() -> str:
    """The name of this machine in the federation, as its certificate says."""
    return str(collab.site_name)


class JobChannel:
    """The parties of the running job; to be made and used inside `main`."""

    def __init__(self) -> None:
        self._clients = {client.name: client for client in collab.clients}

    @property
    def parties(self) -> tuple[str, ...]:
        return tuple(sorted(self._clients))

    def ask(self, requests: Mapping[str, bytes], timeout: float) -> dict[str, bytes | Silence]:
        context = get_call_context()

        def ask(name: str) -> bytes | Silence:
            set_call_context(context)
            try:
                answer = self._clients[name](timeout=timeout).answer(data=requests[name])
            except CollabCallError as error:
                late = error.cause_type == "TimeoutError"
                return Silence(f"no answer within {timeout:g} s" if late else "the connection to it failed")
            return (
                answer if isinstance(answer, bytes) else Silence("it answered with something else than bytes")
            )

        with ThreadPoolExecutor(max(1, len(requests))) as pool:
            return dict(zip(requests, pool.map(ask, requests), strict=True))


class Jobs:
    """Jobs at the coordinator's server: submit, look after, end them."""

    def __init__(self, folder: Path, timeout: float = 30.0) -> None:
        with redirect_stdout(StringIO()):
            self._session: Session = new_secure_session(ADMIN, str(folder.resolve()), timeout=timeout)

    def connected(self) -> tuple[str, ...]:
        """The parties that are connected now."""
        return tuple(sorted(client.name for client in self._session.get_system_info().client_info))

    def submit(self, folder: Path) -> str:
        """Start the job in a folder; its number."""
        return str(self._session.submit_job(str(folder.resolve())))

    def is_running(self, job: str) -> bool:
        """Whether the job has not ended yet."""
        status = str(self._session.get_job_meta(job).get("status", ""))
        return not status.startswith(("FINISHED", "ABANDONED"))

    def abort(self, job: str) -> None:
        """End the job."""
        self._session.abort_job(job)

    def close(self) -> None:
        with suppress(Exception):
            self._session.close()


def server_command(folder: Path) -> list[str]:
    """What starts the coordinator's server."""
    return _command("server.server_train", folder, "fed_server.json", "org=coordinator")


def party_command(folder: Path, name: str) -> list[str]:
    """What starts a party's client."""
    return _command("client.client_train", folder, "fed_client.json", f"uid={name}", f"org={name}")


def _command(module: str, folder: Path, startup: str, *settings: str) -> list[str]:
    if not (folder / "startup" / startup).is_file():
        raise InputError(f"expected {startup} in {folder / 'startup'}, got none; start it with fedtopics")
    program = [sys.executable, "-u", "-m", f"nvflare.private.fed.app.{module}", "-m", str(folder.resolve())]
    return [*program, "-s", startup, "--set", "secure_train=true", "config_folder=config", *settings]
