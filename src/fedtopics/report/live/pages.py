"""The pages of a live view as an application of Starlette, which `fedtopics[live]` brings.

    GET  /TOKEN/               the first page;  /TOKEN/NAME/ any of them
    GET  /TOKEN/NAME/events    what it shows, as server-sent events: again whenever it has changed
    POST /TOKEN/NAME/stop      ask a party to stop, where that page has a stop

Nothing else is there, and nothing is changed but by `stop`. Who does not know the token learns nothing, not
even that there is a page. The address must be that of this machine's own loopback, so that no name which
leads here (DNS rebinding) makes a stranger's page ours; `stop` must come from the page itself. The page asks
nobody else for anything (Content-Security-Policy).
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from secrets import compare_digest
from time import monotonic
from typing import TYPE_CHECKING, Any

from fedtopics.errors import InputError
from fedtopics.report.live.page import FILES, page, text_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

LOOK = 0.5  # seconds between two looks at what is shown
BEAT = 10.0  # seconds after which something is sent though nothing has changed
MOST_VIEWERS = 20
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True)
class View:
    """One page: what it shows now, as JSON values, and what its stop button does, where it has one."""

    title: str
    look: Callable[[], dict[str, Any]]
    stop: Callable[[], None] | None = None


def application(views: Mapping[str, View], token: str, port: int) -> "ASGIApp":
    """The application of these `views`, by their names in addresses, behind a `token`."""
    from starlette.applications import Starlette
    from starlette.routing import Route

    pages = _Pages(views, token, frozenset({f"127.0.0.1:{port}", f"localhost:{port}"}))
    return Starlette(
        routes=[
            Route("/{token}/", pages.first),
            Route("/{token}/{name}/", pages.page),
            Route("/{token}/{name}/events", pages.events),
            Route("/{token}/{name}/stop", pages.stop, methods=["POST"]),
            Route("/{token}/{name}/{file}", pages.file),
        ],
        exception_handlers={404: _nothing, 405: _nothing},
    )


async def _nothing(request: "Request", problem: Exception) -> "Response":
    from starlette.responses import PlainTextResponse

    return PlainTextResponse("nothing here\n", 404, headers=HEADERS)


@dataclass
class _Pages:
    views: Mapping[str, View]
    token: str
    hosts: frozenset[str]
    n_viewers: int = 0

    async def first(self, request: "Request") -> "Response":
        """Lead to the first page."""
        from starlette.responses import RedirectResponse

        self._known(request, named=False)
        return RedirectResponse(f"/{self.token}/{next(iter(self.views))}/", headers=HEADERS)

    async def page(self, request: "Request") -> "Response":
        from starlette.responses import HTMLResponse

        view = self._known(request)
        others = [(name, other.title) for name, other in self.views.items()]
        return HTMLResponse(page(view.title, others, request.path_params["name"]), headers=HEADERS)

    async def file(self, request: "Request") -> "Response":
        from starlette.exceptions import HTTPException
        from starlette.responses import Response

        self._known(request)
        if request.path_params["file"] not in FILES:
            raise HTTPException(404)
        kind, parts = FILES[request.path_params["file"]]
        return Response(text_of(parts), media_type=kind, headers=HEADERS)

    async def events(self, request: "Request") -> "Response":
        from starlette.exceptions import HTTPException
        from starlette.responses import StreamingResponse

        view = self._known(request)
        if self.n_viewers >= MOST_VIEWERS:
            raise HTTPException(404)
        return StreamingResponse(self._stream(view), media_type="text/event-stream", headers=HEADERS)

    async def stop(self, request: "Request") -> "Response":
        from starlette.exceptions import HTTPException
        from starlette.responses import JSONResponse

        view = self._known(request)
        ours = request.headers.get("origin") in {f"http://{host}" for host in self.hosts}
        ours &= request.headers.get("sec-fetch-site", "same-origin") == "same-origin"
        if view.stop is None or not ours:
            raise HTTPException(404)
        try:
            await asyncio.to_thread(view.stop)
        except InputError as error:
            return JSONResponse({"error": str(error)}, 403, headers=HEADERS)
        return JSONResponse({"stopped": True}, headers=HEADERS)

    def _known(self, request: "Request", *, named: bool = True) -> View:
        """The page that is asked for, if the address, the token and the name are right."""
        from starlette.exceptions import HTTPException

        given = request.path_params["token"].encode("utf-8", "replace")
        right = compare_digest(given, self.token.encode())
        name = request.path_params["name"] if named else next(iter(self.views))
        if request.headers.get("host") not in self.hosts or not right or name not in self.views:
            raise HTTPException(404)
        return self.views[name]

    async def _stream(self, view: View) -> AsyncIterator[str]:
        """What the page shows, again whenever it has changed."""
        last, at = "", 0.0
        self.n_viewers += 1
        try:
            while True:
                now = await asyncio.to_thread(_looked, view)
                if now != last or monotonic() - at > BEAT:
                    last, at = now, monotonic()
                    yield f"data: {now}\n\n"
                await asyncio.sleep(LOOK)
        finally:
            self.n_viewers -= 1


def _looked(view: View) -> str:
    """What is shown now; a problem with the folder is shown too, as it may pass."""
    try:
        return json.dumps(view.look(), allow_nan=False)
    except (InputError, OSError) as error:
        return json.dumps({"problem": str(error)})
