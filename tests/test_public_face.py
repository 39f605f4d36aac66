"""What docs/reference/api.md lists is what `import fedtopics` offers, every parameter described."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.main import get_command

import fedtopics
from fedtopics import methods
from fedtopics.commands.application import app
from fedtopics.privacy.mechanisms.mechanism import Made, every

PAGE = (Path(__file__).parents[1] / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
FACE, AUTHORS = PAGE.split("## For authors", 1)
LISTED = re.findall(r"^\.\. auto\w+:: fedtopics\.(\S+)$", FACE, re.MULTILINE)
OF_MODULES = re.findall(r"^\.\. auto(\w+):: (\S+)\n(?:   :members: (.+))?", AUTHORS, re.MULTILINE)
DOCS = Path(__file__).parents[1] / "docs"
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if page.stem != "adding-a-method"]  # a file of the house


def reached(dotted: str) -> Any:
    """What stands there, by attribute access alone."""
    found: Any = fedtopics
    for name in dotted.split("."):
        found = getattr(found, name)
    return found


def offered(module: ModuleType, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every public name below a module that says what is public."""
    for name in getattr(module, "__all__", []):
        value = getattr(module, name)
        yield path + name, value
        if isinstance(value, ModuleType):
            yield from offered(value, f"{path}{name}.")


@pytest.mark.parametrize("dotted", LISTED)
def test_what_the_page_lists_is_offered(dotted: str) -> None:
    assert not isinstance(reached(dotted), ModuleType)


@pytest.mark.parametrize(("kind", "dotted", "members"), OF_MODULES)
def test_what_the_page_lists_for_authors_can_be_imported(kind: str, dotted: str, members: str) -> None:
    if kind == "module":
        module, names = import_module(dotted), [name for name in members.split(", ") if name]
    else:
        module, names = import_module(dotted.rpartition(".")[0]), [dotted.rpartition(".")[2]]
    assert [name for name in names if not hasattr(module, name)] == []


@pytest.mark.parametrize("name", every())
def test_every_mechanism_is_listed(name: str) -> None:
    assert f".. automodule:: {every()[name].make.__module__}\n" in AUTHORS


def test_what_is_offered_is_listed() -> None:
    listed = [reached(dotted) for dotted in LISTED]
    homes = [reached(dotted.rpartition(".")[0]) for dotted in LISTED if "." in dotted]
    for name, value in offered(fedtopics):
        known = homes if isinstance(value, ModuleType) else listed
        in_modules = isinstance(value, ModuleType) and f":: {value.__name__}." in AUTHORS
        assert in_modules or any(value is other for other in known), name


def test_all_that_is_offered_is_shown_by_dir() -> None:
    assert set(fedtopics.__all__) <= set(dir(fedtopics))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = fedtopics.nothing


IMPORTED = re.compile(r"^(?:>>> |\.\.\. )?from (fedtopics[\w.]*) import ([\w, ]+)$", re.MULTILINE)
PUBLIC = {id(reached(dotted)): f"fedtopics.{dotted}" for dotted in LISTED}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_imports_what_is_public_from_where_it_is_public(page: Path) -> None:
    deeper = []
    for module, names in IMPORTED.findall(page.read_text(encoding="utf-8")):
        for name in names.split(", "):
            found = vars(import_module(module)).get(name)
            public = PUBLIC.get(id(found), f"{module}.{name}")
            deeper += [] if public == f"{module}.{name}" else [f"{module}.{name} is public as {public}"]
    assert deeper == []


def is_code(value: Any) -> bool:
    return inspect.isfunction(value) or isinstance(value, type)


def functions(dotted: str, value: Any) -> Iterator[tuple[str, list[str], str]]:
    """Name, parameters and description of a function, or of a class and of each of its methods.

    A mechanism's `price` is described once, in its contract.
    """
    doc = inspect.getdoc(value) or ""
    if not isinstance(value, type):
        yield dotted, parameters(value), doc
        return
    if not issubclass(value, Exception):
        yield dotted, fields(value), doc
    for name, member in vars(value).items():
        function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        elsewhere = name in vars(Made) or name in getattr(value, "__dataclass_fields__", ())
        if inspect.isfunction(function) and not (elsewhere or name.startswith("_")):
            yield f"{dotted}.{name}", parameters(function), f"{inspect.getdoc(function) or ''}\n{doc}"


def parameters(function: Any) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


def fields(kind: type) -> list[str]:
    is_data = hasattr(kind, "__dataclass_fields__") or "__init__" not in vars(kind)
    hints = inspect.get_annotations(kind) if is_data else dict.fromkeys(parameters(kind), "")
    return [name for name, hint in hints.items() if not (name.startswith("_") or "ClassVar" in str(hint))]


def is_described(name: str, doc: str) -> bool:
    """Named in `backticks` in a sentence, or at the head of a line with its meaning in a second column."""
    column = rf"^ *(?:[*\w]+, )*\**{name}(?:, [*\w]+)*  +\S"
    return bool(re.search(rf"`\**{name}\b[^`]*`", doc) or re.search(column, doc, re.MULTILINE))


def for_authors() -> Iterator[tuple[str, Any]]:
    """What the page shows of modules: the members that it names, else all that is made there."""
    for kind, dotted, members in OF_MODULES:
        home, _, name = (dotted, "", members) if kind == "module" else dotted.rpartition(".")
        module = import_module(home)
        own = [each for each, value in vars(module).items() if getattr(value, "__module__", "") == home]
        for each in name.split(", ") if name else own:
            if not each.startswith("_"):
                yield f"{home}.{each}", getattr(module, each)


SHOWN = [*((dotted, reached(dotted)) for dotted in LISTED), *for_authors()]
DESCRIBED = [found for dotted, value in SHOWN if is_code(value) for found in functions(dotted, value)]


@pytest.mark.parametrize(("dotted", "names", "doc"), DESCRIBED, ids=[found[0] for found in DESCRIBED])
def test_every_parameter_is_described(dotted: str, names: list[str], doc: str) -> None:
    assert doc.strip()
    assert [name for name in names if not is_described(name, doc)] == []


@pytest.mark.parametrize("name", methods.names())
def test_every_setting_of_a_method_is_described(name: str) -> None:
    for variant in methods.variants(name) or (None,):
        assert [setting for setting, told in methods.meanings(name, variant).items() if not told] == []


def options(command: Any, path: str = "") -> Iterator[tuple[str, str | None]]:
    for option in command.params:
        yield f"{path} {option.name}", getattr(option, "help", None)
    for name, inner in getattr(command, "commands", {}).items():
        yield from options(inner, f"{path} {name}")


def test_every_option_of_a_command_is_described() -> None:
    found = dict(options(get_command(app)))
    assert len(found) > 150
    assert [name for name, told in found.items() if not told] == []
