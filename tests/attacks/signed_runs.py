"""A small federation whose parties sign what a run has cost them, and who may lie in it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from network.approved import approved
from network.rehearsal import Direct
from planted import drawn_corpus, planted_topics
from typer.testing import CliRunner

from fedtopics.commands.application import app
from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.network import attestation, verification
from fedtopics.network.attestation import Attestation
from fedtopics.network.coordinator import coordinating
from fedtopics.network.coordinator.answers import Silence
from fedtopics.network.coordinator.folder import CoordinatorFolder, RunFolder
from fedtopics.network.local import write_texts
from fedtopics.network.messages import Reply, Request
from fedtopics.network.party.delivery import Delivery
from fedtopics.network.party.folder import PartyFolder
from fedtopics.network.party.offer import Offer
from fedtopics.network.party.side import PartySide
from fedtopics.network.plan import certificates
from fedtopics.network.plan.plan import Plan
from fedtopics.privacy.price.cost import FREE, Cost, Loss
from fedtopics.privacy.price.events import Pure
from fedtopics.privacy.price.ledger import Entry
from fedtopics.runs.record import CARD
from fedtopics.runs.run import record_digest

PARTIES = ("north", "south")
WORDS = tuple(f"word{letter}" for letter in "abcdefghijklmnopqrstuvwx")
RUN, PLAN = "run-1", "ab" * 32
SILENT = "planned, not attested"


def cost_of(epsilon: float) -> Cost:
    return Cost((Loss("word add/remove", Pure(epsilon)),), noise="secure")


SIX = cost_of(6.0)


def founded_at(folder: Path) -> Path:
    """Two parties that have accepted a plan; nothing has run yet."""
    approved(folder, WORDS, parties=PARTIES, budget=60.0)
    for seed, name in enumerate(PARTIES):
        Offer.read(folder / name, folder / "hub" / "approved" / name).accept()
        corpus = drawn_corpus(planted_topics(3, 8), 30, 20, seed)
        ends = zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True)
        texts = [" ".join(WORDS[word] for word in corpus.words[first:last]) for first, last in ends]
        write_texts(folder / name / "texts.jsonl", texts)
    return folder


def copied(folder: Path, target: Path) -> Path:
    shutil.copytree(folder, target)
    for name in PARTIES:
        PartyFolder(target / name).note_source(str(target / name / "texts.jsonl"), {})
    return target


def conducted(
    folder: Path,
    bend: Callable[[str, bytes, bytes], bytes | Silence] = lambda name, asked, answer: answer,
    before: Callable[[dict[str, PartySide]], None] = lambda sides: None,
) -> RunFolder:
    """A run of these folders from its beginning to its end."""
    hub = CoordinatorFolder(folder / "hub")
    run = hub.submit(RUN)
    sides = {name: PartyFolder(folder / name).side(run.name) for name in PARTIES}
    before(sides)
    try:
        coordinating.conduct(hub, run, Direct(sides, bend))
    finally:
        for side in sides.values():
            side.store.close()
    assert run.status().state == "finished", run.lines()
    return run


def answered(
    change: Callable[[Attestation], bytes | Silence],
) -> Callable[[str, bytes, bytes], bytes | Silence]:
    """A channel on which north's statement is changed."""

    def bend(name: str, asked: bytes, answer: bytes) -> bytes | Silence:
        if name != "north" or Request.from_bytes(asked).operation != "attest":
            return answer
        reply = Reply.from_bytes(answer)
        changed = change(Attestation.from_bytes(reply.body))
        return (
            changed if isinstance(changed, Silence) else Reply(**vars(reply) | {"body": changed}).to_bytes()
        )

    return bend


def verify(folder: Path, *more: object) -> tuple[int, str]:
    hub = folder / "hub"
    given = ["federation", "run", "verify", hub / "runs" / RUN / "result", "--ca", hub / "ca.crt", *more]
    told = CliRunner().invoke(app, list(map(str, given)))
    return told.exit_code, told.output


def result_of(folder: Path) -> Path:
    return folder / "hub" / "runs" / RUN / "result"


def signed_by(folder: Path, name: str, entries: list[Entry], **other: str) -> Attestation:
    told = {"party": name, "run": RUN, "plan": Plan.read(folder / "hub" / "plan.toml").digest} | other
    sign = partial(certificates.sign, folder / name / "party.key")
    return attestation.made(told["party"], told["run"], told["plan"], entries, sign)


def entry(operation: str, number: int, cost: Cost = FREE, party: str = "north") -> Entry:
    return Entry(f"{RUN}/{operation}", number, party, cost, "content", "previous")


BOTH = [entry("contribute", 0, SIX), entry("contribute", 1)]


def resigned(folder: Path, change: Callable[[dict[str, Any], dict[str, Any]], None]) -> dict[str, bytes]:
    """What a coordinator delivers that changes record and statements, and signs that."""
    place = result_of(folder)
    record, held = (json.loads((place / name).read_text()) for name in ("run.json", attestation.FILE))
    change(record, held)
    content = json.dumps(held).encode()
    (place / attestation.FILE).write_bytes(content)
    record["attestations_sha256"] = sha256(content).hexdigest()
    record["record_sha256"] = record_digest(record)
    (place / "run.json").write_text(json.dumps(record))
    model = TopicModel.load(place)
    card = {**model.card, **{name: record[name] for name in CARD if name in record}}
    replace(model, card=card).save(place, overwrite=True)
    signature = verification.sign((place / "run.json").read_bytes(), folder / "hub" / "signing.key")
    (place / verification.SIGNATURE).write_bytes(signature)
    return verification.delivered(place)


def delivered(folder: Path, files_: dict[str, bytes], why: str) -> None:
    """A party gets these files, and keeps none of them."""
    shutil.rmtree(folder / "north" / "models")
    place = PartyFolder(folder / "north")
    with place.store() as store:
        ledger = store.run_ledger(RUN)
    with pytest.raises(InputError, match=why):
        place.keep(RUN, Delivery(files_, WORDS, None, ledger))
    assert not list((folder / "north" / "models").iterdir())


def forget(record: dict[str, Any], held: dict[str, Any], price: float | None = 6.0) -> None:
    """North has not attested, and stands in the record at this price."""
    del held["parties"]["north"]
    record["parties"][0]["attested"] = False
    record["privacy"] = [
        row | ({"stated": SILENT} if row["party"] == "north" else {})
        for row in record["privacy"]
        if row["party"] != "north" or price is not None
    ]
    for row in record["privacy"][:1]:
        row["epsilon"] = price or row["epsilon"]
