"""What a finished run leaves at the coordinator: model, record with scores, ledger, and a signature.

The record is signed with the coordinator's Ed25519 key: `run.json.sig` holds the signature of `run.json`,
which names the model and `attestations.json` by their hashes. What a party has spent is what it attests
itself, from its own ledger and with its own signature; what the plan says stands beside it.
"""

from __future__ import annotations

import platform
import shutil
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

import fedtopics
from fedtopics import files
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.evaluation.scores import scores_on
from fedtopics.model import TopicModel
from fedtopics.model.files import NUMBERS
from fedtopics.network.coordinator import attestations
from fedtopics.network.coordinator.checkpoint import Checkpoint
from fedtopics.network.coordinator.last_answers import LastAnswers
from fedtopics.network.coordinator.planned import planned_ledger, whole_ledger
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.terms import Terms
from fedtopics.privacy.price.cost import SOURCES
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.protocol.method import notes, party_topics, settings_in_force
from fedtopics.runs.preparing import AGREED, GIVEN
from fedtopics.runs.run import SCHEMA, Run, read_record

SIGNATURE = "run.json.sig"
FILES = ("model.safetensors", "model.json", attestations.FILE, "run.json", SIGNATURE)
CARD = ("method", "variant", "settings", "vocabulary", "privacy", "noise", "versions")
SCORES = ("perplexity", "perplexity_unigram", "coherence_npmi", "coherence_umass", "diversity")


def write(
    folder: Path,
    plan: Plan,
    terms: Terms,
    end: Checkpoint,
    test: Corpus | None,
    key: Path,
    last: LastAnswers,
) -> None:
    """Write the result of a run to a new folder, unless it is there already."""
    if (folder / SIGNATURE).is_file():
        return
    scored = last.scored
    signed = attestations.written({name: kept for name, (kept, _) in last.attested.items()})
    model = terms.method.model(end.state, end.words or ())
    ledger = planned_ledger(terms, end, scored)
    record = _record(plan, terms, end) | _attested(last, plan, end, ledger)
    record["attestations_sha256"] = sha256(signed).hexdigest()
    if model is not None:
        record["n_topics"] = model.n_topics
        card = {name: record[name] for name in CARD} | {"n_parties": len(terms.parties)}
        model = replace(model, card=card, language=plan.texts.language)
        if test is not None:
            known = scores_on(model, test.with_vocabulary(model.vocabulary), n_threads=terms.n_threads)
            record["scores"] |= known
        if scored is not None and scored.score is not None:
            found = scored.score
            near = {"perplexity_low": found.low, "perplexity_high": found.high}
            record["scores"] |= {"perplexity": found.perplexity, **near}
        shutil.rmtree(folder, ignore_errors=True)  # what a crash has left without a signature
        Run(record, model, {}, ledger).save(folder)
    else:
        raise InputError(f"method {plan.method_name} has no model at the coordinator; train it in process")
    files.publish(folder / attestations.FILE, signed)
    files.publish(folder / SIGNATURE, sign((folder / "run.json").read_bytes(), key))


def delivered(folder: Path) -> dict[str, bytes]:
    """What every party gets."""
    return {name: (folder / name).read_bytes() for name in FILES}


def sign(content: bytes, key: Path) -> bytes:
    """The signature of these bytes."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    held = load_pem_private_key(key.read_bytes(), password=None)
    if not isinstance(held, Ed25519PrivateKey):
        raise InputError(f"expected an Ed25519 key in {key}, got {type(held).__name__}")
    return held.sign(content)


def check_record(folder: Path, public_key: Path) -> None:
    """Raise unless the coordinator signed the record in `folder`, and it names the model beside it."""
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

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
    record, numbers = read_record(folder / "run.json"), sha256((folder / NUMBERS).read_bytes()).hexdigest()
    if record.get("model_sha256") != numbers or not _is_of(record, TopicModel.load(folder)):
        raise InputError(f"{folder}: run.json belongs to another model; the folder was altered")


def _is_of(record: dict[str, Any], model: TopicModel) -> bool:
    """Whether the record has this model's size, and its card says nothing else: no hash covers that."""
    size = record["n_topics"], record["n_words"]
    alike = all(model.card[name] == record.get(name) for name in CARD if name in model.card)
    return size == (model.n_topics, model.n_words) and alike


def _attested(last: LastAnswers, plan: Plan, end: Checkpoint, ledger: Ledger) -> dict[str, Any]:
    """What the record says of spending: as attested, and as planned."""
    told = {name: statement for name, (_, statement) in last.attested.items()}
    parties, whole = sorted(plan.parties), whole_ledger(plan, len(end.words or ()))
    noises = [told[name].noise if name in told else whole.noise for name in parties]
    return {
        "parties": [
            {"name": name, "n_answers": len(end.answered.get(name, [])), "attested": name in told}
            for name in parties
        ],
        "privacy": attestations.stated_rows(told, parties, whole.statements()),
        "planned": ledger.statements(),
        "noise": max(noises, key=[str(source) for source in SOURCES].index),
    }


def _record(plan: Plan, terms: Terms, end: Checkpoint) -> dict[str, Any]:
    method = terms.method
    return {
        "schema": SCHEMA,
        "method": plan.method_name,
        "variant": getattr(method, "variant", None),
        "engine": "https",
        "source": f"federation {plan.name}, run {end.run}",
        "run": end.run,
        "plan": plan.digest,
        "seed": terms.seed,
        "seconds": sum(line.seconds for line in end.rounds),
        "n_words": len(end.words or ()),
        "settings": settings_in_force(method, len(end.words or ())),
        "notes": notes(method, len(end.words or ())),
        "vocabulary": GIVEN if terms.agreement is None else AGREED,
        "scores": dict.fromkeys(SCORES),
        "rounds": [asdict(line) | {"missing": list(line.missing)} for line in end.rounds],
        "party_topics": {name: amounts.tolist() for name, amounts in party_topics(method, end.state).items()},
        "versions": {
            "fedtopics": fedtopics.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
    }
