"""Documents made ready for training: read, dealt to parties, some held out, over one vocabulary."""

import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from fedtopics.documents import splitting
from fedtopics.documents.corpus import Corpus, concatenate
from fedtopics.documents.reading import WHERE, check_source, is_table, read
from fedtopics.documents.reading.postgres import shown_source
from fedtopics.documents.store import require_all_words
from fedtopics.documents.text.harmless import quoted, shown_path
from fedtopics.documents.text.preparation import TextOptions
from fedtopics.errors import InputError
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.privacy.words import Agreement
from fedtopics.protocol import in_process
from fedtopics.protocol.agreeing import told_number
from fedtopics.protocol.method import Amounts, Method
from fedtopics.protocol.summing import Summing
from fedtopics.related_words import RelatedWords, load

NONE_HELD_OUT = "expected held-out documents to compare by, got a test fraction of 0; take 0.1, say"
DEFAULT_PARTIES = 3
N_SEEDS = 2**32
AGREEMENT_DELTA = 1e-6
GIVEN, READ, AGREED, UNKNOWN = "as given", "read from the documents", "agreed privately", "that of the corpus"
BY_COLUMN, BY_TOPIC, ONE_PARTY = "as the documents say", "simulated: dealt by topic", "one party"
READING = (*WHERE, "vocabulary_epsilon", *TextOptions.__annotations__)
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Data:
    """One training corpus per party and held-out documents of all of them.

    parties      training documents of each party, by its name
    test         held-out documents, over the same vocabulary
    source       what was read
    vocabulary   where the words come from: "as given", "agreed privately" (priced in the ledger), "read from
                 the documents" (then its words are known to everyone, and not priced) or "that of the corpus"
                 (whoever made it knows)
    dealing      how documents came to their parties; empty where whoever made the data knows. What is dealt
                 by topic depends on the texts in a way that is not priced: for experiments
    ledger       what the parties have spent before training
    """

    parties: dict[str, Corpus]
    test: Corpus
    source: str = "corpus"
    vocabulary: str = UNKNOWN
    dealing: str = ""
    ledger: Ledger = field(default_factory=Ledger)

    @cached_property
    def train(self) -> Corpus:
        """The training documents of all parties, for scores that need a reference corpus."""
        return concatenate([self.parties[name] for name in sorted(self.parties)])

    @property
    def amounts(self) -> Amounts:
        """How much there is to train on."""
        return self.amounts_by()

    def amounts_by(self, summing: Summing | None = None) -> Amounts:
        """The same where parties are added up by this `summing`."""
        train, n_parties = self.train, len(self.parties)
        together = None if summing is None else summing.together(n_parties)
        noises = None if together is None else together.of_sum(n_parties) ** 2
        return Amounts(train.n_words, train.n_docs, train.n_persons, n_parties, noises)


def prepare(
    source: Any,
    *,
    n_parties: int | None = None,
    test_fraction: float = 0.1,
    seed: int = 0,
    vocabulary_epsilon: float | None = None,
    secure: bool = False,
    by_content: bool = False,
    show_progress: bool | None = None,
    **reading: Any,
) -> Data:
    """Read `source`, hold out `test_fraction` (0: nothing, and no perplexity) and deal the rest to parties.

    Documents that name their party go to it. Others are dealt by topic, so that the parties are unequal and
    unlike each other; as that depends on the texts, it is refused if `secure`. A person, where known, is held
    out or dealt as a whole.

    source         a name, a path, texts, a table (a data frame, rows as mappings) or a corpus
    n_parties      number of parties where documents name none; 3 if not given
    test_fraction  share of the documents held out for the scores
    seed           says who gets which document, and makes simulated noise
    vocabulary_epsilon   the parties agree on the words at this price for a document added or removed
    secure         noise of that agreement from the operating system
    by_content     a document is held out by its own words alone, as where whole documents are protected
    show_progress  a bar: True, False, or None for "on a terminal only"
    reading        goes to `fedtopics.read`
    """
    if isinstance(source, Data):
        check_dealing(source.dealing, secure)
        return source
    in_memory = is_table(source)
    if not in_memory and not isinstance(source, str | os.PathLike | Corpus):
        source = Corpus.from_texts(_listed(source), progress=show_progress, **reading)
    if vocabulary_epsilon is not None:
        if isinstance(source, Corpus):
            raise InputError("expected a source, got documents whose words were chosen already; give a path")
        reading |= _unfiltered(reading)
        if not in_memory:
            check_source(source)
            require_all_words(Path(source))
    if not 0 <= seed < N_SEEDS:
        raise InputError(f"expected a seed from 0 to {N_SEEDS - 1}, got {seed}")
    corpus = source if isinstance(source, Corpus) else read(source, progress=show_progress, **reading)
    if test_fraction == 0:
        train, test = corpus, corpus.select([])
    else:
        train, test = corpus.split(test_fraction, seed=seed, by_content=by_content)
    dealing = _dealing(train, n_parties, reading.get("party_column"))
    check_dealing(dealing, secure)
    data = Data(_dealt(train, n_parties, seed), test, dealing=dealing)
    if not isinstance(source, Corpus):
        named = "a table" if in_memory else shown_source(str(source))
        data = replace(data, source=named, vocabulary=READ if reading.get("vocabulary") is None else GIVEN)
    if vocabulary_epsilon is not None:
        data = _agreed(data, vocabulary_epsilon, seed, secure)
    n_empty = data.train.n_empty + data.test.n_empty
    if n_empty:
        logger.warning("%d of %d documents have no known word; they are kept", n_empty, corpus.n_docs)
    return data


