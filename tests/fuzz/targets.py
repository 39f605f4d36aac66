"""What is fuzzed: every reader of bytes from elsewhere, with valid bytes to begin from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzz import corpora, kept, keys, seeds
from fuzz.mutations import TOML, Form, framed, json_lines, plain_json

from fedtopics.documents.reading import read
from fedtopics.documents.text.preparation import read_vocabulary
from fedtopics.documents.text.words import word_array, words_of
from fedtopics.model import TopicModel
from fedtopics.model.files import NUMBERS, WORDS
from fedtopics.network import wire
from fedtopics.network.coordinator import answers, reception
from fedtopics.network.coordinator.checkpoint import FILE as CHECKPOINT
from fedtopics.network.coordinator.checkpoint import Checkpoint
from fedtopics.network.coordinator.folder import RunFolder
from fedtopics.network.expected import read_declared
from fedtopics.network.messages import Reply, Request
from fedtopics.network.party import joining, ledger_file
from fedtopics.network.party.store import PartyStore
from fedtopics.network.plan import acceptance, certificates
from fedtopics.network.plan.invitation import Invitation
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.policy import Policy
from fedtopics.network.private_scores import read_sums
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.privacy.words import Agreement
from fedtopics.protocol.agreeing import CONFIRMATION, PROPOSAL, WordRounds
from fedtopics.protocol.turn import Turn
from fedtopics.runs.run import Run

LIMIT = 2**16


@dataclass(frozen=True)
class Target:
    """One reader, what it reads, and how the values in that can be reached."""

    name: str
    seeds: Callable[[], list[bytes]]
    run: Callable[[bytes, Path], object]
    form: Form | None = None


def _written(name: str, use: Callable[[Path], object]) -> Callable[[bytes, Path], object]:
    """A reader of a file of this name."""

    def run(data: bytes, folder: Path) -> object:
        (folder / name).write_bytes(data)
        return use(folder / name)

    return run


def _in(folder: Callable[[], dict[str, bytes]], name: str, use: Callable[[Path], object]) -> Any:
    """A reader of a folder whose other files are as they should be."""

    def run(data: bytes, place: Path) -> object:
        for other, content in (folder() | {name: data}).items():
            (place / other).parent.mkdir(parents=True, exist_ok=True)
            (place / other).write_bytes(content)
        return use(place)

    return run


def _plan(path: Path) -> None:
    plan = Plan.read(path)
    plan.write(path.with_name("again.toml"))
    if Plan.read(path.with_name("again.toml")).digest != plan.digest:
        raise AssertionError("a plan that was written reads otherwise")


def _certificate(path: Path) -> None:
    found = certificates.read_certificate(path)
    certificates.is_signed(found, b"text", "00")  # before anything else has parsed the key
    certificates.common_name(found.subject)
    certificates.fingerprint(found.public_key())
    certificates.check_issued(found, found)


def _request(path: Path) -> None:
    certificates.fingerprint(certificates.read_request(path)[1].public_key())


def _acceptance(path: Path) -> None:
    found = acceptance.read(path)
    found.is_signed_by(keys.certificate_of("north"))


def _store(folder: Path) -> None:
    with PartyStore(folder, "north", ()) as store:
        store.stored(seeds.RUN, 0, "contribute")
        store.load_memory(seeds.RUN)
        Ledger(entries=store.entries).statements()


def _run(folder: Path) -> None:
    run = Run.load(folder)
    repr(run)
    run._repr_html_()
    run.ledger.table()


def _corpus(name: str) -> Callable[[bytes, Path], object]:
    return _written(name, lambda path: read(path, min_df=1, max_df=1.0).document_frequency())


def _counts(name: str) -> Callable[[bytes, Path], object]:
    return _in(lambda: {"vocab.txt": b"tax\nwar\nlaw\n"}, name, lambda folder: read(folder / name))


def _approved(data: bytes) -> None:
    """What a coordinator gives, up to the files that a party would write."""
    for text in (joining.given(200, joining.content(data)) or {}).values():
        text.encode()


def _joined(data: bytes, folder: Path) -> None:
    """What a guest says, as the coordinator takes it up to the plan."""
    asked = reception.asked_in(data)
    if asked is not None:
        certificates.parse_request(asked["request"].encode(), folder)


AGREEING = WordRounds(Agreement(1.0, 1e-6), ("a", "b", "c"))


def _proposed(data: bytes, folder: Path) -> None:
    sent = read_declared(data, AGREEING.may_be_sent({}, PROPOSAL))
    AGREEING.combine({}, {"a": sent}, Turn(0, "server", PROPOSAL))


def _voted(data: bytes, folder: Path) -> None:
    answers.clock(data)
    read_declared(data, AGREEING.may_be_sent({"words": word_array("abcd")}, CONFIRMATION))


def _changed(data: bytes, folder: Path) -> None:
    wire.unpack(data, limit=LIMIT, known=seeds.KNOWN)


SAFETENSORS = framed(b"", "<Q")
WIRE = framed(wire.MAGIC, "<I")
CODED = framed(wire.RELATIVE + seeds.KNOWN.digest.encode(), "<I")
TARGETS = [
    Target("question", seeds.questions, lambda data, _: Request.from_bytes(data), framed(b"", "<I")),
    Target("answer", seeds.replies, lambda data, _: Reply.from_bytes(data), framed(b"", "<I")),
    Target("arrays", seeds.arrays, lambda data, _: wire.unpack(data, limit=LIMIT), WIRE),
    Target(
        "changes", seeds.changes, lambda data, _: wire.unpack(data, limit=LIMIT, known=seeds.KNOWN), CODED
    ),
    Target("proposal", seeds.proposals, _proposed, WIRE),
    Target("words", seeds.words, lambda data, _: words_of(seeds.bytes_array(data)), plain_json()),
    Target("votes", seeds.votes, _voted, WIRE),
    Target("sums", seeds.sums, lambda data, _: read_sums("a", data), WIRE),
    Target("plan", seeds.plans, _written("plan.toml", _plan), TOML),
    Target("invitation", seeds.invitations, _written("north.invitation", Invitation.read), plain_json()),
    Target("joining", seeds.requests_to_join, _joined, plain_json()),
    Target("approval", seeds.approvals, lambda data, _: _approved(data), plain_json()),
    Target("policy", seeds.policies, _written("policy.toml", Policy.read), TOML),
    Target("word_list", seeds.word_lists, _written("words.txt", read_vocabulary)),
    Target("certificate", keys.certificates, _written("a.crt", _certificate)),
    Target(
        "certificate_der", keys.certificates_der, _written("a.crt", keys.armored(_certificate, "CERTIFICATE"))
    ),
    Target("request", keys.requests, _written("a.csr", _request)),
    Target(
        "request_der", keys.requests_der, _written("a.csr", keys.armored(_request, "CERTIFICATE REQUEST"))
    ),
    Target("key", keys.keys, _written("a.key", certificates.read_key)),
    Target("acceptance", seeds.acceptances, _written("acceptance.json", _acceptance), plain_json()),
    Target(
        "ledger_file",
        kept.ledger_files,
        _in(kept.store, ledger_file.LINES, ledger_file.read),
        json_lines(kept.chained_lines),
    ),
    Target("ledger_head", kept.ledger_heads, _in(kept.store, ledger_file.HEAD, _store), plain_json()),
    Target("release", kept.releases, _in(kept.store, kept.release_name(), _store)),
    Target("memory", kept.memories, _in(kept.store, kept.memory_name(), _store), SAFETENSORS),
    Target(
        "checkpoint",
        kept.checkpoints,
        _written(CHECKPOINT, lambda path: Checkpoint.load(path.parent, seeds.RUN, "plan")),
        SAFETENSORS,
    ),
    Target(
        "checkpoint_about",
        kept.checkpoint_abouts,
        _written(CHECKPOINT, kept.with_arrays(lambda path: Checkpoint.load(path.parent, seeds.RUN, "plan"))),
        plain_json(),
    ),
    Target(
        "status",
        kept.statuses,
        _written("status.json", lambda path: RunFolder(path.parent).status()),
        plain_json(),
    ),
    Target(
        "model_numbers",
        kept.model_numbers,
        _in(kept.model, NUMBERS, kept.hashed(TopicModel.load)),
        SAFETENSORS,
    ),
    Target(
        "model_words", kept.model_words, _in(kept.model, WORDS, kept.hashed(TopicModel.load)), plain_json()
    ),
    Target("run_record", kept.run_records, _in(kept.run, "run.json", _run), plain_json(kept.digested_record)),
    Target(
        "private_part",
        kept.private_parts,
        _in(kept.split_run, "private.json", _run),
        plain_json(kept.digested_record),
    ),
    Target("run_ledger", kept.run_ledgers, _in(kept.run, "ledger.json", _run), plain_json(kept.chained)),
    Target("csv", corpora.separated(","), _corpus("a.csv")),
    Target("tsv", corpora.separated("\t"), _corpus("a.tsv")),
    Target("json_lines", corpora.json_lines, _corpus("a.jsonl"), json_lines()),
    Target("json", corpora.json_arrays, _corpus("a.json"), plain_json()),
    Target("text", corpora.texts, _corpus("a.txt")),
    Target("parquet", corpora.parquets, _corpus("a.parquet")),
    Target("gzip", corpora.compressed("gzip"), _corpus("a.jsonl.gz")),
    Target("xz", corpora.compressed("xz"), _corpus("a.jsonl.xz")),
    Target("bzip2", corpora.compressed("bzip2"), _corpus("a.jsonl.bz2")),
    Target("uci", corpora.uci, _counts("docword.a.txt")),
    Target("lda_c", corpora.lda_c, _counts("a.dat")),
]
