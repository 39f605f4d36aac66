"""Tests of the tests: plant plausible one-line bugs, one at a time, and see that the suite catches each.

    python tests/mutants.py [part of a name or of a file]

Every `mutants.toml` under tests/ lists bugs: a name, a file, the text to replace (it occurs once), the new
text, and the tests that must fail. Bugs are planted in a temporary copy, of which CMake compiles what has
changed; the working tree is never touched.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[1]
NATIVE = ("documents.text._words", "privacy.mechanisms._noise", "protocol._coder", "sampling._native")
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
        shutil.copy(ROOT / "CMakeLists.txt", folder)
        for module in NATIVE:
            compiled = Path(__import__(f"fedtopics.{module}", fromlist=["_"]).__file__ or "")
            shutil.copy(compiled, self.source / "fedtopics" / Path(*module.split(".")[:-1]) / compiled.name)

    def failure(self, tests: list[str]) -> str:
        """The first test that fails on the copy, or nothing; what is neither is an error of this program."""
        command = [sys.executable, "-B", "-c", RUN, str(self.source), *tests]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            raise SystemExit(f"pytest could not run {tests}:\n{done.stdout}{done.stderr}")
        failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return "".join(failed[:1]) if done.returncode else ""

    def caught_by(self, mutant: Mutant) -> str:
        """The test that fails when the bug is there, or nothing."""
        path = self.source / "fedtopics" / mutant.file
        text = path.read_text()
        if text.count(mutant.old) != 1:
            raise SystemExit(
                f"{mutant.name}: {mutant.old!r} occurs {text.count(mutant.old)} times in {mutant.file}"
            )
        native = path.suffix in (".cpp", ".hpp")
        if native:
            self._built  # noqa: B018  without the bug, so that with it little has to be compiled
        before = path.stat()
        path.write_text(text.replace(mutant.old, mutant.new))
        try:
            return self._compiled(path, mutant.tests) if native else self.failure(mutant.tests)
        finally:
            path.write_text(text)
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def _compiled(self, path: Path, tests: list[str]) -> str:
        """The first test that fails when the native module of the file is built anew."""
        (binary,) = path.parents[1].glob("_*.so")
        kept = binary.read_bytes()
        _run("cmake", "--build", self._build, "--parallel", "--target", binary.name.split(".")[0])
        _replace(binary, (self._build / binary.name).read_bytes())
        try:
            return self.failure(tests)
        finally:
            _replace(binary, kept)
            shutil.rmtree(self._build)
            shutil.copytree(self._built, self._build)

    @property
    def _build(self) -> Path:
        return self.source.parent / "build"

    @cached_property
    def _built(self) -> Path:
        """A build folder where all is compiled, to be put in the place of one with a bug."""
        import nanobind

        options = [f"-Dnanobind_DIR={nanobind.cmake_dir()}", f"-DPython_EXECUTABLE={sys.executable}"]
        options += ["-DCMAKE_BUILD_TYPE=Release", *(["-G", "Ninja"] if shutil.which("ninja") else [])]
        _run("cmake", "-S", self._build.parent, "-B", self._build, *options)
        _run("cmake", "--build", self._build, "--parallel")
        return Path(shutil.copytree(self._build, self._build.parent / "built"))


def _replace(binary: Path, content: bytes) -> None:
    binary.unlink()  # a new file: some other process may still have the old one mapped
    binary.write_bytes(content)


def _run(*command: object) -> None:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def mutants() -> list[Mutant]:
    """Every bug in the lists."""
    lists = sorted((ROOT / "tests").rglob("mutants.toml"))
    return [Mutant(**entry) for path in lists for entry in tomllib.loads(path.read_text())["mutant"]]


def main(part: str = "") -> int:
    chosen = [mutant for mutant in mutants() if part in mutant.name or part in mutant.file]
    if not chosen:
        raise SystemExit(f"no planted bug has {part!r} in its name or file")
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder))
        if failed := copy.failure(sorted({test for mutant in chosen for test in mutant.tests})):
            raise SystemExit(f"without any bug: {failed}; run `make check` first")
        survivors = 0
        for mutant in chosen:
            failed = copy.caught_by(mutant)
            survivors += not failed
            print(
                f"caught     {mutant.name}: {failed}" if failed else f"NOT CAUGHT {mutant.name}", flush=True
            )
    print(f"{len(chosen) - survivors} of {len(chosen)} planted bugs caught")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
