"""The native kernels under AddressSanitizer and UndefinedBehaviorSanitizer, on every instruction set."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from statistics_ import SEED

HERE = Path(__file__).parent
CORE = HERE.parents[1] / "src" / "fedtopics" / "sampling" / "_core"
FLAGS = [
    "-std=c++17",
    "-O1",
    "-g1",
    "-ffp-contract=off",
    "-Wno-psabi",
    "-fno-omit-frame-pointer",
    f"-I{CORE}",
]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
KERNELS = ["gibbs", "warp", "metropolis", "assign_metropolis", "fold_in"]
KERNELS += ["channel_em", "report_em", "clipped_sum", "private_mh", "table"]
AROUND = ["dispatch", "alias", "counting", "priors"]
AROUND += ["run_gibbs", "run_warp", "run_metropolis", "run_fold_in", "run_clipped_sum"]
AVX512 = ["-mavx2", "-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq"]
SETS = {"plain": [], "avx2": ["-mavx2"], "avx512": AVX512}
if platform.machine() != "x86_64":
    SETS = {"plain": []}


@pytest.mark.nightly
@pytest.mark.skipif(shutil.which("c++") is None, reason="needs a C++ compiler")
def test_no_sanitizer_complains(tmp_path):
    jobs = [(CORE / f"{name}.cpp", tmp_path / f"{name}.o", []) for name in AROUND]
    jobs.append((HERE / "exercise.cpp", tmp_path / "exercise.o", []))
    for isa, flags in SETS.items():
        named = [*flags, f"-DFEDTOPICS_ISA={isa}"]
        jobs += [(CORE / f"{name}.cpp", tmp_path / f"{name}.{isa}.o", named) for name in KERNELS]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda job: compile_file(*job), jobs))
    program = tmp_path / "exercise"
    subprocess.run(["c++", *SANITIZERS, *(job[1] for job in jobs), "-o", program, "-lpthread"], check=True)
    for isa in SETS:
        done = subprocess.run(
            [program, str(SEED)], env={"FEDTOPICS_ISA": isa}, capture_output=True, text=True
        )
        if "FEDTOPICS_ISA must be" not in done.stderr:
            assert (done.returncode, done.stdout.strip()) == (0, isa), f"seed {SEED}: {done.stderr}"


def compile_file(source: Path, target: Path, flags: list[str]) -> None:
    subprocess.run(["c++", *FLAGS, *SANITIZERS, *flags, "-c", source, "-o", target], check=True)
