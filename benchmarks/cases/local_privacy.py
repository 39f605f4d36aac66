"""FedLDA, LP-LDA and the CGS monitor on real corpora: what the papers report, and what holds.

    python benchmarks/local_privacy.py                        every part
    python benchmarks/local_privacy.py channels --seeds 1     one part of PARTS
    python benchmarks/local_privacy.py totals --sets amazon   one set; results of others are kept
    python benchmarks/local_privacy.py --charts               only draw the stored results

Reads the corpora from FEDTOPICS_DATA (default: ../shared/data) and skips those that are not there. One JSON
file per part goes to benchmarks/results, charts to docs/methods. Every document is a user; perplexity is by
held-out document completion on other documents of the same set, a fifth as many.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from local_charts import CHANNELS, CHARTS, EVERY

from fedtopics import methods
from fedtopics.corpus import Corpus
from fedtopics.evaluation import gibbs_monitor
from fedtopics.evaluation.perplexity import perplexity, unigram_perplexity
from fedtopics.federation import in_process, noisy_reports
from fedtopics.federation.protocol import Arrays, Method, Turn
from fedtopics.listening import listen
from fedtopics.privacy.noise import Noise
from fedtopics.privacy.prior_response import flip_probability
from fedtopics.privacy.sampled_response import SampledResponse
from fedtopics.reading import read
from fedtopics.sampling import lda, monitored

DATA = Path(os.environ.get("FEDTOPICS_DATA", Path(__file__).parents[1] / ".." / "shared" / "data"))
RESULTS = Path(__file__).parent / "results"
PICTURES = Path(__file__).parents[1] / "docs" / "methods"
ROUNDS = 60
RATES = (0.5, 0.2, 0.1, 0.01, 0.001)


@dataclass(frozen=True)
class Set:
    """Where a set is, how it is read, how many users are drawn, and the paper's number of topics."""

    path: str
    reading: dict[str, Any]
    n_users: int
    n_topics: int


SETS = {
    "amazon": Set(
        "amazon_fine_food/Reviews_first7567.csv.xz", {"text_column": "Text", "min_df": 5}, 1000, 20
    ),
    "enron_spam": Set("enron_spam", {"max_words": 3309}, 5000, 30),
    "imdb": Set("imdb", {"max_words": 10_000}, 3000, 50),
}
chosen_sets: set[str] = set()  # all where empty
BAGS = {
    "kos": Set("uci_kos", {"max_words": 1000}, 3000, 50),
    "nips": Set("uci_nips_reduced/docword.nips7605.txt.gz", {"max_words": 1000}, 1349, 50),
    "enron ham": Set("enron_spam", {"max_words": 1000}, 8000, 50),
}


