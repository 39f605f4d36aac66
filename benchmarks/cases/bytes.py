"""Bytes on the wire: CALM by whole roots beside CALM as it was, sums, other methods, and a wide area link.

Three unequal parties, epsilon 6. "today" is CALM as it was before counts travelled as roots: 200 rounds of
float32 numbers, compressed by Zstandard. "roots" is the default. "sums" adds up counts as a secure sum does,
with some bits after the binary point; every number takes 64 bits. "others": what other methods send, as it is
in memory, compressed array by array, and coded by what the receiver knows. "coders": ways to code the same
planes. "wide area": a whole run of real processes, each party behind 80 ms and 20 Mbit/s.
"""

from __future__ import annotations

import lzma
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, ClassVar

import numpy as np
import pyarrow
from numpy.typing import NDArray

from benchmarks import stored
from benchmarks.case import Steps, case
from benchmarks.cases import federation
from benchmarks.corpora import dealt
from benchmarks.markdown_tables import table
from fedtopics import methods
from fedtopics.evaluation.perplexity import perplexity
from fedtopics.methods.calm import Calm, roots
from fedtopics.privacy.price.release import Release
from fedtopics.protocol import coding, in_process
from fedtopics.protocol.coding import NOTHING, Known
from fedtopics.protocol.engine import size
from fedtopics.protocol.summing import Summing
from fedtopics.protocol.turn import Arrays

SEEDS = tuple(range(6))  # of imdb, and of sums, the first three
FEWER = SEEDS[:3]
SETS = {"kos": 50, "ap": 50, "ohsumed": 50, "imdb": 30}  # numbers of topics
TODAY = {"n_rounds": 200, "n_steps": 2, "momentum": 0.9, "sends": "counts", "tells": "topics"}
BITS = (16, 8, 4)
OTHERS: dict[str, dict[str, Any]] = {
    "shared": {"n_rounds": 200},
    "ftm": {},
    "hush": {"epsilon": 8.0, "delta": 1e-6},
    "pctd": {"n_rounds": 30},
}


class With4Bits(Calm):
    sums: ClassVar[Mapping[str, int] | None] = {**(Calm.sums or {}), "counts": 4}


class With8Bits(Calm):
    sums: ClassVar[Mapping[str, int] | None] = {**(Calm.sums or {}), "counts": 8}


class With16Bits(Calm):
    sums: ClassVar[Mapping[str, int] | None] = {**(Calm.sums or {}), "counts": 16}


def trained(name: str, seed: int, settings: dict[str, Any], bits: int | None = None) -> dict[str, float]:
    """Perplexity, megabytes up and down, and processor seconds of one training."""
    data = dealt(name)
    kind = {None: Calm, 4: With4Bits, 8: With8Bits, 16: With16Bits}[bits]
    method, summing = kind(n_topics=SETS[name], **settings), None if bits is None else Summing(1)
    began = process_time()
    outcome = in_process.run(method, data.parties, seed=seed, n_threads=1, summing=summing)
    seconds = process_time() - began
    assert outcome.model is not None
    return {
        "perplexity": perplexity(outcome.model, data.test),
        "megabytes_up": sum(line.bytes_up for line in outcome.rounds) / 1e6,
        "megabytes_down": sum(line.bytes_down for line in outcome.rounds) / 1e6,
        "cpu_seconds": seconds,
    }


def sent_by(name: str, label: str) -> dict[str, float]:
    """Megabytes of all messages of another method: in memory, each by itself, and by what is known."""
    data, found = dealt(name), {"plain": 0, "compressed": 0, "coded": 0}
    known: dict[tuple[str, str], Known] = {}

    def heard(number: int, party: str, told: Arrays, release: Release[Arrays]) -> None:
        for way, arrays in (("down", told), ("up", release.value)):
            before = known.get((way, party), NOTHING)
            found["plain"] += size(arrays)
            found["compressed"] += sum(len(coding._compressed(array)[1]) for array in arrays.values())
            found["coded"] += coding.n_bytes(arrays, before)
            known[way, party] = before.after(arrays)

    method = methods.make(label, n_topics=SETS[name], **OTHERS[label])
    in_process.run(method, data.parties, seed=0, n_threads=2, overhear=heard)
    return {key: value / 1e6 for key, value in found.items()}


