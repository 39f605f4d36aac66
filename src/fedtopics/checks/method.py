"""What every method must keep, as a check that anybody can run: `check_method`.

It plays some rounds of three small parties and raises `ContractError` with the first thing that is wrong:

    shape      a frozen dataclass that inherits from `Method`; what it says before a run fits a record
    arrays     whatever crosses the wire or outlives a round is a dictionary of arrays of numbers
    told       what a party is told has a form that was declared
    untouched  no verb changes what it is given
    numbers    that are sent are finite, and not negative unless that was declared
    seed       the same seed gives the same bytes, whatever the threads; another seed gives others
    secure     noise comes from where the turn says, also where that is the operating system
    price      what is charged is what was announced, and nothing that depends on documents is free
    model      its topics are probabilities, as many as announced
    missing    a party that misses a round, or joins late, stops nothing
    blindfold  at epsilon 0 nothing leaves that depends on what is not public
    sums       a method that needs sums alone sends what can be added, and makes rounds of totals
    declared   what is said of an answer before it is there (form, price, what noise is added to) is so
    going on   a method that goes on from a model does, with what its parties have kept

At epsilon 0 a mechanism ignores its input: whatever still differs went round the mechanism. A method with a
setting `epsilon` is played at 0 on two federations that agree in all that is public (the vocabulary, the
number of documents, the number of sentences in each) and in nothing else: what leaves must be equal byte for
byte. Lengths differ where something is proved of a word that comes or goes: there they must not show. A
method that proves nothing promises nothing, and is left alone. How good the topics are is not checked.
"""

import json
from contextlib import suppress
from dataclasses import FrozenInstanceError, fields, is_dataclass, replace
from inspect import get_annotations
from typing import Any, cast

import numpy as np

from fedtopics.checks.played import (
    N_WORDS,
    VOCABULARY,
    ContractError,
    Played,
    documents,
    require,
    require_arrays,
    require_same,
    require_texts,
)
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.privacy.price.cost import FREE, RELATIONS, Cost, Relation
from fedtopics.privacy.price.events import NonPrivate
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.protocol.engine import same
from fedtopics.protocol.method import Amounts, Method
from fedtopics.protocol.summing import added_in_steps
from fedtopics.protocol.turn import Party

PARTIES = ("north", "south", "west")


def check_method(method: Method | type[Method]) -> None:
    """Raise `ContractError`, which says what is broken, unless the method keeps the contract.

    method   the class, to be checked at its defaults with 3 topics; or an object, with its own settings.
             Rounds beyond the third are left out where `n_rounds` is a field

    >>> from fedtopics import methods
    >>> check_method(methods.find("calm"))
    """
    made = method() if isinstance(method, type) else method
    _check_shape(made)
    known = {field.name for field in fields(cast(Any, made))}
    quick = {"n_rounds": min(3, made.n_rounds)} | ({"n_topics": 3} if isinstance(method, type) else {})
    made = replace(cast(Any, made), **{name: value for name, value in quick.items() if name in known})
    _check_words(made)
    corpora, others = (
        {name: documents(made, seed, seed) for seed, name in enumerate(PARTIES, start)} for start in (1, 5)
    )
    run = Played(made, corpora).whole()
    require_same("the same seed gives other bytes", run, Played(made, corpora).whole())
    threads = Played(made, corpora, n_threads=2).whole()
    require_same("another number of threads gives other bytes", run, threads)
    require(_topics(run) == _topics(threads), "another number of threads gives another model")
    require(_topics(run) != _topics(Played(made, corpora, seed=4).whole()), "another seed changes no topic")
    _check_signs(run)
    _check_secure(Played(made, corpora, secure=True).whole())
    _check_free(run, Played(made, others).whole())
    _check_price(run)
    _check_models(run)
    _check_missing(made, corpora)
    check_blindfold(made)
    _check_sums(run)
    _check_going_on(run)


def _topics(played: Played) -> bytes:
    return b"".join(model.topic_word.tobytes() for model in played.models())


