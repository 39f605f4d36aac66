"""What may be shown of a run holds no exact number of documents, and the rest stays with who has them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fedtopics import methods
from fedtopics.commands.application import app
from fedtopics.errors import InputError
from fedtopics.network.coordinator.result import SCORES
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.report import run_page
from fedtopics.report.statement import Filing, statement
from fedtopics.runs import sharing
from fedtopics.runs.experiment import train
from fedtopics.runs.preparing import prepare
from fedtopics.runs.run import Run, record_digest

WORDS = ["tax law court judge vote", "ship sea trade port tariff", "school child teach book read"]
SECRETS = ("xylophagous", "mrs-quill", "clandestine-clinic")
EMPTY = 137  # documents without a word of the public list
SHARED = ("run.json", "ledger.json", "model.json", "public.html")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Letters with words that nobody may see, in a file that is called after what nobody may know."""
    path = tmp_path_factory.mktemp("clandestine-clinic") / "clandestine-clinic.jsonl"
    rows = [
        {"text": f"{WORDS[i % 3]} {WORDS[i % 3]} xylophagous mrs-quill", "owner": "ab"[i % 2]}
        for i in range(1511)
    ]
    rows += [{"text": "xylophagous", "owner": "a"}] * EMPTY
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (path.parent / "list.txt").write_text("\n".join(" ".join(WORDS).split()) + "\n")
    return path


