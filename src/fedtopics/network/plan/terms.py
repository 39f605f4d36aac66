"""What coordinator and parties have agreed on, as far as an engine needs to know."""

from __future__ import annotations

from dataclasses import dataclass

from fedtopics.privacy.words import Agreement
from fedtopics.protocol.method import Method
from fedtopics.protocol.turn import Turn


@dataclass(frozen=True)
class Terms:
    """The terms of a run, the same at every machine.

    plan       digest of the plan that each party has accepted
    words      the public word list; None where the parties agree on the words
    agreement  how they do that; None where the list is public
    seed       of everything that is drawn but privacy noise, and of that too unless `secure`
    """

    plan: str
    parties: tuple[str, ...]
    method: Method
    seed: int
    secure: bool = True
    min_parties: int = 1
    timeout_seconds: float = 600.0
    words: tuple[str, ...] | None = None
    agreement: Agreement | None = None
    significant_bits: int | None = None
    n_threads: int = 1

    def turn(self, role: str, number: int = 0, party: str = "") -> Turn:
        """A place in the run with its random streams, the same under every engine."""
        return Turn(self.seed, role, number, party, n_threads=self.n_threads, secure=self.secure)
