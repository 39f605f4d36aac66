"""A party that waits: next to nothing is loaded, and what a run has loaded goes again."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fedtopics.errors import InputError
from fedtopics.network.messages import Request
from fedtopics.network.party import doing
from fedtopics.network.party.doing import Doing
from fedtopics.network.party.visitor import address

IDLE = ("network.worker", "network.party.visitor", "network.party.doing", "network.tls", "commands.keeping")
LARGE = ("numpy", "scipy", "cryptography", "pyarrow", "sklearn", "dp_accounting", "typer", "safetensors")


def test_a_party_that_waits_and_its_keeper_have_loaded_no_large_package() -> None:
    looked = f"import sys; print(*({set(LARGE)!r} & set(sys.modules)))"
    loaded = "; ".join(f"import fedtopics.{name}" for name in IDLE)
    told = subprocess.run(
        [sys.executable, "-P", "-c", f"{loaded}; {looked}"], capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == []


def answered(question: bytes, begin: Callable[[Request], None]) -> bytes:
    begin(Request.from_bytes(question))
    return question


def test_a_party_is_done_some_time_after_a_delivery_and_not_within_a_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [1000.0]
    monkeypatch.setattr(doing, "monotonic", lambda: now[0])
    party = Doing(answered)
    assert not party.is_done()
    for operation, rests in (("contribute", doing.LONG), ("deliver", doing.REST)):
        party.answer(Request(operation, "run-1", 0, "").to_bytes())
        now[0] += rests - 1
        assert not party.is_done()
        now[0] += 2
        assert party.is_done()


def test_an_address_is_read_from_plan_and_policy(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text('coordinator = "hub.example.org:8002"\n')
    (tmp_path / "policy.toml").write_text('methods = ["calm"]\n')
    assert address(tmp_path) == ("hub.example.org", 8002, None)
    (tmp_path / "policy.toml").write_text('proxy = "http://proxy.example.org:3128"\n')
    assert address(tmp_path) == ("hub.example.org", 8002, "http://proxy.example.org:3128")
    for wrong in ("coordinator = 3", 'coordinator = "hub"', 'name = "letters"'):
        (tmp_path / "plan.toml").write_text(wrong)
        with pytest.raises(InputError, match="host:port"):
            address(tmp_path)
