"""The tables and pictures of the README and the docs are those of the benchmark results."""

import pytest

from benchmarks import tables


def test_tables_are_those_of_the_results() -> None:
    found = {}
    for page in tables.pages():
        found |= tables.blocks(page.read_text(encoding="utf-8"))
    made = tables.tables()
    assert found.keys() == made.keys()
    for name, table in found.items():
        assert table == made[name](), f"run python -m benchmarks tables ({name})"


def test_pictures_are_those_of_the_results() -> None:
    for name, draw in tables.files().items():
        stored = (tables.DOCS / name).read_text(encoding="utf-8")
        assert stored.strip() == draw().strip(), f"run python -m benchmarks tables ({name})"


@pytest.mark.parametrize("name", ["quality", "speed"])
def test_a_table_is_made_anew_where_it_stands(name: str) -> None:
    text = f"before\n<!-- {name} -->\n| 1 | 2 |\n<!-- end {name} -->\nafter\n"
    made = tables.rewritten(text, tables.tables())
    table = tables.tables()[name]()
    assert tables.blocks(text) == {name: "| 1 | 2 |"}
    assert tables.blocks(made)[name] == table
    assert made.startswith("before\n")
    assert made.endswith("\nafter\n")
    assert len({len(line.split("|")) for line in table.splitlines()}) == 1
