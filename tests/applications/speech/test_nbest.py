"""N-best files come back as written; bad ones are refused with their line."""

import gzip
import json
from pathlib import Path

import pytest

from fedtopics.applications.speech import nbest
from fedtopics.applications.speech.rescoring import Hypothesis, Utterance
from fedtopics.errors import InputError

GOOD = {"name": "u1", "session": "s1", "hypotheses": [["the law suit", -10.5], ["the loss", -11]]}


def test_a_file_comes_back(tmp_path: Path) -> None:
    heard = (Hypothesis(("the", "law", "suit"), -10.5), Hypothesis(("the", "loss"), -11.0))
    expected = [Utterance("u1", "s1", (), heard), Utterance("u2", "s1", ("the", "suit"), heard[:1])]
    nbest.write(expected, tmp_path / "heard.jsonl")
    assert nbest.read(tmp_path / "heard.jsonl") == expected
    (tmp_path / "heard.jsonl.gz").write_bytes(gzip.compress(json.dumps(GOOD).encode()))
    assert nbest.read(tmp_path / "heard.jsonl.gz") == expected[:1]
    with pytest.raises(InputError, match="exists"):
        nbest.write(expected, tmp_path / "heard.jsonl")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"name": "u2", "hyp', "a JSON object, got another line at .*, line 2"),
        ("[1, 2]", "a JSON object, got another line"),
        (GOOD, "every name once, got 'u1' again at .*, line 2"),
        (GOOD | {"name": 7}, "a text as name, got int"),
        ({"hypotheses": [["a", -1.0]]}, "a text as name, got NoneType"),
        (GOOD | {"name": "u2", "reference": ["a"]}, "a text as reference, got"),
        ({"name": "u2"}, "a list of hypotheses, got NoneType"),
        (GOOD | {"name": "u2", "hypotheses": []}, "a list of hypotheses, got an empty one at"),
        (GOOD | {"name": "u2", "hypotheses": [["a"]]}, "a text and a finite score in each hypothesis"),
        (GOOD | {"name": "u2", "hypotheses": [["a", "b"]]}, "a text and a finite score in each"),
        (GOOD | {"name": "u2", "hypotheses": [["a", float("nan")]]}, "a text and a finite score in each"),
    ],
)
def test_a_bad_line_is_refused_with_its_number(line: object, message: str, tmp_path: Path) -> None:
    file = tmp_path / "heard.jsonl"
    text = line if isinstance(line, str) else json.dumps(line)
    file.write_text(json.dumps(GOOD) + "\n" + text + "\n")
    with pytest.raises(InputError, match=message):
        nbest.read(file)


def test_a_file_that_is_empty_or_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(InputError, match="expected utterances with hypotheses, got none in"):
        nbest.read(tmp_path / "empty.jsonl")
    with pytest.raises(InputError, match="cannot read"):
        nbest.read(tmp_path / "other.jsonl")
