"""Bytes on the wire and what rounding them does to CALM: sotu's eras, epsilon 6, 50 topics, 30 rounds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks import stored
from benchmarks.case import Steps, case
from benchmarks.markdown_tables import table
from fedtopics.evaluation.perplexity import perplexity
from fedtopics.methods.calm import Calm
from fedtopics.network import wire
from fedtopics.privacy.price.release import Release
from fedtopics.protocol import in_process
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.runs import preparing as dealing

SEEDS = (0, 1)
BITS = (None, 16, 12, 8)
FLOATS: dict[str, Any] = {"n_steps": 2, "momentum": 0.9, "sends": "counts", "tells": "topics"}


@dataclass
class Sent:
    """A method whose messages go through the wire's format; counts their bytes."""

    method: Any
    significant_bits: int | None
    n_bytes: int = 0
    n_plain: int = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.method, name)

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        release, memory = self.method.contribute(party, self._carried(told), turn)
        return release.map(self._carried), memory

    def _carried(self, arrays: Arrays) -> Arrays:
        message = wire.pack(arrays, significant_bits=self.significant_bits)
        self.n_bytes += len(message)
        self.n_plain += sum(8 * np.asarray(array).size for array in arrays.values())
        return wire.unpack(message, limit=2**30)


prepared = cache(dealing.prepare)


def measured(bits: int | None, seed: int) -> dict[str, Any]:
    """Bytes of all messages of a run, and its perplexity."""
    data = prepared("sotu", max_words=8000)
    sent = Sent(Calm(n_topics=50, n_rounds=30, **FLOATS), bits)
    model = in_process.run(sent, data.parties, seed=seed).model  # type: ignore[arg-type]
    assert model is not None
    return {
        "bytes": sent.n_bytes,
        "bytes_float64": sent.n_plain,
        "share": round(sent.n_bytes / sent.n_plain, 4),
        "perplexity": round(perplexity(model, data.test), 2),
    }


def shares() -> str:
    """Bytes of each way to round, as a share of float64, and the perplexity of every seed."""
    rows = []
    for label, runs in stored.values("wire").items():
        share = f"{100 * fmean(run['share'] for run in runs.values()):.1f} %"
        rows.append([label, share, ", ".join(f"{run['perplexity']:.2f}" for run in runs.values())])
    return table(["", "bytes, of uncompressed float64", "held-out perplexity, seeds 0 and 1"], rows)


@case(
    "wire",
    measures=(wire, Calm),
    minutes=1,
    seeds=SEEDS,
    pages=("docs/operate/deployment.md",),
    shows={"wire": shares},
    summary=shares,
)
def steps() -> Steps:
    """Bytes on the wire, and what rounding them does to CALM."""
    return {
        f"{f'{bits} bits' if bits else 'exact'}/{seed}": partial(measured, bits, seed)
        for bits in BITS
        for seed in SEEDS
    }
