"""What a plain installation, which has no pyarrow, reads all the same, and what it says of the rest."""

import csv
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fedtopics import read, report, train
from fedtopics.commands.transform import _lines
from fedtopics.errors import InputError
from fedtopics.protocol.coding import decoded, encoded

TEXTS = [f"apple bread candy {'duck egg' if n % 2 else 'fig grape'} w{n % 5}" for n in range(40)]
ROWS = [{"who": f"p{n % 2}", "text": text} for n, text in enumerate(TEXTS)]


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)


def test_tables_are_read_trained_on_and_reported(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    with (tmp_path / "t.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, ["who", "text"])
        table.writeheader()
        table.writerows(ROWS)
    run = train(read(tmp_path / "t.csv", party_column="who"), "calm", n_topics=2, n_rounds=3)
    report.write(run, tmp_path / "report.html")
    texts = run.model.transform(TEXTS)
    assert np.array_equal(run.model.transform(read(tmp_path / "t.jsonl")), texts)
    assert np.array_equal(run.model.transform(ROWS), texts)


@pytest.mark.parametrize("array", [np.linspace(0, 1, 999, dtype=np.float32), np.zeros((9, 99), np.uint8)])
def test_messages_are_compressed(array: np.ndarray) -> None:
    coding, block = encoded("a", array)
    assert coding.endswith("zstd")
    assert np.array_equal(decoded("a", coding, array.dtype, array.size, block), array.ravel())


@pytest.mark.parametrize("frame", [pd.DataFrame(ROWS), pl.DataFrame(ROWS)])
def test_a_data_frame_names_the_extra_and_the_way_without(frame: object) -> None:
    for use in (read, lambda table: train(table, "pooled", n_topics=2)):
        with pytest.raises(InputError, match=r"fedtopics\[arrow\].*to_dict"):
            use(frame)


def test_a_parquet_file_names_the_extra(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"Parquet files .* pip install 'fedtopics\[arrow\]'"):
        read(tmp_path / "t.parquet")


def test_numbers_of_mixtures_are_written_so_that_they_come_back() -> None:
    mixtures = np.random.default_rng(0).dirichlet(np.full(7, 0.05), 500).astype(np.float32)
    mixtures[0, :4] = 0, 1, np.finfo(np.float32).smallest_subnormal, np.finfo(np.float32).tiny
    names = ["plain", 'a "quoted" one', "with, a comma", "two\nlines", *map(str, range(496))]
    rows = list(csv.reader(_lines(names, mixtures).splitlines(keepends=True)))
    assert [row[0] for row in rows] == names
    assert np.array_equal(np.array([row[1:] for row in rows], np.float32), mixtures)
