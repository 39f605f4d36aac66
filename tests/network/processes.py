"""A small federation of real processes for tests: planted topics, few words, and means to break it."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import numpy as np
import pytest
from planted import planted_topics

from fedtopics.documents.corpus import Corpus
from fedtopics.model import TopicModel
from fedtopics.network.coordinator.folder import OPEN, RunFolder
from fedtopics.network.keeper import NOTE
from fedtopics.network.local import HUB, LocalFederation, free_port
from fedtopics.network.party import ledger_file
from fedtopics.network.plan import certificates
from fedtopics.network.plan.parts import PlannedWords
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.text import policy_template
from fedtopics.privacy.price.budget import Budget
from fedtopics.protocol import in_process

LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORDS = tuple(f"topical{LETTERS[i // 6]}{LETTERS[i % 6]}" for i in range(24))
SEED = 3
PATIENCE = 400.0


def texts(party: int, n_docs: int = 40, length: int = 20) -> list[str]:
    """Documents of three planted topics."""
    rng = np.random.default_rng(party)
    mixtures = rng.dirichlet(np.full(3, 0.2), n_docs) @ planted_topics(3, 8)
    mixtures /= mixtures.sum(axis=1, keepdims=True)
    return [" ".join(WORDS[word] for word in rng.choice(24, length, p=mixture)) for mixture in mixtures]


def founded(
    folder: Path, names: tuple[str, ...], method: str = "calm", runs: int = 8, **given: Any
) -> LocalFederation:
    """A federation over a public word list whose policies allow this many runs."""
    words = folder / "words.txt"
    words.parent.mkdir(parents=True, exist_ok=True)
    words.write_text("".join(f"{word}\n" for word in WORDS))
    known = {"min_parties": len(names), "timeout_seconds": 60.0, "simulation_seed": SEED}
    settings = {"n_topics": 3, "epsilon": 6.0, "n_rounds": 40} | given.pop("settings", {})
    vocabulary = given.pop("vocabulary", None) or PlannedWords.of_file(words)
    plan = Plan(
        "test",
        given.pop("coordinator", None) or f"localhost:{free_port()}",
        names,
        method,
        Budget("word add/remove", 100.0, 1e-6),
        vocabulary,
        settings=settings,
        **known | given,
    )
    policy = re.sub("epsilon = .*", f"epsilon = {100.0 * runs}", policy_template(plan, simulation=True))
    policy = re.sub("delta = .*", f"delta = {1e-6 * 3 * runs}", policy)  # of each agreement on words, too
    policy = policy.replace('log = "rounds"', 'log = "details"')
    documents = {name: texts(number) for number, name in enumerate(names)}
    listed = words if plan.vocabulary.mode == "public" else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certificates, "KEY_BITS", 2048)  # made sooner
        return LocalFederation.establish(folder / "federation", plan, documents, policy, listed)


def reference(federation: LocalFederation) -> TopicModel:
    """The model of the reference engine from the same documents."""
    plan = federation.hub.plan
    corpora = {
        name: Corpus.from_texts(texts(number), vocabulary=WORDS) for number, name in enumerate(plan.parties)
    }
    model = in_process.run(plan.method(), corpora, seed=SEED, summing=plan.secure_sum).model
    assert model is not None
    return model


def reference_of_agreed(federation: LocalFederation) -> TopicModel:
    """The same where the parties agree on the words."""
    plan = federation.hub.plan
    corpora = {
        name: Corpus.from_texts(texts(number), min_df=1, max_df=1.0)
        for number, name in enumerate(plan.parties)
    }
    agreement = plan.agreement()
    assert agreement is not None
    words = in_process.agree(agreement, corpora, seed=SEED)
    over = {name: corpus.with_vocabulary(words) for name, corpus in corpora.items()}
    model = in_process.run(plan.method(), over, seed=SEED).model
    assert model is not None
    return model


def until(true: Callable[[], bool], what: str, seconds: float = PATIENCE) -> None:
    """Wait for something to become true."""
    end = monotonic() + seconds
    while not true():
        assert monotonic() < end, f"{what} did not happen within {seconds:g} s"
        sleep(0.05)


def in_round(run: RunFolder, number: int) -> Callable[[], bool]:
    """Whether the run has come to this round."""

    def reached() -> bool:
        status = run.status()
        assert status.state in OPEN, f"the run ended before round {number}: {run.lines()[-3:]}"
        return status.round >= number

    return reached


def worker(federation: LocalFederation, name: str) -> int:
    """The number of the process that does a participant's work, which its keeper starts again."""
    return int((federation.folder / name / NOTE).read_text())


def kill_worker(federation: LocalFederation, name: str) -> None:
    os.kill(worker(federation, name), signal.SIGKILL)


def kill_everything(federation: LocalFederation, name: str) -> None:
    """What a power cut does to one participant: all its processes are gone at once."""
    process = federation.processes.pop(name)
    process.kill()
    with suppress(ProcessLookupError):
        kill_worker(federation, name)
    process.wait()


def charges(federation: LocalFederation, party: str, run: str) -> list[tuple[str, int]]:
    """Operation and round of every charge of a run in the party's own ledger."""
    entries = ledger_file.read(federation.folder / party / "store").entries
    return [(entry.run, entry.round) for entry in entries if entry.run.startswith(f"{run}/")]


def delivered(federation: LocalFederation, run: RunFolder) -> list[TopicModel]:
    """The finished model, as the coordinator and every party have it."""
    folders = [federation.folder / name / "models" / run.name for name in federation.hub.plan.parties]
    return [TopicModel.load(folder) for folder in (run.result, *folders)]


def logs(federation: LocalFederation, name: str = HUB) -> str:
    """What a participant's operator sees."""
    return (federation.folder / name / "operator.log").read_text()


def check_undisturbed(federation: LocalFederation, run: RunFolder, n_rounds: int) -> None:
    """Every party has the model of the reference engine, and has paid for each round once."""
    wanted = reference(federation).topic_word
    for model in delivered(federation, run):
        np.testing.assert_array_equal(model.topic_word, wanted)
    for name in federation.hub.plan.parties:
        made = charges(federation, name, run.name)
        assert len(made) == len(set(made)) == n_rounds
