"""The files of a finished run as every party gets them, and the coordinator's signature under its record.

`run.json.sig` holds the Ed25519 signature of `run.json`, which names the model and the attestations by hash.
"""

from hashlib import sha256
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.model.files import NUMBERS
from fedtopics.network import attestation
from fedtopics.runs.record import CARD
from fedtopics.runs.run import read_record

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
    record, numbers = read_record(folder / "run.json"), sha256((folder / NUMBERS).read_bytes()).hexdigest()
    if record.get("model_sha256") != numbers or not _is_of(record, TopicModel.load(folder)):
        raise InputError(f"{folder}: run.json belongs to another model; the folder was altered")


def _is_of(record: dict[str, Any], model: TopicModel) -> bool:
    """Whether the record has this model's size, and its card says nothing else: no hash covers that."""
    size = record["n_topics"], record["n_words"]
    alike = all(model.card[name] == record.get(name) for name in CARD if name in model.card)
    return size == (model.n_topics, model.n_words) and alike
