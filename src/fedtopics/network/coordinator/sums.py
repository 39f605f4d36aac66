"""The coordinator's side of secure sums: it passes keys on, names the parties of a sum, and opens totals.

    who has come      its key, checked, then all keys to all                                    (key, peers)
    every round       who is ready with a release  ->  these are the parties of the sum, noted on the disk
                      their parts of it, all of them, from those that fall silent when they are back   (sum)

Who falls silent before it is ready costs nothing. Who does so afterwards is waited for: a party is part of
one sum of a round alone. Where it does not come back the round is lost, and where the plan has none to lose
the run waits.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
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
from fedtopics.protocol.summing import Total, out_of_steps
from fedtopics.protocol.told import Form
from fedtopics.protocol.turn import Arrays

NOTE = "sum.json"
LARGEST_WHOLE = 1e15  # of integers, which may be steps
ATTEMPTS = 3  # to get the parts of those that were ready
Collect = Callable[..., dict[str, Any]]  # operation, round, bodies, read, vocabulary -> what each party sent
Wanted = Mapping[str, Expected]


class SilentError(InputError):
    """Some parties of a sum have not sent their part: it cannot be opened."""


@dataclass
class Sums:
    """The secure sums of one run; `collect` asks parties, and reads what they answer."""

    terms: Terms
    run: str
    folder: Path
    authority: x509.Certificate
    collect: Collect
    _introduced: dict[str, bytes] = field(default_factory=dict, init=False)

    def introduce(self, new: Iterable[str], present: Iterable[str]) -> list[str]:
        """Of all these parties, those that have a key and know the keys of all."""
        found = self.collect("key", 0, dict.fromkeys(sorted(new), b""), self._introduction)
        self._introduced |= found
        told = {name: np.frombuffer(content, np.uint8) for name, content in sorted(self._introduced.items())}
        body = wire.pack(told)
        return list(self.collect("peers", 0, dict.fromkeys(sorted({*found, *present}), body), _read_nothing))

    def _introduction(self, party: str, body: bytes) -> bytes:
        content = wire.unpack(body, limit=MOST_BYTES, names=(INTRODUCTION,))[INTRODUCTION].tobytes()
        Introduction.from_bytes(content).checked(party, self.run, self.terms.plan, self.authority)
        return content

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
        for _ in range(ATTEMPTS):
            missing = dict.fromkeys((name for name in parties if name not in sent), body)
            if missing:
                sent |= self.collect("sum", number, missing, lambda n, b: _read(b, wanted(n)), vocabulary)
        if len(sent) < len(parties):
            raise SilentError(f"{', '.join(name for name in parties if name not in sent)} fell silent")
        total = out_of_steps(opened(sent, parties), self.terms.method.sums or {})
        _check(total, self.terms.method.may_be_negative, len(parties))
        return Total(total, parties)

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


def read_ready(party: str, body: bytes) -> None:
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
        if max(-least, most) > largest or (least < 0 and name not in may_be_negative):
            raise WireError(
                f"the total of {name} makes no sense: a party has sent something else than its part, and a "
                "secure sum does not show which"
            )
