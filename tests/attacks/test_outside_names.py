"""Names and files from outside: none leads out of a folder, and none overwrites what is the party's own."""

from __future__ import annotations

import os
import shutil
import stat
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.x509.oid import NameOID
from network.approved import approved
from typer.testing import CliRunner

from fedtopics import files
from fedtopics.commands.application import app
from fedtopics.errors import InputError
from fedtopics.files import StoreError
from fedtopics.network.coordinator.folder import CoordinatorFolder
from fedtopics.network.party import ledger_file
from fedtopics.network.party.delivery import Delivery
from fedtopics.network.party.folder import PartyFolder
from fedtopics.network.party.offer import Offer
from fedtopics.network.plan import acceptance, certificates, onboarding
from fedtopics.network.plan.acceptance import AcceptanceError
from fedtopics.network.plan.plan import Plan
from fedtopics.privacy.price.ledger import Ledger

OWN = ("policy.toml", "party.key", "source.json", "acceptance.json", "ledger.anchor", "store")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A coordinator and one party that it has approved."""
    folder = tmp_path_factory.mktemp("federation")
    approved(folder, address="hub.example.org:8002", n_rounds=4)
    (folder / "north" / "source.json").write_text("{}")
    return folder


@pytest.fixture
def here(made: Path, tmp_path: Path) -> Path:
    """A copy of it to change."""
    shutil.copytree(made, tmp_path / "copy")
    return tmp_path / "copy"


def received(here: Path) -> Path:
    return here / "hub" / "approved" / "north"


def offer(here: Path) -> Offer:
    return Offer.read(here / "north", received(here))


def contents(folder: Path, *names: str) -> dict[str, bytes]:
    paths = [path for name in names for path in ((folder / name), *(folder / name).rglob("*"))]
    return {str(path): path.read_bytes() for path in paths if path.is_file()}


GENEROUS = (
    'methods = ["calm"]\n[[budget]]\nrelation = "word add/remove"\nepsilon = 1000000000.0\ndelta = 0.000001\n'
)


@pytest.mark.parametrize(
    "name", [*OWN[:5], "../../outside.txt", "/tmp/outside.txt", "store/ledger.jsonl", ""]
)
def test_a_plan_does_not_choose_the_name_of_its_word_list(here: Path, name: str) -> None:
    """A policy is a list of words too: as the word list of a plan it raised the party's own budget."""
    words = tuple(GENEROUS.splitlines())
    path = received(here) / "plan.toml"
    text = path.read_text().replace('file = "words.txt"', f'file = "{name}"')
    text = text.replace("n_words = 3", f"n_words = {len(words)}")
    before = path.read_text().split('sha256 = "')[1][:64]
    path.write_text(text.replace(before, sha256("\n".join(words).encode()).hexdigest()))
    (received(here) / "policy.toml").write_text(GENEROUS)
    kept = contents(here / "north", *OWN)
    with pytest.raises(InputError, match=r"vocabulary.file must be words.txt, got"):
        offer(here)
    assert contents(here / "north", *OWN) == kept
    assert not (here / "outside.txt").exists()


def test_what_is_the_partys_own_is_never_overwritten(here: Path) -> None:
    offer(here).accept()
    for name in OWN[:5]:
        (received(here) / name).write_text("of the coordinator")
    (received(here) / "store").mkdir()
    (received(here) / "store" / ledger_file.LINES).write_text("{}")
    kept = contents(here / "north", *(name for name in OWN if name != "acceptance.json"))
    offer(here).accept()
    assert contents(here / "north", *(name for name in OWN if name != "acceptance.json")) == kept
    assert PartyFolder(here / "north").policy.budget[0].epsilon == 6.0


@pytest.mark.parametrize("name", ["signing.pub", "words.txt", "plan.toml", "party.crt", "ca.crt"])
def test_links_and_pipes_in_what_was_received_are_not_followed(here: Path, name: str) -> None:
    """A link to the party's own key would be copied, readable to all."""
    secret = here / "north" / "party.key"
    for make in (lambda path: path.symlink_to(secret), os.mkfifo, Path.mkdir):
        path = received(here) / name
        kept = path.read_bytes()
        path.unlink()
        make(path)
        with pytest.raises(InputError, match="expected a plain file"):
            offer(here)
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        path.write_bytes(kept)
    for path in (here / "north").rglob("*"):
        if path.is_file() and b"PRIVATE KEY" in path.read_bytes():
            assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["signing.pub", "words.txt", "plan.toml", "party.crt", "ca.crt"])
def test_huge_files_are_refused_unread(here: Path, name: str) -> None:
    with (received(here) / name).open("r+b") as file:
        file.truncate(2**40)
    with pytest.raises(InputError, match="bytes, got"):
        offer(here)


def test_what_was_shown_is_what_is_kept(here: Path) -> None:
    """The folder changes while a person reads the plan."""
    shown = offer(here)
    kept = {path.name: path.read_bytes() for path in received(here).iterdir()}
    for path in received(here).iterdir():
        path.write_bytes(b"something else")
    shown.accept()
    for name in ("plan.toml", "words.txt", "ca.crt", "party.crt", "signing.pub"):
        assert (here / "north" / name).read_bytes() == kept[name]


