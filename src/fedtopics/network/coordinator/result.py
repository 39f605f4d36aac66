"""The end of a run at the coordinator: what parties say after the last round, and the result that is written.

Parties release private scores, and state what the run has cost them, signed. A statement is taken only from
the key that was approved, for this run of this plan, and if it fits: no less than what the party was heard to
release, no more than what the plan allows. Whose statement is missing or does not fit is named, and stands in
the record with all that the plan may cost: planned, not attested. Not with what was heard of it: it may have
been charged for more. The coordinator signs the record (`verification`).
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.serialization import Encoding

from fedtopics import files
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.evaluation.scores import scores_on
from fedtopics.model import TopicModel
from fedtopics.model.merging import merge
from fedtopics.network import attestation, verification
from fedtopics.network.attestation import (
    ATTESTED,
    PLANNED,
    Attestation,
    AttestationError,
    Attested,
    Row,
    Statement,
    check_prices,
)
from fedtopics.network.coordinator.checkpoint import Checkpoint
from fedtopics.network.coordinator.folder import CoordinatorFolder
from fedtopics.network.coordinator.rounds import Coordinator
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.terms import Terms, as_drawn, loaded, whole_ledger
from fedtopics.network.private_scores import Scored, combined, read_sums
from fedtopics.network.verification import SIGNATURE, sign
from fedtopics.privacy.price.cost import FREE, SOURCES
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.protocol.turn import Arrays
from fedtopics.runs import record
from fedtopics.runs.preparing import AGREED, GIVEN
from fedtopics.runs.run import Run
from fedtopics.runs.sharing import spent


@dataclass(frozen=True)
class LastAnswers:
    """Scores where the plan has private ones, and the statement of every party that attests."""

    scored: Scored | None = None
    attested: Mapping[str, tuple[Attested, Statement]] = field(default_factory=dict)

    @classmethod
    def of(cls, coordinator: Coordinator, folder: CoordinatorFolder, end: Checkpoint) -> "LastAnswers":
        """Ask for scores first, as they have their price too, and then for what everything cost."""
        scored = _scored(coordinator, folder.plan, end)
        return cls(scored, _collected(coordinator, folder, end, scored))


def _scored(coordinator: Coordinator, plan: Plan, end: Checkpoint) -> Scored | None:
    """[server] The private score of a finished run; None where its plan has none."""
    mechanism, words = plan.evaluation.mechanism(), end.words or ()
    model, before = coordinator.terms.served(words).model(end.state, words), coordinator.begun()
    if mechanism is None or model is None:
        return None
    if before is not None and not coordinator.terms.method.goes_on:
        model = merge(before, model)
    sent = coordinator.score(words, model.topic_word, read_sums)
    score = combined(sent, mechanism, len(words))
    told = "more noise than documents" if score is None else f"{score.low:.1f} to {score.high:.1f}"
    coordinator.log(f"private perplexity of {len(sent)} parties: {told}")
    return Scored(tuple(sent), mechanism.price(), score)


def _collected(
    coordinator: Coordinator, hub: CoordinatorFolder, end: Checkpoint, scored: Scored | None
) -> dict[str, tuple[Attested, Statement]]:
    """What the parties attest, as far as it is theirs and fits; whose is missing stands in the log."""
    terms = coordinator.terms
    heard, allowed = planned_ledger(terms, end, scored), whole_ledger(hub.plan, len(end.words or ()))
    least, most = heard.statements(), allowed.statements()

    def read(party: str, body: bytes) -> tuple[Attested, Statement]:
        certificate = hub.certificate(party)
        attestation = Attestation.from_bytes(body)
        told = attestation.checked(certificate, party, end.run, terms.plan)
        if not _released(terms, end, scored, party) <= told.released:
            raise AttestationError("it states fewer releases than it has sent")
        noises = [SOURCES.index(source) for source in (heard.spent(party).noise, told.noise, allowed.noise)]
        if noises != sorted(noises):
            raise AttestationError(f"it states {told.noise} noise, which is not that of the plan")
        check_prices(told, [row for row in least if row["party"] == party], most)
        shown = certificate.public_bytes(Encoding.PEM).decode()
        return Attested(attestation.statement, attestation.signature, shown), told

    found = coordinator.attest(read)
    for name in sorted(set(terms.parties) - set(found)):
        coordinator.log(f"party {name} has not attested what the run cost it; the record says: {PLANNED}")
    return found


def last_signed(hub: CoordinatorFolder, party: str) -> Arrays:
    """The newest statement that a party has signed of a finished run here, with its signature; or nothing."""
    found: list[tuple[str, Arrays]] = []
    for path in hub.path.glob(f"runs/*/result/{attestation.FILE}"):
        try:
            row = json.loads(path.read_bytes())["parties"][party]
            when = json.loads(row["statement"])["time"]
            texts = {name: row[name].encode() for name in ("statement", "signature")}
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            continue
        found.append((str(when), {name: np.frombuffer(text, np.uint8) for name, text in texts.items()}))
    return max(found, key=lambda each: each[0], default=("", {}))[1]


def stated_rows(
    statements: Mapping[str, Statement], parties: Sequence[str], whole: Sequence[Row]
) -> list[dict[str, Any]]:
    """What each party has spent: as it attests, or else the whole price of the plan, and which of the two."""
    found: list[dict[str, Any]] = []
    for party in sorted(parties):
        if party in statements:
            found += [{**row, "stated": ATTESTED} for row in statements[party].privacy]
        else:
            found += [{**row, "party": party, "stated": PLANNED} for row in whole]
    return found


def planned_ledger(terms: Terms, end: Checkpoint, scored: Scored | None = None) -> Ledger:
    """What each party has paid, by the plan: its costs in order, free when they are used up."""
    ledger = Ledger(run=end.run)
    agreed = [] if terms.agreement is None else terms.agreement.prices()  # by the number of the round
    for party in terms.parties:
        training = iter(terms.method.prices(len(end.words or ())))
        for number in end.answered.get(party, []):
            cost = agreed[number] if number < 0 else terms.priced(next(training, FREE))
            ledger.charge(party, number, as_drawn(cost, terms.secure), content=f"{end.run}/{number}")
        if scored is not None and party in scored.parties:
            number, cost = terms.method.n_rounds, as_drawn(scored.cost, terms.secure)
            ledger.charge(party, number, cost, content=f"{end.run}/{number}")
    return ledger


def _released(terms: Terms, end: Checkpoint, scored: Scored | None, party: str) -> set[tuple[str, int]]:
    """Operation and round of everything that this party has sent."""
    sent = {("contribute", number) for number in end.answered.get(party, [])}
    is_scored = scored is not None and party in scored.parties
    return sent | ({("evaluate", terms.method.n_rounds)} if is_scored else set())


SCORES = ("perplexity", "perplexity_unigram", "coherence_npmi", "coherence_umass", "diversity")


def write(
    folder: Path,
    plan: Plan,
    terms: Terms,
    end: Checkpoint,
    test: Corpus | None,
    key: Path,
    last: LastAnswers,
    before: tuple[TopicModel, dict[str, Any]] | None = None,
) -> None:
    """Write the result of a run to a new folder, unless it is there already."""
    if (folder / SIGNATURE).is_file():
        return
    model = terms.served(end.words or ()).model(end.state, end.words or ())
    if model is None:
        raise InputError(f"method {plan.method_name} has no model at the coordinator; train it in process")
    signed = attestation.written({name: kept for name, (kept, _) in last.attested.items()})
    ledger = planned_ledger(terms, end, last.scored)
    facts = _attested(last, plan, end, ledger) | {"attestations_sha256": sha256(signed).hexdigest()}
    if terms.summing is not None:
        facts["secure_sum"] = verification.summed(plan, len(end.words or ()))
    if terms.relation is not None:
        planned, _ = terms.relation
        facts["consistency"] = record.drawn_towards(loaded(*terms.relation, end.words or ()), planned.tau)
    kept = _record(plan, terms, end, facts)
    if before is not None and not terms.method.goes_on:
        kept, model = record.merged(kept, model, before[0])
    model = record.with_card(model, kept, plan.texts.language)
    scores = dict(kept["scores"])
    if test is not None:
        scores |= scores_on(model, test.with_vocabulary(model.vocabulary), n_threads=terms.n_threads)
    if last.scored is not None and last.scored.score is not None:
        found = last.scored.score
        near = {"perplexity_low": found.low, "perplexity_high": found.high}
        scores |= {"perplexity": found.perplexity, "perplexity_unigram": found.without, **near}
    kept = record.with_scores(kept, model, scores)
    if before is not None and plan.continues is not None:
        old, told = before
        facts = {"of_model": plan.continues.model_sha256, "run": plan.continues.run, "privacy": spent(told)}
        kept, model = record.with_update(kept | {"vocabulary": told["vocabulary"]}, model, old, **facts)
        model = record.with_card(model, kept, model.language)
    shutil.rmtree(folder, ignore_errors=True)  # what a crash has left without a signature
    Run(kept, model, {}, ledger).save(folder)
    files.publish(folder / attestation.FILE, signed)
    files.publish(folder / SIGNATURE, sign((folder / "run.json").read_bytes(), key))


def _attested(last: LastAnswers, plan: Plan, end: Checkpoint, ledger: Ledger) -> dict[str, Any]:
    """What the record says of spending: as attested, and as planned."""
    told = {name: statement for name, (_, statement) in last.attested.items()}
    parties, whole = sorted(plan.parties), whole_ledger(plan, len(end.words or ()))
    noises = [told[name].noise if name in told else whole.noise for name in parties]
    return {
        "parties": [
            {"name": name, "n_answers": len(end.answered.get(name, [])), "attested": name in told}
            for name in parties
        ],
        "privacy": stated_rows(told, parties, whole.statements()),
        "planned": ledger.statements(),
        "noise": max(noises, key=[str(source) for source in SOURCES].index),
    }


def _record(plan: Plan, terms: Terms, end: Checkpoint, facts: dict[str, Any]) -> dict[str, Any]:
    return record.made(
        plan.method_name,
        terms.method,
        engine="https",
        source=f"federation {plan.name}, run {end.run}",
        seed=terms.seed,
        seconds=sum(line.seconds for line in end.rounds),
        n_words=len(end.words or ()),
        vocabulary=GIVEN if terms.agreement is None else AGREED,
        rounds=end.rounds,
        party_topics=terms.method.party_topics(end.state),
        remarks=terms.method.remarks(end.state),
        run=end.run,
        plan=plan.digest,
        scores=dict.fromkeys(SCORES),
        **facts,
    )
