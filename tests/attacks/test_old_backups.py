"""Who wants to spend twice puts an old backup or folder back: each is noticed, or charged in full."""

from __future__ import annotations

import json
import shutil
import tarfile
from pathlib import Path

import pytest
from attacks.signed_runs import PARTIES, RUN, conducted
from network.rehearsal import Direct
from typer.testing import CliRunner

from fedtopics.commands.application import app
from fedtopics.errors import InputError
from fedtopics.files import StoreError
from fedtopics.network.coordinator import coordinating
from fedtopics.network.coordinator.folder import CoordinatorFolder
from fedtopics.network.coordinator.result import last_signed
from fedtopics.network.coordinator.rounds import TooFewPartiesError
from fedtopics.network.party import backup, ledger_file
from fedtopics.network.party.folder import PartyFolder
from fedtopics.network.plan.plan import Plan
from fedtopics.privacy.price.ledger import Ledger


def entries(office: Path) -> list[ledger_file.Entry]:
    return ledger_file.read(office / "store", office / ledger_file.ANCHOR).entries


def spent(office: Path) -> float:
    rows = Ledger(entries=entries(office)).statements()
    return max(float(row["epsilon"]) for row in rows if row["relation"] == "word add/remove")


def typed(*words: str) -> tuple[int, str]:
    found = CliRunner().invoke(app, ["federation", "party", *words])
    return found.exit_code, found.output


def test_the_newest_backup_brings_a_lost_party_back_by_three_commands(done: Path, tmp_path: Path) -> None:
    office, kept = done / "north", tmp_path / "north.tar"
    held = [entry.digest for entry in entries(office)]
    assert typed("backup", str(office), "--to", str(kept))[0] == 0
    assert kept.stat().st_mode & 0o077 == 0
    assert typed("backup", str(office), "--to", str(kept))[0] == 1  # nothing is overwritten
    names = {path.relative_to(office).as_posix() for path in (office / "models").rglob("*") if path.is_file()}
    shutil.rmtree(office)
    code, told = typed("restore", str(kept), "--folder", str(office))
    assert code == 0, told
    assert "charge each in full" in told
    assert [entry.digest for entry in entries(office)] == held
    assert names <= {path.relative_to(office).as_posix() for path in (office / "models").rglob("*")}
    with pytest.raises(StoreError, match="restored from a backup: nothing is released before"):
        PartyFolder(office).check()
    assert typed("charge", str(office))[0] == 1
    assert typed("charge", str(office), "--none")[0] == 0
    PartyFolder(office).check()
    assert [entry.digest for entry in entries(office)] == held


def test_a_damaged_ledger_is_restored_where_its_anchor_speaks_for_the_backup(
    done: Path, tmp_path: Path
) -> None:
    office = done / "north"
    backup.back_up(office, tmp_path / "north.tar")
    lines = office / "store" / ledger_file.LINES
    lines.write_bytes(lines.read_bytes().replace(b"contribute", b"contributE", 1))
    with pytest.raises(StoreError, match=r"ledger was altered at .*, line 2"):
        PartyFolder(office).store()
    assert backup.restore(tmp_path / "north.tar", office)[1]
    PartyFolder(office).check()
    PartyFolder(office).store().close()


def test_an_older_backup_is_refused_while_anything_here_knows_more(here: Path, tmp_path: Path) -> None:
    office, old = here / "north", tmp_path / "old.tar"
    backup.back_up(office, old)
    conducted(here)
    for lost in (
        (),
        ("store/ledger.jsonl",),
        ("store/ledger.jsonl", "store/ledger.head"),
        ("ledger.anchor",),
    ):
        copy = tmp_path / f"copy-{len(lost)}-{'anchor' in str(lost)}"
        shutil.copytree(office, copy)
        for name in lost:
            (copy / name).unlink()
        with pytest.raises(StoreError, match=r"expected a backup with .*find a newer"):
            backup.restore(old, copy)
    (copy / "store" / ledger_file.HEAD).unlink()
    with pytest.raises(StoreError, match="every release in"):
        backup.restore(old, copy)


