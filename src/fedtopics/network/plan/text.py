"""A plan as TOML with a comment on every key: what a reviewer at a party reads before accepting it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fedtopics.network.plan.plan import Plan

LOGS = "nothing, rounds (numbers, seconds, bytes) or details (counts, errors)"
STOP_BUTTON = 'whether the page of "party watch --web", on this machine, may stop this party'
SIMULATION = "leave it false: noise from a seed protects nobody; true is for trying alone"
DELTA_OF_POLICY = 1e-6  # of a policy that is not thought about
MEANINGS = {
    "name": "of this federation",
    "coordinator": "host:port; parties connect to it, nobody connects to a party",
    "parties": "who takes part; each name is bound to a certificate",
    "min_parties": "a round with fewer answers is not used",
    "timeout_seconds": "how long the coordinator waits for an answer in a round",
    "public": "what everybody may know",
    "significant_bits": "numbers on the wire are rounded to this many bits; without this key they are exact",
    "simulation_seed": "FOR TRYING ONLY: noise can be computed from it and protects nobody",
    "method.name": "code installed at each party; none arrives by the wire",
    "method.epsilon": "of the method alone; see fedtopics explain",
    "method.n_topics": "",
    "method.n_rounds": "",
    "method.topics_per_party": "",
    "privacy.relation": "what the epsilon protects",
    "privacy.epsilon": "the most that all releases of one party in this run cost together",
    "privacy.delta": "chance that the promise may fail, well below 1 / documents",
    "vocabulary.mode": "public: a list known to all; private: the parties agree on words with noise",
    "vocabulary.file": "beside this file, one word per line",
    "vocabulary.sha256": "of the words: another list is refused",
    "vocabulary.epsilon": "of the agreement alone, document add/remove",
    "vocabulary.max_size": "the most words that are kept",
    "vocabulary.min_parties": "that must hold a word",
    "texts.language": "of all documents; de+en: of several, each document says which",
    "texts.stop_words": "leave out the language's stop words",
    "consistency.file": "beside the coordinator's plan: a public dictionary, or word vectors",
    "consistency.sha256": "of that file: another one is refused",
    "consistency.tau": "how strongly; 0: not at all",
    "secure_sum.threshold": "parties that may work together with the coordinator",
    "secure_sum.noise": "each: every party adds all the noise; together: a share of it",
    "secure_sum.repeats": "rounds that may be lost, where a party falls silent, and played again",
    "continues.run": "finished; what parties released in it is used again, free (calm); new documents pay",
    "continues.model_sha256": "of its model, whose topics keep their numbers",
    "continues.n_words": "how many words of the list are that model's: the first",
    "evaluation.mode": "none, public (documents of the coordinator) or private (noisy sums of each party)",
    "evaluation.test_fraction": "share of each party's documents that is kept out of training",
    "evaluation.epsilon": "of the scores alone, document add/remove",
}
TABLES = {
    "method": "What is computed.",
    "privacy": "What the whole run costs a party at most; its own policy may allow less.",
    "vocabulary": "Where the words come from.",
    "texts": "How every party turns its texts into words.",
    "evaluation": "How the model is scored.",
    "continues": "The run whose model these runs go on from: give new documents alone.",
    "consistency": "The coordinator draws topics towards a public word relation; it costs nothing.",
    "secure_sum": "The coordinator sees totals of parties, and no party's own numbers.",
}


def written(plan: Plan) -> str:
    data = plan.to_dict()
    lines = [
        "# Plan of a federation. Every party reviews it and accepts its digest: fedtopics federation accept.",
        "",
    ]
    lines += [_line("", key, value) for key, value in data.items() if not isinstance(value, Mapping)]
    for table, title in ((table, title) for table, title in TABLES.items() if table in data):
        lines += ["", f"[{table}]  # {title}"]
        lines += [_line(table, key, value) for key, value in data[table].items()]
    return "\n".join(lines) + "\n"


def _line(table: str, key: str, value: Any) -> str:
    meaning = MEANINGS.get(f"{table}.{key}" if table else key, "")
    return f"{key} = {toml(value)}" + (f"  # {meaning}" if meaning else "")


def toml(value: Any) -> str:
    """A value as TOML writes it.

    >>> toml({"north": 5, "a b": [True, "x"]})
    '{ north = 5, "a b" = [true, "x"] }'
    """
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def _key(key: str) -> str:
    return key if key.replace("-", "").replace("_", "").isalnum() and key.isascii() else json.dumps(key)


def policy_template(plan: Plan, *, simulation: bool = False) -> str:
    """A policy that just allows this plan, for a party to copy and change.

    Who wrote the plan writes this too: what no party should allow unseen it does not allow, such as noise
    from a seed (unless `simulation`) or a delta above 1e-6.
    """
    delta = min(plan.privacy.delta, DELTA_OF_POLICY)
    first = "copy it to policy.toml, review and change every line."
    return policy_text(plan, Answers(plan.privacy.epsilon, delta, simulation=simulation), first)


@dataclass(frozen=True)
class Answers:
    """What a party has decided: `epsilon` at `delta` over all runs, and the rest of its policy."""

    epsilon: float
    delta: float
    log: str = "rounds"
    simulation: bool = False
    proxy: str | None = None
    peers: Mapping[str, str] = field(default_factory=dict)


def policy_text(plan: Plan, decided: Answers, first: str = "its answers when it joined.") -> str:
    """The policy of a party with these answers to a plan."""
    repeats = 0 if plan.secure_sum is None else plan.secure_sum.repeats
    others = "" if decided.proxy is None else f"proxy = {toml(decided.proxy)}  # the way to the coordinator\n"
    if decided.peers:
        others += f"peers = {toml(decided.peers)}  # fingerprints, as they read them out\n"
    return f"""# Policy of ONE party, its own decision: {first}
# It stays on the party's machine; the coordinator never sees it.

methods = {toml([plan.method_name])}  # which may run here
min_parties = {plan.min_parties}  # refuse plans that go on with fewer
max_rounds = {plan.method().n_rounds + repeats}  # refuse plans with more
log = {toml(decided.log)}  # on this machine: {LOGS}
simulation = {toml(decided.simulation)}  # {SIMULATION}
stop_button = {toml(decided.simulation)}  # {STOP_BUTTON}
{others}
# Over ALL runs together, as this party's own ledger counts them. One table per relation.
[[budget]]
relation = {toml(plan.privacy.relation)}
epsilon = {toml(decided.epsilon)}  # one run of this plan needs {toml(plan.privacy.epsilon)}
delta = {toml(decided.delta)}
"""
