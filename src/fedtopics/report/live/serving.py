"""Serves live pages on this machine's loopback, to whoever has the address with its token."""

import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from secrets import token_urlsafe
from threading import Thread
from time import monotonic, sleep

from fedtopics.errors import InputError
from fedtopics.report.live.pages import View, application

LOOPBACK = "127.0.0.1"
PATIENCE = 10.0  # seconds until it must be ready


@contextmanager
def served(views: Mapping[str, View], port: int = 0) -> Iterator[str]:
    """Serve these pages for the length of a `with` block; the address of the first of them.

    port   on loopback; any free one where it is 0
    """
    try:
        import uvicorn
    except ImportError:
        raise InputError(
            "expected Starlette and uvicorn for a page, got neither; pip install 'fedtopics[live]'"
        ) from None
    with _bound(port) as listening:
        token, found = token_urlsafe(24), listening.getsockname()[1]
        config = uvicorn.Config(
            application(views, token, found),
            log_config=None,
            log_level="critical",
            ws="none",
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        server = uvicorn.Server(config)
        thread = Thread(target=server.run, args=([listening],), daemon=True, name="live view")
        thread.start()
        until = monotonic() + PATIENCE
        while not server.started and thread.is_alive() and monotonic() < until:
            sleep(0.02)
        try:
            yield f"http://{LOOPBACK}:{found}/{token}/"
        finally:
            server.should_exit = True
            thread.join(PATIENCE)


def _bound(port: int) -> socket.socket:
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
    except OSError as error:
        listening.close()
        raise InputError(
            f"expected port {port} of {LOOPBACK} to be free, got {error.strerror}; choose another --port"
        ) from None
    return listening
