"""N-best files: the hypotheses of a recognizer, one utterance a line. Errors name the line.

{"name": "u1", "session": "s1", "hypotheses": [["the law suit", -10.5], ["the loss suit", -11.2]]}

Scores are logarithms, larger is better. `session` says which utterances belong together (without it all do);
`reference`, where it is known, what was really said.
"""

import json
from collections.abc import Iterable
from math import isfinite
from pathlib import Path
from typing import Any

from fedtopics import files
from fedtopics.applications.speech.rescoring import Hypothesis, Utterance
from fedtopics.documents.reading.files import lines
from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError


def read(path: str | Path) -> list[Utterance]:
    """The utterances in the file at `path` (also .gz, .xz, .bz2), in its order."""
    found: dict[str, Utterance] = {}
    for number, line in enumerate(lines(Path(path)), start=1):
        if not line.strip():
            continue
        try:
            utterance = _utterance(line)
            if utterance.name in found:
                raise InputError(f"every name once, got {quoted(utterance.name)} again")
        except InputError as error:
            raise InputError(f"expected {error} at {path}, line {number}") from None
        found[utterance.name] = utterance
    if not found:
        raise InputError(f"expected utterances with hypotheses, got none in {path}")
    return list(found.values())


def write(utterances: Iterable[Utterance], path: str | Path) -> None:
    """Write `utterances` as an N-best file to `path`; one that is there is not overwritten."""
    lines = (json.dumps(_row(utterance)) + "\n" for utterance in utterances)
    files.publish(Path(path), "".join(lines), new=True)


def _row(utterance: Utterance) -> dict[str, Any]:
    row: dict[str, Any] = {"name": utterance.name, "session": utterance.session}
    if utterance.reference:
        row["reference"] = " ".join(utterance.reference)
    return row | {"hypotheses": [[" ".join(h.words), h.score] for h in utterance.hypotheses]}


def _utterance(line: str) -> Utterance:
    """The utterance of a line; an error says what it should have been and what it is."""
    try:
        row = json.loads(line)
    except json.JSONDecodeError:
        row = None
    if not isinstance(row, dict):
        raise InputError("a JSON object, got another line")
    name, session, reference = row.get("name"), row.get("session", ""), row.get("reference", "")
    for field, value in (("name", name), ("session", session), ("reference", reference)):
        if not isinstance(value, str):
            raise InputError(f"a text as {field}, got {type(value).__name__}")
    given = row.get("hypotheses")
    if not isinstance(given, list) or not given:
        raise InputError(
            f"a list of hypotheses, got {'an empty one' if given == [] else type(given).__name__}"
        )
    return Utterance(str(name), session, tuple(reference.split()), tuple(map(_hypothesis, given)))


def _hypothesis(given: Any) -> Hypothesis:
    match given:
        case [str(text), int(score) | float(score)] if not isinstance(score, bool) and isfinite(score):
            return Hypothesis(tuple(text.split()), float(score))
    raise InputError("a text and a finite score in each hypothesis, got something else")