def _check_shape(method: Method) -> None:
    require(isinstance(method, Method), f"a method inherits from Method, got {type(method).__name__}")
    require(is_dataclass(method), "a method is a dataclass of its hyper-parameters")
    try:
        cast(Any, method).n_topics = method.n_topics
    except (FrozenInstanceError, AttributeError):
        pass
    else:
        raise ContractError("a method is frozen: @dataclass(frozen=True)")
    annotated = [pair for kind in type(method).__mro__ for pair in get_annotations(kind).items()]
    settings = {name for name, hint in annotated if "ClassVar" not in str(hint)}
    unknown = ", ".join(sorted(settings - {field.name for field in fields(cast(Any, method))}))
    decorated = f"write @dataclass(frozen=True) above {type(method).__name__}, or ClassVar"
    require(not unknown, f"{unknown} is no setting: {decorated}")
    try:
        said = method.about.summary and method.about.guarantee and method.about.citation
    except AttributeError:
        said = ""
    require(said, "`about` must say all of its parts")


def _check_words(method: Method) -> None:
    """What a method says before a run: twice the same, and ready for a record."""
    prices = method.prices(N_WORDS)
    costs = isinstance(prices, list) and all(isinstance(price, Cost) for price in prices)
    require(costs, f"`prices` must give a list of costs, got {prices!r:.60}")
    require(prices == method.prices(N_WORDS), "`prices` must say the same whenever it is asked")
    require_texts("notes", method.notes(N_WORDS))
    require_texts("shows", method.shows())
    with suppress(InputError):  # which is an answer: so few documents make no sense
        require_texts("outlook", method.outlook(Amounts(N_WORDS, n_documents=30, n_parties=len(PARTIES))))
    sizes = method.model_sizes(PARTIES)
    require(isinstance(sizes, range), f"`model_sizes` must give a range, got {sizes!r:.60}")
    try:
        json.dumps([method.in_force(N_WORDS), method.forecast(N_WORDS)])
    except (TypeError, ValueError) as error:
        raise ContractError(f"`in_force` and `forecast` must be ready for JSON: {error}") from error


def _check_signs(played: Played) -> None:
    for _, _, release in played.releases:
        for name, array in release.value.items():
            signed = name in played.method.may_be_negative or not array.size or array.min() >= 0
            require(signed, f"{name} is sent with numbers below 0; name it in `may_be_negative`")


def _check_secure(played: Played) -> None:
    for number, _, release in played.releases:
        told = (
            f"noise is simulated in round {number} though the turn asks for secure noise: take `turn.noise()`"
        )
        require(release.cost.noise != "simulated", told)


def _check_price(played: Played) -> None:
    announced, charged = Ledger(), Ledger()
    for number, price in enumerate(played.method.prices(N_WORDS)):
        announced.charge("north", number, price)
    for number, name, release in played.releases:
        if name == "north":
            charged.charge(name, number, release.cost)
    planned, spent = announced.statements(), charged.statements()
    if planned:
        require(spent == planned, f"what is charged is not what `prices` announced: {spent}, not {planned}")
    else:
        require(all(row["epsilon"] == 0 for row in spent), "`prices` is empty, and releases have a price")


def _check_free(played: Played, elsewhere: Played) -> None:
    """Before its first price a party has released nothing that it could use again."""
    paid: set[str] = set()
    for (number, name, release), (_, _, other) in zip(played.releases, elsewhere.releases, strict=True):
        paid |= {name} if release.cost != FREE else set()
        told = f"round {number} sends what depends on the documents, and has no price"
        require(name in paid or same(release.value, other.value), told)


def _check_models(played: Played) -> None:
    method, sizes = played.method, played.method.model_sizes(PARTIES)
    for model in played.models():
        rows = model.topic_word
        fits = rows.shape[0] in sizes and rows.shape[1] == N_WORDS
        wanted = f"{sizes[0]} to {sizes[-1]} topics of {N_WORDS} words"
        require(fits, f"a model must have {wanted}, as `model_sizes` says, got shape {rows.shape}")
        sums = rows.sum(axis=1, dtype=np.float64)
        require(rows.min() >= 0 and np.abs(sums - 1).max() < 1e-3, "topics must be probabilities of words")
        ours = model.vocabulary == VOCABULARY
        require(ours, "a model must have the words that it was given, in their order, got others")
    require_texts("remarks", method.remarks(played.state))
    for name, value in method.measures(played.state).items():
        number = isinstance(value, int | float | np.number) and np.isfinite(value)
        require(number, f"measure {name!r} must be a finite number, got {value!r:.60}")
    for name, amounts in method.party_topics(played.state).items():
        fits = isinstance(amounts, np.ndarray) and name in PARTIES and len(amounts) in sizes
        got = f"{type(amounts).__name__} of {name}"
        require(fits, f"`party_topics` must give an amount for each topic, got {got}")


