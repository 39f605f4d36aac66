"""The result of one training: the topics and a record of how they came about.

A run folder holds `model.safetensors` and `model.json` (the topics), `run.json` (what may be shown of the
record, see `run.schema.json`), `private.json` (the rest of it, for who holds the documents), `ledger.json`
(every release with its price, chained by hash) and, where parties have models of their own, `party-NAME/`
with a model each; with `keep`, `kept-NAME.safetensors` has what a party may use again in an update.
"""

import hashlib
import json
import logging
from dataclasses import dataclass, field, replace
from functools import cache
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from fedtopics import files
from fedtopics.documents.text.harmless import shown_path
from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.model.files import numbers_digest
from fedtopics.notebook import table
from fedtopics.privacy.explain import privacy_line
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.protocol.turn import Arrays
from fedtopics.runs import kept, sharing
from fedtopics.runs.schema import misfit

SCHEMA = "fedtopics/run/2"  # 1: all of the record in one file
PRIVATE_SCHEMA = "fedtopics/private/1"
PRIVATE = "private.json"
REQUIRED = {"method", "seed", "n_topics", "n_words", "parties", "scores", "privacy", "rounds", "versions"}
PARTY_PREFIX = "party-"
logger = logging.getLogger(__name__)


@dataclass(frozen=True, repr=False)
class Run:
    """A trained model and how it came about.

    record         scores, privacy, rounds, versions, as plain JSON values (docs/reference/run-record.md)
    model          the topics of all parties
    local_models   those that parties keep for themselves, by party
    ledger         every release and its price
    kept           what parties may use again in an update, by party (`train(..., keep=True)`); not public
    """

    record: dict[str, Any]
    model: TopicModel
    local_models: dict[str, TopicModel] = field(default_factory=dict)
    ledger: Ledger = field(default_factory=Ledger)
    kept: dict[str, Arrays] = field(default_factory=dict)

    @property
    def scores(self) -> dict[str, float]:
        """Held-out perplexity, coherence and diversity of the model."""
        scores: dict[str, float] = self.record["scores"]
        return scores

    @property
    def warnings(self) -> list[str]:
        """Why these topics are of no use, by their scores; nothing where they are of use."""
        found: list[str] = self.record.get("warnings", [])
        return found

    @property
    def privacy(self) -> list[dict[str, Any]]:
        """What each party has spent, one entry per relation; in an update also before it."""
        return sharing.spent(self.record)

    @property
    def epsilon(self) -> float | None:
        """The method's own epsilon setting; None where it has none. `privacy` says what it means."""
        value: float | None = self.record.get("settings", {}).get("epsilon")
        return value

    @property
    def privacy_line(self) -> str:
        """What the worst party has spent, in one line."""
        return privacy_of(self.record)

    def titled(self, title: str | None) -> "Run":
        """The run under this `title`, which its page shows; as it was where there is none."""
        return self if title is None else replace(self, record=self.record | {"title": title})

    def save(self, folder: str | Path) -> None:
        """Write the run to `folder`, which is new or empty, all of it or nothing."""
        target = require_free(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        with files.whole_folder(target) as draft:
            self._write(draft)
            draft.chmod(0o755)

    def _write(self, folder: Path) -> None:
        self.model.save(folder)
        record = self.record | {"model_sha256": numbers_digest(folder), "ledger_head": self.ledger.head}
        public = sharing.shown(record)
        public["record_sha256"] = record_digest(public)
        files.publish(folder / "run.json", json.dumps(public, indent=1, allow_nan=False) + "\n")
        self._write_private(folder / PRIVATE, sharing.hidden(record), public["record_sha256"])
        files.publish(folder / "ledger.json", self.ledger.to_json() + "\n")
        for name, model in self.local_models.items():
            model.save(folder / f"{PARTY_PREFIX}{quote(name, safe='')}")
        kept.write(folder, self.kept)

    def _write_private(self, path: Path, hidden: dict[str, Any], of: str) -> None:
        """Write what is `hidden` of the record with this digest, where anything is, for its owner alone."""
        if hidden:
            content = {"schema": PRIVATE_SCHEMA, "of": of, "record": hidden}
            content["record_sha256"] = record_digest(content)
            text = json.dumps(content, indent=1, allow_nan=False) + "\n"
            files.write(path, text.encode(), failed=files.UNWRITTEN)

    def update(self, source: Any, **options: Any) -> "Run":
        """This run with new documents of `source`, the same topics; `options`: see `fedtopics.update`."""
        from fedtopics.runs.updating import update

        return update(self, source, **options)

    @property
    def public(self) -> "Run":
        """The run as anybody may see it; refused where its model must not be published."""
        return Run(sharing.published(self.record), self.model, {}, self.ledger)

    @classmethod
    def load(cls, folder: str | Path) -> "Run":
        """Read a run back from `folder`; an incomplete or altered one is an error."""
        folder = Path(folder)
        record = whole_record(folder)
        model = TopicModel.load(folder)
        if record.get("model_sha256") != numbers_digest(folder):
            raise InputError(f"{folder}: run.json belongs to another model; the folder was altered")
        local = {
            unquote(path.name.removeprefix(PARTY_PREFIX)): TopicModel.load(path)
            for path in sorted(folder.glob(f"{PARTY_PREFIX}*"))
        }
        ledger = _read_ledger(folder / "ledger.json")
        # After a run over a network every party keeps its own ledger beside the record that all share.
        shared = record.get("engine") == "in_process"
        if shared and record.get("ledger_head", ledger.head) != ledger.head:
            raise InputError(f"{folder}: run.json belongs to another ledger; the folder was altered")
        return cls(record, model, local, ledger, kept.read(folder))

    def __repr__(self) -> str:
        record = self.record
        known = [(name, value) for name, value in self.scores.items() if value is not None]
        took = f", {record['seconds']:.1f} s" if "seconds" in record else ""
        lines = [
            f"{label(record)}: {record['n_topics']} topics over {record['n_words']} words, "
            f"{len(record['parties'])} parties{took}",
            "scores   " + ", ".join(f"{name} {value:.3f}" for name, value in known),
            *(f"WARNING  {warning}" for warning in self.warnings),
            "privacy  " + self.privacy_line,
            *(f"note     {note}" for note in record.get("notes", [])),
        ]
        lines += [f"{k:3d}  {' '.join(words)}" for k, words in enumerate(self.model.top_words(8))]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Warnings, scores, privacy and topics as notebooks show them."""
        head = ["method", "perplexity", "NPMI", "diversity", "privacy"]
        warned = "".join(f"<p><b>Of no use:</b> {escape(warning)}</p>" for warning in self.warnings)
        return warned + table(head, _scores_shown(self)) + self.model._repr_html_()


def _scores_shown(run: Run) -> list[list[str]]:
    others = [(label(row), row["scores"], row["privacy"]) for row in run.record.get("compared", [])]
    rows = [(label(run.record), run.scores, run.privacy_line), *others]
    digits = {"perplexity": 0, "coherence_npmi": 3, "diversity": 2}
    return [
        [method, *(_rounded(scores[name], number) for name, number in digits.items()), told]
        for method, scores, told in rows
    ]


def _rounded(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:,.{digits}f}"


def label(record: dict[str, Any]) -> str:
    """The method, and its variant where it has several.

    >>> label({"method": "fedlda", "variant": "paper"})
    'fedlda (paper)'
    """
    variant = record.get("variant")
    return str(record["method"]) if variant is None else f"{record['method']} ({variant})"


def privacy_of(record: dict[str, Any]) -> str:
    """What the worst party has spent, in one line."""
    sent = any(entry.get("bytes_up", True) for entry in record["rounds"])  # not shown: who knows
    return privacy_line(sharing.spent(record), record.get("noise"), sent=sent)


def protects(record: dict[str, Any]) -> str:
    """The relation that the method's epsilon is of: a word's in records from before they said so."""
    return str(record.get("protects", "word add/remove"))


def require_free(folder: str | Path) -> Path:
    """The path, if it can take a new run: it does not exist or is an empty folder."""
    path = Path(folder)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise InputError(f"{path} exists and is not an empty folder; choose another, nothing is overwritten")
    return path


def read_record(path: Path) -> dict[str, Any]:
    """The record in a file, if it is whole and every part is of its kind."""
    if not path.is_file():
        raise InputError(f"{shown_path(path.parent)} is not a run folder: it has no run.json")
    record: dict[str, Any] = read_json(path)
    check_schema(path, record, SCHEMA)
    if record.get("record_sha256") not in (None, record_digest(record)):
        raise InputError(f"{path} was altered: its hash is not that of its content; use the original")
    check_record(path, record)
    return record


def whole_record(folder: Path) -> dict[str, Any]:
    """The record of the run in `folder`, with its private part where that may be read."""
    return _with_private(read_record(folder / "run.json"), folder / PRIVATE)


def _with_private(record: dict[str, Any], path: Path) -> dict[str, Any]:
    """The whole record, where its private part lies beside it and may be read."""
    if not path.exists():
        return record
    try:
        kept = read_json(path)
    except PermissionError:
        logger.warning("%s is for its owner alone; what it holds is not shown", path)
        return record
    check_schema(path, kept, PRIVATE_SCHEMA)
    fits = kept.get("record_sha256") == record_digest(kept) and kept.get("of") == record.get("record_sha256")
    added = kept.get("record")
    if not fits or not isinstance(added, dict) or added.keys() & record.keys() - sharing.IN_BOTH:
        raise InputError(f"{path} was altered, or belongs to another run.json; use the original")
    whole: dict[str, Any] = record | added
    check_record(path, whole)
    return whole


def read_json(path: Path) -> Any:
    try:
        return json.loads(files.read(path))
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON: {error}") from None


def check_record(path: Path, record: object) -> None:
    """Refuse what is no record of a run: pages and tables are made of it, and rely on every part."""
    missing = sorted(REQUIRED - record.keys()) if isinstance(record, dict) else ["record"]
    if missing:
        raise InputError(f"{path} is incomplete: it has no {', '.join(missing)}; train again")
    place = misfit(record, _schema(), _schema())
    if place is not None:
        raise InputError(f"{path} is no record of a run: got another value at {place!r:.80}; train again")


@cache
def _schema() -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((Path(__file__).parent / "run.schema.json").read_bytes())
    return schema


def check_schema(path: Path, record: object, schema: str) -> None:
    """Refuse what is not a record of this schema; one of a later number asks for a newer fedtopics."""
    found = record.get("schema") if isinstance(record, dict) else type(record).__name__
    family, _, number = str(found).rpartition("/")
    known = family == schema.rpartition("/")[0] and number.isdecimal() and len(number) < 10
    if known and 1 <= int(number) <= int(schema.split("/")[-1]):
        return
    if known and int(number) > 0:
        raise InputError(f"{path} has schema {found}, got only {schema} here; upgrade fedtopics to read it")
    raise InputError(f"{path}: expected schema {schema}, got {found!r:.60}")


def record_digest(record: dict[str, Any]) -> str:
    """SHA-256 of the record but for the digest itself, however it is laid out in the file."""
    content = {name: value for name, value in record.items() if name != "record_sha256"}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _read_ledger(path: Path) -> Ledger:
    if not path.is_file():
        raise InputError(f"{path.parent} is not a complete run folder: it has no ledger.json")
    try:
        return Ledger.from_json(files.read(path).decode())
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not a privacy ledger: {error}") from None
