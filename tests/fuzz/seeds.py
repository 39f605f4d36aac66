"""Valid bytes of every kind that is fuzzed, the same in every run; and hashes made to fit after a change."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from fuzz import keys
from network.plan.test_plan import PLANS, POLICY
from numpy.typing import NDArray
from safetensors.numpy import save

from fedtopics.documents.text.words import word_array
from fedtopics.model import TopicModel
from fedtopics.model.files import NUMBERS, WORDS, _content_hash
from fedtopics.network import wire
from fedtopics.network.coordinator.checkpoint import FILE, Checkpoint, WireRound
from fedtopics.network.messages import Reply, Request
from fedtopics.network.party import ledger_file
from fedtopics.network.party.store import PartyStore
from fedtopics.network.plan.invitation import FORM
from fedtopics.privacy.price.budget import Budget
from fedtopics.privacy.price.cost import Cost, Loss
from fedtopics.privacy.price.events import (
    Approximate,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    GaussianVector,
    KaryResponse,
    Pure,
    ZeroConcentrated,
)
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.protocol.coding import Known
from fedtopics.runs.run import Run, record_digest

RUN = "run-1"
COST = Cost(
    (
        Loss("word add/remove", Pure(2.0), 3),
        Loss("document add/remove", DiscreteGaussian(2.0)),
        Loss("word replace", KaryResponse(1.0, 3)),
        Loss("document replace", DiscreteLaplace(0.5, 2), 2),
        Loss("document replace", Approximate(0.5, 1e-9)),
        Loss("person add/remove", ZeroConcentrated(0.5)),
        Loss("person replace", GaussianVector(40.0, 20.0), 2),
        Loss("party", Gaussian(2.0, 1.5), 2),
    ),
    noise="secure",
)


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


@cache
def store() -> dict[str, bytes]:
    """A party's store after two releases with a memory."""
    with tempfile.TemporaryDirectory() as name:
        header = {"format": ledger_file.FORMAT, "party": "north", "id": "00" * 16}
        (Path(name) / ledger_file.LINES).write_text(json.dumps(header) + "\n")
        with PartyStore(name, "north", ()) as opened:
            for number in range(2):
                opened.commit(RUN, number, "contribute", COST, b"payload", {"z": np.arange(5)})
        return {
            str(path.relative_to(name)): path.read_bytes()
            for path in sorted(Path(name).rglob("*"))
            if path.is_file()
        }


def _only(folder: str) -> str:
    return next(name for name in store() if name.startswith(folder))


def release_name() -> str:
    return _only("releases/")


def memory_name() -> str:
    return _only("memory/")


def ledger_files() -> list[bytes]:
    return [store()[ledger_file.LINES]]


def ledger_heads() -> list[bytes]:
    return [store()[ledger_file.HEAD]]


def releases() -> list[bytes]:
    return [store()[release_name()]]


def memories() -> list[bytes]:
    return [store()[memory_name()]]


def chained_lines(lines: Any) -> Any:
    """The lines of a ledger with a chain that fits."""
    head = sha256(json.dumps(lines[0]).encode() + b"\n").hexdigest()
    return [lines[0], *_chained(lines[1:], head)]


def _chained(rows: Any, head: str) -> list[Any]:
    fitting = []
    for row in rows:
        if isinstance(row, dict) and "digest" in row:
            row = {**row, "previous": head}
            plain = {key: value for key, value in row.items() if key != "digest"}
            head = row["digest"] = sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()
        fitting.append(row)
    return fitting


@cache
def checkpoints() -> list[bytes]:
    with tempfile.TemporaryDirectory() as name:
        lines = (WireRound(0, 1.0, 10, 20, {"perplexity": 3.0}, 30, ("south",)),)
        state = {"phi": np.ones((2, 3)), "n": np.array(3)}
        for words in (None, ("tax", "war")):
            Checkpoint(RUN, "plan", 1, state, words, lines, {"north": [0]}).save(Path(name))
        return [(Path(name) / FILE).read_bytes()]