def _check_sums(played: Played) -> None:
    """Of a method that says `sums`: every round gives the next state from the sum in steps, too."""
    method, bits = played.method.for_sums(), played.method.sums
    if bits is None:
        return
    again, turn = Played(method, played.corpora), played.server
    for number in range(method.n_rounds):
        again.round(number, PARTIES)
        sent = {name: release.value for at, name, release in again.releases if at == number}
        shapes = {name: {key: array.shape for key, array in sent[name].items()} for name in PARTIES}
        alike = all(shapes[name] == shapes[PARTIES[0]] for name in PARTIES)
        require(alike, f"what is added must have one shape, got {shapes} in round {number}")
        unknown = [key for key in shapes[PARTIES[0]] if key not in bits]
        require(not unknown, f"`sums` must name what is sent, got {', '.join(unknown)} beside it")
        try:
            total = added_in_steps(sent, bits, len(PARTIES))
            method.combine_total(again.before, total, replace(turn, round=number))
        except (InputError, LookupError, TypeError, ValueError, NotImplementedError) as error:
            raise ContractError(f"round {number} cannot be made of a sum: {error!r}") from error


def _check_going_on(played: Played) -> None:
    """Of a method that says `continued`, or `kept`: a second run begins where the first one ended."""
    method, first = played.method, dict(played.memory)
    require(method.goes_on or not method.keeps, "`kept` is of no use to a method without `continued`")
    if not method.goes_on:
        return
    again = Played(method, played.corpora)
    try:
        begun = method.continued(played.models()[0])
        require_arrays("continued", begun)
        again.state |= begun
        for name, corpus in played.corpora.items():
            kept = method.kept(Party(name, corpus, first[name]))
            require_arrays("kept", kept)
            again.memory[name] = method.resumed(kept, N_WORDS)
            require_arrays("resumed", again.memory[name])
        _check_models(again.whole())
    except (LookupError, ArithmeticError, TypeError, ValueError) as error:
        raise ContractError(f"it does not go on from its own model: {error!r}") from error


def _check_missing(method: Method, corpora: dict[str, Corpus]) -> None:
    played = Played(method, corpora)
    presence = (PARTIES[:2], PARTIES[1:], PARTIES[:1])
    try:
        for number in range(method.n_rounds):
            played.round(number, presence[min(number, 2)])
        played.models()
    except (LookupError, ArithmeticError, TypeError, ValueError) as error:
        raise ContractError(f"a party that misses a round, or joins late, stops it: {error!r}") from error


def check_blindfold(method: Method) -> None:
    """Raise `ContractError` where at epsilon 0 something leaves that depends on what is not public."""
    blind = blindfolded(method)
    if blind is None:
        return
    hidden = all(_bounds(cost, "word add/remove") for cost in blind.prices(N_WORDS))
    one, other = (
        Played(
            blind,
            {
                name: documents(blind, seed, seed if hidden else 0)
                for name, seed in zip(("north", "south"), seeds, strict=True)
            },
        ).whole()
        for seeds in ((1, 2), (3, 4))
    )
    require_same("at epsilon 0 something leaves that depends on what is not public", one, other)


def blindfolded(method: Method) -> Method | None:
    """The method at epsilon 0; None where it has no epsilon or proves nothing with one."""
    if "epsilon" not in {field.name for field in fields(cast(Any, method))}:
        return None
    try:
        blind: Method = replace(cast(Any, method), epsilon=0.0)
    except InputError as error:
        if cast(Any, method).epsilon is None:  # its noise is set by something else
            return None
        raise ContractError(f"epsilon 0 must be taken, as noise without end: {error}") from error
    promises = (any(_bounds(cost, name) for name in RELATIONS) for cost in blind.prices(N_WORDS))
    return blind if all(promises) else None


def _bounds(cost: Cost, relation: Relation) -> bool:
    return all(loss.event != NonPrivate() for loss in cost.losses_of(relation))
