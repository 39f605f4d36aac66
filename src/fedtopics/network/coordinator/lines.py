"""What the coordinator and each party have in common of a run's messages, by which the next are coded.

Only while this process lives: who has lost it, or was not there, is told all, and is asked for all. What a
party was told counts as known when it has answered.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from fedtopics.network import wire
from fedtopics.network.coordinator.answers import Asking
from fedtopics.network.coordinator.spool import Sent, Spool
from fedtopics.protocol.coding import NOTHING, Known
from fedtopics.protocol.engine import same
from fedtopics.protocol.turn import Arrays

T = TypeVar("T")


@dataclass
class Lines:
    """Both directions between a coordinator and its parties."""

    asking: Asking
    significant_bits: int | None
    folder: Path
    _told: dict[str, Known] = field(default_factory=dict, init=False)
    _sent: Spool = field(init=False)

    def __post_init__(self) -> None:
        self._sent = Spool(self.folder)

    def exchange(
        self,
        number: int,
        told: Mapping[str, Arrays],
        read: Callable[[str, bytes, Known], T],
        vocabulary: str,
    ) -> dict[str, T]:
        """What each party contributes to a round; those that know no message before are told again, in full.

        read   makes of a party's name, its bytes and what is known of its messages what is returned
        """
        sent: dict[str, T] = {}
        left = told
        for _ in range(2):
            bodies, after = self._packed(left)
            known = {name: self._sent.digest(name) for name in left}

            def heard(name: str, body: bytes) -> T:
                return read(name, body, self._sent.known(name))

            found = self.asking.collect("contribute", number, bodies, heard, vocabulary, known)
            self._told |= {name: after[name] for name in found}
            sent |= found
            left = {name: left[name] for name in sorted(self.asking.forgetful & left.keys())}
            if not left:
                break
            self._told = {name: what for name, what in self._told.items() if name not in left}
        if number < 0:  # words are agreed on in rounds that have nothing in common with each other
            self._told = {}
            self._sent.clear()
        return dict(sorted(sent.items()))

    def took(self, party: str, body: bytes, arrays: Arrays) -> Arrays:
        """The arrays, noted as what this party has sent in this message."""
        before = self._sent.known(party) if wire.is_relative(body) else NOTHING
        self._sent.put(party, before.after(arrays))
        return arrays

    def sent(self, parties: Iterable[str]) -> Sent:
        """What these parties have sent last, one at a time."""
        return Sent(self._sent, tuple(sorted(parties)))

    def _packed(self, told: Mapping[str, Arrays]) -> tuple[dict[str, bytes], dict[str, Known]]:
        """What each party is told as bytes, and what it knows then; what is alike is packed once."""
        bodies: dict[str, bytes] = {}
        after: dict[str, Known] = {}
        first = ""
        for name, arrays in told.items():
            alike = first and same(told[first], arrays) and self._known(first) == self._known(name)
            if not alike:
                first = name
                known, shown = self._told.get(name, NOTHING), wire.as_carried(arrays, self.significant_bits)
                bodies[name], after[name] = wire.pack(shown, known=known), known.after(shown)
            else:
                bodies[name], after[name] = bodies[first], after[first]
        return bodies, after

    def _known(self, party: str) -> str:
        return self._told.get(party, NOTHING).digest