@pytest.fixture(scope="module")
def folder(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run for publishing, made by the commands, and its public page."""
    out = tmp_path_factory.mktemp("runs") / "letters"
    few = ("--topics", "3", "--rounds", "3", "--epsilon", "6", "--party-column", "owner", "--secure-noise")
    words = ("--vocabulary", str(source.parent / "list.txt"))
    made = CliRunner().invoke(app, ["train", str(source), *few, *words, "--out", str(out)])
    assert made.exit_code == 0, made.output
    page = CliRunner().invoke(app, ["report", str(out), "--public"])
    assert page.exit_code == 0, page.output
    assert page.stdout.strip().endswith("public.html")
    return out


def exact(record: dict[str, Any]) -> set[str]:
    """Every way in which the exact numbers of a record could be printed."""
    numbers = [record["n_empty_docs"], *(p[n] for p in record["parties"] for n in ("n_docs", "n_tokens"))]
    numbers += [sum(party[name] for party in record["parties"]) for name in ("n_docs", "n_tokens")]
    found = {form for number in numbers for form in (str(number), f"{number:,}")}
    scores = [score for name, score in record["scores"].items() if name != "diversity" and score is not None]
    scores += [
        entry["measures"]["perplexity"] for entry in record["rounds"] if "perplexity" in entry["measures"]
    ]
    found |= {form for score in scores for form in (repr(score), f"{score:.3f}", f"{score:.4f}")}
    times = [
        record["seconds"],
        record["processor_seconds"],
        *(entry["seconds"] for entry in record["rounds"]),
    ]
    return found | {repr(seconds) for seconds in times}


def test_no_secret_and_no_exact_number_is_in_a_file_that_may_be_shared(folder: Path) -> None:
    record = Run.load(folder).record
    assert record["n_empty_docs"] == EMPTY
    looked_for = exact(record)
    assert len(looked_for) > 20
    for name in SHARED:
        content = (folder / name).read_text(encoding="utf-8")
        assert not [secret for secret in SECRETS if secret in content], name
        # A number counts where it stands by itself: hashes and colors hold any three digits.
        text = re.sub(r"[0-9a-f]{64}|#[0-9a-f]{3,8}\b", "", content)
        found = {
            number
            for number in looked_for
            if re.search(rf"(?<![\w.,]){re.escape(number)}(?![\w]|[.,]\d)", text)
        }
        assert found == set(), name
    assert not any(secret.encode() in (folder / "model.safetensors").read_bytes() for secret in SECRETS)


def test_the_test_would_find_them(folder: Path) -> None:
    """The private part and the page for who holds the documents do hold what is looked for."""
    private, page = ((folder / name).read_text() for name in ("private.json", "report.html"))
    record = Run.load(folder).record
    assert "clandestine-clinic" in private
    assert "clandestine-clinic" in page
    assert str(record["parties"][0]["n_tokens"]) in private
    assert f"{record['parties'][0]['n_tokens']:,}" in page
    assert repr(record["scores"]["perplexity"]) in private


def test_the_private_part_is_for_its_owner_and_of_this_run(folder: Path, tmp_path: Path) -> None:
    assert (folder / "private.json").stat().st_mode & 0o777 == 0o600
    run = Run.load(folder)
    run.save(tmp_path / "again")
    again = Run.load(tmp_path / "again").record
    assert again == run.record
    kept = json.loads((tmp_path / "again" / "private.json").read_text())
    cheaper = {"record": kept["record"] | {"privacy": []}}  # what was paid is not for it to say
    cheaper["record_sha256"] = record_digest(kept | cheaper)
    for change in ({"of": "0" * 64}, {"record": kept["record"] | {"n_empty_docs": 3}}, cheaper):
        (tmp_path / "again" / "private.json").write_text(json.dumps(kept | change))
        with pytest.raises(InputError, match="altered, or belongs to another"):
            Run.load(tmp_path / "again")


def test_what_is_shared_loads_and_has_pages_without_the_private_part(folder: Path, tmp_path: Path) -> None:
    run = Run.load(folder)
    run.save(tmp_path / "shared")
    (tmp_path / "shared" / "private.json").unlink()
    shared = Run.load(tmp_path / "shared")
    assert shared.record == {**sharing.shown(run.record), "record_sha256": shared.record["record_sha256"]}
    assert shared.scores["perplexity"] is None
    assert shared.scores["diversity"] == run.scores["diversity"]
    assert shared.privacy_line == run.privacy_line
    assert "parties\n" in repr(shared)
    assert run_page(shared, public=True) == run_page(run, public=True)
    assert "3 topics</h1>" in run_page(shared)


def test_a_record_from_before_the_split_is_read_whole(folder: Path, tmp_path: Path) -> None:
    run = Run.load(folder)
    run.save(tmp_path / "old")
    (tmp_path / "old" / "private.json").unlink()
    record = run.record | {"schema": "fedtopics/run/1"}
    record["record_sha256"] = record_digest(record)
    (tmp_path / "old" / "run.json").write_text(json.dumps(record))
    assert Run.load(tmp_path / "old").record == record


@pytest.mark.parametrize(
    ("name", "variant"), [(name, v) for name in methods.names() for v in methods.variants(name) or (None,)]
)
def test_of_no_method_a_number_of_tokens_can_be_added_up_from_what_is_shown(
    name: str, variant: str | None, source: Path
) -> None:
    """Amounts of text by topic and sizes of messages are exact where they were sent in the clear."""
    many = " ".join(f"{start}{end}" for start in "bcdfghjk" for end in ("oat", "ill", "ent", "ump", "ark"))
    texts = [f"{text} {many}" for text in WORDS for _ in range(20)]
    few: dict[str, Any] = {"n_topics": 3, "n_rounds": 2} | ({"variant": variant} if variant else {})
    run = train(texts, name, n_parties=2, max_df=1.0, **few)
    public = sharing.shown(run.record)
    assert not {"source", "n_empty_docs", "compared", *sharing.TIMES} & public.keys()
    assert all(party.keys() == {"name"} for party in public["parties"])
    if not sharing.is_paid_for(run.record):
        assert public["party_topics"] == {}
        assert all(entry.keys() == {"round"} for entry in public["rounds"])
    assert "something new" not in sharing.shown(run.record | {"something new": 5})
    with pytest.raises(InputError, match=r"proved price|operating system"):
        run_page(run, public=True)


def test_a_page_is_refused_where_its_words_were_read_from_the_documents(source: Path) -> None:
    data = prepare(str(source), party_column="owner", secure=True)
    run = train(data, "calm", n_topics=3, n_rounds=2, epsilon=6.0, secure=True)
    with pytest.raises(InputError, match="read from the documents; give a public list"):
        run_page(run, public=True)


def test_the_record_of_a_federation_is_shown_as_it_was_signed() -> None:
    rows = Ledger().statements()
    record = {
        "engine": "https",
        "scores": dict.fromkeys(SCORES),
        "privacy": rows,
        "seconds": 3.0,
        "rounds": [],
    }
    assert sharing.shown(record) == record
    assert sharing.hidden(record) == {}


WORD_LIST = tuple(" ".join(WORDS).split())


def letters() -> list[dict[str, str]]:
    return [{"text": f"{WORDS[i % 3]} {WORDS[i % 3]}", "owner": "ab"[i % 2]} for i in range(240)]


def begun(**given: Any) -> Run:
    few = {"n_topics": 3, "n_rounds": 3, "epsilon": 6.0, "n_threads": 1}
    return train(letters(), text_column="text", party_column="owner", **(few | given))


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"vocabulary": WORD_LIST}, "noise from the operating system, got simulated"),
        ({"secure": True}, "words that were read from the documents"),
    ],
)
def test_an_update_makes_no_run_publishable_that_was_not(
    given: dict[str, Any], why: str, keep: bool, tmp_path: Path
) -> None:
    """What goes on from a model holds all that this was made of: noise that can be taken off, words."""
    run, again = begun(keep=keep, **given), {"text_column": "text", "party_column": "owner", "secure": True}
    for number in range(2):
        run = run.update(letters(), n_threads=1, **again)
        run.save(tmp_path / str(number))
        assert run.model.card["noise"] == run.record["noise"]
        for one in (run, Run.load(tmp_path / str(number))):
            with pytest.raises(InputError, match=why):
                _ = one.public


def test_an_update_of_a_run_to_publish_may_be_published(tmp_path: Path) -> None:
    run = begun(secure=True, vocabulary=WORD_LIST)
    again = run.update(letters(), text_column="text", party_column="owner", secure=True, n_threads=1)
    again.save(tmp_path / "run")
    (tmp_path / "run" / "private.json").unlink()
    assert Run.load(tmp_path / "run").public.record["update"] == again.record["update"]


def test_what_an_update_says_of_privacy_is_that_of_all_its_documents(tmp_path: Path) -> None:
    """Documents of the run before have paid for the agreement on words, too; new ones have not."""
    agreed = begun(secure=True, vocabulary_epsilon=4.0)
    assert "epsilon 14.9 (word add/remove, delta 1e-06)" in agreed.privacy_line
    run = agreed
    for _ in range(2):
        run = run.update(letters(), text_column="text", party_column="owner", secure=True, n_threads=1)
        assert run.record["vocabulary"] == "agreed privately"
        assert run.privacy_line == agreed.privacy_line
    assert [row["epsilon"] for row in run.record["privacy"] if row["relation"] == "word add/remove"] == [6, 6]
    run.save(tmp_path / "run")
    (tmp_path / "run" / "private.json").unlink()
    shown = Run.load(tmp_path / "run").public
    told = statement(shown, Filing())
    assert told["deployment"]["privacy_loss"]["privacy_parameters"]["epsilon"] == pytest.approx(14.9, abs=0.1)
    assert "14.9" in run_page(shown)