def coded(name: str) -> dict[str, dict[str, float]]:
    """Megabytes and processor seconds of ways to code what one party sends in a run, after the first."""
    planes: list[NDArray[np.int32]] = []

    def heard(number: int, party: str, told: Arrays, release: Release[Arrays]) -> None:
        if party == min(data.parties) and "roots" in release.value:
            planes.append(release.value["roots"].ravel())

    data = dealt(name)
    in_process.run(Calm(n_topics=SETS[name]), data.parties, seed=0, n_threads=2, overhear=heard)
    zstd = {level: pyarrow.Codec("zstd", compression_level=level).compress for level in (3, 9, 19)}
    coders: dict[str, Callable[[bytes], bytes]] = {
        **{f"zstd {level}": partial(compress, asbytes=True) for level, compress in zstd.items()},
        "zlib 6": partial(zlib.compress, level=6),
        "lzma 1": partial(lzma.compress, preset=1),
    }
    found = {label: {"megabytes": 0.0, "seconds": 0.0} for label in (*coders, "range coder")}
    for before, old, new in zip(planes, planes[1:], planes[2:], strict=False):
        kind = np.minimum(np.frexp(old)[1], 9) * 7 + np.clip(old - before, -3, 3)
        small = np.clip(new - old, -128, 127).astype(np.int8)[np.argsort(kind, kind="stable")].tobytes()
        known = Known({"roots": old}, {"roots": old - before})
        for label in found:
            began = process_time()
            block = coders[label](small) if label in coders else coding.encoded("roots", new, known)[1]
            found[label]["seconds"] += process_time() - began
            found[label]["megabytes"] += len(block) / 1e6
    return found


def wide_area(name: str) -> dict[str, Any]:
    """One run of real processes, each party behind a slow link, on the words that are letters alone."""
    data = dealt(name)
    known = data.test.vocabulary
    words = [word for word in known if word.isalpha() and word.isascii()]
    texts = {
        party: [" ".join(known[w] for w in document) for document in np.split(c.words, c.offsets[1:-1])]
        for party, c in data.parties.items()
    }
    with TemporaryDirectory() as place:
        folder = Path(place)
        settings = {"n_topics": SETS[name]}
        whole = federation.founded(folder, words, texts, settings)
        with federation.links(folder, whole) as whole.prefixes, whole:
            whole.start()
            record, model, seconds = federation.trained(whole, 1500)
        found = federation.compared(whole, record, model)
    rounds = record["rounds"]
    return {
        "seconds_in_all": seconds,
        "seconds_of_rounds": sum(line["seconds"] for line in rounds),
        "megabytes_up": sum(line["bytes_up"] for line in rounds) / 1e6,
        "megabytes_down": sum(line["bytes_down"] for line in rounds) / 1e6,
        **{key: found[key] for key in ("words", "topics", "rounds", "same_model_bit_for_bit")},
    }


def _mean(runs: dict[str, dict[str, float]], key: str) -> float:
    return fmean(run[key] for run in runs.values())