def _listed(texts: Any) -> list[str]:
    """Texts that come one by one."""
    if isinstance(texts, Mapping):
        check_source(texts)
    try:
        return list(texts)
    except TypeError:
        kind = type(texts).__name__
        raise InputError(f"expected a name, a path, texts or a table, got {kind}") from None


def _dealing(train: Corpus, n_parties: int | None, column: str | None) -> str:
    """How the documents will be dealt."""
    if n_parties is not None and n_parties < 1:
        raise InputError(f"expected at least 1 party, got {n_parties}")
    named = len(set(train.parties or ()))
    if column is not None and n_parties not in (None, named):
        raise InputError(
            f"column {quoted(column)} names {named} parties, got --parties {n_parties}; leave one out"
        )
    if named and n_parties in (None, named):
        return BY_COLUMN
    return ONE_PARTY if n_parties == 1 else BY_TOPIC


def check_dealing(dealing: str, secure: bool) -> None:
    """Refuse to publish what depends on texts in a way that no ledger prices."""
    if secure and dealing == BY_TOPIC:
        raise InputError(
            "expected documents that name their parties, got some to be dealt by topic, which depends on "
            "their texts and is not priced; with secure noise name a --party-column (party_column), or take "
            "--parties 1 (n_parties=1)"
        )


def require_held_out(data: Data) -> None:
    """Refuse to compare where nothing was held out to compare by."""
    if not data.test.n_docs:
        raise InputError(NONE_HELD_OUT)


def check_agreement(method: Method, vocabulary_epsilon: float | None) -> None:
    """Refuse to agree on words at a price for documents where persons are to be protected."""
    if vocabulary_epsilon is not None and method.protects.startswith("person"):
        raise InputError(
            "the agreement on words is priced for documents, got a method that protects persons; give a "
            "public list of words (--vocabulary, vocabulary=) instead of --vocabulary-epsilon"
        )


def _dealt(train: Corpus, n_parties: int | None, seed: int) -> dict[str, Corpus]:
    """One corpus per party: as their column says, else by topic."""
    named = len(set(train.parties or ()))
    dealt = splitting.automatic(train, n_parties or (None if named else DEFAULT_PARTIES), seed=seed)
    return {party.name or "": party for party in dealt}


def _unfiltered(reading: dict[str, Any]) -> dict[str, Any]:
    """Options that look at no document: filters by frequency would leak, stop words are public."""
    for name in ("vocabulary", "min_df", "max_df", "max_words"):
        if reading.get(name) is not None:
            raise InputError(
                f"expected either {name} or vocabulary_epsilon, got both; parties choose the words"
            )
    return {"min_df": 1, "max_df": 1.0}


def _agreed(data: Data, epsilon: float, seed: int, secure: bool) -> Data:
    """The same documents over words that the parties agreed on, with the price in the ledger."""
    agreement = Agreement(epsilon, AGREEMENT_DELTA, min_parties=min(2, len(data.parties)))
    ledger = Ledger()
    found = in_process.agree(agreement, data.parties, seed=seed, ledger=ledger, secure=secure)
    logger.warning(told_number(len(found)))
    parties = {name: corpus.with_vocabulary(found) for name, corpus in data.parties.items()}
    test = data.test.with_vocabulary(found)
    return replace(data, parties=parties, test=test, vocabulary=AGREED, ledger=ledger)


def public_relation(source: Any, data: Data) -> RelatedWords | None:
    """The relation of the vocabulary; a file among the documents is refused, as it must be public."""
    if source is None:
        return None
    if not isinstance(source, str | os.PathLike):
        return load(source, data.test.vocabulary)
    paths = [Path(source), Path(data.source)]
    if all(path.exists() for path in paths) and paths[0].resolve().is_relative_to(paths[1].resolve()):
        raise InputError(
            f"expected a public word relation, got {shown_path(paths[0])} among the documents; "
            "what is learned from them leaks with the topics"
        )
    return load(source, data.test.vocabulary)
