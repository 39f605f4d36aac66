"""The live pages of a real federation in a real browser: one of three parties is killed, and returns."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from fedtopics.network import local
from fedtopics.network.coordinator.folder import RunFolder
from fedtopics.network.coordinator.watching import RunWatch
from fedtopics.network.local import LocalFederation
from fedtopics.network.party.watching import PartyWatch
from fedtopics.report.live.pages import View
from fedtopics.report.live.serving import served

ROUNDS, TOPICS = 200, 50


@pytest.fixture
def federation(tmp_path: Path) -> Iterator[LocalFederation]:
    """Speeches of three eras, in which any two parties may go on without the third."""
    dealt = local.dealt("sotu", n_parties=None, test_fraction=0.1, seed=0)
    settings = {"n_topics": TOPICS, "n_rounds": ROUNDS, "epsilon": 6.0}
    words = local.planned_words(None, 4.0)
    plan = local.plan_for(dealt, "calm", settings, words=words, simulation_seed=0)
    with local.establish(tmp_path / "eras", replace(plan, min_parties=2), dealt) as found:
        yield found


def wait(page: Any, script: str, given: Any = None, seconds: float = 120) -> None:
    """Wait until a script is true: by asking, as the page's policy lets nobody put one into it."""
    end = monotonic() + seconds
    while not page.evaluate(script, given):
        assert monotonic() < end, f"{script} {given}: {page.locator('#phase').inner_text()}"
        page.wait_for_timeout(50)


IS = "([party, states]) => states.includes(document.querySelector(`[data-party='${party}']`)?.dataset.state)"
N_MISSING = "document.querySelectorAll('.timeline .cell.no').length"


@pytest.mark.nightly
def test_a_party_is_killed_and_returns_before_the_eyes_of_who_watches(
    federation: LocalFederation, browser: Any, tmp_path: Path
) -> None:
    run = federation.hub.submit()
    victim, *others = federation.hub.plan.parties
    watched = PartyWatch(federation.folder / others[0])
    views = {
        "coordinator": View("Coordinator", RunWatch(federation.hub, run).look),
        "party": View("Party", watched.look, watched.stop),
    }
    with served(views) as address:
        page, beside = browser.new_page(), browser.new_page()
        problems: list[str] = []
        for each in (page, beside):
            each.on("pageerror", lambda error: problems.append(str(error)))
            each.on("console", lambda line: problems.append(line.text) if line.type == "error" else None)
        page.goto(address)
        beside.goto(f"{address}party/")
        wait(page, "document.querySelector('#phase').textContent.includes('not running')")
        federation.start()
        wait(page, "document.querySelector('#phase').textContent.includes('training: round')")
        wait(page, IS, [victim, ["connected", "computing", "answered"]])
        wait(page, "document.querySelectorAll('.forming li').length > 10")
        assert page.locator(".timeline .cell.words").count() == 2 * 3
        assert page.evaluate(N_MISSING) == 0

        federation.processes[victim].send_signal(signal.SIGKILL)
        wait(page, IS, [victim, ["missing"]])
        page.screenshot(path=tmp_path / "missing.png", full_page=True)
        wait(page, f"{N_MISSING} > 3")
        federation.processes.pop(victim).wait()

        federation.start(victim)
        wait(page, IS, [victim, ["connected", "computing", "answered"]])
        federation.wait(run, 300)
        wait(page, "document.querySelector('.pill').textContent === 'finished'")
        check_the_end(page, beside, run, victim)
        assert problems == []
        page.screenshot(path=tmp_path / "end.png", full_page=True)

        beside.get_by_role("button", name="Stop this party").click()
        beside.get_by_role("button", name="Really stop?").click()
        wait(beside, "document.querySelector('.pill').textContent === 'not running'", seconds=30)
        assert federation.processes[others[0]].wait(20) == 0


def check_the_end(page: Any, beside: Any, run: RunFolder, victim: str) -> None:
    """What the pages say is what the record and the ledger say."""
    state = RunWatch(local.CoordinatorFolder(run.path.parents[1]), run).look()
    lost = sum(victim in row["missing"] for row in state["rounds"])
    assert lost > 0
    assert page.evaluate(N_MISSING) == lost
    answered = next(party["answers"] for party in state["parties"] if party["name"] == victim)
    assert answered == ROUNDS + 2 - lost
    assert max(row["round"] for row in state["rounds"] if victim not in row["missing"]) == ROUNDS - 1
    told = page.locator("#main").inner_text()
    assert f"{state['privacy']['spent']:.4g} of {state['privacy']['promised']:.4g}" in told
    assert state["topics"][0]["words"][0] in told
    wait(beside, f"document.querySelectorAll('.releases tbody tr').length === {ROUNDS + 2}")
    assert beside.locator(".releases tr.paid").count() == 3
