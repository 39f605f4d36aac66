"""What of a record may be shown: `run.json` holds that, `private.json` the rest, for who holds the documents.

A list says what may be shown, so that a field which nobody has thought about is private:

    always               what was decided in public (method, settings, seed, who took part), what was paid
                         (the ledger's statements) and hashes of the files beside it
    where every release  what was computed from releases: sizes of messages, measures of progress, how much
    is paid for          of each topic a party has
    of the scores        how different the topics are: a fact about the model alone
    of a run before      what an update went on from, where all of that is paid for, too
    never                where documents came from; numbers of documents, persons, tokens and empty documents;
                         scores on documents; times; scores of other methods

In a federation of machines the coordinator knows nothing that was not paid for or marked public by the plan,
and its record is signed as it is: nothing of it is private but times, which a page for everybody leaves out.
"""

from math import inf
from typing import Any

from fedtopics.errors import InputError

Record = dict[str, Any]

FEDERATED = "https"
PUBLIC = [
    *("schema", "method", "variant", "engine", "seed", "n_topics", "n_words", "settings", "protects"),
    *("notes", "consistency", "secure_sum", "vocabulary", "dealing", "privacy", "noise", "forecast"),
    "versions",
    *("model_sha256", "ledger_head", "record_sha256"),
]
IN_BOTH = {"parties", "scores", "rounds", "party_topics"}  # a part of them is shown
PAID_FOR = ("bytes_up", "bytes_down", "bytes_plain")
ON_DOCUMENTS = "perplexity"  # the measure of a round that is not computed from releases
OF_MODEL = "diversity"
TIMES = ("seconds", "processor_seconds")
UNKNOWN_WORDS = "that of the corpus"
UNSAFE_WORDS = {
    "read from the documents": "words that were read from the documents; give a public list (--vocabulary), "
    "or let the parties agree on one (--vocabulary-epsilon)",
    UNKNOWN_WORDS: "words that came with the corpus, nobody knows from where; train from the source with a "
    "public list (--vocabulary)",
}


def spent(record: Record) -> list[Record]:
    """What each party has spent by a `record`: in an update, now or in the run before, whichever is worse.

    A document is in one of them; one that is in both has spent the sum.

    >>> row = {"party": "a", "relation": "word add/remove", "basis": "proved"}
    >>> before = {"update": {"privacy": [row | {"epsilon": 14.9}]}}
    >>> [found["epsilon"] for found in spent({"privacy": [row | {"epsilon": 6.0}]} | before)]
    [14.9]
    """
    rows: dict[tuple[str, str, bool], Record] = {}
    for row in [*record["privacy"], *record.get("update", {}).get("privacy", [])]:
        place = row["party"], row["relation"], row["basis"] == "claimed"
        if place not in rows or _price(row) > _price(rows[place]):
            rows[place] = row
    return list(rows.values())


def _price(row: Record) -> float:
    return float(row["epsilon"])


def shown(record: Record) -> Record:
    """The part of a `record` that may be shown under its ledger: what `run.json` holds."""
    if record.get("engine") == FEDERATED:
        return dict(record)
    paid = is_paid_for(record)
    found = {name: record[name] for name in PUBLIC if name in record}
    found["parties"] = [{"name": party["name"]} for party in record["parties"]]
    found["scores"] = {name: score if name == OF_MODEL else None for name, score in record["scores"].items()}
    found["rounds"] = [_round_shown(entry, paid) for entry in record["rounds"]]
    found["party_topics"] = record.get("party_topics", {}) if paid else {}
    return found | ({"update": record["update"]} if paid and "update" in record else {})


def _round_shown(entry: Record, paid: bool) -> Record:
    if not paid:
        return {"round": entry["round"]}
    measures = {name: value for name, value in entry.get("measures", {}).items() if name != ON_DOCUMENTS}
    sizes = {name: entry[name] for name in PAID_FOR if name in entry}
    return {"round": entry["round"], **sizes, **({"measures": measures} if measures else {})}


def hidden(record: Record) -> Record:
    """The fields of a `record` that are not shown as they are: what `private.json` holds."""
    public = shown(record)
    return {name: value for name, value in record.items() if name not in public or public[name] != value}


def is_paid_for(record: Record) -> bool:
    """Whether a proved bound covers all that each party has sent: for something that is there, or is not."""
    held = {
        row["party"]
        for row in spent(record)
        if row["relation"].endswith("add/remove") and row["basis"] == "proved" and _price(row) < inf
    }
    parties = {party["name"] for party in record["parties"]} | {row["party"] for row in spent(record)}
    return bool(parties) and parties <= held


def published(record: Record) -> Record:
    """What a page for everybody may show of a `record`; refused where the model must not be published."""
    noise, words = record.get("noise"), UNSAFE_WORDS.get(record.get("vocabulary", UNKNOWN_WORDS))
    if not is_paid_for(record):
        raise InputError(
            f"expected a run whose releases all have a proved price, got {record['method']} without; "
            "its topics are not private, and a page of them cannot be"
        )
    if noise != "secure":
        raise InputError(
            f"expected noise from the operating system, got {noise}: who knows the seed takes it off again; "
            "train with --secure-noise"
        )
    if words is not None:
        raise InputError(f"expected words that are public or paid for, got {words}")
    found = shown(record)
    return _timeless(found) | {"rounds": [_timeless(entry) for entry in found["rounds"]]}


def _timeless(values: Record) -> Record:
    return {name: value for name, value in values.items() if name not in TIMES}
