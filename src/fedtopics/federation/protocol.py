"""The contract between a method (a paper) and an engine (in process, or over a network).

One round:   server --broadcast--> each party --contribute--> server --combine--> next state

Whatever crosses the wire or outlives a round is `Arrays`, so any engine can carry it. A method is a frozen
dataclass of its hyper-parameters and holds no state.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Arrays: TypeAlias = dict[str, NDArray[np.generic]]
