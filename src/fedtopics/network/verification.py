"""The signed record of a run: whether it says what its parties have signed, nothing less and of nobody else.

`run.json.sig` holds the coordinator's Ed25519 signature of `run.json`, which names the model and the
attestations by hash. What no party signs is compared with the plan, where there is one: method, settings,
parties, and what stands there for who has not attested. Scores and the seconds of a round are the
coordinator's word alone.
"""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from math import isclose
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from fedtopics import files
from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.model.files import numbers_digest
from fedtopics.network import attestation
from fedtopics.network.attestation import (
    ATTESTED,
    FILE,
    FILE_FORMAT,
    PLANNED,
    AttestationError,
    Attested,
    Row,
    Statement,
    by_relation,
    check_prices,
    covers,
)
from fedtopics.network.plan import certificates
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.terms import whole_ledger
from fedtopics.privacy.price.cost import SOURCES
from fedtopics.runs.record import CARD
from fedtopics.runs.record import summed as record_of_sum
from fedtopics.runs.run import Run, read_record

OF_RUN, OF_PARTY = {"run", "plan", "noise", "planned", "settings"}, {"attested", "n_answers"}
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Verified:
    """What a party has stated, and the fingerprint of the key that signed it."""

    statement: Statement
    fingerprint: str


def verified(
    folder: Path, authority: x509.Certificate, plan: Plan | None = None
) -> dict[str, Verified | None]:
    """What each party of a result has signed, None where it has not; raises where the record differs."""
    record, content = _record(folder / "run.json"), files.read(folder / FILE)
    if record.get("attestations_sha256") != sha256(content).hexdigest():
        raise AttestationError(f"expected the {FILE} that run.json names, got another; it was altered")
    known = {row["name"]: row["attested"] for row in record["parties"]}
    held = _held(content, folder / FILE)
    if set(held) != {name for name in known if known[name]}:
        raise AttestationError(f"expected the statements of who attested in {folder / FILE}, got others")
    found = {name: _verified(record, name, held[name], authority) if name in held else None for name in known}
    _check_others(record, found)
    if plan is not None:
        _check_plan(record, found, plan)
    return found


def _record(path: Path) -> dict[str, Any]:
    """The record of a federation's run that names each party once, and no stranger."""
    record = read_record(path)
    parties, names = record["parties"], [row["name"] for row in record["parties"]]
    if not record.keys() >= OF_RUN or not all(row.keys() >= OF_PARTY for row in parties):
        raise AttestationError(f"expected the record of a federation's run in {path}, got another")
    priced = {row["party"] for row in (*record["privacy"], *record["planned"])}
    if not names or len(set(names)) != len(names) or not priced <= set(names):
        raise AttestationError(f"expected each party once, and the prices of these in {path}, got others")
    return record


def _held(content: bytes, path: Path) -> dict[str, Attested]:
    """The statements in `attestations.json`, not checked yet."""
    try:
        data = json.loads(content)
        fits = data["format"] == FILE_FORMAT
        found = {name: Attested(**held) for name, held in data["parties"].items()}
        for held in found.values():
            _ = [text.encode() for text in vars(held).values()]  # half a character is in no text
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        fits = False
    if not fits:
        raise AttestationError(f"expected signed statements in {path}, got another file")
    return found


def _verified(record: dict[str, Any], name: str, held: Attested, authority: x509.Certificate) -> Verified:
    certificate = certificates.parse_certificate(held.certificate.encode(), Path(FILE))
    certificates.check_issued(certificate, authority)
    told = held.checked(certificate, name, record["run"], record["plan"])
    if _rows(record, name) != [{**row, "stated": ATTESTED} for row in told.privacy]:
        raise AttestationError(f"expected what {name} has signed in run.json, got another price")
    answers = next(row["n_answers"] for row in record["parties"] if row["name"] == name)
    if len(told.entries) < answers:
        raise AttestationError(f"expected a statement of {name} on all {answers} answers, got one on fewer")
    planned = [row for row in record["planned"] if row["party"] == name]
    try:  # where every release was an answer, the plan says what was signed
        check_prices(told, planned, planned if len(told.entries) == answers else told.privacy)
    except AttestationError:
        raise AttestationError(f"expected what answers of {name} cost as planned, got other prices") from None
    return Verified(told, certificates.fingerprint(certificate.public_key()))


def _check_others(record: dict[str, Any], found: Mapping[str, Verified | None]) -> None:
    """Raise unless who has not attested has a price that says so, and the noise is the worst of all."""
    for name in _silent(found):
        rows = _rows(record, name)
        if not by_relation(rows) or {row.get("stated") for row in rows} != {PLANNED}:
            raise AttestationError(f"expected prices of {name} that are {PLANNED!r} in run.json, got others")
    worst = _worst(found)
    if record["noise"] != worst and not (
        _silent(found) and SOURCES.index(record["noise"]) > SOURCES.index(worst)
    ):
        raise AttestationError(f"expected {worst} noise in run.json, as was signed, got {record['noise']}")


