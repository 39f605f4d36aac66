"""FedLDA and LP-LDA on real corpora: what the papers report, and what holds.

Every document is a user; perplexity is by held-out document completion on other documents of the same set, a
fifth as many.
"""

from __future__ import annotations

from functools import partial
from time import process_time
from typing import Any

import numpy as np

from benchmarks.case import Steps, case
from benchmarks.cases import local_charts, local_tables
from benchmarks.cases.local_charts import CHANNELS, EVERY
from benchmarks.corpora import USERS, users
from benchmarks.watching import Watched
from fedtopics import methods
from fedtopics.documents.corpus import Corpus
from fedtopics.evaluation.perplexity import perplexity, unigram_perplexity
from fedtopics.methods import fedlda, lplda
from fedtopics.methods.parts import noisy_reports, reports
from fedtopics.privacy.mechanisms import prior_response
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.mechanisms.prior_response import flip_probability
from fedtopics.privacy.mechanisms.sampled_response import SampledResponse
from fedtopics.protocol import in_process

ROUNDS, SEEDS = 60, (0, 1, 2)
SETS, BAGS = ("amazon", "enron_spam", "imdb"), ("kos", "nips", "enron ham")
RATES = (0.5, 0.2, 0.1, 0.01, 0.001)
SPLITS = ((10, 1, 50), (20, 1, 50), (10, 2, 50), (5, 4, 50), (20, 105, 150))  # rounds, tuples, length


def measured(held: str, name: str, seed: int, **settings: Any) -> dict[str, Any]:
    """Perplexity by round, and what was sent."""
    began = process_time()
    corpus, test = users(held)
    method = methods.make(name, **settings)
    watched = Watched(method, test, min(EVERY, method.n_rounds))
    outcome = in_process.run(watched, {"users": corpus}, seed=seed)  # type: ignore[arg-type]
    sent = max(outcome.rounds, key=lambda entry: entry.bytes_up)
    return {
        "settings": {"method": name, "seed": seed} | settings,
        "by_round": watched.perplexities,
        "perplexity": watched.perplexities[-1],
        "bytes_per_user": sent.bytes_up / corpus.n_docs,
        "cpu_seconds": process_time() - began,
    }


def facts(held: str, n_users: int | None = None) -> dict[str, Any]:
    corpus, test = users(held, n_users)
    return {
        "n_users": corpus.n_docs,
        "n_test": test.n_docs,
        "n_words": corpus.n_words,
        "mean_length": float(corpus.lengths.mean()),
        "unigram": unigram_perplexity(corpus, test),
    }


about_fedlda = partial(case, measures=(fedlda, noisy_reports, reports), pages=("docs/methods/fedlda.md",))


@about_fedlda(
    "local_privacy_channels",
    minutes=5,
    seeds=SEEDS,
    corpora=SETS,
    shows={
        "local-channels": local_tables.channels,
        "methods/local_privacy_channels.svg": local_charts.channels,
    },
)
def channels() -> Steps:
    """FedLDA as printed: every channel, both samplers, perplexity by iteration."""
    made: Steps = {}
    for name in SETS:
        made[f"{name}/facts"] = partial(facts, name)
        for sampler in ("gibbs", "metropolis"):
            for channel in CHANNELS:
                for seed in SEEDS if sampler == "gibbs" else SEEDS[:1]:
                    train = partial(measured, name, "fedlda", seed, variant="paper", n_rounds=ROUNDS)
                    made[f"{name}/runs/{sampler} {channel} {seed}"] = partial(
                        train, channel=channel, sampler=sampler, n_topics=USERS[name].n_topics
                    )
    return made


VARIED: dict[str, tuple[tuple[str, ...], tuple[Any, ...]]] = {  # setting: channels, values
    "epsilon": (CHANNELS[:-1], (5.0, 6.0, 7.5, 9.0)),
    "n_topics": (("rrp", "krr", "none"), (10, 20, 40)),
    "delta": (("rrp", "t-krr"), (0.02, 0.1, 0.3)),
    "n_reports": (("rrp", "none"), (1, 15, 45, 105, 150)),
    "counting": (("rrp", "krr", "none"), ("absolute", "running")),
}


@about_fedlda(
    "local_privacy_varying",
    minutes=4,
    corpora=SETS[:2],
    shows={"local-varying": local_tables.varying, "methods/local_privacy_varying.svg": local_charts.varying},
)
def varying() -> Steps:
    """FedLDA as printed by epsilon, number of topics, delta, sample ratio and way of counting."""
    made: Steps = {}
    for name in SETS[:2]:
        made[f"{name}/facts"] = partial(facts, name)
        common: dict[str, Any] = {"variant": "paper", "n_topics": USERS[name].n_topics, "n_rounds": 40}
        for setting, (tried, values) in VARIED.items():
            for channel in tried:
                for value in values:
                    given = common | {setting: value, "channel": channel}
                    made[f"{name}/{setting}/{channel} {value}"] = partial(
                        measured, name, "fedlda", 0, **given
                    )
    return made


