"""Many parties: 25 as real processes on one machine, 100 fake ones at a real coordinator and wire."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from time import sleep, time
from typing import Any

import numpy as np
import pytest
from network import processes
from network.processes import PATIENCE

from fedtopics.documents.corpus import Corpus
from fedtopics.network import wire
from fedtopics.network.coordinator.server import WAIT
from fedtopics.network.local import HUB, LocalFederation, free_port
from fedtopics.network.messages import Reply, Request
from fedtopics.network.party.doing import REST
from fedtopics.network.party.visitor import Visitor
from fedtopics.network.plan import certificates, onboarding
from fedtopics.network.plan.parts import PlannedWords
from fedtopics.network.plan.plan import Plan
from fedtopics.network.tls import Credentials
from fedtopics.privacy.price.budget import Budget
from fedtopics.protocol.coding import NOTHING, Known
from fedtopics.protocol.method import Method
from fedtopics.protocol.turn import Arrays, Party, Turn

pytestmark = pytest.mark.nightly
N_PROCESSES, FEW, MANY, N_ROUNDS = 25, 10, 100, 20
N_WORDS, N_TOPICS = 4_000, 20
MOST_IDLE = 40.0  # megabytes of a party that waits, with both its processes


def memory(number: int) -> float:
    """Megabytes of a process, with its share of what several have in common (PSS)."""
    lines = Path(f"/proc/{number}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def processor(number: int) -> float:
    """Seconds that a process has worked."""
    fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def idle(federation: LocalFederation, seconds: float = 10.0) -> dict[str, float]:
    """Memory of a party that waits, with all its processes, and the share of a core that it takes."""
    names = federation.hub.plan.parties
    numbers = [(federation.processes[name].pid, processes.worker(federation, name)) for name in names]
    flat = [number for pair in numbers for number in set(pair)]
    before = sum(map(processor, flat))
    sleep(seconds)
    used = sum(map(processor, flat)) - before
    return {
        "megabytes of an idle party": sum(map(memory, flat)) / len(names),
        "percent of a core of an idle party": 100 * used / seconds / len(names),
    }


def test_twenty_five_parties_on_one_machine(tmp_path: Path) -> None:
    names = tuple(f"party-{number:02}" for number in range(N_PROCESSES))
    given: dict[str, Any] = {"settings": {"n_rounds": N_ROUNDS}, "timeout_seconds": 600.0}
    with processes.founded(tmp_path, names, **given) as federation:
        federation.start()
        processes.until(lambda: processes.logs(federation).count("is connected") >= N_PROCESSES, "all", 600)
        found = idle(federation)
        run = federation.hub.submit()
        federation.wait(run, PATIENCE)
        sleep(REST + 2 * WAIT)
        found["megabytes after a run"] = idle(federation)["megabytes of an idle party"]
        processes.check_undisturbed(federation, run, N_ROUNDS)
    rounds = json.loads((run.result / "run.json").read_text())["rounds"]
    found["seconds of a round"] = float(np.median([line["seconds"] for line in rounds]))
    print(found)
    assert found["megabytes of an idle party"] < MOST_IDLE
    assert found["megabytes after a run"] < MOST_IDLE


def crowded(folder: Path, n_words: int, n_parties: int) -> LocalFederation:
    """A federation of many names with one key, as making keys takes time; the hub alone is started."""
    names = tuple(f"party-{number:03}" for number in range(n_parties))
    folder.mkdir(exist_ok=True)
    words = folder / "words.txt"
    words.write_text("".join(f"{word}\n" for word in invented(n_words)))
    plan = Plan(
        "crowd",
        f"localhost:{free_port()}",
        names,
        "calm",
        Budget("word add/remove", 6.1, 1e-6),
        PlannedWords.of_file(words),
        settings={"epsilon": 6.0, "n_topics": N_TOPICS, "n_rounds": N_ROUNDS},
        min_parties=n_parties,
        timeout_seconds=300.0,
        simulation_seed=processes.SEED,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certificates, "KEY_BITS", 2048)
        onboarding.establish(folder / HUB, plan, words)
        onboarding.approve(folder / HUB, onboarding.request(folder / names[0], names[0]))
        for name in names[1:]:
            (folder / name).mkdir()
            shutil.copy(folder / names[0] / "party.key", folder / name / "party.key")
            onboarding.approve(folder / HUB, onboarding.request(folder / name, name))
    for name in names:
        approved = folder / HUB / onboarding.APPROVED / name
        for file in ("party.crt", "ca.crt"):
            shutil.copy(approved / file, folder / name / file)
    return LocalFederation(folder)


def invented(n_words: int) -> list[str]:
    letters = processes.LETTERS
    return [f"w{''.join(letters[(i // 26**k) % 26] for k in range(3))}x" for i in range(n_words)]


@dataclass
class Fake:
    """A party that answers as the method would of a few documents, and keeps nothing."""

    name: str
    method: Method
    corpus: Corpus
    memory: Arrays = field(default_factory=dict)
    told: Known = NOTHING

    def answer(self, question: bytes) -> bytes:
        asked = Request.from_bytes(question)
        sent: Arrays = {"time": np.array(time())} if asked.operation == "hello" else {}
        if asked.operation == "contribute":
            told = wire.unpack(asked.body, limit=2**30, known=self.told)
            self.told = (self.told if wire.is_relative(asked.body) else NOTHING).after(told)
            turn = Turn(processes.SEED, "party", asked.round, self.name)
            release, self.memory = self.method.contribute(
                Party(self.name, self.corpus, self.memory), told, turn
            )
            sent = release.value
        body = wire.pack(sent)
        return Reply(self.name, asked.operation, asked.run, asked.round, asked.nonce, "", body).to_bytes()


def fakes(federation: LocalFederation) -> list[Visitor]:
    plan, words = federation.hub.plan, federation.hub.plan.words(federation.hub.path)
    found = []
    for number, name in enumerate(plan.parties):
        rng = np.random.default_rng(number)
        texts = [" ".join(rng.choice(words or (), 30)) for _ in range(3)]
        fake = Fake(name, plan.method(), Corpus.from_texts(texts, vocabulary=words))
        held = Credentials.read(federation.folder / name, "party", "")
        found.append(Visitor("localhost", plan.port, held, fake.answer, lambda line: None))
    return found


def crowd(folder: Path, n_parties: int) -> dict[str, float]:
    """A run with so many fake parties over the real wire: seconds, and megabytes of the coordinator."""
    with crowded(folder, N_WORDS, n_parties) as federation:
        federation.start(HUB)
        over = Event()
        visits = [
            Thread(target=each.keep_visiting, args=(over.is_set,), daemon=True) for each in fakes(federation)
        ]
        for visit in visits:
            visit.start()
        processes.until(lambda: processes.logs(federation).count("is connected") >= n_parties, "all", 300)
        before = memory(processes.worker(federation, HUB))
        run, most = federation.hub.submit(), 0.0
        while run.status().state in ("submitted", "running", "waiting"):
            most = max(most, memory(processes.worker(federation, HUB)))
            sleep(0.2)
        over.set()
        assert run.status().state == "finished", run.lines()[-5:]
    rounds = json.loads((run.result / "run.json").read_text())["rounds"]
    assert all(line["missing"] == [] for line in rounds)
    return {
        "parties": n_parties,
        "seconds of a round": float(np.median([line["seconds"] for line in rounds])),
        "megabytes of the coordinator before": before,
        "megabytes at most": most,
    }


def test_a_coordinator_of_a_hundred_takes_hardly_more_memory_than_of_ten(tmp_path: Path) -> None:
    """CALM needs sums alone: what is added for each party is less than what its counts take as an array."""
    few, many = crowd(tmp_path / "few", FEW), crowd(tmp_path / "many", MANY)
    one = N_WORDS * N_TOPICS * 8 / 2**20  # megabytes of one party's counts as the method adds them
    grown = (many["megabytes at most"] - few["megabytes at most"]) / (MANY - FEW)
    print(few, many, {"megabytes more for each party": grown, "megabytes of one party's counts": one})
    assert grown < one  # 0.13 to 0.31 of 0.61 in five runs
