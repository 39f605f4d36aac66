"""The live pages as a stranger, and as their owner, meet them: a real server on loopback."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from fedtopics.errors import InputError
from fedtopics.report.live import pages
from fedtopics.report.live.pages import View
from fedtopics.report.live.serving import served

HOSTILE = "<img src=x onerror=alert(1)>"
COORDINATOR: dict[str, Any] = {
    "kind": "coordinator",
    "federation": {"name": "test", "address": "localhost:1", "plan": "ab" * 32, "method": "calm"}
    | {"n_topics": 2, "simulated": True, "sums": False, "agrees": True},
    "run": {"name": "run-1", "state": "running", "reason": "", "round": 1, "n_rounds": 3, "alive": True}
    | {"phase": "training: round 2 of 3", "seconds": 75.0},
    "parties": [
        {"name": HOSTILE, "state": "computing", "answers": 3, "last": "round 1", "spent": 6.0},
        {"name": "south", "state": "missing", "answers": 2, "last": "words: parties vote", "spent": 2.0},
    ],
    "rounds": [
        {"round": number, "name": f"round {number + 1}", "seconds": 0.5, "up": 2000, "down": 1000}
        | {"value": None if number < 0 else -5.5, "missing": ["south"] if number == 0 else []}
        for number in (-2, -1, 0)
    ],
    "topics": [{"topic": 0, "words": ["tax", HOSTILE], "share": 0.5}],
    "n_words": 800,
    "privacy": {"relation": "word add/remove", "delta": 1e-6, "promised": 8.0, "spent": 6.0},
    "measure": "log-likelihood",
    "log": ["2026-01-31 10:00:00 submitted"],
}
PARTY: dict[str, Any] = {
    "kind": "party",
    "party": "north",
    "federation": COORDINATOR["federation"],
    "state": "computing",
    "phase": "training: round 2 of 3",
    "run": "run-1",
    "bytes": {"up": 2000, "down": 1000},
    "stop": {"allowed": True, "asked": False},
    "models": [],
    "log": [],
    "head": "cd" * 32,
    "n_releases": 2,
    "n_paid": 1,
    "releases": [
        {"run": "run-1", "name": f"contribution, round {number}", "size": 512, "time": None}
        | {"sha256": "ef" * 32, "price": "epsilon 6 (word add/remove)", "paid": number == 1}
        for number in (2, 1)
    ],
    "budget": [{"relation": "word add/remove", "delta": 0.0, "allowed": 12.0, "spent": 6.0, "run": 6.0}],
}


class Answer(NamedTuple):
    """What the server said."""

    status: int
    headers: dict[str, str]
    body: bytes

    def header(self, name: str) -> str:
        known = {key.lower(): value for key, value in self.headers.items()}
        return known.get(name.lower(), "")


@dataclass
class Site:
    """Pages that are served, and what was asked of them."""

    address: str
    stopped: list[str] = field(default_factory=list)
    shown: dict[str, Any] = field(default_factory=dict)

    @property
    def host(self) -> str:
        return urlsplit(self.address).netloc

    @property
    def token(self) -> str:
        return urlsplit(self.address).path

    def ask(self, path: str, method: str = "GET", **headers: str) -> Answer:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        with closing(HTTPConnection(self.host, timeout=10)) as connection:
            connection.request(method, path, headers=given)
            found = connection.getresponse()
            return Answer(found.status, dict(found.getheaders()), found.read())


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    found = Site("", shown={"coordinator": COORDINATOR, "party": PARTY})

    def refuse() -> None:
        raise InputError("expected stop_button = true")

    views = {
        "coordinator": View("Coordinator", lambda: found.shown["coordinator"]),
        "party": View("Party", lambda: found.shown["party"], lambda: found.stopped.append("north")),
        "strict": View("Strict", lambda: PARTY, refuse),
    }
    with served(views) as address:
        found.address = address
        yield found


def test_who_has_the_address_gets_the_page_and_all_it_needs(site: Site) -> None:
    first = site.ask(site.token)
    assert (first.status, first.header("Location")) == (307, f"{site.token}coordinator/")
    page = site.ask(f"{site.token}coordinator/")
    assert page.status == 200
    assert b"Coordinator" in page.body
    for name, kind in (("style.css", "text/css"), ("script.js", "javascript"), ("icon.svg", "svg")):
        found = site.ask(f"{site.token}party/{name}")
        assert found.status == 200
        assert kind in found.header("Content-Type")


def test_every_answer_forbids_whatever_the_page_does_not_need(site: Site) -> None:
    for path in (f"{site.token}party/", f"{site.token}party/script.js", "/", "/x/party/", f"{site.token}no/"):
        answer = site.ask(path)
        policy = answer.header("Content-Security-Policy")
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "unsafe" not in policy
        assert answer.header("Referrer-Policy") == "no-referrer"
        assert answer.header("Cache-Control") == "no-store"
        assert answer.header("Server") == ""


@pytest.mark.parametrize("name", ["", "party/", "party/events", "party/script.js", "party/other", "other/"])
def test_without_the_token_there_is_nothing(site: Site, name: str) -> None:
    token = site.token.strip("/")
    answers = set()
    for wrong in ("x" * len(token), token[:-1], token + "x", "", "%ff", token.swapcase()):
        answer = site.ask(f"/{wrong}/{name}")
        answers.add((answer.status, answer.body))
    assert answers == {(404, b"nothing here\n")}


def test_a_name_that_leads_here_is_refused(site: Site) -> None:
    port = site.host.rpartition(":")[2]
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1.evil.example:{port}", ""):
        assert site.ask(f"{site.token}party/", Host=host).status in (400, 404)
        assert site.ask(f"{site.token}party/events", Host=host).status in (400, 404)
    assert site.ask(f"{site.token}party/", Host=f"localhost:{port}").status == 200


def test_it_listens_on_loopback_alone(site: Site) -> None:
    port = int(site.host.rpartition(":")[2])
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.2", port), 5)


def test_stop_comes_from_the_page_itself_or_is_refused(site: Site) -> None:
    stop, own = f"{site.token}party/stop", f"http://{site.host}"
    assert site.ask(stop).status == 404
    for given in (
        {},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": own, "Sec_Fetch_Site": "cross-site"},
        {"Origin": own, "Host": "evil.example"},
    ):
        assert site.ask(stop, "POST", **given).status == 404
    assert site.ask(f"{site.token}coordinator/stop", "POST", Origin=own).status == 404
    assert site.stopped == []
    refused = site.ask(f"{site.token}strict/stop", "POST", Origin=own)
    assert (refused.status, json.loads(refused.body)) == (403, {"error": "expected stop_button = true"})
    assert site.ask(stop, "POST", Origin=own).status == 200
    assert site.stopped == ["north"]


def events(answer: HTTPResponse) -> Iterator[Any]:
    while line := answer.readline():
        if line.startswith(b"data: "):
            yield json.loads(line[6:])


def test_events_come_when_something_has_changed(site: Site) -> None:
    with closing(HTTPConnection(site.host, timeout=10)) as connection:
        connection.request("GET", f"{site.token}party/events")
        with closing(connection.getresponse()) as answer:
            assert answer.getheader("Content-Type", "").startswith("text/event-stream")
            told = events(answer)
            assert next(told) == PARTY
            site.shown["party"] = PARTY | {"state": "connected"}
            assert next(told)["state"] == "connected"
            site.shown["party"] = PARTY


def test_a_problem_with_the_folder_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> dict[str, Any]:
        raise InputError("expected a party's ledger, got none")

    assert json.loads(pages._looked(View("", fail))) == {"problem": "expected a party's ledger, got none"}


def test_a_port_that_is_taken_is_named(site: Site) -> None:
    port = int(site.host.rpartition(":")[2])
    with pytest.raises(InputError, match=f"expected port {port} of 127.0.0.1 to be free"), served({}, port):
        pass


@pytest.fixture
def visit(browser: Any, site: Site) -> Iterator[Any]:
    page = browser.new_page(viewport={"width": 390, "height": 740})
    page.trouble = []
    page.on("console", lambda line: page.trouble.append(line.text) if line.type == "error" else None)
    page.on("pageerror", lambda error: page.trouble.append(str(error)))
    page.on("request", lambda asked: page.trouble.append(asked.url) if site.host not in asked.url else None)
    yield page
    page.close()


def test_the_pages_in_a_browser(visit: Any, site: Site) -> None:
    visit.goto(site.address)
    visit.wait_for_selector(".party")
    told = visit.locator("#main").inner_text()
    for words in (HOSTILE, "6 of 8", "answered 3 times", "over 800 words", "1:15", "6.0 kB", "a seed"):
        assert words in told, words
    assert visit.locator(".timeline .cell.no").count() == 1
    assert visit.locator(".timeline .cell.words").count() == 4
    assert visit.locator("[data-state=missing]").count() == 1
    assert visit.evaluate("document.documentElement.scrollWidth <= innerWidth")
    visit.get_by_role("link", name="Party").click()
    visit.wait_for_selector(".releases")
    assert visit.locator(".releases tbody tr").first.inner_text().startswith("contribution, round 1")
    site.stopped.clear()
    visit.get_by_role("button", name="Stop this party").click()
    visit.get_by_role("button", name="Really stop?").click()
    visit.wait_for_timeout(300)
    assert site.stopped == ["north"]
    assert visit.trouble == []
