"""Every run ends with a page: beside the results of a federation, too, and under a title."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from reported import small_run
from typer.testing import CliRunner

from fedtopics.commands import pages as pages_module
from fedtopics.commands.application import app
from fedtopics.commands.pages import Pages, PagesApart
from fedtopics.errors import InputError
from fedtopics.runs.run import Run


def said(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exception is None, result.exception
    return result.output


@pytest.fixture
def places(tmp_path: Path) -> list[Path]:
    """What a coordinator and a party keep of finished runs."""
    found = [tmp_path / "hub/runs/run-1/result", tmp_path / "ward/models/run-1"]
    for path in found:
        path.parent.mkdir(parents=True)
        small_run().save(path)
        (path / "run.json.sig").touch()
    return found


def test_results_of_a_federation_get_their_page_once(places: list[Path], tmp_path: Path) -> None:
    for place, result in zip(("hub", "ward"), places, strict=True):
        lines: list[str] = []
        pages = Pages(tmp_path / place, lines.append)
        assert pages.write() == [result / "report.html"]
        assert (result / "report.html").stat().st_mode & 0o077 == 0
        assert lines == [f"report: {result / 'report.html'}"]
        assert pages.write() == []
        assert len(lines) == 1


def test_a_result_that_is_not_whole_yet_has_no_page_and_a_broken_one_ends_nothing(
    places: list[Path], tmp_path: Path
) -> None:
    (places[0] / "run.json.sig").unlink()
    (places[1] / "run.json").write_text("{")
    lines: list[str] = []
    assert Pages(tmp_path / "hub", lines.append).write() == []
    assert lines == []
    assert Pages(tmp_path / "ward", lines.append).write() == []
    assert len(lines) == 1
    assert lines[0].startswith(f"no page of {places[1]}: ")


def test_pages_are_written_by_a_process_of_their_own_and_tried_once(
    places: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Any] = []
    real = subprocess.Popen

    def start(command: list[str], **options: Any) -> subprocess.Popen[bytes]:
        started.append(real(command, **options))
        return started[-1]

    monkeypatch.setattr(pages_module.subprocess, "Popen", start)
    monkeypatch.setattr(pages_module, "SECONDS", 0.0)
    (places[1] / "run.json").write_text("{")
    for name, result in (("hub", places[0]), ("ward", places[1])):
        apart = PagesApart(Pages(tmp_path / name))
        for _ in range(3):
            apart.look()
            assert started[-1].wait(60) == 0
        assert (result / "report.html").is_file() is (name == "hub")
    assert len(started) == 2


def test_a_title_stays_with_the_run_and_off_its_public_part(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    small_run().titled("Letters of ward 7").save(folder)
    assert "ward 7" not in (folder / "run.json").read_text()
    assert Run.load(folder).record["title"] == "Letters of ward 7"
    said("report", folder)
    assert "<h1><bdi>Letters of ward 7</bdi></h1>" in (folder / "report.html").read_text()
    said("report", folder, "--title", "Ours", "--out", tmp_path / "other.html")
    assert "<h1><bdi>Ours</bdi></h1>" in (tmp_path / "other.html").read_text()
    assert small_run().titled(None).record == small_run().record


def test_train_and_compare_take_a_title_and_keep_models(tmp_path: Path) -> None:
    table = tmp_path / "letters.csv"
    texts = ["tax law court judge vote", "ship sea trade port tariff", "school child teach book read"] * 12
    table.write_text("text\n" + "\n".join(texts) + "\n")
    common = ("--topics", 3, "--rounds", 2, "--parties", 2, "--title", "Letters")
    said("train", table, "--method", "shared", *map(str, common), "--out", tmp_path / "run")
    assert "<h1><bdi>Letters</bdi></h1>" in (tmp_path / "run/report.html").read_text()
    said(
        "compare",
        table,
        "--methods",
        "shared,calm",
        "--epsilons",
        "4,8",
        *map(str, common),
        "--out",
        tmp_path / "both",
    )
    page = (tmp_path / "both/report.html").read_text()
    assert "<h1><bdi>Letters</bdi></h1>" in page
    assert "Topics side by side" in page
    kept = sorted(path.name for path in (tmp_path / "both/runs").iterdir())
    assert kept == ["calm-epsilon-4-seed-0", "calm-epsilon-8-seed-0", "shared-seed-0"]
    assert "topic" in said("topics", tmp_path / "both/runs/shared-seed-0")
    (tmp_path / "both/report.html").unlink()
    said("report", tmp_path / "both")
    assert (tmp_path / "both/report.html").read_text() == page
    refused = CliRunner().invoke(app, ["report", str(tmp_path / "both"), "--public"])
    assert isinstance(refused.exception, InputError)
