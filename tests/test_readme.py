"""The examples of the README run as they stand, and its tables are those of the benchmark results."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

README = Path(__file__).parents[1] / "README.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_example_runs(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(compile(EXAMPLES[number], f"README example {number}", "exec"), names)
    assert {"run", "mixtures"} & names.keys()


@pytest.fixture(scope="module")
def tables() -> ModuleType:
    source = README.parent / "benchmarks" / "readme_tables.py"
    spec = importlib.util.spec_from_file_location("readme_tables", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tables_are_those_of_the_results(tables: ModuleType) -> None:
    for name, table in tables.blocks(README.read_text(encoding="utf-8")).items():
        assert table == tables.TABLES[name](), f"run python benchmarks/readme_tables.py ({name})"


@pytest.mark.parametrize("name", ["quality", "speed"])
def test_a_table_is_made_anew_where_it_stands(tables: ModuleType, name: str) -> None:
    text = f"before\n<!-- {name} -->\n| 1 | 2 |\n<!-- end {name} -->\nafter\n"
    made = tables.rewritten(text)
    assert tables.blocks(text) == {name: "| 1 | 2 |"}
    assert tables.blocks(made)[name] == tables.TABLES[name]()
    assert made.startswith("before\n")
    assert made.endswith("\nafter\n")
    assert len(set(map(len, (line.split("|") for line in tables.TABLES[name]().splitlines())))) == 1