@about_fedlda(
    "local_privacy_totals",
    measures=(fedlda, SampledResponse, noisy_reports, reports),
    minutes=2,
    seeds=SEEDS,
    corpora=SETS,
    shows={"local-totals": local_tables.totals},
)
def totals() -> Steps:
    """FedLDA's reports made once against tuples in every round, at equal totals for a document."""
    made: Steps = {}
    for name in SETS:
        n_topics = USERS[name].n_topics
        made[f"{name}/facts"] = partial(facts, name)
        made[f"{name}/none"] = partial(not_private, name, n_topics=n_topics)
        for total in (128.0, 256.0):
            place = f"{name}/totals/{total}"
            made[f"{place}/private_unigram"] = partial(private_unigram, name, total)
            for rounds, sent, length in SPLITS:
                train = partial(
                    measured, name, "fedlda", 0, variant="paper", channel="krr", n_topics=n_topics
                )
                made[f"{place}/tuples/{rounds} x {sent} of {length}"] = partial(
                    train, epsilon=total / (rounds * sent), n_rounds=rounds, n_reports=sent, max_length=length
                )
            for channel in ("krr", "ue"):
                for seed in SEEDS:
                    train = partial(measured, name, "fedlda", seed, channel=channel, n_topics=n_topics)
                    made[f"{place}/sound/{channel} {seed}"] = partial(train, epsilon=total)
    return made


def not_private(held: str, **settings: Any) -> float:
    """The last perplexity of all documents in one place."""
    return float(measured(held, "pooled", 0, **settings)["perplexity"])


def private_unigram(held: str, total: float) -> float:
    """Perplexity of the word frequencies that the sound variant's reports give."""
    corpus, test = users(held)
    reported = methods.make("fedlda", epsilon=total).reported(corpus.n_words)  # type: ignore[attr-defined]
    words = reported.made(corpus, Noise.simulated(0, "private unigram")).value["words"]
    law = reported.read(np.bincount(words.reshape(-1), minlength=corpus.n_words + 1)[:-1], corpus.n_docs)
    return perplexity(law.unigram[None], test)


@case(
    "local_privacy_bits",
    measures=(lplda, noisy_reports, reports),
    minutes=5,
    seeds=SEEDS,
    corpora=("kos", "nips", "enron_spam"),
    pages=("docs/methods/lplda.md",),
    shows={
        "local-bits": local_tables.bits,
        "local-equal-words": local_tables.equal_words,
        "methods/local_privacy_bits.svg": local_charts.bits,
    },
)
def bits() -> Steps:
    """LP-LDA by f against the Laplace baseline, and by word epsilon against its sound variant."""
    made: Steps = {}
    for name in BAGS:
        n_topics = USERS[name].n_topics
        made[f"{name}/facts"] = partial(facts, name)
        made[f"{name}/none"] = partial(not_private, name, n_topics=n_topics, n_rounds=30)
        train = partial(measured, name, "lplda", n_topics=n_topics, n_rounds=ROUNDS)
        printed = partial(train, seed=0, variant="paper", beta=0.01)
        made |= {f"{name}/paper/{f}": partial(printed, f=f) for f in RATES}
        for scale in (1.0, float(n_topics)):
            noisy = partial(printed, channel="laplace", sensitivity=scale)
            made |= {f"{name}/laplace/{scale:g} {f}": partial(noisy, f=f) for f in RATES}
        for epsilon, seeds in ((4.0, SEEDS), (6.0, SEEDS[:1])):
            for variant in ("paper", "sound"):
                equal = partial(train, epsilon=epsilon, variant=variant)
                made |= {f"{name}/equal/{variant} {epsilon:g} {s}": partial(equal, seed=s) for s in seeds}
    return made


def seconds(channel: str, n_users: int) -> dict[str, float]:
    """Of a round with 150 words a user, K = 30, two threads."""
    n_words, length = 3309, 150
    law = 1 / np.arange(1, n_words + 1)
    words = np.random.default_rng(0).choice(n_words, n_users * length, p=law / law.sum()).astype(np.int32)
    corpus = Corpus(words, np.arange(n_users + 1) * length, tuple(map(str, range(n_words))))
    method = methods.make("fedlda", variant="paper", channel=channel, n_topics=30, n_rounds=3)
    began = process_time()
    outcome = in_process.run(method, {"users": corpus}, seed=0, n_threads=2)
    return {
        "seconds": min(entry.seconds for entry in outcome.rounds),
        "cpu_seconds": (process_time() - began) / 3,
        "bytes_per_user": outcome.rounds[-1].bytes_up / n_users,
        "bytes_of_dense_counts": 4 * n_words * 30,
    }


@about_fedlda("local_privacy_speed", minutes=2, timed=True)
def speed() -> Steps:
    """Seconds of a round of FedLDA with 5,000 and 50,000 users."""
    sizes = [(channel, 5000) for channel in CHANNELS] + [("rrp", 50_000), ("krr", 50_000)]
    return {f"{channel} {n_users}": partial(seconds, channel, n_users) for channel, n_users in sizes}


@about_fedlda("local_privacy_eta", measures=(prior_response,), minutes=0.1)
def eta() -> Steps:
    """FedLDA's table of flips, with and without its Zipf correction."""
    return {
        f"epsilon {epsilon:g}, gamma {gamma:g}": partial(flip_probability, epsilon, 0.1, gamma)
        for epsilon in (7.5, 5.0)
        for gamma in (float("inf"), 1.0)
    }
