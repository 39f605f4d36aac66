"""One choice of the instruction set for all of sampling: the same bits under each, unknown names refused."""

from __future__ import annotations

import platform
import shutil
import subprocess
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from child_process import run_python
from planted import drawn_corpus, planted_topics
from sampling.test_report_em import one_word

from fedtopics.errors import InputError
from fedtopics.sampling import channel_em, clipped_counts, lda, noisy_words, private_mh, report_em
from fedtopics.sampling.histograms import Histograms

pytestmark = pytest.mark.usefixtures("on_the_processor")

CORE = Path(lda.__file__).parent / "_core"
KNOWN = ("plain", "avx2", "avx512")
UNDER = (
    "import os, sys; os.environ['FEDTOPICS_ISA'] = sys.argv[1]\nfrom sampling import test_instruction_sets\n"
)
REFUSED = "FEDTOPICS_ISA must be plain, avx2 or avx512, of which this machine has "
ONE_TABLE = """
#include <cstdio>
#include <stdexcept>
#include "kernels.hpp"
namespace fedtopics {
namespace plain { extern const Kernels table; const Kernels table{"plain"}; }
namespace avx2 { extern const Kernels table; const Kernels table{"avx2"}; }
namespace avx512 { extern const Kernels table; const Kernels table{"avx512"}; }
}
int main() {
  try {
    std::puts(fedtopics::kernels().name);
  } catch (const std::invalid_argument& told) {
    std::puts(told.what());
  }
}
"""


def operations(n_topics: int) -> dict[str, Callable[[], tuple[np.ndarray, ...]]]:
    """Everything in sampling that runs on a chosen instruction set, on little data."""
    topics = planted_topics(3, 20)
    corpus = drawn_corpus(topics, n_docs=30, length=40, seed=0)
    state = lda.State((corpus.words % n_topics).astype(np.uint16), 0)
    priors = lda.Priors(np.full(n_topics, 0.1), 0.01)
    model = channel_em.maximize(np.random.default_rng(0).gamma(1, size=(60, n_topics)), 0.1)
    flat = np.ascontiguousarray(model.phi.T, np.float64)
    alpha = np.full(n_topics, 0.1, np.float32)
    values = (corpus.words % 3 + 1).astype(np.int32)
    noisy = {
        f"channel_em {law}": Histograms(corpus.offsets, corpus.words, values, 60, **options)
        for law, options in {
            "geometric": {"decay": 0.1},
            "gaussian": {"sigma": 0.5},
            "none": {"decay": 0.0},
        }.items()
    }
    reports = one_word(corpus.words, corpus.offsets, 60, 0.5)
    each = np.arange(corpus.n_tokens + 1)
    units = private_mh.Units(
        corpus.offsets, each, each, corpus.words, values.astype(np.float32), 60, "one_hot"
    )

    def arrays(step: channel_em.Expectation) -> tuple[np.ndarray, ...]:
        return step.documents.theta, step.counts, np.array(step.log_likelihood)

    return {
        "start": lambda: (lda.start(corpus, n_topics, 1).topics,),
        **{
            name: lambda name=name: (lda.sweep(corpus, state, priors, seed=1, sampler=name).topics,)
            for name in ("gibbs", "warp", "metropolis")
        },
        "noisy words": lambda: (noisy_words.sweep(corpus, state, priors, background=0.01, seed=1).topics,),
        "fold in": lambda: (lda.fold_in(corpus, flat, priors.alpha),),
        "assign": lambda: (lda.assign(corpus, state, flat, priors.alpha, seed=1).topics,),
        **{
            name: lambda data=data: arrays(
                channel_em.expect(data, channel_em.start(data, n_topics, 40), model, alpha)
            )
            for name, data in noisy.items()
        },
        "report_em": lambda: arrays(
            report_em.expect(reports, report_em.start(reports, n_topics), model, alpha)
        ),
        "clipped_counts": lambda: (
            clipped_counts.sum_of_differences(
                *(corpus.words, values, corpus.offsets, np.arange(corpus.n_docs + 1)),
                *(model.phi, model.phi, np.sqrt(model.phi)),
                alpha=0.1,
                n_steps=5,
                cap=2.0,
                clip=0.1,
                resolution=1 << 26,
            ),
        ),
        "private_mh": lambda: (private_mh.sweep(units, state.topics, np.log(flat), 0.1, seed=1),),
    }


def told(n_topics: int) -> str:
    """A line for each operation: its bits in short, or why it was refused."""
    lines = []
    for name, operation in operations(n_topics).items():
        try:
            outcome = sha256(b"".join(array.tobytes() for array in operation())).hexdigest()
        except InputError as error:
            outcome = str(error)
        lines.append(f"{name}: {outcome}")
    return "\n".join(lines)


@pytest.mark.parametrize("n_topics", [7, 33, 64, 100])
def test_instruction_sets_change_no_bit(n_topics: int) -> None:
    expected = told(n_topics)
    for name in KNOWN:
        done = run_python(f"{UNDER}print(test_instruction_sets.told({n_topics}))", name)
        assert done.returncode == 0, done.stderr
        if REFUSED not in done.stdout:
            assert done.stdout.strip() == expected, name
        else:
            assert name != "plain"


def test_an_unknown_instruction_set_is_refused_by_every_operation() -> None:
    done = run_python(f"{UNDER}print(test_instruction_sets.told(5))", "sse9")
    lines = done.stdout.splitlines()
    assert len(lines) == len(operations(5)), done.stderr
    for line in lines:
        assert REFUSED in line
        assert line.endswith("plain; got sse9")


@pytest.mark.skipif(shutil.which("c++") is None, reason="needs a C++ compiler")
@pytest.mark.skipif(platform.machine() != "x86_64", reason="elsewhere there is one instruction set")
def test_an_instruction_set_that_this_machine_lacks_is_refused(tmp_path: Path) -> None:
    """The dispatcher alone, on a processor that says it has AVX2 and no more."""
    (tmp_path / "main.cpp").write_text(ONE_TABLE)
    processor = "-D__builtin_cpu_supports(name)=(name[3] == '2')"
    sources = [tmp_path / "main.cpp", CORE / "dispatch.cpp"]
    subprocess.run(
        ["c++", "-std=c++17", f"-I{CORE}", processor, *sources, "-o", tmp_path / "choose"], check=True
    )
    chosen = {
        name: subprocess.run(
            [tmp_path / "choose"], env={"FEDTOPICS_ISA": name}, capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in ("", *KNOWN)
    }
    refused = f"{REFUSED}avx2, plain; got avx512"
    assert chosen == {"": "avx2", "plain": "plain", "avx2": "avx2", "avx512": refused}
