"""Each extra that is not installed is named, in one line, by what needs it."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from fedtopics import Corpus, read
from fedtopics.applications import classification
from fedtopics.applications.speech import recognizer, rescoring
from fedtopics.cluster import connection
from fedtopics.errors import InputError
from fedtopics.related_words import load
from fedtopics.report.live.serving import served
from fedtopics.runs import tracking
from fedtopics.sampling.gpu import device

SETTINGS = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
OF_TOOLS = {"dev", "docs", "pictures", "bench"}


def sheet(folder: Path) -> object:
    (folder / "t.xlsx").write_bytes(b"")
    return read(folder / "t.xlsx")


def parquet(folder: Path) -> object:
    (folder / "t.parquet").write_bytes(b"")
    return read(folder / "t.parquet")


# What hides the extra, and a use of it.
USES: dict[str, tuple[str, Callable[[Path], object]]] = {
    "arrow": ("pyarrow", parquet),
    "excel": ("python_calamine", sheet),
    "postgres": ("adbc_driver_postgresql", lambda _: read("postgresql://localhost/x", query="select 1")),
    "mlflow": ("mlflow.exceptions", lambda _: tracking.log_to_mlflow(None)),  # type: ignore[arg-type]
    "sklearn": ("sklearn.svm", lambda _: classification._scikit_learn("svm")),
    "chinese": ("jieba", lambda _: Corpus.from_texts(["税"], language="zh")),
    "live": ("uvicorn", lambda _: served({}).__enter__()),
    "dask": ("distributed", lambda _: connection._distributed()),
    "vectors": ("wordllama", lambda _: load("wordllama", ["tax"])),
    "speech": ("pocketsphinx", lambda _: recognizer._pocketsphinx()),
    "gpu": ("cupy", lambda _: device._cuda.__wrapped__()),
}


@pytest.mark.parametrize("extra", sorted(set(SETTINGS["project"]["optional-dependencies"]) - OF_TOOLS))
def test_an_extra_that_is_missing_is_named(
    extra: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hidden, use = USES[extra]
    monkeypatch.setitem(sys.modules, hidden, None)
    with pytest.raises(InputError, match=rf"pip install 'fedtopics\[{extra}\]'") as raised:
        use(tmp_path)
    assert "\n" not in str(raised.value)


def test_errors_of_words_need_jiwer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jiwer", None)
    with pytest.raises(InputError, match=r"fedtopics\[speech\]"):
        rescoring._wrong.__wrapped__(("a",), ("b",))
