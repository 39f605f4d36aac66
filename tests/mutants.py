"""Tests of the tests: plant plausible one-line bugs, one at a time, and see that the suite catches each.

    python tests/mutants.py [part of a name or of a file] [--workers 1] [--fresh]

Every `mutants.toml` under tests/ lists bugs: a name, a file, the text to replace (it occurs once), the new
text, and the tests that must fail. Bugs are planted in temporary copies, of which CMake compiles what has
changed; the working tree is never touched and may change meanwhile. What was caught is kept in
tests/caught.json until the bug, its file or its tests change, so that a run can be stopped and goes on, and
a commit tells what was tried; the test that caught a bug is tried first when it is planted again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import tomllib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "tests" / "caught.json"
PATIENCE = 240.0  # seconds for one test
HERE_FIRST = """
import sys
sys.meta_path[:] = [f for f in sys.meta_path if "Redirecting" not in type(f).__name__]  # the editable install
"""
OPTIONS = ["-x", "-q", "--tb=no", "-p", "no:doctest", "-o", "addopts=--import-mode=importlib"]
OPTIONS += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # of what the server has imported
OPTIONS += ["-o", f"faulthandler_timeout={PATIENCE}", "-o", "faulthandler_exit_on_timeout=true"]


class CannotTellError(Exception):
    """A bug that cannot be planted, or tests that cannot be run."""


@dataclass(frozen=True)
class Mutant:
    """One planted bug."""

    name: str
    file: str
    old: str
    new: str
    tests: list[str]

    @property
    def native(self) -> bool:
        return self.file.endswith((".cpp", ".hpp"))

    @property
    def words(self) -> list[str]:
        """What it is about: tests with such names are likely to catch it."""
        return re.findall("[a-z]{4,}", f"{self.name} {self.old} {self.new}".lower())


class Copy:
    """A copy of what git tracks, with compiled modules, that bugs can be planted in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in _output("git", "ls-files", "-z").split("\0")[:-1]:
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        self.package = folder / "src" / "fedtopics"
        native = Path(__import__("fedtopics.sampling._native", fromlist=["_"]).__file__ or "")
        installed = native.parents[1]
        for compiled in installed.rglob("_*" + native.suffix):
            shutil.copy(compiled, self.package / compiled.relative_to(installed))
        (folder / "first").mkdir()
        (folder / "first" / "sitecustomize.py").write_text(HERE_FIRST)
        self._planted = 0

    def failure(self, tests: Iterable[str], *more: str, words: Iterable[str] = ()) -> str:
        """The first test that fails on the copy, or nothing; those with such words in their names begin."""
        output = self.folder / "output"
        asked = {"output": str(output), "options": [*OPTIONS, *more, *tests], "words": list(words)}
        server = self._server
        assert server.stdin
        assert server.stdout
        server.stdin.write(json.dumps(asked) + "\n")
        server.stdin.flush()
        status = int(server.stdout.readline())
        said = output.read_text()
        failed = [line for line in said.splitlines() if line.startswith(("FAILED", "ERROR"))]
        if status not in (0, 1, 5) or (status == 1 and not failed):
            raise CannotTellError(f"pytest ended with {status} for {tests}:\n{said[-2000:]}")
        return failed[0].split(" ", 1)[1].split(" - ")[0] if status == 1 else ""

    @cached_property
    def _server(self) -> subprocess.Popen[str]:
        """The process that forks for every bug; it ends when nobody writes to it any more."""
        environment = os.environ | {
            "PYTHONPATH": f"{self.folder / 'first'}:{self.package.parent}",
            "PYTHONPYCACHEPREFIX": str(self.folder / "bytecode"),
            "FEDTOPICS_DATA": os.environ.get("FEDTOPICS_DATA", str(ROOT.parent / "shared" / "data")),
        }
        return subprocess.Popen(
            [sys.executable, "-P", ROOT / "tests" / "mutants_server.py"],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def caught_by(self, mutant: Mutant, before: str) -> str:
        """The test that fails when the bug is there, or nothing; `before` is what failed last time."""
        path = self.package / mutant.file
        text = path.read_text()
        if text.count(mutant.old) != 1:
            raise CannotTellError(f"{mutant.old!r} occurs {text.count(mutant.old)} times in {mutant.file}")
        if mutant.native:
            self._built  # noqa: B018  without the bug, so that with it little has to be compiled
        kept = path.stat()
        path.write_text(text.replace(mutant.old, mutant.new))
        if not mutant.native:  # whose time has to be later than that of what was compiled without the bug
            self._planted += 1  # no two bugs have the same time: bytecode of one is not taken for another's
            os.utime(path, (kept.st_atime, kept.st_mtime + self._planted))
        try:
            return self._compiled(path, mutant, before) if mutant.native else self._tried(mutant, before)
        finally:
            path.write_text(text)
            os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns))

    def _tried(self, mutant: Mutant, before: str) -> str:
        there = before.split("::")[0] in {test.split("::")[0] for test in mutant.tests}
        try:
            if there and (failed := self.failure([before])):
                return failed
        except CannotTellError:  # a test that has another name by now
            pass
        for which in ("not nightly", "nightly"):
            if failed := self.failure(mutant.tests, "-m", which, words=mutant.words):
                return failed
        return ""

    def _compiled(self, path: Path, mutant: Mutant, before: str) -> str:
        """The first test that fails when the native module of the file is built anew."""
        (binary,) = path.parents[1].glob("_*.so")
        kept = binary.read_bytes()
        self._run("cmake", "--build", self._build, "--parallel", "--target", binary.name.split(".")[0])
        _replace(binary, (self._build / binary.name).read_bytes())
        try:
            return self._tried(mutant, before)
        finally:
            _replace(binary, kept)
            shutil.rmtree(self._build)
            shutil.copytree(self._built, self._build)

    @property
    def _build(self) -> Path:
        return self.folder / "build"

    @cached_property
    def _built(self) -> Path:
        """A build folder where all is compiled, to be put in the place of one with a bug."""
        import nanobind

        options = [f"-Dnanobind_DIR={nanobind.cmake_dir()}", f"-DPython_EXECUTABLE={sys.executable}"]
        options += ["-DCMAKE_BUILD_TYPE=Release", *(["-G", "Ninja"] if shutil.which("ninja") else [])]
        self._run("cmake", "-S", self.folder, "-B", self._build, *options)
        self._run("cmake", "--build", self._build, "--parallel")
        return Path(shutil.copytree(self._build, self.folder / "built"))

    def _run(self, *command: object) -> None:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        if done.returncode:
            raise CannotTellError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


