"""`fedtopics run` and the starts of machines, as far as they go without a network."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from network import processes
from typer.testing import CliRunner

from fedtopics.commands.application import app
from fedtopics.errors import InputError
from fedtopics.network.coordinator.folder import CoordinatorFolder
from fedtopics.network.plan import certificates
from fedtopics.sampling.gpu import device as gpu


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A federation whose machines are not started; small keys, as nobody attacks it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certificates, "KEY_BITS", 2048)
        return processes.founded(tmp_path_factory.mktemp("idle"), ("north", "south")).folder


def said(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exception is None, result.exception
    return result.output


def refused(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert isinstance(result.exception, InputError), result.output
    return str(result.exception)


def test_a_run_is_submitted_aborted_and_resumed(place: Path) -> None:
    hub = place / "coordinator"
    assert said("federation", "run", "submit", hub, "--run", "spring").strip() == "spring"
    assert "submitted" in said("federation", "run", "status", hub)
    assert json.loads(said("federation", "run", "status", hub, "--json"))["spring"]["n_rounds"] == 40
    assert "expected a finished run" in refused(
        "federation", "run", "fetch", hub, "--run", "spring", "--out", place / "x"
    )
    assert "failed or aborted" in refused("federation", "run", "resume", hub, "--run", "spring")
    said("federation", "run", "abort", hub, "--run", "spring")
    run = CoordinatorFolder(hub).run("spring")
    assert run.abort.exists()
    run.change("aborted")
    assert "under way" in refused("federation", "run", "abort", hub, "--run", "spring")
    said("federation", "run", "resume", hub, "--run", "spring")
    assert run.status().state == "submitted"
    assert "resumed by the operator" in run.lines()[-1]


@pytest.mark.parametrize("name", ["../outside", "Spring", "", "a" * 50])
def test_a_run_needs_a_plain_new_name(place: Path, name: str) -> None:
    if name:
        assert "new name" in refused("federation", "run", "submit", place / "coordinator", "--run", name)
    assert "new name" in refused("federation", "run", "submit", place / "coordinator", "--run", taken(place))


def taken(place: Path) -> str:
    return CoordinatorFolder(place / "coordinator").submit().name


def test_there_is_no_run_where_there_is_no_federation(tmp_path: Path) -> None:
    assert "plan.toml" in refused("federation", "run", "submit", tmp_path)
    assert "plan.toml" in refused("federation", "run", "status", tmp_path)


def test_a_party_does_not_start_without_its_data(place: Path) -> None:
    assert "no file or folder" in refused(
        "federation", "party", "start", place / "north", "--data", place / "nowhere.csv"
    )


def test_a_party_does_not_start_with_a_plan_that_it_has_not_accepted(place: Path, tmp_path: Path) -> None:
    accepted = (place / "north" / "plan.toml").read_text()
    changed = tmp_path / "plan.toml"
    changed.write_text(re.sub(r"n_topics = \d+", "n_topics = 7", accepted))
    data = place / "north" / "texts.jsonl"
    refusal = refused("federation", "party", "start", place / "north", "--data", data, "--plan", changed)
    assert "was changed" in refusal
    assert (place / "north" / "plan.toml").read_text() == accepted


def test_a_party_does_not_start_when_its_policy_forbids_the_plan(place: Path, tmp_path: Path) -> None:
    own = place / "north" / "policy.toml"
    strict = tmp_path / "policy.toml"
    strict.write_text(own.read_text().replace("min_parties = 2", "min_parties = 5"))
    data = place / "north" / "texts.jsonl"
    refusal = refused("federation", "party", "start", place / "north", "--data", data, "--policy", strict)
    assert "at least 5 parties" in refusal


@pytest.mark.parametrize(
    ("device", "told"), [("cuda", "device='cuda' needs CuPy"), ("gpu", "one of cpu, cuda")]
)
def test_a_party_does_not_start_without_the_device_that_it_is_to_use(
    place: Path, monkeypatch: pytest.MonkeyPatch, device: str, told: str
) -> None:
    monkeypatch.setenv("FEDTOPICS_DEVICE", device)
    monkeypatch.setattr(gpu, "_cuda", gpu._cuda.__wrapped__)
    monkeypatch.setitem(sys.modules, "cupy", None)
    assert told in refused("federation", "party", "start", place / "north")
    looked = CliRunner().invoke(app, ["doctor", str(place / "north"), "--json"])
    assert told in {found["about"]: found["told"] for found in json.loads(looked.output)}["device"]
