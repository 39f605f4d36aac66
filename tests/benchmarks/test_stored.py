"""Results on file: found again, never half written, refused where they cannot be gone on with."""

import json
from functools import partial
from pathlib import Path

import pytest

from benchmarks import stored
from benchmarks.stored import Results
from fedtopics.errors import InputError

HERE = {"commit": "c0ffee", "version": "1.0"}
STEP = partial(int, "7")


def test_a_step_is_found_again_with_its_origin(tmp_path: Path) -> None:
    file = tmp_path / "case.json"
    Results(file).keep("a/b", STEP, {"perplexity": 7.5}, 2.0, HERE)
    again = Results(file)
    assert again.has("a/b", STEP)
    assert again.steps["a/b"]["origin"] == HERE
    assert json.loads(file.read_text())["origins"] == [HERE]
    assert not list(tmp_path.glob("*.draft"))


def test_a_step_that_is_called_otherwise_is_not_stored(tmp_path: Path) -> None:
    results = Results(tmp_path / "case.json")
    results.keep("seven", STEP, 7, 0.0, HERE)
    assert not results.has("seven", partial(int, "8"))


def test_steps_nest_at_the_slashes_of_their_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "RESULTS", tmp_path)
    results = Results(tmp_path / "case.json")
    for name, value in {"kos/runs/0": 1, "kos/runs/1": 2, "facts": 3}.items():
        results.keep(name, STEP, value, 0.0, HERE)
    assert stored.values("case") == {"kos": {"runs": {"0": 1, "1": 2}}, "facts": 3}
    assert stored.values("another") == {}


def test_steps_of_another_version_are_left_as_they_are(tmp_path: Path) -> None:
    results = Results(tmp_path / "case.json")
    results.keep("seven", STEP, 7, 0.0, HERE)
    results.refuse_other_versions("1.0")
    with pytest.raises(InputError, match=r"fedtopics 2.0, got those of 1.0 in .*Nothing was overwritten"):
        results.refuse_other_versions("2.0")


@pytest.mark.parametrize(
    "damaged",
    ["[]", "{", "{}", '{"steps": {"a": {}}}', '{"steps": {"a": {"origin": 0, "value": 1}}, "origins": []}'],
)
def test_a_damaged_file_is_refused_and_left_alone(tmp_path: Path, damaged: str) -> None:
    file = tmp_path / "case.json"
    file.write_text(damaged)
    with pytest.raises(InputError, match="move it away"):
        Results(file)
    assert file.read_text() == damaged