def compared() -> str:
    """CALM as it was and by roots: perplexity, megabytes and processor time, means over the seeds."""
    rows = []
    for name in SETS:
        found = stored.values("bytes").get(name, {})
        if not {"today", "roots"} <= found.keys():
            continue
        before, now = (found[label] for label in ("today", "roots"))
        change = _mean(now, "perplexity") / _mean(before, "perplexity") - 1
        megabytes = [_mean(runs, "megabytes_up") + _mean(runs, "megabytes_down") for runs in (before, now)]
        rows.append(
            [
                name,
                *(f"{_mean(runs, 'perplexity'):.1f}" for runs in (before, now)),
                f"{100 * change:+.2f} %",
                *(f"{amount:,.1f}" for amount in megabytes),
                f"{_mean(now, 'megabytes_up'):.1f} + {_mean(now, 'megabytes_down'):.1f}",
                f"{_mean(now, 'cpu_seconds') / _mean(before, 'cpu_seconds'):.2f}",
            ]
        )
    head = ["", "perplexity, 200 rounds of floats", "90 rounds of roots", "change", "MB, floats", "MB, roots"]
    return table([*head, "up + down", "processor time, ratio"], rows)


def summed() -> str:
    """Sums of counts with some bits after the binary point, beside roots that each party sends by itself."""
    found = stored.values("bytes").get("kos", {})
    labels = {"roots": "roots, no secure sum", **{f"sums {bits}": f"sums, {bits} bits" for bits in BITS}}
    rows = [
        [
            said,
            f"{_mean(found[label], 'perplexity'):.1f}",
            f"{_mean(found[label], 'megabytes_up'):,.1f}",
            f"{_mean(found[label], 'megabytes_down'):.1f}",
        ]
        for label, said in labels.items()
        if label in found
    ]
    return table(["KOS", "perplexity", "MB up", "MB down"], rows)


def others() -> str:
    """What other methods send in a run, both ways."""
    found = stored.values("bytes").get("others", {})
    rows = [[f"`{label}`", *(f"{run[key]:,.1f}" for key in run)] for label, run in found.items()]
    return table(["KOS, MB", "in memory", "each array by itself (zstd)", "by what is known"], rows)


def coders() -> str:
    """Ways to code the differences of one party's planes; all but the last sort them by what is known."""
    found = stored.values("bytes").get("coders", {})
    rows = [[label, f"{run['megabytes']:.2f}", f"{run['seconds']:.2f}"] for label, run in found.items()]
    return table(["KOS, one party", "MB", "processor seconds"], rows)


def far_away() -> str:
    """A whole run of each set over the emulated wide area."""
    rows = []
    for name, run in stored.values("bytes").get("wide-area", {}).items():
        megabytes = f"{run['megabytes_up']:.1f} + {run['megabytes_down']:.1f}"
        alike = "yes" if run["same_model_bit_for_bit"] else "no"
        rows.append(
            [name, f"{run['seconds_in_all']:.0f}", f"{run['seconds_of_rounds']:.0f}", megabytes, alike]
        )
    return table(
        ["", "seconds in all", "of rounds", "MB up + down", "model as in one process, bit for bit"], rows
    )


@case(
    "bytes",
    measures=(Calm, roots, coding),
    minutes=20,
    seeds=SEEDS,
    corpora=tuple(SETS),
    pages=("docs/operate/bytes.md",),
    shows={
        "bytes": compared,
        "bytes_sums": summed,
        "bytes_others": others,
        "bytes_coders": coders,
        "bytes_far": far_away,
    },
    summary=compared,
)
def steps() -> Steps:
    """Bytes on the wire of CALM by roots, of sums and of other methods, and what they cost in quality."""
    found: Steps = {}
    for name in SETS:
        for seed in FEWER if name == "imdb" else SEEDS:
            found[f"{name}/today/{seed}"] = partial(trained, name, seed, TODAY)
            found[f"{name}/roots/{seed}"] = partial(trained, name, seed, {})
    found |= {
        f"kos/sums {bits}/{seed}": partial(trained, "kos", seed, {}, bits) for bits in BITS for seed in FEWER
    }
    found |= {f"others/{label}": partial(sent_by, "kos", label) for label in OTHERS}
    found["coders"] = partial(coded, "kos")
    return found | {f"wide-area/{name}": partial(wide_area, name) for name in ("kos", "ap", "ohsumed")}
