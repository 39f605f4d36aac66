"""A PostgreSQL query, against a real server that these tests start on a free loopback port and stop."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fedtopics.documents.reading import documents, read
from fedtopics.errors import InputError
from fedtopics.runs.preparing import prepare

N_LETTERS = 5000


def server_programs() -> Path:
    """The folder that holds initdb and postgres."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if on_path := shutil.which("postgres"):
        found.append(Path(on_path).resolve())
    if not found:
        pytest.skip("no PostgreSQL server on this machine; `make system` installs one")
    return found[-1].parent


def unprivileged() -> dict[str, object]:
    """PostgreSQL refuses to run as root: options for subprocess that step down to another user."""
    if os.geteuid() != 0:
        return {}
    known = {user.pw_name: user for user in pwd.getpwall()}
    user = known.get("postgres") or known["nobody"]
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


@contextmanager
def running_server() -> Iterator[str]:
    """The URL of a new, empty database whose server lives as long as the block."""
    programs, identity = server_programs(), unprivileged()
    with tempfile.TemporaryDirectory() as folder, socket.socket() as probe:
        if identity:
            os.chown(folder, identity["user"], identity["group"])
        data = Path(folder) / "data"
        initialize = [
            programs / "initdb",
            "-D",
            data,
            "-U",
            "reader",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-sync",
        ]
        subprocess.run(initialize, check=True, capture_output=True, cwd=folder, **identity)
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        command = [programs / "postgres", "-D", data, "-p", str(port), "-k", folder, "-h", "127.0.0.1", "-F"]
        server = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL, **identity)
        try:
            wait_until_ready(programs / "pg_isready", port, server)
            yield f"postgresql://reader:sesame@127.0.0.1:{port}/postgres"
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(30)


def wait_until_ready(probe: Path, port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        assert server.poll() is None, "the PostgreSQL server ended before it was ready"
        if subprocess.run([probe, "-q", "-h", "127.0.0.1", "-p", str(port)], check=False).returncode == 0:
            return
        time.sleep(0.1)
    raise AssertionError("the PostgreSQL server was not ready after 30 seconds")


@pytest.fixture(scope="module")
def letters() -> Iterator[str]:
    """The URL of a database with a table of letters."""
    dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi")
    with running_server() as url:
        with dbapi.connect(url) as connection, connection.cursor() as cursor:
            cursor.execute("create table letters (number int, sender text, mood text, body text)")
            cursor.execute(
                "insert into letters select n, 'city ' || n % 3, case when n % 2 = 0 then 'calm' end,"
                " case when n = 7 then null else 'Peace über ' || repeat('ships ', n % 4) || '. War!' end"
                f" from generate_series(0, {N_LETTERS - 1}) n"
            )
            connection.commit()
        yield url


def test_a_query_gives_documents_with_their_columns(letters: str) -> None:
    corpus = read(
        letters,
        query="select * from letters order by number",
        text_column="body",
        party_column="sender",
        label_column="mood",
        id_column="number",
        person_column="sender",
        max_df=1.0,
    )
    assert corpus.n_docs == N_LETTERS
    assert corpus.vocabulary == ("peace", "ships", "war", "über")
    assert corpus.n_empty == 1
    assert corpus.lengths[:9].tolist() == [3, 4, 5, 6, 3, 4, 5, 0, 3]
    assert corpus.ids[:2] == ("0", "1")
    assert corpus.labels[:2] == ("calm", "")
    assert set(corpus.parties) == {"city 0", "city 1", "city 2"}
    assert corpus.persons == corpus.parties


def test_the_only_text_of_the_query_is_found(letters: str, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = read(letters, query="select number, body from letters limit 50", progress=True)
    assert corpus.n_docs == 50
    assert "Reading rows" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (
            "select number, sender, body from letters",
            "column 'text' in the query's result, got number, sender, body",
        ),
        ("select body from letters where false", "one document in the query's result, got an empty corpus"),
        ("select body from telegrams", "PostgreSQL answered: .*telegrams"),
        ("select", "the query's result, got no column"),
        (None, "expected a query"),
    ],
)
def test_bad_queries(letters: str, query: str | None, said: str) -> None:
    with pytest.raises(InputError, match=said) as raised:
        read(letters, query=query)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "query",
    [
        "select body::int::text as text from letters",
        "select number::text as text from letters where number / (number - 4000) = 0",
        "select case when number > 3000 then body::date::text else body end as text from letters",
        "select to_tsquery(body)::text as text from letters",
        "select 1 / 0",
        "create unique index moods on letters (mood)",
    ],
)
def test_what_the_server_says_of_values_is_not_shown(letters: str, query: str) -> None:
    with pytest.raises(InputError, match="may show a document; type the query into psql") as raised:
        read(letters, query=query)
    assert raised.value.__cause__ is None
    for word in ("Peace", "ships", "calm"):
        assert word not in str(raised.value)


