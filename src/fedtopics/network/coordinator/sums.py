"""The coordinator's side of secure sums: it passes keys on, names the parties of a sum, and opens totals.

    who has come      its key, checked, then all keys to all                                    (key, peers)
    every round       who is ready with a release  ->  these are the parties of the sum, noted on the disk
                      their parts of it, all of them, from those that fall silent when they are back   (sum)

Who falls silent before it is ready costs nothing. Who does so afterwards is waited for: a party is part of
one sum of a round alone. Where it does not come back the round is lost, and where the plan has none to lose
the run waits.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import numpy as np
from cryptography import x509

from fedtopics import files
from fedtopics.documents.text.words import word_array
from fedtopics.errors import InputError
from fedtopics.network import wire
from fedtopics.network.expected import LARGEST, Expected
from fedtopics.network.plan.terms import Terms
from fedtopics.network.secure_sum import INTRODUCTION, MOST_BYTES, Introduction, opened
from fedtopics.network.wire import WireError
from fedtopics.protocol.coding import Known
from fedtopics.protocol.summing import Total, out_of_steps
from fedtopics.protocol.told import Form
from fedtopics.protocol.turn import Arrays

NOTE, KEYS = "sum.json", "keys.json"
LARGEST_WHOLE = 1e15  # of integers, which may be steps
ATTEMPTS = 3  # to get the parts of those that were ready
LONGEST_WAIT, POLL = 60.0, 0.2  # seconds for one that is gone to come back, before each new attempt
MOST_LATE = 4  # attempts for which a party may keep the others waiting
Collect = Callable[..., dict[str, Any]]  # operation, round, bodies, read, vocabulary -> what each party sent
Wanted = Mapping[str, Expected]


class SilentError(InputError):
    """Some `parties` of a sum have not sent their part: it cannot be opened."""

    def __init__(self, parties: tuple[str, ...]) -> None:
        super().__init__(f"{', '.join(parties)} fell silent")
        self.parties = parties


@dataclass
class Sums:
    """The secure sums of one run; `collect` asks parties, and reads what they answer."""

    terms: Terms
    run: str
    folder: Path
    authority: x509.Certificate
    collect: Collect
    there: Callable[[], Collection[str]]  # who can be asked
    _introduced: dict[str, str] = field(default_factory=dict, init=False)
    _late: Counter[str] = field(default_factory=Counter, init=False)

    def __post_init__(self) -> None:
        if (self.folder / KEYS).is_file():
            self._introduced = json.loads((self.folder / KEYS).read_bytes())

    def introduce(self, new: Iterable[str], present: Iterable[str]) -> list[str]:
        """Of all these parties, those that have a key and know the keys of all."""
        found = self.collect("key", 0, dict.fromkeys(sorted(new), b""), self._introduction)
        if not found.keys() <= self._introduced.keys():
            self._introduced |= found
            files.write(self.folder / KEYS, json.dumps(self._introduced).encode())
        known = sorted(self._introduced.items())
        body = wire.pack({name: np.frombuffer(text.encode(), np.uint8) for name, text in known})
        return list(self.collect("peers", 0, dict.fromkeys(sorted({*found, *present}), body), _read_nothing))

    def _introduction(self, party: str, body: bytes) -> str:
        """How a party shows its key: as it did the first time."""
        content = wire.unpack(body, limit=MOST_BYTES, names=(INTRODUCTION,))[INTRODUCTION].tobytes()
        told, known = Introduction.from_bytes(content), self._introduced.get(party)
        if known is None:
            told.checked(party, self.run, self.terms.plan, self.authority)
            return content.decode()
        if told.key != Introduction.from_bytes(known.encode()).key:
            raise WireError(f"expected the key that {party} has shown before in this run, got another")
        return known

    def named(self, ready: Sequence[str], unreliable: Collection[str]) -> tuple[str, ...]:
        """Of those that are ready, without those that let sums fail or wait, where enough are left."""
        late = {name for name, times in self._late.items() if times > MOST_LATE}
        steady = tuple(name for name in ready if name not in late and name not in unreliable)
        return steady if len(steady) >= self.terms.min_parties else tuple(ready)

    def total(
        self,
        number: int,
        ready: Sequence[str],
        wanted: Callable[[str], Iterable[Wanted]],  # forms of a party's arrays, by its name
        vocabulary: str,
    ) -> Total:
        """The sum over those that are ready, or over those that were named before in this round."""
        parties, sent = self._named(number, ready), dict[str, Arrays]()
        body = wire.pack({"words": word_array(parties)})
        for attempt in range(ATTEMPTS):
            missing = tuple(name for name in parties if name not in sent)
            if not missing:
                break
            if attempt:
                self._late.update(missing)
                self._wait_for(missing)
            bodies = dict.fromkeys(missing, body)
            sent |= self.collect("sum", number, bodies, lambda n, b: _read(b, wanted(n)), vocabulary)
        if len(sent) < len(parties):
            raise SilentError(tuple(name for name in parties if name not in sent))
        total = out_of_steps(opened(sent, parties), self.terms.method.sums or {})
        _check(total, self.terms.method.may_be_negative, len(parties))
        return Total(total, parties)

    def _wait_for(self, parties: Sequence[str]) -> None:
        """Until all of them can be asked again, or for a while."""
        until = monotonic() + min(LONGEST_WAIT, self.terms.timeout_seconds)
        while not set(parties) <= set(self.there()) and monotonic() < until:
            sleep(POLL)

    def _named(self, number: int, ready: Sequence[str]) -> tuple[str, ...]:
        """The parties of this round's sum: once they are named no others are."""
        note = self.folder / NOTE
        if note.is_file():
            noted = json.loads(note.read_bytes())
            if noted["round"] == number:
                return tuple(noted["parties"])
        files.write(note, json.dumps({"round": number, "parties": sorted(ready)}).encode())
        return tuple(sorted(ready))


def of_form(form: Form) -> Wanted:
    """What a declared form says of arrays that are to be added."""
    return {
        name: Expected(what.type, tuple(n for n in what.shape if isinstance(n, int)), what.least < 0)
        for name, what in form.items()
    }


def read_ready(party: str, body: bytes, known: Known) -> None:
    """A party says that its release is made, and nothing else."""
    _read_nothing(party, body)


def _read_nothing(party: str, body: bytes) -> None:
    wire.unpack(body, limit=0, names=())


def _read(body: bytes, wanted: Iterable[Wanted]) -> Arrays:
    """A party's part of a sum: masked integers, of one of the forms that are wanted."""
    for form in wanted:
        shapes = {name: what.shape for name, what in form.items()}
        size = 8 * sum(prod(n or 0 for n in shape) for shape in shapes.values())
        try:
            arrays = wire.unpack(body, limit=size, names=tuple(shapes))
        except WireError:
            continue
        if all(array.dtype == np.uint64 and array.shape == shapes[name] for name, array in arrays.items()):
            return arrays
    raise WireError("expected masked integers of 64 bits, as many as the method sends, got others")


def _check(total: Arrays, may_be_negative: Sequence[str], n_parties: int) -> None:
    """Refuse a total that no numbers of these parties have: one has sent nonsense, and nobody sees who."""
    for name, array in total.items():
        least, most = array.min(initial=0), array.max(initial=0)
        largest = n_parties * (LARGEST if array.dtype.kind == "f" else LARGEST_WHOLE)
        if least < -largest or most > largest or (least < 0 and name not in may_be_negative):
            raise WireError(
                f"the total of {name} makes no sense: a party has sent something else than its part, and a "
                "secure sum does not show which"
            )
