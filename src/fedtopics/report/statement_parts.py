"""Texts of a statement that depend on how a run was made: actors, composition, mechanisms."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import fedtopics
from fedtopics.privacy.price import accounting as accounts
from fedtopics.privacy.price import events
from fedtopics.privacy.price.cost import FREE
from fedtopics.privacy.price.events import Event
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.report.yaml_text import Value
from fedtopics.runs.run import protects
from fedtopics.runs.sharing import FEDERATED

VERSION = f"fedtopics {fedtopics.__version__}"
COMPARISON = {
    "word": "This epsilon is of one word. It compares with no epsilon of a person or a document: those "
    "of words add "
    "up over all words that a person wrote, and what a document is about is not hidden.",
    "document": "This epsilon is of one document. It compares with no epsilon of a person, whose "
    "documents add up, "
    "and with none of a word.",
    "person": "This epsilon is of one person with all documents at one party. It compares with no "
    "epsilon of a word "
    "or a document; documents of one person at several parties add up.",
    "party": "This epsilon is of all that a party holds.",
}
ACCESS = {
    True: "documents stay on the party's machine; parties call the coordinator over mutual TLS and cannot be "
    "called, and accept a signed plan first.",
    False: "documents were on the machine of who ran the process; fedtopics adds no access control to it.",
}
WORDS = {
    "as given": "the vocabulary: a list that was public before",
    "agreed privately": "the vocabulary: agreed on under noise, at a price that is part of what is stated",
    "read from the documents": "the vocabulary: READ FROM THE DOCUMENTS, which no price covers; a rare "
    "word on it "
    "shows that somebody used it",
    "that of the corpus": "the vocabulary: of an origin that the record does not know",
}


def data_domain(record: Mapping[str, Any]) -> str:
    return (
        f"Documents as prepared: sequences of the {record['n_words']:,} words of the vocabulary, held by "
        f"{plural(len(record['parties']), 'party', 'parties')}, each by one of them."
    )


def deployment_model(record: Mapping[str, Any]) -> dict[str, Value]:
    """Who is trusted with what, how often it is released, and who may ask."""
    federated = record.get("engine") == FEDERATED
    return {
        "model_name": "Federated" if federated else "Central",
        "model_name_details": "Each party keeps its documents on its own machine, adds noise there, and "
        "sends what "
        "is noisy to a coordinator, which combines it."
        if federated
        else "All parties were in one process, which held the documents of all of them: whoever ran it "
        "is trusted "
        "with them. Noise was added for each party as in a federation, before anything was combined.",
        "actors": "\n".join([*_actors(federated), *_summed(record)]),
        "release_type": "One release",
        "release_type_details": "The model is published once. Another run on the same documents adds to "
        "what is "
        "stated: the parties' ledgers add it up.",
        "data_source_type": "Static",
        "data_source_type_details": "The documents were read once, before training.",
        "access_type": "Non-interactive",
        "access_type_details": "Nobody can query the documents; the model is given as it is.",
    }


def _actors(federated: bool) -> list[str]:
    central = [
        "- Whoever ran the process: trusted with the documents of all parties.",
        "- Whoever is given what the parties would have sent, or the model: not trusted.",
    ]
    apart = [
        "- Each party: trusted with its own documents, which stay on its own machine.",
        "- The coordinator: not trusted; it sees all that parties send, in every round, and may lie. Its "
        "noise or honesty is not counted on.",
        "- Other parties: not trusted, also if all of them work together with the coordinator.",
        "- Whoever listens, or is given the model: not trusted.",
    ]
    adversary = "- The adversary is assumed to know all other documents, and sees what is sent."
    return [*(apart if federated else central), adversary]


def _summed(record: Mapping[str, Any]) -> list[str]:
    """What a secure sum changes, where there was one."""
    told = record.get("secure_sum")
    if told is None:
        return []
    lines = [f"- With a secure sum {told['seen']}."]
    if told["noise"] == "together":
        lines.append(
            f"- What is proved holds while at most {told['threshold']} of the parties of a sum work together "
            "with the coordinator, which must not pass for others: so far they are trusted."
        )
    return lines


def plural(n: int, one: str, many: str) -> str:
    """A number with its word.

    >>> plural(1, "party", "parties"), plural(3, "party", "parties")
    ('1 party', '3 parties')
    """
    return f"{n} {one if n == 1 else many}"


def accounting(record: Mapping[str, Any], ledger: Ledger) -> dict[str, Value]:
    """How prices add up, and what is done to what was paid for."""
    costs = [entry.cost for entry in ledger.entries if entry.party == ledger.parties[0]]
    n_free = sum(cost == FREE for cost in costs)
    return {
        "post_processing": f"{n_free} of {len(costs)} releases of a party are computed from what it had "
        f"released "
        "before, and cost nothing; so do the combination at the server, the topics and all that is made "
        "of them.",
        "composition": f"Paid for: {plural(len(costs) - n_free, 'release', 'releases')} of a party, "
        "composed one after the other: "
        "the smallest of the sum of pure epsilons, a formula for Gaussian noise, privacy-loss "
        "distributions and Renyi "
        f"divergences, at delta {ledger.delta:g}. Parties hold different documents, so their prices do "
        f"not add up, "
        "and the worst of them is stated. " + _stated_by(record),
    }


def _stated_by(record: Mapping[str, Any]) -> str:
    attested = [party.get("attested") for party in record["parties"]]
    if None in attested:
        return "Every release is in a ledger that is chained by hash."
    return (
        f"{sum(map(bool, attested))} of {len(attested)} parties have signed what the run cost them by "
        f"their own ledger."
    )


def implementation(record: Mapping[str, Any], ledger: Ledger, tuning: str) -> dict[str, Value]:
    """What was done before, with which mechanisms, and why one may believe it."""
    return {
        "preprocessing_and_hyperparameter_tuning": "\n".join(
            [
                "Texts were cut into words by public rules, and words outside the vocabulary left out.",
                f"Words: {WORDS.get(record.get('vocabulary', ''), WORDS['that of the corpus'])}.",
                "Tuning: no privacy loss of choosing settings or of trying other runs is accounted for. "
                "Said by who "
                f"files this: {tuning}",
            ]
        ),
        "mechanisms": "\n".join(f"- {line}" for line in _mechanisms(record, ledger)),
        "justification": "Every mechanism has its proof beside its code, and its exact law is compared "
        "with its price "
        "on small universes for every pair of neighbors. At epsilon 0 what two corpora send is compared "
        "byte for byte.",
    }


def _mechanisms(record: Mapping[str, Any], ledger: Ledger) -> list[str]:
    relation: Any = protects(dict(record))
    counts: Counter[Event] = Counter()
    for entry in ledger.entries:
        if entry.party == ledger.parties[0]:
            for loss in entry.cost.losses_of(relation):
                counts[loss.event] += loss.count if accounts.pure_epsilon(loss.event) else 0
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    return [
        *(f"{described(event)}, {plural(n, 'time', 'times')}" for event, n in counts.items() if n),
        f"Noise: {_source(record.get('noise'))}",
        "Floating point: noise is drawn with integers only (Canonne, Kamath and Steinke 2020), epsilon "
        "rounded down "
        "and deviations up; floating-point attacks (Mironov 2012) have nothing to work on.",
        "Timing: no measure against it. How long a party computes depends on its documents; answer at "
        "fixed times "
        "where this matters.",
        f"Access: {ACCESS[record.get('engine') == FEDERATED]}",
        f"Code: {versions}; hash of the model {record.get('model_sha256', 'not saved')}.",
    ]


def _source(noise: str | None) -> str:
    if noise == "simulated":
        return (
            "FROM A SEED, for experiments. Who knows the seed takes it off: NOBODY IS PROTECTED by this run."
        )
    if noise == "secure":
        return "ChaCha20 with a key of the operating system, at each party."
    return "none."


def described(event: Event) -> str:
    """An `event` of the ledger, in words."""
    match event:
        case events.DiscreteLaplace():
            return (
                f"Discrete Laplace noise, Pr[z] ~ e^(-{event.epsilon:g} |z|), on counts that differ "
                f"by {event.sensitivity}"
            )
        case events.GaussianVector():
            return (
                f"Discrete Gaussian noise of {event.sigma / event.sensitivity:.4g} times what one "
                f"unit may add, on sums"
            )
        case events.DiscreteGaussian():
            return (
                f"Discrete Gaussian noise of deviation {event.sigma:.4g} on counts that differ by "
                f"{event.sensitivity}"
            )
        case events.KaryResponse():
            return f"Randomized response among {event.n_values:,} values at epsilon {event.epsilon:g}"
        case events.ZeroConcentrated():
            return f"Discrete Gaussian noise on votes for words, {event.rho:.4g}-zCDP"
        case events.Approximate():
            return f"A threshold that hides rare words but for a chance of {event.delta:g}"
        case _:
            return f"A mechanism with {event!r}"


def notes(record: Mapping[str, Any]) -> str:
    lines = [
        f"Drafted by {VERSION} from the record of the run; to be reviewed by the curators before it is "
        f"filed.",
        *(f"The method notes: {note}." for note in record.get("notes", [])),
    ]
    if record.get("noise") == "simulated":
        lines.insert(0, "NOT TO BE FILED: the noise of this run came from its seed, and protects nobody.")
    return "\n".join(lines)
