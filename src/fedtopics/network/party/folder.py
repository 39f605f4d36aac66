"""A party's folder: what it accepted, its keys, its data's address, its ledger and its models.

FOLDER/plan.toml, policy.toml    what was accepted, what is allowed;  party.crt, party.key, ca.crt
FOLDER/source.json               where the documents are and how to read them
FOLDER/store/                    ledger over all runs, releases, memory;  ledger.anchor knows its end
FOLDER/models/RUN/               each finished run: model, signed record, this party's ledger
"""

import json
import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.serialization import Encoding
from numpy.typing import NDArray

from fedtopics import files
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.persons import different, held_out
from fedtopics.documents.reading import CountedWordsError, omop
from fedtopics.documents.reading.bags import EmptyCountsError
from fedtopics.documents.store import is_store
from fedtopics.errors import EmptyCorpusError, InputError
from fedtopics.files import StoreError
from fedtopics.model import TopicModel
from fedtopics.network import private_scores, verification
from fedtopics.network.party import ledger_file, on_cluster, reading
from fedtopics.network.party.backup import require_settled
from fedtopics.network.party.delivery import Delivery
from fedtopics.network.party.runs import PartyRuns
from fedtopics.network.party.side import PartySide
from fedtopics.network.party.store import MODELS, PartyStore
from fedtopics.network.party.sums import Identity
from fedtopics.network.plan import acceptance, certificates
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.policy import Policy
from fedtopics.network.plan.readiness import check_identity, check_period
from fedtopics.network.plan.terms import terms_of
from fedtopics.network.private_scores import Score
from fedtopics.network.secure_sum import Sign
from fedtopics.network.tls import Credentials
from fedtopics.network.verification import FILES, check_record
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.price.release import Release
from fedtopics.protocol.method import Amounts
from fedtopics.protocol.turn import Arrays
from fedtopics.runs.run import PARTY_PREFIX

LOCK_SECONDS = 30.0  # until the process of the job before has ended