def test_a_run_that_a_backup_does_not_know_is_charged_in_full_and_left(here: Path, tmp_path: Path) -> None:
    office, old = here / "north", tmp_path / "old.tar"
    backup.back_up(office, old)
    conducted(here)
    cost, plan = spent(office), Plan.read(office / "plan.toml")
    shutil.rmtree(office)
    assert backup.restore(old, office) == (backup.restore(old, office)[0], False)
    assert entries(office) == []
    assert typed("charge", str(office), "--run", RUN)[0] == 0
    assert spent(office) == pytest.approx(plan.price(plan.vocabulary.most_words)) == pytest.approx(cost)
    assert {entry.run for entry in entries(office)} == {f"{RUN}/failed"}
    with PartyFolder(office).store() as store:
        assert backup.is_charged(store, RUN)


def tried(folder: Path, name: str) -> tuple[str, list[str]]:
    """Whether a run of these folders ends well, and its log."""
    hub = CoordinatorFolder(folder / "hub")
    known = {run.name: run for run in hub.runs()}
    run = known.get(name) or hub.submit(name)
    sides = {party: PartyFolder(folder / party).side(name) for party in PARTIES}
    try:
        coordinating.conduct(hub, run, Direct(sides))
    except TooFewPartiesError as error:
        return str(error), run.lines()
    finally:
        for side in sides.values():
            side.store.close()
    return run.status().state, run.lines()


def put_back(here: Path, tmp_path: Path) -> Path:
    """The whole folder of north as it was before a run, as from a copy of its disk."""
    office = here / "north"
    shutil.copytree(office, tmp_path / "snapshot")
    conducted(here)
    shutil.rmtree(office)
    shutil.copytree(tmp_path / "snapshot", office)
    return office


def test_what_a_party_has_signed_tells_it_that_its_folder_was_put_back(here: Path, tmp_path: Path) -> None:
    office = put_back(here, tmp_path)
    hub = CoordinatorFolder(here / "hub")
    assert b"entries" in last_signed(hub, "north")["statement"].tobytes()
    state, lines = tried(here, "run-2")
    assert "got 1 that take part" in state
    assert any(
        "party north: no hello" in line and "lacks releases that it has made" in line for line in lines
    )
    assert entries(office) == []
    assert typed("charge", str(office), "--run", RUN)[0] == 0
    assert tried(here, "run-2")[0] == "finished"


def test_answers_of_this_run_tell_it_too(tmp_path: Path, here: Path) -> None:
    office = put_back(here, tmp_path)
    shutil.rmtree(here / "hub" / "runs" / RUN / "result")
    state, lines = tried(here, RUN)
    assert "got 1 that take part" in state
    assert any("party north: no hello" in line and "lacks releases" in line for line in lines)
    assert entries(office) == []


@pytest.mark.parametrize("name", ["store/../../out", "/etc/out", "store/ledger.jsonl/../x", "notes.txt"])
def test_a_backup_writes_nowhere_else(done: Path, tmp_path: Path, name: str) -> None:
    backup.back_up(done / "north", tmp_path / "north.tar")
    with tarfile.open(tmp_path / "north.tar", "a") as archive:
        archive.add(done / "list.txt", name)
    with pytest.raises(InputError, match="expected a backup"):
        backup.restore(tmp_path / "north.tar", tmp_path / "office")
    assert not (tmp_path / "office" / "store" / "ledger.jsonl").exists()


def test_a_backup_that_was_altered_is_refused(done: Path, tmp_path: Path) -> None:
    backup.back_up(done / "north", tmp_path / "north.tar")
    content = bytearray((tmp_path / "north.tar").read_bytes())
    place = content.index(b'"contribute"') if b'"contribute"' in content else content.index(b"/contribute")
    content[place + 4] ^= 1
    (tmp_path / "north.tar").write_bytes(bytes(content))
    with pytest.raises(InputError, match="altered"):
        backup.restore(tmp_path / "north.tar", tmp_path / "office")
    assert json.loads((done / "north" / "ledger.anchor").read_text())["entries"] > 0