def test_no_server_and_no_password_in_the_message() -> None:
    pytest.importorskip("adbc_driver_postgresql")
    with pytest.raises(InputError, match="PostgreSQL answered: ") as raised:
        read("postgresql://reader:sesame@127.0.0.1:1/sesame", query="select 1")
    assert "sesame" not in str(raised.value)


def test_no_password_in_a_record(letters: str) -> None:
    found = prepare(letters, query="select body as text from letters", max_df=1.0, test_fraction=0)
    assert found.source == letters.replace("sesame", "***")


def test_without_the_driver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql", None)
    with pytest.raises(InputError, match=r"fedtopics\[postgres\]"):
        read("postgresql://localhost/letters", query="select 1")


def test_a_query_needs_a_database(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="postgresql:// source"):
        read(tmp_path, query="select 1")


@pytest.fixture(scope="module")
def hospital(letters: str) -> str:
    """The address of the OMOP notes of a small hospital, on the same server."""
    from adbc_driver_postgresql import dbapi

    tables = [
        "create schema cdm",
        "create table cdm.concept (concept_id int, concept_name text)",
        "insert into cdm.concept values (44814637, 'Discharge summary'), (44814645, 'Note')",
        "create table cdm.visit_occurrence (visit_occurrence_id int, care_site_id int)",
        "insert into cdm.visit_occurrence values (5, 70), (6, 71)",
        "create table cdm.note (note_id int, person_id int, note_date date, note_type_concept_id int,"
        " note_class_concept_id int, note_title varchar(250), note_text text, provider_id int,"
        " visit_occurrence_id int)",
        "insert into cdm.note values"
        " (1, 900, '2020-03-01', 1, 44814637, 'Discharge', 'Fever is gone.', 3, 5),"
        " (2, 901, '2021-03-01', 1, 44814645, null, 'Cough and fever.', 3, 6),"
        " (3, 900, '2021-04-01', 1, 7, 'Visit', 'No cough.', null, null)",
    ]
    with dbapi.connect(letters) as connection, connection.cursor() as cursor:
        for statement in tables:
            cursor.execute(statement)
        connection.commit()
    return f"omop+{letters}?schema=cdm"


def test_notes_of_a_hospital_know_their_patients(hospital: str) -> None:
    notes = read(hospital, max_df=1.0)
    assert notes.ids == ("1", "2", "3")
    assert notes.persons == ("900", "901", "900")
    assert notes.labels == ("Discharge summary", "Note", "7")
    assert notes.vocabulary == ("cough", "discharge", "fever", "visit")
    found = documents(hospital, party_column="care_site_id", text_column="note_text")
    assert [(each.text, each.party, each.person) for each in found] == [
        ("Fever is gone.", "70", "900"),
        ("Cough and fever.", "71", "901"),
        ("No cough.", "", "900"),
    ]


def test_names_of_concepts_may_be_in_a_schema_of_their_own(hospital: str, letters: str) -> None:
    from adbc_driver_postgresql import dbapi

    with dbapi.connect(letters) as connection, connection.cursor() as cursor:
        cursor.execute("create schema vocab")
        cursor.execute(
            "create table vocab.concept as"
            " select concept_id, 'a ' || concept_name as concept_name from cdm.concept"
        )
        connection.commit()
    notes = read(f"{hospital}&vocabulary=vocab", max_df=1.0)
    assert notes.labels == ("a Discharge summary", "a Note", "7")
    with pytest.raises(InputError, match="name of a schema"):
        read(f"{hospital}&vocabulary=a.b")


def test_notes_can_be_chosen_by_a_condition(hospital: str) -> None:
    assert read(hospital, query="note_date >= '2021-01-01' and care_site_id = '71'").ids == ("2",)
    with pytest.raises(InputError, match=r"PostgreSQL answered: .*ward"):
        read(hospital, query="ward = 7")
    with pytest.raises(InputError, match="name of a schema"):
        read(hospital.replace("schema=cdm", "schema=cdm;drop"))
    with pytest.raises(InputError, match="PostgreSQL answered: "):
        read(hospital.replace("schema=cdm", "schema=other"))
    with pytest.raises(InputError, match=r"expected omop\+postgresql://"):
        read("omop+sqlite://here")


def test_a_party_with_notes_protects_patients(hospital: str, tmp_path: Path) -> None:
    from fedtopics.network.party.folder import PartyFolder

    folder = PartyFolder(tmp_path)
    folder.note_source(hospital, {"text_column": None})
    assert folder._persons() == ["900", "901", "900"]
    assert folder._noted["options"]["person_column"] == "person_id"
