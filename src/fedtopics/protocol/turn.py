"""Places in a run, and what is carried between them.

Whatever crosses the wire or outlives a round is `Arrays`, so any engine can carry and store it.
"""

from dataclasses import dataclass
from hashlib import blake2b
from math import sqrt
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.mechanisms.together import Together

Arrays: TypeAlias = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Party:
    """One data holder: its `name`, its private `corpus`, and its `memory`, kept between rounds."""

    name: str
    corpus: Corpus
    memory: Arrays

    def require_documents(self) -> Corpus:
        """The corpus; a party that has no documents is refused."""
        if not self.corpus.n_docs:
            raise InputError(f"party {self.name!r} must have documents, got none; leave it out")
        return self.corpus


@dataclass(frozen=True)
class Turn:
    """One place in a run (a `role`, a `round`, a `party`) with a random stream of its own from `run_seed`.

    The stream is the same under every engine, whatever the other parties and the number `n_threads`.
    Privacy noise is a stream of its own: from the operating system where `secure`, else simulated and marked
    so in the ledger. Where parties draw it `together`, each draws its share.
    """

    run_seed: int
    role: str
    round: int = 0
    party: str = ""
    n_threads: int = 1
    secure: bool = False
    together: Together | None = None

    @property
    def seed(self) -> int:
        """64 bits for the samplers of this turn.

        >>> Turn(0, "party", 3, "north").seed == Turn(0, "party", 3, "north", n_threads=2).seed
        True
        """
        address = f"{self.run_seed}/{self.role}/{self.round}/{self.party}"
        return int.from_bytes(blake2b(address.encode(), digest_size=8).digest(), "little")

    def generator(self) -> np.random.Generator:
        """A NumPy generator on this turn's stream."""
        return np.random.Generator(np.random.Philox(self.seed))

    def noise(self) -> Noise:
        """Noise for the mechanisms of a party; made anew by each call, so call it once in a turn."""
        if self.role != "party":
            raise ValueError(f"privacy noise is drawn by parties, got role {self.role!r}")
        if self.secure:
            return Noise.secure(self.together)
        return Noise.simulated(self.run_seed, self.role, self.round, self.party, together=self.together)

    def noise_of_sum(self, n_parties: int) -> float:
        """[server] Deviation of the noise in a sum of `n_parties`, in that of one release."""
        return sqrt(n_parties) if self.together is None else self.together.of_sum(n_parties)
