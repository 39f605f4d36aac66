"""The secure sum: what masks cost a party and a round, and what noise that is drawn together gains.

"mask": one party of 50 masks 10,000 x 50 integers. "round": three parties over mutual TLS, 4 MB of counts
each way, with and without a secure sum. "owners": hush on the mails of six owners in Enron, with one noise in
the middle (all documents in one place), with noise drawn together, and with noise of each. "absent": CALM
whose server finds the counts of who is away from totals, against one that keeps the last counts of each party
and one that drops them. "bits": CALM with fewer bits after the binary point in its sums.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

from benchmarks.case import Steps, case
from benchmarks.cases import federation, secure_sum_tables
from benchmarks.cases.hush import DELTA, N_TOPICS, SEEDS, documents, trained
from benchmarks.runner import in_own_process
from fedtopics import network
from fedtopics.documents.corpus import Corpus
from fedtopics.evaluation.perplexity import perplexity
from fedtopics.methods import hush
from fedtopics.methods.calm import Calm
from fedtopics.methods.parts.absent import HELD, KNOWN, PRESENT
from fedtopics.network import secure_sum, wire
from fedtopics.network.secure_sum import SecureSum, new_key
from fedtopics.protocol import in_process, summing
from fedtopics.protocol.summing import Summing, Total
from fedtopics.protocol.turn import Arrays, Party, Turn

N_PARTIES, SHAPE = 50, (10_000, 50)
EPSILON = 8.0
FLOATS: dict[str, Any] = {"n_steps": 2, "momentum": 0.9, "sends": "counts", "tells": "topics"}
PAGE = "docs/operate/secure-sum.md"


def mask(seed: int) -> dict[str, Any]:
    """Processor seconds of a party for one round, and bytes beside those of a float32 array."""
    names = [f"party-{number}" for number in range(N_PARTIES)]
    keys = {name: secure_sum.introduced(name, "r", "p", new_key(), b"", lambda _: "").key for name in names}
    party = SecureSum(names[20], new_key(), keys, "p", "r")
    steps = {"counts": np.random.default_rng(seed).integers(0, 2**40, SHAPE).astype(np.uint64)}
    began = process_time()
    body = wire.pack(party.masked(steps, 0, names))
    seconds = process_time() - began
    return {"seconds": seconds, "bytes": len(body), "times_float32": len(body) / (4 * np.prod(SHAPE))}


def seconds_a_round(how: Summing | None) -> dict[str, Any]:
    """Three real processes and a coordinator: 20 rounds of CALM on 20,000 words and 50 topics."""
    with TemporaryDirectory() as folder:
        return federation.overhead(Path(folder), how)


def owners(how: str, seed: int) -> dict[str, Any]:
    """Perplexity of hush on six owners of mails, by how noise is drawn."""
    data = documents("enron_spam", party_column="owner")
    given = {"epsilon": EPSILON, "delta": DELTA}
    if how == "central":
        return trained(replace(data, parties={"all": data.train}), "hush", seed, **given)
    if how == "each":
        return trained(data, "hush", seed, **given)
    drawn = Summing(int(how.removeprefix("together ")), "together")
    return trained(data, "hush", seed, secure_sum=drawn, **given)


class Keeping(Calm):
    """CALM as it was: the server keeps the last counts of each party."""

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        if "counts" not in state:
            return super().combine(state, sent, turn)
        last = {name: array for name, array in state.items() if name.startswith("last/")}
        last |= {f"last/{name}": arrays["counts"] for name, arrays in sent.items()}
        whole = np.sum([last[name] for name in sorted(last)], axis=0, dtype=np.float64)
        likelihood = np.array(sum(float(arrays["likelihood"]) for arrays in sent.values()))
        total = Total({"counts": whole, "likelihood": likelihood}, tuple(sent))
        return self.combine_total(state, total, turn) | last


class Dropping(Calm):
    """CALM whose rounds are made of the parties that are there."""

    def combine_total(self, state: Arrays, total: Total, turn: Turn) -> Arrays:
        unaware = {name: array for name, array in state.items() if name not in (HELD, PRESENT, KNOWN)}
        return super().combine_total(unaware, total, turn)


def absent(kind: str, when: str, seed: int) -> dict[str, float]:
    """Perplexity of CALM on three parties of KOS where one of them is away."""
    data = documents("kos", 3)
    made = {"keeps": Keeping, "drops": Dropping, "totals": Calm}[kind]
    method = made(epsilon=6.0, n_topics=N_TOPICS, n_rounds=100, **FLOATS)
    away = sorted(data.parties)[seed % 3]
    generator = np.random.default_rng(seed)
    gone = {
        "never": np.zeros(100, bool),
        "a third of the rounds": generator.random(100) < 1 / 3,
        "the second half": np.arange(100) >= 50,
    }[when]
    gone[0] = False
    state = _played(method, data.parties, away, gone, seed)
    return {"perplexity": perplexity(method.model(state, data.test.vocabulary), data.test)}


def _played(method: Calm, parties: Mapping[str, Corpus], away: str, gone: np.ndarray, seed: int) -> Arrays:
    memory: dict[str, Arrays] = {name: {} for name in parties}
    turn = Turn(seed, "server")
    state = method.start(next(iter(parties.values())).n_words, turn)
    for number in range(method.n_rounds):
        told, sent = method.broadcast(state), dict[str, Arrays]()
        for name in sorted(parties):
            if name != away or not gone[number]:
                place = Turn(seed, "party", number, name)
                release, memory[name] = method.contribute(
                    Party(name, parties[name], memory[name]), told, place
                )
                sent[name] = release.value
        state = method.combine(state, sent, replace(turn, round=number))
    return state


def bits(number: int | None, seed: int) -> dict[str, float]:
    """Perplexity of CALM on three parties of KOS with so many bits after the point; None: floats."""
    data = documents("kos", 3)
    method: Any = Calm(epsilon=6.0, n_topics=N_TOPICS, n_rounds=90, **FLOATS)
    if number is not None:
        kept = {name: min(known, number) for name, known in (Calm.sums or {}).items()}
        method = type("Coarse", (Calm,), {"sums": kept})(
            epsilon=6.0, n_topics=N_TOPICS, n_rounds=90, **FLOATS
        )
    how = None if number is None else Summing(1)
    model = in_process.run(method, data.parties, seed=seed, summing=how).model
    assert model is not None
    return {"perplexity": perplexity(model, data.test)}


@case(
    "secure_sum_cost",
    measures=(secure_sum, network),
    minutes=2,
    seeds=SEEDS,
    timed=True,
    pages=(PAGE,),
    shows={"secure-sum-cost": secure_sum_tables.cost},
    summary=secure_sum_tables.cost,
)
def cost_steps() -> Steps:
    """What masks cost: a party's processor time, bytes, and seconds of a round between processes."""
    made: Steps = {f"mask/{seed}": partial(in_own_process, partial(mask, seed)) for seed in SEEDS}
    for seed in SEEDS:
        for name, how in (("without", None), ("with", Summing(1))):
            made[f"round/{name}/{seed}"] = partial(seconds_a_round, how)
    return made


