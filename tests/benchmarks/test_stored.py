"""Benchmark results of another version are refused and stay as they are."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import fedtopics
from fedtopics.errors import InputError

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _benchmarks_are_found(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    yield
    sys.modules.pop("stored", None)


def test_results_of_another_version_are_left_as_they_are(tmp_path: Path) -> None:
    import stored

    file = tmp_path / "results.json"
    assert stored.load(file) == {"version": fedtopics.__version__}
    stored.save({"version": fedtopics.__version__, "seeds": {}}, file)
    assert stored.load(file)["seeds"] == {}
    for text, message in {
        json.dumps({"version": "0.0.1"}): "got those of 0.0.1 in .*nothing was overwritten",
        "[1]": "got those of None",
        '{"version": ': "got no JSON",
    }.items():
        file.write_text(text)
        with pytest.raises(InputError, match=message):
            stored.load(file)
        assert file.read_text() == text
