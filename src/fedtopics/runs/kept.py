"""What parties keep of a run to go on from it, in files for their owner alone: `kept-NAME.safetensors`.

With CALM these are the private histograms, noise and all; with `shared`, which has no privacy, the documents.
"""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote, unquote

import numpy as np

from fedtopics import files
from fedtopics.errors import InputError
from fedtopics.protocol.method import Method
from fedtopics.protocol.turn import Arrays

PREFIX, SUFFIX = "kept-", ".safetensors"
DIGEST = 32  # bytes at the end: SHA-256 of what is before


def check_keeps(method: Method) -> None:
    """Refuse a `method` whose parties keep nothing to go on from."""
    if not method.keeps:
        raise InputError(
            f"expected a method that keeps something for a later update, got {method.about.summary}; "
            "use calm or shared"
        )


def write(folder: Path, kept: Mapping[str, Arrays]) -> None:
    """One file for each party."""
    from safetensors.numpy import save

    for name, arrays in kept.items():
        content = save(
            {key: np.ascontiguousarray(array).reshape(array.shape) for key, array in arrays.items()}
        )
        path = folder / f"{PREFIX}{quote(name, safe='')}{SUFFIX}"
        files.write(path, content + sha256(content).digest(), failed=files.UNWRITTEN)


def read(folder: Path) -> dict[str, Arrays]:
    """What is kept in a folder, by party; an altered file is an error."""
    return {
        unquote(path.name.removeprefix(PREFIX).removesuffix(SUFFIX)): _arrays(path)
        for path in sorted(folder.glob(f"{PREFIX}*{SUFFIX}"))
    }


def _arrays(path: Path) -> Arrays:
    from safetensors import SafetensorError
    from safetensors.numpy import load

    raw = path.read_bytes()
    content, digest = raw[:-DIGEST], raw[-DIGEST:]
    if sha256(content).digest() != digest:
        raise InputError(f"{path} was altered: its hash is not that of its content; use the original")
    try:
        return dict(load(content))
    except (SafetensorError, KeyError, ValueError) as error:
        raise InputError(f"expected safetensors in {path}, got {error}; use the original") from None