@dataclass(frozen=True)
class PartyFolder:
    """Where a party keeps everything."""

    path: Path

    @property
    def plan(self) -> Plan:
        return Plan.read(self.path / "plan.toml")

    @property
    def policy(self) -> Policy:
        return Policy.read(self.path / "policy.toml")

    @property
    def credentials(self) -> Credentials:
        return Credentials.read(self.path, "party", "see `fedtopics federation request`")

    @property
    def name(self) -> str:
        """The party's name, as its certificate says, if key and certificate fit and hold now."""
        return check_identity(self.path)

    def note_source(self, source: str, options: dict[str, Any]) -> None:
        """Keep where the documents are, for the processes that will read them, wherever these are started."""
        if omop.is_omop(source) and options.get("person_column") is None:
            options = options | {"person_column": omop.PERSON}
        if Path(source).expanduser().exists():
            source = str(Path(source).expanduser().resolve())
        files.write(self.path / "source.json", json.dumps({"source": source, "options": options}).encode())

    @property
    def _noted(self) -> dict[str, Any]:
        noted: dict[str, Any] = json.loads((self.path / "source.json").read_bytes())
        return noted

    def documents(self) -> Corpus:
        """The party's documents with all their words, none where the source holds no word."""
        try:
            return self._read()
        except EmptyCorpusError as empty:  # an error would tell that, at no price
            known = None if isinstance(empty, EmptyCountsError) else np.zeros(1, np.int64)
            return Corpus(
                np.zeros(0, np.int32),
                np.zeros(1, np.int64),
                (),
                sentence_offsets=known,
                document_sentences=known,
                persons=None if self._noted["options"].get("person_column") is None else (),
                language=None if known is None else self.plan.texts.language,
            )

    def _read(self) -> Corpus:
        noted = self._noted
        return reading.all_words(noted["source"], noted["options"], self.plan.texts)

    def training(self) -> Corpus:
        """The documents that are trained on: all of them, unless some are held out for private scores."""
        return self._parts()[0]

    def _parts(self) -> tuple[Corpus, Corpus | None]:
        """Documents to train on and to score with, the same two parts whenever the plan is the same."""
        corpus, fraction = self.documents(), self.plan.evaluation.test_fraction
        if fraction is None:
            return corpus, None
        seed = int(self.plan.digest[:8], 16)
        hidden = self.plan.method().hides_documents
        if corpus.persons is not None or hidden:  # what is held out depends on no other, nor on how many are
            is_test = held_out(corpus.persons or corpus.contents(), fraction, seed)
            return corpus.select(~is_test), corpus.select(is_test)
        if not 0 < round(fraction * corpus.n_docs) < corpus.n_docs:
            return corpus, corpus.select([])  # too few to share out: it scores none, and nobody sees that
        return corpus.split(fraction, seed=seed)

    def _score(self) -> Score | None:
        mechanism, threads = self.plan.evaluation.mechanism(), os.cpu_count() or 1
        if mechanism is None:
            return None

        def score(topics: NDArray[Any], words: tuple[str, ...], noise: Noise) -> Release[Arrays]:
            held_out = self._parts()[1]
            if held_out is None:
                raise InputError("the plan holds no documents out: nothing is scored")
            return private_scores.release(topics, held_out.with_vocabulary(words), mechanism, noise, threads)

        return Score(mechanism.price(), score)

    def check_source(self) -> str:
        """How many documents there are, and of how many persons; an error where they cannot be used."""
        persons, noted = self._persons(), self._noted
        n_foreign = reading.n_foreign(noted["source"], noted["options"], self.plan.texts)
        indexed = is_store(Path(noted["source"])) and any(persons)
        named = indexed or noted["options"].get("person_column") is not None
        n_persons = len(different(persons).names) if named else None
        method = self.plan.method()
        told = f"{len(persons)} documents" + (f" of {n_persons} persons" if named else "")
        if n_foreign == len(persons) > 0:
            raise InputError(
                f"expected documents in {self.plan.texts.language}, the plan's, got none; name their "
                "--language-column, or their --language where all have one"
            )
        if n_foreign:
            told += f", {n_foreign} of them in no language of the plan: their words are left out"
        if method.protects.startswith("person") and not named:
            raise InputError("the plan protects persons, got documents without; name a --person-column")
        try:
            method.outlook(Amounts(self.plan.vocabulary.most_words, len(persons), n_persons))
        except InputError as error:  # whether the party starts must not depend on its documents: it is said
            told += f" ({error})"
        return told

    def _persons(self) -> list[str]:
        """The person of each document, empty where unknown."""
        noted = self._noted
        try:
            return [each.person or "" for each in reading.documents(noted["source"], noted["options"])]
        except CountedWordsError:
            pass
        corpus = self._read()
        return list(corpus.persons or [""] * corpus.n_docs)

    def store(self, wait: float = 0.0) -> PartyStore:
        """The party's ledger and memory; waits for another process to let go of them."""
        until, anchor = monotonic() + wait, self.path / ledger_file.ANCHOR
        secure, budgets = self.plan.simulation_seed is None, self.policy.budget
        while True:
            try:
                store = PartyStore(self.path / "store", self.name, budgets, secure_only=secure, anchor=anchor)
                break
            except StoreError:
                if monotonic() > until:
                    raise
                sleep(0.2)
        try:
            acceptance.check_ledger(self.path, store.ledger_id)
        except InputError:
            store.close()
            raise
        return store

    def side(self, run: str) -> PartySide:
        self.check()
        terms = terms_of(self.plan, self.path, run)
        store, score = self.store(LOCK_SECONDS), self._score()
        sign = partial(certificates.sign, self.path / "party.key")
        given = self.training, self.keep, self.policy.log, score, sign, FILES, self.is_kept
        cluster = self.policy.cluster
        elsewhere = None if cluster is None else on_cluster.opened(cluster, terms.method, store, run)
        own = certificates.read_certificate(self.path / "party.crt")
        kept = self.policy.changed_documents, own, self.renew
        return PartySide(self.name, terms, store, *given, self._identity(sign), elsewhere, *kept)

    def renew(self, content: bytes) -> None:
        """Keep a certificate that was made anew for this party's key, if it holds for longer."""
        path, own = self.path / "party.crt", certificates.parse_certificate(content, self.path / "party.crt")
        known = certificates.read_certificate(path)
        certificates.check_issued(own, certificates.read_certificate(self.path / "ca.crt"))
        same = own.public_key() == known.public_key() and own.subject == known.subject
        if not same or own.not_valid_after_utc <= known.not_valid_after_utc:
            raise InputError("expected a longer certificate of this party's name and key, got another")
        check_period(own, path)
        files.write(path, own.public_bytes(Encoding.PEM), mode=certificates.PUBLIC_FILE)

    def _identity(self, sign: Sign) -> Identity | None:
        """Who this party is before others, where the plan has a secure sum."""
        plan, policy = self.plan, self.policy
        if plan.secure_sum is None:
            return None
        authority = certificates.read_certificate(self.path / "ca.crt")
        own = files.read(self.path / "party.crt", certificates.MOST_BYTES)
        return Identity(own, authority, sign, policy.peers, policy.min_parties)

    def allowed(self) -> tuple[bytes, ...]:
        """What the party has accepted and allows, as it stands in its files; nothing for one that is gone."""
        paths = (self.path / name for name in ("plan.toml", "policy.toml", acceptance.FILE))
        return tuple(path.read_bytes() if path.is_file() else b"" for path in paths)

    def check(self) -> None:
        """Raise unless the party has accepted the plan, its policy allows it and its budget can pay it."""
        plan = self.plan
        require_settled(self.path)
        acceptance.check(self.path, plan)
        self.policy.check(plan, self.name)

    def unfinished(self, store: PartyStore) -> list[str]:
        """Runs of this plan that the party has released something in, and may go on with."""
        begun = dict.fromkeys(entry.run.split("/", 1)[0] for entry in store.entries)
        runs, plan = PartyRuns(store, self.is_kept), self.plan.digest.encode()
        return [
            run
            for run in begun
            if not self.is_kept(run)
            and not runs.progress(run).left
            and (note := store.note(run, "plan")).is_file()
            and note.read_bytes() == plan
        ]

    def is_kept(self, run: str) -> bool:
        return (self.path / MODELS / run).exists()

    def keep(self, run: str, delivery: Delivery) -> None:
        """Store a finished run with this party's own ledger, all of it or nothing."""
        if self.is_kept(run):
            return
        if set(delivery.files) != set(FILES):
            raise InputError(f"expected {', '.join(FILES)}, got other files; nothing was kept")
        with files.whole_folder(self.path / MODELS / run) as draft:
            self._fill(draft, run, delivery)

    def _fill(self, draft: Path, run: str, delivery: Delivery) -> None:
        """Write what was delivered, if it is what the coordinator signed, and this party's own part."""
        for name, content in delivery.files.items():
            files.write(draft / name, content)
        check_record(draft, self.path / "signing.pub")
        plan, authority = self.plan, certificates.read_certificate(self.path / "ca.crt")
        record = json.loads((draft / "run.json").read_bytes())
        if (record.get("run"), record.get("plan")) != (run, plan.digest):
            raise InputError(f"expected the record of {run} under this plan, got another; nothing was kept")
        signed = verification.verified(draft, authority, plan)
        key = certificates.fingerprint(certificates.read_key(self.path / "party.key").public_key())
        own = ledger_file.own_statement(self.path, run, plan.digest)
        verification.check_own(draft, signed, key, own)
        if TopicModel.load(draft).vocabulary != delivery.words:
            raise InputError("expected a model over the words of the run, got another; nothing was kept")
        if delivery.local_model is not None:
            delivery.local_model.save(draft / f"{PARTY_PREFIX}{self.name}")
        files.write(draft / "ledger.json", (delivery.ledger.to_json() + "\n").encode())


def found_documents(plan: Plan, source: str, options: dict[str, Any]) -> str:
    """How many documents a party would have under a plan, before it has a folder."""
    with files.scratch_folder(None) as place:
        plan.write(place / "plan.toml")
        PartyFolder(place).note_source(source, options)
        return PartyFolder(place).check_source()