def checkpoint_abouts() -> list[bytes]:
    return [wire.loaded(checkpoints()[0])["about"].tobytes()]


def with_arrays(use: Callable[[Path], object]) -> Callable[[Path], object]:
    """A reader of a checkpoint, for what stands in it as JSON."""

    def run(path: Path) -> object:
        path.write_bytes(save({"about": bytes_array(path.read_bytes()), "state/n": np.ones(3)}))
        return use(path)

    return run


def statuses() -> list[bytes]:
    return [json.dumps({"state": "running", "round": 3, "n_rounds": 5, "missing": ["north"]}).encode()]


def _model() -> TopicModel:
    counts = [[3, 1, 0], [0, 1, 4]]
    return TopicModel.from_counts(counts, ["tax", "wär", "law"], card={"method": "pooled"}).set_topic_labels(
        {0: "a"}
    )


@cache
def model() -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as name:
        _model().save(name)
        return {file: (Path(name) / file).read_bytes() for file in (NUMBERS, WORDS)}


def model_numbers() -> list[bytes]:
    return [model()[NUMBERS]]


def model_words() -> list[bytes]:
    return [model()[WORDS]]


def hashed(use: Callable[[Path], object]) -> Callable[[Path], object]:
    """A reader of a model whose hash fits, as that of one who edits on purpose does."""

    def run(folder: Path) -> object:
        try:
            described = json.loads((folder / WORDS).read_bytes())
            described.pop("sha256")
            described["sha256"] = _content_hash((folder / NUMBERS).read_bytes(), described)
            (folder / WORDS).write_text(json.dumps(described))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            pass  # not even a description: read as it is
        return use(folder)

    return run


@cache
def run(engine: str = "https") -> dict[str, bytes]:
    """The files of a run; those of one in this process have a private part."""
    ledger = Ledger(run=RUN, budgets=(Budget("word add/remove", 20.0),))
    for number in range(2):
        ledger.charge("north", number, COST, content="ab")
    scores = {
        "perplexity": 3.5,
        "perplexity_unigram": 4.0,
        "coherence_npmi": 0.1,
        "coherence_umass": None,
        "diversity": 1,
    }
    record: dict[str, Any] = {
        "schema": "fedtopics/run/1", "method": "calm", "variant": None, "engine": engine, "seed": 0,
        "n_topics": 2, "n_words": 3, "settings": {"epsilon": 6.0}, "scores": scores,
        "parties": [{"name": "north", "n_docs": 2}],
        "privacy": ledger.statements(), "noise": "secure", "seconds": 0.5, "versions": {"python": "3.11"},
        "rounds": [{"round": 0, "seconds": 0.1, "bytes_up": 1, "bytes_down": 2, "measures": {}}],
        "compared": [{"method": "pooled", "scores": scores, "privacy": "none"}],
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        Run(record, _model(), {"north": _model()}, ledger).save(Path(name) / "run")
        top = Path(name) / "run"
        return {
            str(path.relative_to(top)): path.read_bytes() for path in sorted(top.rglob("*")) if path.is_file()
        }


def run_records() -> list[bytes]:
    return [run()["run.json"]]


def split_run() -> dict[str, bytes]:
    return run("in_process")


def private_parts() -> list[bytes]:
    return [split_run()["private.json"]]


def run_ledgers() -> list[bytes]:
    return [run()["ledger.json"]]


def digested_record(record: Any) -> Any:
    """A record with a digest that fits."""
    return {**record, "record_sha256": record_digest(record)}


def chained(data: Any) -> Any:
    """A ledger with a chain that fits, in a run whose record does not name its end."""
    settings = {name: data[name] for name in ("run", "delta", "secure_only", "budgets")}
    head = sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()
    entries = _chained(data["entries"], head)
    return {**data, "entries": entries, "head": entries[-1]["digest"] if entries else head}
