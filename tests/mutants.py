"""Tests of the tests: plant plausible one-line bugs, one at a time, and see that the suite catches each.

    python tests/mutants.py [part of a name]

Every `mutants.toml` under tests/ lists bugs: a name, a file, the text to replace (it occurs once), the new
text, and the tests that must fail. Bugs are planted in a temporary copy; the working tree is never touched.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[1]
RUN = """
import sys
sys.meta_path[:] = [f for f in sys.meta_path if "Redirecting" not in type(f).__name__]  # the editable install
sys.path.insert(0, sys.argv[1])
import fedtopics, pytest
assert fedtopics.__file__.startswith(sys.argv[1]), fedtopics.__file__
options = ["-x", "-q", "--tb=no", "-p", "no:doctest", "-o", "addopts=--import-mode=importlib"]
sys.exit(pytest.main(options + sys.argv[2:]))
"""


@dataclass(frozen=True)
class Mutant:
    """One planted bug."""

    name: str
    file: str
    old: str
    new: str
    tests: list[str]


class Copy:
    """A copy of the package, with its compiled modules, that bugs can be planted in."""

    def __init__(self, folder: Path) -> None:
        self.source = folder / "src"
        shutil.copytree(ROOT / "src", self.source, ignore=shutil.ignore_patterns("__pycache__"))
        for module in ("privacy._noise", "sampling._native"):
            compiled = Path(__import__(f"fedtopics.{module}", fromlist=["_"]).__file__ or "")
            shutil.copy(compiled, self.source / "fedtopics" / module.split(".")[0] / compiled.name)

    def passes(self, tests: list[str]) -> bool:
        """Whether the tests pass on the copy; anything but passing or failing is an error of this program."""
        command = [sys.executable, "-B", "-c", RUN, str(self.source), *tests]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            raise SystemExit(f"pytest could not run {tests}:\n{done.stdout}{done.stderr}")
        return done.returncode == 0

    def survives(self, mutant: Mutant) -> bool:
        """Whether the tests pass although the bug is there."""
        path = self.source / "fedtopics" / mutant.file
        text = path.read_text()
        if text.count(mutant.old) != 1:
            raise SystemExit(
                f"{mutant.name}: {mutant.old!r} occurs {text.count(mutant.old)} times in {mutant.file}"
            )
        path.write_text(text.replace(mutant.old, mutant.new))
        kept = (
            {binary: binary.read_bytes() for binary in path.parents[1].glob("_*.so")}
            if self._native(path)
            else {}
        )
        try:
            if kept:
                self._compile(path.parent / "module.cpp", next(iter(kept)))
            return self.passes(mutant.tests)
        finally:
            path.write_text(text)
            for binary, content in kept.items():
                binary.unlink()  # a new file: some other process may still have the old one mapped
                binary.write_bytes(content)

    @staticmethod
    def _native(path: Path) -> bool:
        return path.suffix in (".cpp", ".hpp")

    @cached_property
    def _nanobind(self) -> Path:
        """nanobind's own part, compiled once."""
        import nanobind

        target = self.source.parent / "nanobind.o"
        self._compiler("-c", str(Path(nanobind.source_dir()) / "nb_combined.cpp"), "-o", str(target))
        return target

    def _compile(self, source: Path, target: Path) -> None:
        nanobind = self._nanobind
        target.unlink()
        self._compiler("-shared", str(source), str(nanobind), "-o", str(target))

    @staticmethod
    def _compiler(*arguments: str) -> None:
        import nanobind

        include = Path(nanobind.include_dir())
        folders = [
            include,
            include.parent / "ext" / "robin_map" / "include",
            sysconfig.get_paths()["include"],
        ]
        flags = ["-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing", "-DNDEBUG"]
        subprocess.run(["c++", *flags, *(f"-I{folder}" for folder in folders), *arguments], check=True)


def mutants() -> list[Mutant]:
    """Every bug in the lists."""
    lists = sorted((ROOT / "tests").rglob("mutants.toml"))
    return [Mutant(**entry) for path in lists for entry in tomllib.loads(path.read_text())["mutant"]]


def main(part: str = "") -> int:
    chosen = [mutant for mutant in mutants() if part in mutant.name]
    if not chosen:
        raise SystemExit(f"no planted bug has {part!r} in its name")
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder))
        if not copy.passes(sorted({test for mutant in chosen for test in mutant.tests})):
            raise SystemExit("the tests fail without any bug; run `make check` first")
        survivors = []
        for mutant in chosen:
            alive = copy.survives(mutant)
            survivors += [mutant.name] if alive else []
            print("NOT CAUGHT" if alive else "caught    ", mutant.name, flush=True)
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} planted bugs caught")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
