"""A complete federation on one machine, for trying: a source dealt to parties, each in processes of its own.

Everything is as between machines (keys, certificates, acceptance, mutual TLS) except that one user owns all
of it.
"""

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from fedtopics import files
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.reading import documents
from fedtopics.errors import InputError
from fedtopics.methods import make
from fedtopics.network.coordinator.folder import OPEN, CoordinatorFolder, RunFolder
from fedtopics.network.party.offer import Offer
from fedtopics.network.plan import onboarding
from fedtopics.network.plan.certificates import fingerprint, read_request
from fedtopics.network.plan.parts import Evaluation, PlannedRelation, PlannedWords, Texts
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.text import policy_template, toml
from fedtopics.privacy.price.budget import Budget
from fedtopics.protocol.summing import Summing
from fedtopics.runs.preparing import prepare

HUB = "coordinator"
PERSON, LANGUAGE = "person", "language"  # columns of the texts of a party
GRACE = 15.0
DELTA = 1e-6
MOST_WORDS = 10_000


def free_port() -> int:
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])


def write_texts(
    path: Path, texts: Sequence[str], persons: Sequence[str] = (), languages: Sequence[str] = ()
) -> None:
    """Texts as a source that `fedtopics` reads, for its owner alone; with what else is known of them."""
    rows = [{"text": text} for text in texts]
    for name, known in ((PERSON, persons), (LANGUAGE, languages)):
        for row, value in zip(rows if known else [], known, strict=True):
            row[name] = value
    files.write(path, "".join(json.dumps(row) + "\n" for row in rows).encode())


