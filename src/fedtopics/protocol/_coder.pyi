import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.int32]

def encode(values: Plane, known: Plane, last: Plane) -> bytes: ...
def decode(content: bytes, values: Plane, known: Plane, last: Plane) -> bool: ...