def test_a_word_list_has_as_many_words_as_the_plan_says(here: Path) -> None:
    path = received(here) / "plan.toml"
    path.write_text(path.read_text().replace("n_words = 3", "n_words = 2"))
    with pytest.raises(InputError, match="not the word list of this plan"):
        offer(here)


@pytest.mark.parametrize("text", ["hub\\u001b[2K:8002", "hub\\n:8002"])
def test_a_plan_cannot_write_over_what_a_reviewer_reads(here: Path, text: str) -> None:
    path = received(here) / "plan.toml"
    path.write_text(path.read_text().replace("hub.example.org:8002", text))
    with pytest.raises(InputError, match="printable"):
        offer(here)


@pytest.mark.parametrize("name", ["../south", "a/b", "\x1b[2Jnorth", "", "server", "n" * 60])
def test_a_request_has_a_plain_name(here: Path, name: str) -> None:
    with pytest.raises(InputError, match="party's name"):
        onboarding.request(here / "north", name)
    key = certificates.read_key(here / "north" / "party.key")
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)] if name else [])
    asked = x509.CertificateSigningRequestBuilder().subject_name(subject).sign(key, hashes.SHA256())
    path = here / "asked.csr"
    path.write_bytes(asked.public_bytes(serialization.Encoding.PEM))
    told = CliRunner().invoke(app, ["federation", "approve", str(path), "--folder", str(here / "hub")])
    assert isinstance(told.exception, InputError)
    assert not told.output


@pytest.mark.parametrize("name", ["..", "../../north", ".", ""])
def test_a_run_has_a_plain_name(here: Path, name: str) -> None:
    hub = CoordinatorFolder(here / "hub")
    (here / "status.json").write_text('{"state": "failed"}')
    with pytest.raises(InputError, match="expected"):
        hub.run(name)


def test_other_files_than_those_of_a_run_are_not_kept(here: Path) -> None:
    offer(here).accept()
    folder = PartyFolder(here / "north")
    for name in ("../policy.toml", "policy.toml", "/etc/passwd"):
        with pytest.raises(InputError, match="nothing was kept"):
            folder.keep("run-1", Delivery({name: b""}, (), None, Ledger()))
    assert not list((here / "north").glob("models/*"))


def test_what_is_refused_leaves_nothing_behind(here: Path) -> None:
    from fedtopics.network.verification import FILES

    offer(here).accept()
    with pytest.raises(InputError):
        PartyFolder(here / "north").keep("run-1", Delivery(dict.fromkeys(FILES, b"{}"), (), None, Ledger()))
    assert not list((here / "north" / "models").iterdir())


def test_a_planted_link_is_not_written_through(here: Path) -> None:
    (here / "north" / ".plan.toml.draft").symlink_to(here / "north" / "policy.toml")
    with pytest.raises(StoreError):
        offer(here).accept()
    assert (here / "north" / "policy.toml").read_text().startswith("# Policy")


def test_a_plain_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    assert files.read(tmp_path / "file", 5) == b"12345"
    with pytest.raises(InputError, match="at most 4 bytes, got 5"):
        files.read(tmp_path / "file", 4)
    with pytest.raises(InputError, match="expected a plain file"):
        files.read(tmp_path / "none", 4, links=False)


def test_a_party_starts_with_the_ledger_that_it_accepted_with(here: Path) -> None:
    offer(here).accept()
    folder = PartyFolder(here / "north")
    with folder.store() as store:
        assert acceptance.read(here / "north" / acceptance.FILE).ledger == store.ledger_id
    shutil.rmtree(here / "north" / "store")
    with pytest.raises(StoreError, match="restore it"):
        folder.store()
    (here / "north" / ledger_file.ANCHOR).unlink()
    for _ in range(2):
        with pytest.raises(StoreError, match="ledger"):
            folder.store()
        with pytest.raises(StoreError, match="ledger"):
            offer(here).accept()


def test_a_ledger_begun_anew_is_not_the_accepted_one(here: Path) -> None:
    offer(here).accept()
    kept = (here / "north" / acceptance.FILE).read_bytes()
    for name in (acceptance.FILE, ledger_file.ANCHOR):
        (here / "north" / name).unlink()
    shutil.rmtree(here / "north" / "store")
    offer(here).accept()
    (here / "north" / acceptance.FILE).write_bytes(kept)
    with pytest.raises(StoreError, match="expected the ledger that the plan was accepted with"):
        PartyFolder(here / "north").store()
    with pytest.raises(StoreError, match="expected the ledger that the plan was accepted with"):
        offer(here).accept()


def test_a_party_from_before_anchors_accepts_anew(here: Path) -> None:
    import json

    offer(here).accept()
    path = here / "north" / acceptance.FILE
    told = json.loads(path.read_text())
    path.write_text(json.dumps({key: value for key, value in told.items() if key != "ledger"}))
    (here / "north" / ledger_file.ANCHOR).unlink()
    plan = Plan.read(here / "north" / "plan.toml")
    with pytest.raises(AcceptanceError, match="accept it anew"):
        acceptance.check(here / "north", plan)
    offer(here).accept()
    acceptance.check(here / "north", plan)
    PartyFolder(here / "north").store().close()