@dataclass
class LocalFederation:
    """Coordinator and parties below one folder; a context manager that ends what it has started.

    prefixes   words before the command of a participant, to start it in another network namespace, say
    persons, languages   whether the texts of the parties name them
    """

    folder: Path
    prefixes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    persons: bool = False
    languages: bool = False

    @classmethod
    def establish(
        cls,
        folder: Path,
        plan: Plan,
        texts: Mapping[str, Sequence[str]],
        policy: str,
        words: str | Path | None = None,
        persons: Mapping[str, Sequence[str]] | None = None,
        languages: Mapping[str, Sequence[str]] | None = None,
        relation: Path | None = None,
    ) -> "LocalFederation":
        """Write everybody's files: keys, certificates, the accepted plan, each party's texts and policy."""
        onboarding.establish(folder / HUB, plan, words, relation)
        requests = {party: onboarding.request(folder / party, party) for party in plan.parties}
        if plan.secure_sum is not None:
            known = {name: fingerprint(read_request(path)[1].public_key()) for name, path in requests.items()}
            policy = f"peers = {toml(known)}\n{policy}"
        for party, request in requests.items():
            place = folder / party
            approved = onboarding.approve(folder / HUB, request)
            files.publish(place / onboarding.POLICY, policy)
            about = [named[party] if named else () for named in (persons, languages)]
            write_texts(place / "texts.jsonl", texts[party], *about)
            Offer.read(place, approved).accept()
        return cls(folder, persons=bool(persons), languages=bool(languages))

    def __enter__(self) -> "LocalFederation":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def hub(self) -> CoordinatorFolder:
        return CoordinatorFolder(self.folder / HUB)

    def start(self, *names: str) -> None:
        """Start these participants, or all: the commands an operator would type."""
        for name in names or (HUB, *self.hub.plan.parties):
            place = self.folder / name
            command = [*self.prefixes.get(name, ()), sys.executable, "-P", "-m", "fedtopics"]
            if name == HUB:
                command += ["federation", "coordinator", "start", str(place)]
            else:
                command += ["federation", "party", "start", str(place), "--data", str(place / "texts.jsonl")]
                command += ["--person-column", PERSON] if self.persons else []
                command += ["--language-column", LANGUAGE] if self.languages else []
            with files.log(place / "operator.log") as log:
                self.processes[name] = subprocess.Popen(  # noqa: S603
                    command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
                )

    def wait(self, run: RunFolder, seconds: float, on_look: Callable[[], None] = lambda: None) -> None:
        """Wait for the end of a run, calling `on_look`; an error if it does not end well or in time."""
        until = monotonic() + seconds
        while run.status().state in OPEN:
            on_look()
            if monotonic() > until:
                raise InputError(f"expected the end of {run.name} within {seconds:g} s, got {run.status()}")
            for name, process in self.processes.items():
                if process.poll() is not None:
                    log = self.folder / name / "operator.log"
                    raise InputError(f"{name} ended with code {process.returncode}; see {log}")
            sleep(0.2)
        on_look()
        if run.status().state != "finished":
            raise InputError(f"expected a finished run, got {run.status().state}: {run.status().reason}")

    def stop(self, *names: str) -> None:
        for name in names or tuple(self.processes):
            with suppress(ProcessLookupError):
                self.processes[name].send_signal(signal.SIGTERM)
        for name in names or tuple(self.processes):
            process = self.processes.pop(name)
            try:
                process.wait(GRACE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@dataclass(frozen=True)
class Texted:
    """Texts of each party, and those held out for the scores, as `prepare` deals them.

    persons, languages   of the texts of each party, where known
    test_languages       of those held out
    language             of all texts, or de+en
    """

    parties: Mapping[str, list[str]]
    test: list[str]
    dealing: str = ""
    persons: Mapping[str, tuple[str, ...]] | None = None
    languages: Mapping[str, tuple[str, ...]] | None = None
    test_languages: tuple[str, ...] = ()
    language: str = "en"


def dealt(
    source: str,
    *,
    n_parties: int | None,
    test_fraction: float,
    seed: int,
    secure: bool = False,
    language: str = "en",
    **where: Any,
) -> Texted:
    """The texts behind a source, dealt and held out exactly as `fedtopics train` does."""
    found = documents(source, **where)
    corpus = Corpus.from_documents(found, language=language, min_df=1, max_df=1.0)
    numbered = replace(corpus, ids=tuple(map(str, range(corpus.n_docs))))
    data = prepare(numbered, n_parties=n_parties, test_fraction=test_fraction, seed=seed, secure=secure)

    def texts(part: Corpus) -> list[str]:
        return [found[int(number)].text for number in part.ids or ()]

    def spoken(part: Corpus) -> tuple[str, ...]:
        return tuple(found[int(number)].language or "" for number in part.ids or ())

    def safe(name: str) -> str:
        """A party's name as certificates and folders can carry it."""
        return re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-_")[:40] or "party"

    parties = {safe(name): texts(part) for name, part in data.parties.items()}
    known = {safe(name): tuple(part.persons) for name, part in data.parties.items() if part.persons}
    texted = Texted(
        parties, texts(data.test), data.dealing, known or None, language=corpus.language or language
    )
    if where.get("language_column") is None:
        return texted
    languages = {safe(name): spoken(part) for name, part in data.parties.items()}
    return replace(texted, languages=languages, test_languages=spoken(data.test))


def planned_words(public: str | Path | None, epsilon: float | None) -> PlannedWords:
    """The words of a `public` list, or of an agreement at `epsilon`."""
    if (public is None) == (epsilon is None):
        raise InputError("expected --vocabulary or --vocabulary-epsilon, got both or neither")
    if public is None:
        return PlannedWords("private", epsilon=epsilon, delta=DELTA, max_size=MOST_WORDS)
    return PlannedWords.of_file(public)


def plan_for(
    texted: Texted,
    method: str,
    settings: dict[str, Any],
    *,
    words: PlannedWords,
    simulation_seed: int | None,
    secure_sum: Summing | None = None,
    consistency: PlannedRelation | None = None,
) -> Plan:
    """A plan of all these parties on a free port of this machine, with its price as its promise."""
    parties = tuple(sorted(texted.parties))
    draft = Plan(
        "simulation",
        f"localhost:{free_port()}",
        parties,
        method,
        Budget(make(method, **settings).protects, 1e9, DELTA),
        words,
        settings=settings,
        min_parties=len(parties),
        timeout_seconds=120.0,
        evaluation=Evaluation("public" if texted.test else "none"),
        simulation_seed=simulation_seed,
        secure_sum=secure_sum,
        texts=Texts(texted.language),
        consistency=consistency,
    )
    return draft.priced()


def establish(
    folder: Path,
    plan: Plan,
    texted: Texted,
    words: str | Path | None = None,
    relation: Path | None = None,
) -> LocalFederation:
    """The federation of this plan below `folder`, ready to be started.

    `words` where their list is public; `relation`: the file of the plan's word relation.
    """
    policy, known = policy_template(plan, simulation=True), (texted.persons, texted.languages)
    federation = LocalFederation.establish(folder, plan, texted.parties, policy, words, *known, relation)
    if texted.test:
        write_texts(folder / HUB / "test.jsonl", texted.test, languages=texted.test_languages)
    return federation
