"""Runs of FedLDA as printed on the paper's sets at its own sizes, shared by its figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from benchmarks import corpora
from benchmarks.cases import local_privacy
from benchmarks.papers.items import SEEDS, Numbers, Parts, mean
from benchmarks.papers.runs import run
from fedtopics.audit.claims import FIGURE_3, FIGURE_3_THETA
from fedtopics.evaluation.perplexity import unigram_perplexity
from fedtopics.privacy.mechanisms.prior_response import PriorResponse
from fedtopics.runs.preparing import Data

PAPER = "FedLDA"
CHANNELS = local_privacy.CHANNELS
SAMPLERS = ("gibbs", "metropolis")
SETS = {"Reviews": "amazon", "Emails": "enron_spam"}
ROUNDS, EVERY = local_privacy.ROUNDS, local_privacy.EVERY
EPSILON, DELTA, MAX_LENGTH = 7.5, 0.1, 150
DEFAULTS: dict[str, Any] = {
    "channel": "rrp",
    "sampler": "gibbs",
    "epsilon": EPSILON,
    "delta": DELTA,
    "n_reports": 105,
}
Seeds: TypeAlias = Mapping[str, Sequence[int]]  # by set
THREE: Seeds = dict.fromkeys(SETS, SEEDS)
ONE: Seeds = dict.fromkeys(SETS, SEEDS[:1])
DATA_HERE = """
    Reviews: 1,000 of the first 7,567 Amazon fine food reviews, 4,610 words, 20 topics. Emails: 5,000 of
    Enron-Spam, 3,309 words, 30 topics. Cut at 150 words, one user each, 60 rounds; a fifth as many others to
    test. Theirs: as many of the same sets (Reviews from all 568,454; for Emails the paper links an SMS set,
    but the numbers it gives are Enron-Spam's).
"""


def unigram(name: str) -> float:
    """What a model without topics reaches."""
    return unigram_perplexity(*corpora.users(SETS[name]))


def defaults(name: str) -> dict[str, Any]:
    """The paper's settings for a set."""
    return DEFAULTS | {"n_topics": corpora.USERS[SETS[name]].n_topics}


def printed(name: str, seed: int, **settings: Any) -> dict[str, Any]:
    """One run of the paper's variant."""
    given = defaults(name) | {"n_rounds": ROUNDS, "max_length": MAX_LENGTH} | settings
    return local_privacy.measured(SETS[name], "fedlda", seed, variant="paper", **given)


def calm(name: str, seed: int) -> dict[str, Any]:
    held, test = corpora.users(SETS[name])
    n_topics = defaults(name)["n_topics"]
    return run(Data({"users": held}, test), "calm", seed, every=50, epsilon=EPSILON, n_topics=n_topics)


def key(name: str, seed: int, **settings: Any) -> str:
    """The name of a run: what differs from the defaults."""
    changed = [f"{setting} {value}" for setting, value in _changed(name, settings).items()]
    return f"fedlda {', '.join([name, *changed])}, seed {seed}"


def _changed(name: str, settings: dict[str, Any]) -> dict[str, Any]:
    usual = defaults(name)
    return {setting: value for setting, value in settings.items() if usual[setting] != value}


def runs(seeds: Seeds, **settings: Any) -> Parts:
    """The runs with these settings on both sets."""
    return {
        key(name, seed, **settings): partial(printed, name, seed, **_changed(name, settings))
        for name in SETS
        for seed in seeds[name]
    }


def calm_runs() -> Parts:
    return {f"fedlda calm {name}, seed {seed}": partial(calm, name, seed) for name in SETS for seed in SEEDS}


def of(numbers: Numbers, name: str, **settings: Any) -> list[float]:
    """The last perplexity with these settings, seed by seed."""
    keys = [key(name, seed, **settings) for seed in SEEDS]
    return [numbers[found]["perplexity"] for found in keys if found in numbers]


def curve(numbers: Numbers, name: str, **settings: Any) -> list[float]:
    """Perplexity every five rounds, the mean of the seeds."""
    keys = [key(name, seed, **settings) for seed in SEEDS]
    found = [numbers[run]["by_round"] for run in keys if run in numbers]
    return [mean(values) for values in zip(*found, strict=True)]


def widest(numbers: Numbers, once: str) -> str:
    """How many seeds there are (`once`: but for which), and their largest spread relative to the mean."""
    groups: dict[str, list[float]] = {}
    for name, result in numbers.items():
        if isinstance(result, dict) and "perplexity" in result:
            groups.setdefault(name.rpartition(", seed")[0], []).append(result["perplexity"])
    spread = max((max(v) - min(v)) / mean(v) for v in groups.values() if len(v) > 1)
    return f"means of 3 seeds{once}, spread at most {100 * spread:.1f} %"


def exact_delta(epsilon: float) -> float:
    """RRP's delta on the paper's own Figure 3, with its mixture made public."""
    response = PriorResponse.from_topics(epsilon, DELTA, FIGURE_3, FIGURE_3_THETA, public_prior=True)
    return float(response.delta_at(epsilon))


def honest() -> str:
    return f"""
        none at any delta worth stating: the user's own mixture shapes RRP's noise, and topics travel in the
        clear. Were the mixture public, delta would be {exact_delta(EPSILON):.3f} at epsilon {EPSILON:g} for
        one tuple, where the paper claims {2 * DELTA:g}; 105 tuples a round and 60 rounds compose.
    """


def calm_found(numbers: Numbers) -> str:
    values = {
        name: mean([numbers[f"fedlda calm {name}, seed {seed}"]["perplexity"] for seed in SEEDS])
        for name in SETS
    }
    listed = ", ".join(f"{name} {value:.0f}" for name, value in values.items())
    return f"{listed} at word add/remove {EPSILON:g} (3 seeds), which is true of CALM for all rounds."
