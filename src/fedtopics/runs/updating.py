"""New documents, same topics: training that goes on from a model, and says what became of its topics.

Topics begin as they are, so they keep their numbers and a few rounds are enough. What parties have kept of
the run (`train(..., keep=True)`: with CALM the private histograms, noise and all) is read again beside new
documents, in a later update where a party has none now; counts behind the model stand for what is not read
again, and stay as they are. A method that always begins anew (`Method.continued`) trains on the new documents
by itself, and its topics are merged with the model's. What was released before costs nothing again. The
ledger is that of the new documents; `record["update"]` keeps what the documents before have spent, the worse
of the two is stated (`sharing.spent`), and a document that is among both has spent the sum. Noise and words
are those of all runs behind the model: what must not be published must not be so after an update.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fedtopics.documents.corpus import Corpus
from fedtopics.documents.text.given import check_words
from fedtopics.errors import InputError
from fedtopics.methods import make, settings
from fedtopics.model.merging import union, widened
from fedtopics.privacy.price.cost import SOURCES
from fedtopics.protocol.method import Method
from fedtopics.related_words import TAU
from fedtopics.runs.experiment import scored, train_on
from fedtopics.runs.preparing import GIVEN, READING, UNKNOWN, Data, prepare
from fedtopics.runs.record import merged, with_card, with_scores, with_update
from fedtopics.runs.run import Run

FOLLOWS = ("f", "sigma")  # from epsilon, where that was given
UNKEPT = "the run before kept nothing: its counts stand for its documents, which costs a few percent (keep)"
UNTIED = "the run before was drawn towards {}, and this update is not: give that again (consistency)"
TWICE = "what is said of privacy holds for documents now and before; one that is in both has paid twice"


def update(
    run: Run,
    source: Any,
    *,
    n_new_topics: int = 0,
    words: Sequence[str] = (),
    n_rounds: int | None = None,
    seed: int = 0,
    n_threads: int | None = None,
    n_parties: int | None = None,
    test_fraction: float = 0.1,
    secure: bool = False,
    consistency: Any = None,
    show_progress: bool | None = None,
    **reading: Any,
) -> Run:
    """The `run` with new documents: topics keep their numbers, `record["update"]` says what became of them.

    source         new documents, as for `fedtopics.train`
    n_new_topics   topics that may form beside those of the model
    words          public words that join its vocabulary
    n_rounds       if not given: about a third of those of the run, all of them where its method begins anew
    consistency    public word relation, or dictionary of languages, as strongly as in the run if it had one

    `seed`, `n_threads`, `n_parties`, `test_fraction`, `secure`, `show_progress`, `reading`: as for `train`.
    """
    check_words(words, "covid")
    method = continuing_method(run, n_new_topics, n_rounds)
    vocabulary = union(run.model.vocabulary, words)
    old = widened(run.model, vocabulary)
    if unknown := sorted(set(reading) - set(READING)):
        raise InputError(f"update takes no {unknown[0]}; the method and its settings are those of the run")
    dealing: dict[str, Any] = {"n_parties": n_parties, "test_fraction": test_fraction, "seed": seed}
    data = _prepared(source, vocabulary, secure=secure, **dealing, **reading)
    options: dict[str, Any] = {"seed": seed, "n_threads": n_threads, "secure": secure}
    drawn = run.record.get("consistency")
    options |= {"consistency": consistency, "consistency_tau": TAU if drawn is None else drawn["tau"]}
    begins_anew = not method.continued(old)
    found = train_on(
        data,
        run.record["method"],
        method,
        show_progress=show_progress,
        keep=bool(run.kept),
        begun=None if begins_anew else old,
        kept=run.kept,
        **options,
    )
    if begins_anew:
        found = _merged(run, found, data, n_threads or 1)
    before = {
        "of_model": run.record.get("model_sha256", ""),
        "of_tokens": run.model.n_tokens,
        "privacy": run.privacy,
    }
    notes = [TWICE] if begins_anew or run.kept else [TWICE, UNKEPT]
    notes += [UNTIED.format(drawn["source"])] if drawn is not None and consistency is None else []
    record, model = with_update(_of_both(run, found), found.model, run.model, notes, **before)
    model = with_card(model, record, model.language)
    return replace(found, record=record, model=model, kept={**run.kept, **found.kept})


def continuing_method(run: Run, n_new_topics: int, n_rounds: int | None) -> Method:
    """The method of the run with its settings, fewer rounds and perhaps more topics."""
    name, variant = run.record["method"], run.record.get("variant")
    known = settings(name, variant)
    given = {key: value for key, value in run.record["settings"].items() if key in known}
    if given.get("epsilon") is not None:  # a record has what follows from it, too
        given = {key: value for key, value in given.items() if key not in FOLLOWS}
    made = make(name, **given)
    begun = run.model.n_topics if made.goes_on else made.n_topics  # anew: beside those of the model
    given["n_topics"] = begun + n_new_topics
    few = "update" in run.record  # it was an update itself: its rounds are few already
    least = 1.0 if few else made.rounds_again
    given["n_rounds"] = n_rounds if n_rounds is not None else max(1, round(given["n_rounds"] * least))
    return make(name, **given)


def _prepared(source: Any, vocabulary: tuple[str, ...], **options: Any) -> Data:
    """The new documents over the vocabulary of the model."""
    if isinstance(source, Data):
        parties = {name: corpus.with_vocabulary(vocabulary) for name, corpus in source.parties.items()}
        return replace(
            source, parties=parties, test=source.test.with_vocabulary(vocabulary), vocabulary=GIVEN
        )
    if isinstance(source, Corpus):
        return replace(prepare(source.with_vocabulary(vocabulary), **options), vocabulary=GIVEN)
    return prepare(source, vocabulary=list(vocabulary), **options)


def _of_both(run: Run, found: Run) -> dict[str, Any]:
    """The record of the run that was `found`, whose model holds what that of the `run` before was made of."""
    sources = [each.record.get("noise", SOURCES[-1]) for each in (run, found)]
    words = run.record.get("vocabulary", UNKNOWN)
    return found.record | {"noise": max(sources, key=SOURCES.index), "vocabulary": words}


def _merged(run: Run, found: Run, data: Data, n_threads: int) -> Run:
    """The run on new documents by itself, with topics merged into those of the model."""
    record, model = merged(found.record, found.model, run.model)
    return replace(found, model=model, record=with_scores(record, model, scored(model, data, n_threads)))
