"""Valid messages and hand-written files that are fuzzed, the same in every run."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
from fuzz import keys
from network.plan.test_plan import PLANS, POLICY
from numpy.typing import NDArray

from fedtopics.documents.text.words import word_array
from fedtopics.network import wire
from fedtopics.network.messages import Reply, Request
from fedtopics.network.plan.invitation import FORM
from fedtopics.protocol.coding import Known

RUN = "run-1"


def bytes_array(data: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(data, np.uint8)


def questions() -> list[bytes]:
    return [
        Request("contribute", RUN, 3, "ab" * 32, "cd" * 32, "0" * 32, body=body).to_bytes()
        for body in arrays()
    ]


def replies() -> list[bytes]:
    return [Reply("north", "contribute", RUN, 3, "0" * 32, error).to_bytes() for error in ("", "InputError")]


def arrays() -> list[bytes]:
    return [
        wire.pack({"counts": np.arange(12.0).reshape(3, 4), "likelihood": np.array(1.5)}),
        wire.pack({"a": np.arange(200) % 3, "b": np.array([True, False]), "c": np.zeros((0, 5), np.float32)}),
        wire.pack({"zeros": np.zeros(1000)}),
    ]


KNOWN = Known({"n": np.arange(300, dtype=np.int32), "x": np.ones(80)}).after(
    {"n": np.arange(1, 301, dtype=np.int32), "x": np.ones(80)}
)


def changes() -> list[bytes]:
    """Messages that are coded by what is known."""
    plane = np.arange(1, 301, dtype=np.int32)
    return [
        wire.pack({"n": plane + (plane % 7 == 0), "x": np.ones(80)}, known=KNOWN),
        wire.pack({"m": plane, "x": np.array(2.5)}, known=KNOWN),
    ]


def proposals() -> list[bytes]:
    return [wire.pack({"words": word_array(["tax", "war", "wär"]), "votes": np.arange(3.0)})]


def words() -> list[bytes]:
    return [json.dumps(["tax", "war", "wär"]).encode(), b'["a"]']


def votes() -> list[bytes]:
    return [wire.pack({"votes": np.arange(4.0)}), wire.pack({"time": np.array(1.7e9)})]


def sums() -> list[bytes]:
    return [wire.pack({"sums": np.array([3.0, -1.0, -0.5])})]


@cache
def plans() -> list[bytes]:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "plan.toml"
        return [plan.write(path) or path.read_bytes() for plan in PLANS]  # type: ignore[func-returns-value]


def invitations() -> list[bytes]:
    told = {
        "party": "north",
        "coordinator": "hub.example.org:8002",
        "authority": keys.certificate_of("west").public_bytes(keys.PEM).decode(),
        "ticket": keys.ticket().public_bytes(keys.PEM).decode(),
        "code": keys.CODE,
        "form": FORM,
    }
    return [json.dumps(told | {"plan": plan.decode()}).encode() for plan in plans()]


def requests_to_join() -> list[bytes]:
    return [json.dumps({"request": keys.requests()[0].decode(), "plan": "ab" * 32}).encode()]


def approvals() -> list[bytes]:
    given = dict.fromkeys(("party.crt", "ca.crt", "signing.pub", "plan.toml", "words.txt"), "text")
    told = {"state": "approved", "files": given}, {"state": "waiting"}
    return [json.dumps(each).encode() for each in told]


def policies() -> list[bytes]:
    return [POLICY.encode(), b'log = "details"\nsimulation = true\n' + POLICY.encode()]


def word_lists() -> list[bytes]:
    return ["tax\nwar\nwär\n".encode(), b"\xef\xbb\xbfa\r\nb\r\n", POLICY.encode()]


def acceptances() -> list[bytes]:
    told = {
        "party": "north",
        "plan": "demo",
        "digest": "ab" * 32,
        "time": "2026-01-01",
        "signature": "00" * 256,
    }
    return [json.dumps(told).encode()]