@case(
    "secure_sum_noise",
    measures=(hush, summing),
    minutes=4,
    seeds=SEEDS,
    corpora=("enron_spam",),
    pages=(PAGE,),
    shows={"secure-sum-noise": secure_sum_tables.noise},
    summary=secure_sum_tables.noise,
)
def noise_steps() -> Steps:
    """Hush of six owners of mails with one noise in the middle, drawn together, or by each."""
    hows = ("central", "together 0", "together 1", "together 2", "each")
    return {f"{how}/{seed}": partial(owners, how, seed) for how in hows for seed in SEEDS}


@case(
    "secure_sum_calm",
    measures=(Calm, summing),
    minutes=2,
    seeds=SEEDS,
    corpora=("kos",),
    pages=(PAGE,),
    shows={"secure-sum-absent": secure_sum_tables.absent, "secure-sum-bits": secure_sum_tables.bits},
    summary=secure_sum_tables.absent,
)
def calm_steps() -> Steps:
    """CALM by totals: a party that is away, and fewer bits after the point."""
    made: Steps = {
        f"absent/{when}/{kind}/{seed}": partial(absent, kind, when, seed)
        for when in ("never", "a third of the rounds", "the second half")
        for kind in ("keeps", "totals", "drops")
        for seed in SEEDS
    }
    return made | {
        f"bits/{'floats' if number is None else number}/{seed}": partial(bits, number, seed)
        for number in (None, 16, 8, 4, 0)
        for seed in SEEDS
    }