def load(name: str, n_users: int | None = None) -> tuple[Corpus, Corpus] | None:
    """(users, test documents) drawn at random from a set; None where it is not there."""
    source = (SETS | BAGS)[name]
    if chosen_sets and name not in chosen_sets:
        return None
    if not (DATA / source.path).exists():
        print(f"{name}: no data at {DATA / source.path}; set FEDTOPICS_DATA")
        return None
    corpus = read(str(DATA / source.path), progress=None, **source.reading)
    if name == "enron ham":
        corpus = corpus.select(np.array(corpus.labels) == "ham")
    corpus = corpus.select(corpus.lengths >= 2)
    order = np.random.default_rng(0).permutation(corpus.n_docs)
    n_users = min(n_users or source.n_users, int(0.9 * corpus.n_docs))
    return corpus.select(order[:n_users]), corpus.select(order[n_users : n_users + max(200, n_users // 5)])


@dataclass
class Watched:
    """A method that scores its model every so many rounds; all else is the method's own."""

    method: Method
    test: Corpus
    every: int
    perplexities: list[float] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.method, name)

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        state = self.method.combine(state, sent, turn)
        if (turn.round + 1) % self.every == 0:
            model = self.method.model(state, self.test.vocabulary)
            self.perplexities.append(perplexity(model, self.test))  # type: ignore[arg-type]
        return state


def measured(users: Corpus, test: Corpus, name: str, seed: int, **settings: Any) -> dict[str, Any]:
    """Perplexity by round, and what was sent."""
    began = process_time()
    method = methods.make(name, **settings)
    watched = Watched(method, test, min(EVERY, method.n_rounds))
    outcome = in_process.run(watched, {"users": users}, seed=seed)  # type: ignore[arg-type]
    sent = max(outcome.rounds, key=lambda entry: entry.bytes_up)
    result = {
        "settings": {"method": name, "seed": seed} | settings,
        "by_round": watched.perplexities,
        "perplexity": watched.perplexities[-1],
        "bytes_per_user": sent.bytes_up / users.n_docs,
        "cpu_seconds": process_time() - began,
    }
    print(f"{result['settings']} -> {result['perplexity']:.0f}  ({result['cpu_seconds']:.0f} s)", flush=True)
    return result


def facts(users: Corpus, test: Corpus) -> dict[str, Any]:
    return {
        "n_users": users.n_docs,
        "n_test": test.n_docs,
        "n_words": users.n_words,
        "mean_length": float(users.lengths.mean()),
        "unigram": unigram_perplexity(users, test),
    }


def channels(n_seeds: int) -> dict[str, Any]:
    """FedLDA as printed: every channel, both samplers, perplexity by iteration."""
    results: dict[str, Any] = {}
    for name, source in SETS.items():
        if (data := load(name)) is None:
            continue
        runs = [
            measured(
                *data,
                "fedlda",
                seed,
                variant="paper",
                channel=channel,
                sampler=sampler,
                n_topics=source.n_topics,
                n_rounds=ROUNDS,
            )
            for sampler in ("gibbs", "metropolis")
            for channel in CHANNELS
            for seed in range(n_seeds if sampler == "gibbs" else 1)
        ]
        results[name] = facts(*data) | {"runs": runs}
    return results


def varying(n_seeds: int) -> dict[str, Any]:
    """FedLDA as printed by epsilon, number of topics, delta, sample ratio and way of counting."""
    results: dict[str, Any] = {}
    for name in ("amazon", "enron_spam"):
        if (data := load(name)) is None:
            continue
        common: dict[str, Any] = {"variant": "paper", "n_topics": SETS[name].n_topics, "n_rounds": 40}
        given: dict[str, list[dict[str, Any]]] = {
            "epsilon": [
                {"epsilon": epsilon, "channel": channel}
                for channel in CHANNELS[:-1]
                for epsilon in (5.0, 6.0, 7.5, 9.0)
            ],
            "n_topics": [
                {"n_topics": n, "channel": channel}
                for channel in ("rrp", "krr", "none")
                for n in (10, 20, 40)
            ],
            "delta": [
                {"delta": delta, "channel": channel}
                for channel in ("rrp", "t-krr")
                for delta in (0.02, 0.1, 0.3)
            ],
            "n_reports": [
                {"n_reports": n, "channel": channel}
                for channel in ("rrp", "none")
                for n in (1, 15, 45, 105, 150)
            ],
            "counting": [
                {"counting": counting, "channel": channel}
                for channel in ("rrp", "krr", "none")
                for counting in ("absolute", "running")
            ],
        }
        results[name] = facts(*data) | {
            part: [measured(*data, "fedlda", 0, **common | chosen) for chosen in choices]
            for part, choices in given.items()
        }
    return results


def totals(n_seeds: int) -> dict[str, Any]:
    """Equal totals for a document replaced: reports made once, against kRR on tuples in several splits."""
    results: dict[str, Any] = {}
    for name, n_users in (("amazon", None), ("enron_spam", None), ("imdb", None)):
        if (data := load(name, n_users)) is None:
            continue
        n_topics = SETS[name].n_topics
        entry: dict[str, Any] = facts(*data) | {"totals": {}}
        entry["none"] = measured(*data, "pooled", 0, n_topics=n_topics)["perplexity"]
        for total in (128.0, 256.0):
            tuples = [
                measured(
                    *data,
                    "fedlda",
                    0,
                    variant="paper",
                    channel="krr",
                    epsilon=total / (rounds * sent),
                    n_rounds=rounds,
                    n_reports=sent,
                    max_length=length,
                    n_topics=n_topics,
                )
                for rounds, sent, length in (
                    (10, 1, 50),
                    (20, 1, 50),
                    (10, 2, 50),
                    (5, 4, 50),
                    (20, 105, 150),
                )
            ]
            sound = [
                measured(*data, "fedlda", seed, epsilon=total, channel=channel, n_topics=n_topics)
                for channel in ("krr", "ue")
                for seed in range(n_seeds)
            ]
            entry["totals"][str(total)] = {
                "tuples": tuples,
                "sound": sound,
                "private_unigram": private_unigram(*data, total),
            }
        results[f"{name} {data[0].n_docs}"] = entry
    return results


def private_unigram(users: Corpus, test: Corpus, total: float) -> float:
    """Perplexity of the word frequencies that the sound variant's reports give."""
    mechanism = methods.make("fedlda", epsilon=total).mechanism(users.n_words)  # type: ignore[attr-defined]
    assert isinstance(mechanism, SampledResponse)
    reports = mechanism(users.words, users.offsets, Noise.simulated(0, "private unigram")).value
    counts = np.bincount(reports.reshape(-1), minlength=users.n_words + 1)[:-1]
    law = noisy_reports.read_words(mechanism, counts, users.n_docs)
    return perplexity(law.unigram[None], test)


def bits(n_seeds: int) -> dict[str, Any]:
    """LP-LDA by f against the Laplace baseline, and by word epsilon against its sound variant."""
    results: dict[str, Any] = {}
    for name, source in BAGS.items():
        if (data := load(name)) is None:
            continue
        common: dict[str, Any] = {"n_topics": source.n_topics, "n_rounds": ROUNDS}
        paper = common | {"variant": "paper", "beta": 0.01}
        results[name] = facts(*data) | {
            "none": measured(*data, "pooled", 0, n_topics=source.n_topics, n_rounds=30)["perplexity"],
            "paper": [measured(*data, "lplda", 0, f=f, **paper) for f in RATES],
            "laplace": [
                measured(*data, "lplda", 0, f=f, channel="laplace", sensitivity=scale, **paper)
                for scale in (1.0, float(source.n_topics))
                for f in RATES
            ],
            "equal": [
                measured(*data, "lplda", seed, epsilon=epsilon, variant=variant, **common)
                for epsilon in (4.0, 6.0)
                for variant in ("paper", "sound")
                for seed in range(n_seeds if epsilon == 4.0 else 1)
            ],
        }
    return results


def attacks(n_seeds: int) -> dict[str, Any]:
    """What a listener has after 1 and after 40 rounds."""
    results: dict[str, Any] = {}
    for name in ("amazon", "enron_spam"):
        if (data := load(name, 1000)) is None:
            continue
        rows = []
        for method, given in (
            *(("fedlda", {"variant": "paper", "channel": c, "epsilon": 7.5}) for c in CHANNELS[:-1]),
            *(
                ("fedlda", {"channel": c, "epsilon": total})
                for total in (128.0, 256.0)
                for c in ("krr", "ue")
            ),
            ("lplda", {"variant": "paper", "epsilon": 4.0}),
            ("lplda", {"epsilon": 4.0}),
        ):
            for rounds in (1, 40):
                made = methods.make(method, n_topics=SETS[name].n_topics, n_rounds=rounds, **given)
                heard = listen(made, data[0])
                rows.append(
                    {"method": method, "rounds": rounds, "bound": heard.bound}
                    | given
                    | asdict(heard.recovered)
                )
                print(name, rows[-1], flush=True)
        results[name] = facts(*data) | {"attacks": rows}
    return results


def monitor(n_seeds: int) -> dict[str, Any]:
    """The monitor's two figures: K = 50, 300 iterations; and what it costs."""
    results: dict[str, Any] = {}
    for name, source in BAGS.items():
        if (data := load(name)) is None:
            continue
        began = process_time()
        trained = gibbs_monitor.monitor(data[0], source.n_topics, n_sweeps=300)
        results[name] = {
            "n_docs": data[0].n_docs,
            "n_tokens": data[0].n_tokens,
            "longest": int(data[0].lengths.max()),
            "cpu_seconds": process_time() - began,
            "cost_of_monitoring": cost_of_monitoring(data[0], source.n_topics),
            "one_draw_exactly": gibbs_monitor.worst_loss(trained, data[0]),
            "readings": {c: trained.column(c)[9::10].tolist() for c in gibbs_monitor.COLUMNS},
        }
        last = {c: v[-1] for c, v in results[name]["readings"].items()}
        print(name, last, results[name]["one_draw_exactly"], flush=True)
    return results


def cost_of_monitoring(corpus: Corpus, n_topics: int) -> float:
    """CPU time of sweeps with the monitor over that of the same sweeps without, the fastest of five turns."""
    priors, state = lda.Priors.symmetric(n_topics, 0.1, 0.01), lda.start(corpus, n_topics, 0)
    losses = np.zeros((corpus.n_tokens, len(gibbs_monitor.COLUMNS)), np.float32)
    plain, watched = [], []
    for _ in range(5):
        began = process_time()
        lda.sweep(corpus, state, priors, seed=0, n_sweeps=5, sampler="gibbs", n_threads=1)
        between = process_time()
        state, losses = monitored.sweep(corpus, state, priors, losses, seed=0, n_sweeps=5)
        plain.append(between - began)
        watched.append(process_time() - between)
    return min(watched) / min(plain)


def speed(n_seeds: int) -> dict[str, Any]:
    """Seconds a round of 5,000 and 50,000 users with 150 words each, K = 30, two threads."""
    results: dict[str, Any] = {}
    n_words, length = 3309, 150
    law = 1 / np.arange(1, n_words + 1)
    for n_users in (5000, 50_000):
        words = np.random.default_rng(0).choice(n_words, n_users * length, p=law / law.sum()).astype(np.int32)
        users = Corpus(words, np.arange(n_users + 1) * length, tuple(map(str, range(n_words))))
        for channel in CHANNELS if n_users == 5000 else ("rrp", "krr"):
            method = methods.make("fedlda", variant="paper", channel=channel, n_topics=30, n_rounds=3)
            began, wall = process_time(), perf_counter()
            outcome = in_process.run(method, {"users": users}, seed=0, n_threads=2)
            seconds = min(entry.seconds for entry in outcome.rounds)
            results[f"{channel} {n_users}"] = {
                "seconds": seconds,
                "cpu_seconds": (process_time() - began) / 3,
                "bytes_per_user": outcome.rounds[-1].bytes_up / n_users,
                "bytes_of_dense_counts": 4 * n_words * 30,
            }
            print(
                channel,
                n_users,
                results[f"{channel} {n_users}"],
                f"{perf_counter() - wall:.0f} s",
                flush=True,
            )
    return results


def eta(n_seeds: int) -> dict[str, Any]:
    """The paper's table of flips, with and without its Zipf correction."""
    table = {
        f"epsilon {epsilon:g}, gamma {gamma:g}": flip_probability(epsilon, 0.1, gamma)
        for epsilon in (7.5, 5.0)
        for gamma in (float("inf"), 1.0)
    }
    print(table)
    return table


PARTS: dict[str, Callable[[int], dict[str, Any]]] = {
    "eta": eta,
    "totals": totals,
    "channels": channels,
    "attacks": attacks,
    "monitor": monitor,
    "bits": bits,
    "varying": varying,
    "speed": speed,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", default=list(PARTS), help=", ".join(PARTS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--sets", nargs="*", default=[], help=", ".join(SETS | BAGS))
    parser.add_argument("--charts", action="store_true", help="only draw the stored results")
    options = parser.parse_args()
    chosen_sets.update(options.sets)
    logging.disable(logging.WARNING)
    RESULTS.mkdir(exist_ok=True)
    for part in options.parts:
        file = RESULTS / f"local_privacy_{part}.json"
        if not options.charts and (results := PARTS[part](options.seeds)):
            known = json.loads(file.read_text()) if file.exists() else {}
            file.write_text(json.dumps(known | results, indent=1) + "\n")
        if part in CHARTS and file.exists():
            (PICTURES / f"local_privacy_{part}.svg").write_text(
                CHARTS[part](json.loads(file.read_text())) + "\n"
            )


if __name__ == "__main__":
    main()