class Progress:
    """Which test caught which bug, kept from run to run."""

    def __init__(self) -> None:
        self._caught: dict[str, dict[str, str]] = json.loads(KEPT.read_text()) if KEPT.is_file() else {}
        self._writing = threading.Lock()

    def before(self, mutant: Mutant) -> str:
        """The test that caught the bug last time, however long ago."""
        return self._caught.get(mutant.name, {}).get("test", "")

    def holds(self, mutant: Mutant) -> bool:
        """Whether neither the bug nor its file nor its tests have changed since."""
        return self._caught.get(mutant.name, {}).get("digest") == _digest(mutant)

    def keep(self, mutant: Mutant, digest: str, test: str) -> None:
        with self._writing:
            self._caught[mutant.name] = {"digest": digest, "test": test}
            beside = KEPT.with_suffix(".new")
            beside.write_text(json.dumps(self._caught, indent=1, sort_keys=True) + "\n")
            beside.replace(KEPT)


def _digest(mutant: Mutant, root: Path = ROOT) -> str:
    files = [f"src/fedtopics/{mutant.file}", *(test.split("::")[0] for test in mutant.tests)]
    texts = [(root / file).read_text() for file in files if (root / file).is_file()]
    return hashlib.sha256(json.dumps([vars(mutant), texts]).encode()).hexdigest()


def _replace(binary: Path, content: bytes) -> None:
    binary.unlink()  # a new file: some other process may still have the old one mapped
    binary.write_bytes(content)


def _output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def mutants() -> list[Mutant]:
    """Every bug in the lists."""
    lists = sorted((ROOT / "tests").rglob("mutants.toml"))
    return [Mutant(**entry) for path in lists for entry in tomllib.loads(path.read_text())["mutant"]]


def plant(chosen: list[Mutant], progress: Progress, workers: int, folder: Path) -> list[str]:
    """Every bug in turn; gives what is wrong, one line each."""
    copies = [Copy(Path(tempfile.mkdtemp(dir=folder))) for _ in range(workers)]
    wrong = []

    def attempt(mutant: Mutant) -> None:
        copy = copies.pop()
        digest = _digest(mutant, copy.folder)
        try:
            test = copy.caught_by(mutant, progress.before(mutant))
            if test:
                progress.keep(mutant, digest, test)
            else:
                wrong.append(f"NOT CAUGHT {mutant.name}")
            print(f"caught     {mutant.name}: {test}" if test else wrong[-1], flush=True)
        except CannotTellError as error:
            wrong.append(f"CANNOT TELL {mutant.name}: {error}")
            print(wrong[-1], flush=True)
        finally:
            copies.append(copy)

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(attempt, chosen))
    catching = sorted({progress.before(mutant) for mutant in chosen if progress.holds(mutant)})
    if catching and (failed := copies[0].failure(catching)):
        wrong.append(f"WITHOUT ANY BUG {failed} fails: run `make check` first")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("part", nargs="?", default="", help="of the name of a bug, or of its file")
    parser.add_argument("--workers", type=int, default=1, help="copies that bugs are planted in side by side")
    parser.add_argument("--fresh", action="store_true", help="try also what was caught and has not changed")
    given = parser.parse_args()
    chosen = [mutant for mutant in mutants() if given.part in mutant.name or given.part in mutant.file]
    if not chosen:
        raise SystemExit(f"no planted bug has {given.part!r} in its name or file")
    progress = Progress()
    left = [mutant for mutant in chosen if given.fresh or not progress.holds(mutant)]
    left.sort(key=lambda mutant: mutant.native)  # so that what has to be compiled comes last
    with tempfile.TemporaryDirectory() as folder:
        wrong = plant(left, progress, max(given.workers, 1), Path(folder)) if left else []
    if wrong:
        print("", *wrong, sep="\n")
    caught = sum(map(progress.holds, chosen))
    print(f"{caught} of {len(chosen)} planted bugs caught, {len(chosen) - len(left)} of them before this run")
    return 1 if wrong or caught < len(chosen) else 0


if __name__ == "__main__":
    sys.exit(main())
