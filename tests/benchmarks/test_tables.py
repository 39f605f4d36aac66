"""The tables of the README and the docs are those of the benchmark results."""

import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def tables() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        yield importlib.import_module("tables")


def test_tables_are_those_of_the_results(tables: ModuleType) -> None:
    found = {}
    for file in tables.FILES:
        found |= tables.blocks(file.read_text(encoding="utf-8"))
    assert found.keys() == tables.TABLES.keys()
    for name, table in found.items():
        assert table == tables.TABLES[name](), f"run python benchmarks/tables.py ({name})"


@pytest.mark.parametrize("name", ["quality", "speed"])
def test_a_table_is_made_anew_where_it_stands(tables: ModuleType, name: str) -> None:
    text = f"before\n<!-- {name} -->\n| 1 | 2 |\n<!-- end {name} -->\nafter\n"
    made = tables.rewritten(text)
    assert tables.blocks(text) == {name: "| 1 | 2 |"}
    assert tables.blocks(made)[name] == tables.TABLES[name]()
    assert made.startswith("before\n")
    assert made.endswith("\nafter\n")
    assert len(set(map(len, (line.split("|") for line in tables.TABLES[name]().splitlines())))) == 1
