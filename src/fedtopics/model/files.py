"""A model on disk: `model.safetensors` (numbers) and `model.json` (words, labels, model card).

`model.json` holds a SHA-256 over both, so that a damaged or edited model is refused. That guards against
accidents and half copies; who may have written the files is for the file system and the network to say.
No file holds a document, and nothing is ever unpickled.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics import files
from fedtopics.documents.text.harmless import shown_path
from fedtopics.errors import InputError

SCHEMA = "fedtopics.model/1"
NUMBERS, WORDS = "model.safetensors", "model.json"

Arrays: TypeAlias = Mapping[str, NDArray[np.float64]]


def write(
    directory: Path, arrays: Arrays, description: Mapping[str, Any], *, overwrite: bool = False
) -> None:
    """Write a model's two files, each complete or not at all."""
    from safetensors.numpy import save

    present = [name for name in (NUMBERS, WORDS) if (directory / name).exists()]
    if present and not overwrite:
        raise InputError(f"expected no model in {directory}, got {present[0]}; save elsewhere, or overwrite")
    numbers = save({name: np.ascontiguousarray(arrays[name]) for name in sorted(arrays)})
    described = {"schema": SCHEMA, **description}
    described["sha256"] = _content_hash(numbers, described)
    words = _encoded(described, directory)
    directory.mkdir(parents=True, exist_ok=True)
    files.publish(directory / NUMBERS, numbers)
    files.publish(directory / WORDS, words)


def read(directory: Path) -> tuple[dict[str, NDArray[np.float64]], dict[str, Any]]:
    """Arrays and description of the model in a directory, once their hash is checked."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    for name in (NUMBERS, WORDS):
        if not (directory / name).is_file():
            raise InputError(
                f"expected a saved model in {shown_path(directory)}, got no {name} there; check the path"
            )
    numbers = (directory / NUMBERS).read_bytes()
    described = _parse((directory / WORDS).read_bytes(), directory)
    if described.pop("sha256", None) != _content_hash(numbers, described):
        raise InputError(f"model files in {directory} do not match their hash: damaged or edited; save anew")
    try:
        arrays = load(numbers)
    except (SafetensorError, KeyError, ValueError) as error:
        raise InputError(f"expected safetensors in {directory / NUMBERS}, got {error}; save anew") from None
    for name, array in arrays.items():
        if array.dtype != np.float64:
            raise InputError(
                f"expected float64 in {name!r} of {directory / NUMBERS}, got {array.dtype}; save it anew"
            )
    return arrays, described


def _parse(content: bytes, directory: Path) -> dict[str, Any]:
    try:
        described = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"expected JSON in {directory / WORDS}, got {error}; save the model anew") from None
    schema = described.get("schema") if isinstance(described, dict) else None
    if schema != SCHEMA:
        raise InputError(f"expected schema {SCHEMA} in {directory / WORDS}, got {schema!r}; save it anew")
    _encoded(described, directory)
    return dict(described)


def _encoded(described: Mapping[str, Any], directory: Path) -> bytes:
    """The description as it is written; JSON can name half a character, but no file can hold it."""
    try:
        return (json.dumps(described, ensure_ascii=False, indent=1) + "\n").encode()
    except (UnicodeEncodeError, RecursionError) as error:
        raise InputError(f"expected words that a file can hold in {directory}, got {error}; cut it") from None


def numbers_digest(folder: Path) -> str:
    """SHA-256 of the numbers of the model in a folder, by which records and plans name it."""
    return files.digest(folder / NUMBERS)


def _content_hash(numbers: bytes, described: Mapping[str, Any]) -> str:
    canonical = json.dumps(described, sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode()
    return hashlib.sha256(hashlib.sha256(numbers).digest() + canonical).hexdigest()