def _check_plan(record: dict[str, Any], found: Mapping[str, Verified | None], plan: Plan) -> None:
    """Raise unless the record is of this plan, and nobody has spent more or is said to have spent less."""
    method = plan.method()
    if (record["plan"], set(found)) != (plan.digest, set(plan.parties)):
        raise AttestationError(f"expected a run of plan {plan.digest:.12} with all its parties, got another")
    in_force = json.loads(json.dumps(method.in_force(record["n_words"])))
    told = {"method": record["method"], "variant": record.get("variant"), **record["settings"]}
    if not _are_alike(told, {"method": plan.method_name, "variant": method.variant, **in_force}):
        raise AttestationError("expected the method and the settings of the plan in run.json, got others")
    if record.get("secure_sum") != json.loads(json.dumps(summed(plan, record["n_words"]))):
        raise AttestationError("expected the secure sum of the plan in run.json, got another or none")
    drawn, planned = record.get("consistency"), plan.consistency
    named = None if drawn is None else (drawn.get("sha256"), drawn.get("tau"))
    if named != (None if planned is None else (planned.sha256, planned.tau)):
        raise AttestationError("expected the word relation of the plan in run.json, got another or none")
    whole = whole_ledger(plan, record["n_words"])
    for name, held in found.items():
        if held is not None:
            check_prices(held.statement, [], whole.statements())
        elif not _cover(_rows(record, name), whole.statements()):
            raise AttestationError(f"expected the price of the whole plan for {name}, got less")
    if _silent(found) and SOURCES.index(record["noise"]) < SOURCES.index(whole.noise):
        raise AttestationError(f"expected {whole.noise} noise in run.json, as planned, got {record['noise']}")


def summed(plan: Plan, n_words: int) -> dict[str, Any] | None:
    """What the record of a run of this plan says of its secure sum; None where it has none."""
    if plan.secure_sum is None:
        return None
    whole = whole_ledger(plan, n_words)
    return record_of_sum(plan.secure_sum, len(plan.parties), whole, plan.min_parties)


def _are_alike(told: Mapping[str, Any], expected: Mapping[str, Any]) -> bool:
    """Whether settings are the same, but for the last digit of those that another processor has derived."""
    numbers = {name for name, value in expected.items() if type(value) is float}
    return told.keys() == expected.keys() and all(
        isclose(told[name], value, rel_tol=1e-9)
        if name in numbers and type(told[name]) is float
        else told[name] == value
        for name, value in expected.items()
    )


def check_own(folder: Path, found: Mapping[str, Verified | None], key: str, own: Statement) -> None:
    """Raise unless a result says of a party what it would state now, under its own key.

    Who has the authority's key can make a certificate of any name: a party knows its own by the key alone.
    """
    held, record = found.get(own.party), read_record(folder / "run.json")
    if held is not None:
        if (replace(held.statement, time=own.time), held.fingerprint) != (own, key):
            raise AttestationError("expected this party's own newest statement in the record, got another")
        return
    if (record["run"], record["plan"]) != (own.run, own.plan) or own.party not in found:
        raise AttestationError(f"expected a record of {own.run} with this party, got another")
    if not _cover(_rows(record, own.party), own.privacy):
        raise AttestationError("expected no less than what this party's ledger says in the record, got less")
    logger.warning("the record does not hold this party's own statement; it says what the plan says")


def check_ledger_beside(folder: Path, found: Mapping[str, Verified | None]) -> None:
    """Raise unless ledger.json is the one that the record names, or that of the party that keeps it."""
    run = Run.load(folder)
    held = found.get(run.ledger.parties[0]) if len(run.ledger.parties) == 1 else None
    is_own = held is not None and run.ledger.statements() == list(held.statement.privacy)
    if run.ledger.head != run.record.get("ledger_head") and not is_own:
        raise AttestationError("expected the ledger.json that run.json names, got another; it was altered")


def _rows(record: Mapping[str, Any], party: str) -> list[Row]:
    return [row for row in record["privacy"] if row["party"] == party]


def _cover(rows: list[Row], least: list[Any]) -> bool:
    """Whether these prices are no less than those, relation by relation."""
    shown = by_relation(rows)
    return all(place in shown and covers(shown[place], row) for place, row in by_relation(least).items())


def _silent(found: Mapping[str, Verified | None]) -> list[str]:
    return [name for name, held in found.items() if held is None]


def _worst(found: Mapping[str, Verified | None]) -> str:
    """The least trustworthy source of noise that was signed."""
    signed = [held.statement.noise for held in found.values() if held is not None]
    return max(signed, key=[str(source) for source in SOURCES].index, default="none")


SIGNATURE = "run.json.sig"
FILES = ("model.safetensors", "model.json", attestation.FILE, "run.json", SIGNATURE)


def delivered(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


def sign(content: bytes, key: Path) -> bytes:
    held = load_pem_private_key(key.read_bytes(), password=None)
    if not isinstance(held, Ed25519PrivateKey):
        raise InputError(f"expected an Ed25519 key in {key}, got {type(held).__name__}")
    return held.sign(content)


def check_record(folder: Path, public_key: Path) -> None:
    """Raise unless the coordinator signed the record in `folder`, and it names the model beside it."""
    content = (folder / "run.json").read_bytes()
    try:
        known = load_pem_public_key(public_key.read_bytes())
    except (OSError, ValueError, UnsupportedAlgorithm):
        known = None
    if not isinstance(known, Ed25519PublicKey):
        raise InputError(f"expected the coordinator's key in {public_key}, got none; give its signing.pub")
    try:
        known.verify((folder / SIGNATURE).read_bytes(), content)
    except InvalidSignature:
        raise InputError("expected a record signed by the coordinator, got another signature") from None
    record = read_record(folder / "run.json")
    if record.get("model_sha256") != numbers_digest(folder) or not _is_of(record, TopicModel.load(folder)):
        raise InputError(f"{folder}: run.json belongs to another model; the folder was altered")


def _is_of(record: dict[str, Any], model: TopicModel) -> bool:
    """Whether the record has this model's size, and its card says nothing else: no hash covers that."""
    size = record["n_topics"], record["n_words"]
    alike = all(model.card[name] == record.get(name) for name in CARD if name in model.card)
    return size == (model.n_topics, model.n_words) and alike
