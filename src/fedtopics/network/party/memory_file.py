"""What a party remembers of a run between its rounds, as bytes and back."""

from pathlib import Path

from fedtopics.files import StoreError
from fedtopics.protocol.turn import Arrays


def saved(memory: Arrays) -> bytes:
    import numpy as np
    from safetensors.numpy import save

    return bytes(
        save({name: np.ascontiguousarray(array).reshape(array.shape) for name, array in memory.items()})
    )


def loaded(path: Path) -> Arrays:
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        return dict(load(path.read_bytes()))
    except SafetensorError:
        raise StoreError(f"memory {path} was altered; the run cannot go on here") from None
