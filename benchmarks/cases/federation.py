"""What a network costs: seconds a round beside the reference engine, ten parties, a wide area link.

The model of every run is compared with the reference engine's.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.case import Steps, case
from fedtopics import network
from fedtopics.documents.reading import documents, read
from fedtopics.model import TopicModel
from fedtopics.network.local import LocalFederation, free_port
from fedtopics.network.plan.parts import PlannedWords
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.text import policy_template
from fedtopics.privacy.price.budget import Budget
from fedtopics.protocol import in_process
from fedtopics.protocol.summing import Summing

LINK = Path(__file__).with_name("wide_area_link.py")
DELAY, RATE = 0.08, 20e6
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SEED = 0
FLOATS: dict[str, Any] = {"n_topics": 50, "n_steps": 2, "sends": "counts", "tells": "topics"}  # many bytes


def invented_words(n_words: int) -> list[str]:
    """Words that no stop list knows."""
    return [f"w{''.join(LETTERS[(i // 26**k) % 26] for k in range(4))}x" for i in range(n_words)]


def invented_texts(words: Sequence[str], n_docs: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return [" ".join(words[i] for i in rng.zipf(1.2, 150) % len(words)) for _ in range(n_docs)]


def founded(
    folder: Path,
    words: Sequence[str],
    texts: Mapping[str, Sequence[str]],
    settings: dict[str, Any],
    secure_sum: Summing | None = None,
) -> LocalFederation:
    listed = folder / "words.txt"
    listed.write_text("".join(f"{word}\n" for word in words))
    plan = Plan(
        "benchmark",
        f"localhost:{free_port()}",
        tuple(texts),
        "calm",
        Budget("word add/remove", 6.1, 1e-6),
        PlannedWords.of_file(listed),
        settings={"epsilon": 6.0, **settings},
        min_parties=len(texts),
        simulation_seed=SEED,
        secure_sum=secure_sum,
    )
    return LocalFederation.establish(
        folder / "federation", plan, texts, policy_template(plan, simulation=True), listed
    )


def trained(federation: LocalFederation, patience: float) -> tuple[dict[str, Any], TopicModel, float]:
    """Record and model of one run, and the seconds from submitting it to its end."""
    began = perf_counter()
    run = federation.hub.submit()
    federation.wait(run, patience)
    seconds = perf_counter() - began
    return json.loads((run.result / "run.json").read_text()), TopicModel.load(run.result), seconds


def compared(federation: LocalFederation, record: dict[str, Any], model: TopicModel) -> dict[str, Any]:
    """What one run cost over the network, beside the reference engine."""
    plan = federation.hub.plan
    corpora = {
        name: read(federation.folder / name / "texts.jsonl", min_df=1, max_df=1.0).with_vocabulary(
            model.vocabulary
        )
        for name in plan.parties
    }
    reference = in_process.run(plan.method(), corpora, seed=SEED, n_threads=2, summing=plan.secure_sum)
    assert reference.model is not None
    rounds = record["rounds"][2:]
    each = 8 * model.n_words * model.n_topics * len(plan.parties)  # float64, one way, all parties
    return {
        "parties": len(plan.parties),
        "words": model.n_words,
        "topics": model.n_topics,
        "rounds": len(record["rounds"]),
        "seconds_a_round": float(np.median([line["seconds"] for line in rounds])),
        "seconds_a_round_in_process": float(np.median([line.seconds for line in reference.rounds[2:]])),
        "megabytes_a_round_plain": float(np.mean([line["bytes_plain"] for line in rounds])) / 1e6,
        "megabytes_a_round_sent": float(np.mean([line["bytes_up"] + line["bytes_down"] for line in rounds]))
        / 1e6,
        "megabytes_a_round_float64": 2 * each / 1e6,
        "same_model_bit_for_bit": bool(np.array_equal(model.topic_word, reference.model.topic_word)),
    }


def overhead(folder: Path, secure_sum: Summing | None = None) -> dict[str, Any]:
    """20,000 words x 50 topics x 4 bytes = 4 MB each way for every party."""
    words = invented_words(20_000)
    texts = {f"party-{i}": invented_texts(words, 100, i) for i in range(3)}
    with founded(folder, words, texts, {"n_rounds": 20, **FLOATS}, secure_sum) as federation:
        federation.start()
        record, model, seconds = trained(federation, 400)
    found = compared(federation, record, model) | {"seconds_in_all": seconds}
    return found | {"overhead_a_round": found["seconds_a_round"] - found["seconds_a_round_in_process"]}


def ten_parties(folder: Path) -> dict[str, Any]:
    words = invented_words(2_000)
    texts = {f"party-{i}": invented_texts(words, 100, i) for i in range(10)}
    with founded(folder, words, texts, {"n_rounds": 20, **FLOATS, "n_topics": 20}) as federation:
        federation.start()
        record, model, seconds = trained(federation, 900)
    return compared(federation, record, model) | {"seconds_in_all": seconds}


def wide_area(folder: Path) -> dict[str, Any]:
    """Every party in a network namespace of its own, whose only way out is a slow link."""
    corpus = read("sotu", max_words=10_000)
    texts: dict[str, list[str]] = {}
    for document in documents("sotu"):
        texts.setdefault(str(document.party), []).append(document.text)
    federation = founded(folder, corpus.vocabulary, texts, {"n_rounds": 30, **FLOATS})
    with links(folder, federation) as federation.prefixes, federation:
        federation.start()
        record, model, seconds = trained(federation, 1500)
    found = compared(federation, record, model)
    training = sum(line["seconds"] for line in record["rounds"])
    slowest = found["megabytes_a_round_float64"] * 8e6 / RATE / found["parties"] / 2
    return found | {
        "seconds_in_all": seconds,
        "seconds_of_rounds": training,
        "delay_each_way": DELAY,
        "bits_a_second_each_way": RATE,
        "seconds_of_rounds_float64_at_least": found["rounds"] * (2 * slowest + 2 * DELAY),
    }


@contextmanager
def links(folder: Path, federation: LocalFederation) -> Iterator[dict[str, list[str]]]:
    """A link for each party; the words that start the party at its other end."""
    port, prefixes, processes = federation.hub.plan.port, {}, []
    for name in federation.hub.plan.parties:
        path = folder / f"{name}.link"
        outside = [sys.executable, str(LINK), "outside", str(path), str(port), str(DELAY), str(RATE)]
        processes.append(subprocess.Popen(outside))
        inside = f'ip link set lo up; {sys.executable} {LINK} inside {path} {port} & exec "$@"'
        prefixes[name] = ["unshare", "--net", "sh", "-c", inside, name]
    try:
        yield prefixes
    finally:
        for process in processes:
            process.kill()
            process.wait()


def measured(task: Callable[[Path], dict[str, Any]]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as place:
        return task(Path(place))


@case("federation", measures=(network,), minutes=5, timed=True, pages=("docs/operate/deployment.md",))
def steps() -> Steps:
    """Seconds of a round over a network beside the reference engine; ten parties; a slow link."""
    tasks = {"overhead": overhead, "parties": ten_parties, "wide-area": wide_area}
    return {name: partial(measured, task) for name, task in tasks.items()}
