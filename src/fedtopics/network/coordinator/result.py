"""What a finished run leaves at the coordinator: model, record with scores, ledger, and a signature.

What a party has spent is what it attests itself, from its own ledger and with its own signature; what the
plan says stands beside it. The coordinator signs the record (`signed_record`).
"""

import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

from fedtopics import files
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.evaluation.scores import scores_on
from fedtopics.network import attestation
from fedtopics.network.coordinator.checkpoint import Checkpoint
from fedtopics.network.coordinator.last_answers import LastAnswers, planned_ledger, stated_rows
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.terms import Terms, whole_ledger
from fedtopics.network.signed_record import SIGNATURE, sign
from fedtopics.privacy.price.cost import SOURCES
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.runs import record
from fedtopics.runs.preparing import AGREED, GIVEN
from fedtopics.runs.run import Run

SCORES = ("perplexity", "perplexity_unigram", "coherence_npmi", "coherence_umass", "diversity")


def write(
    folder: Path,
    plan: Plan,
    terms: Terms,
    end: Checkpoint,
    test: Corpus | None,
    key: Path,
    last: LastAnswers,
) -> None:
    """Write the result of a run to a new folder, unless it is there already."""
    if (folder / SIGNATURE).is_file():
        return
    model = terms.method.model(end.state, end.words or ())
    if model is None:
        raise InputError(f"method {plan.method_name} has no model at the coordinator; train it in process")
    signed = attestation.written({name: kept for name, (kept, _) in last.attested.items()})
    ledger = planned_ledger(terms, end, last.scored)
    facts = _attested(last, plan, end, ledger) | {"attestations_sha256": sha256(signed).hexdigest()}
    kept = _record(plan, terms, end, facts) | {"n_topics": model.n_topics}
    model = record.with_card(model, kept, plan.texts.language)
    if test is not None:
        kept["scores"] |= scores_on(model, test.with_vocabulary(model.vocabulary), n_threads=terms.n_threads)
    if last.scored is not None and last.scored.score is not None:
        found = last.scored.score
        near = {"perplexity_low": found.low, "perplexity_high": found.high}
        kept["scores"] |= {"perplexity": found.perplexity, **near}
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
        run=end.run,
        plan=plan.digest,
        scores=dict.fromkeys(SCORES),
        **facts,
    )
