"""Whatever bytes arrive, a reader takes them or says in one line why not: no crash, no hang, no full memory.

`crashes/TARGET/NAME` holds every case that once did something else; `__main__.py` says how to look for more.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from child_process import run_python
from fuzz import fuzzer
from fuzz.fuzzer import crashes, digests, tried
from fuzz.targets import TARGETS, Target

from fedtopics.errors import InputError

SEED = int.from_bytes(os.urandom(4)) if os.environ.get("FRESH_SEEDS") else 20
KNOWN = sorted((Path(__file__).parent / "crashes").glob("*/*"))
NAMED = {target.name: target for target in TARGETS}


@pytest.mark.parametrize("path", KNOWN, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_crashed_once_is_refused_now(path: Path) -> None:
    crash = tried(NAMED[path.parent.name], path.read_bytes())
    assert crash is None, str(crash)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_valid_files_are_taken_as_they_are(target: Target, tmp_path: Path) -> None:
    target.run(target.seeds()[0], tmp_path)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_altered_files_are_taken_or_refused(target: Target) -> None:
    found = list(crashes(target, SEED, n_cases=60))
    assert not [str(crash) for crash in found], f"seed {SEED}"


@pytest.mark.nightly
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_many_altered_files_are_taken_or_refused(target: Target) -> None:
    found = list(crashes(target, SEED, n_cases=20_000, seconds=20.0))
    assert not [str(crash) for crash in found], f"seed {SEED}"


def test_the_same_seed_gives_the_same_cases_in_every_process() -> None:
    again = run_python("from fuzz.fuzzer import digests; print(*digests(7), sep='\\n')")
    assert again.stdout.split() == digests(7), again.stderr


@pytest.mark.parametrize(
    ("raised", "told"),
    [(KeyError("a"), "KeyError"), (InputError("one\nline"), None), (MemoryError(), "MemoryError")],
)
def test_the_fuzzer_sees_a_crash(raised: Exception, told: str | None) -> None:
    def run(data: bytes, folder: Path) -> None:
        raise raised

    crash = tried(Target("a", lambda: [b""], run), b"")
    assert (crash and crash.error) == told


def test_the_fuzzer_sees_a_hang_and_a_full_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzzer, "SECONDS", 0.2)

    def hang(data: bytes, folder: Path) -> None:
        while True:
            pass

    slow, large = (
        tried(Target("a", lambda: [b""], run), b"") for run in (hang, lambda data, folder: bytearray(2**29))
    )
    assert slow is not None
    assert slow.error == "OvertimeError"
    assert large is not None
    assert large.error == "MemoryError"
