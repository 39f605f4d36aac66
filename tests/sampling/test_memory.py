"""Memory of delayed-count sampling: 24 bytes per token in all, whatever the number of topics.

That has room for the scratch, which is 12 bytes per thread and token of the most frequent word, as long as
that word makes up no more than a sixth of all tokens, divided by the number of threads.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("on_the_processor")

N_TOKENS = 6_000_000

# Words as frequent as in texts with stop words: 5.5 % of the tokens are of one word.
SCRIPT = """
import sys
from pathlib import Path
import numpy as np
from fedtopics.documents.corpus import Corpus
from fedtopics.sampling import lda

n_topics, n_tokens, n_threads = map(int, sys.argv[1:])

def memory(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))

def trained(n):
    rng, words, shares = np.random.default_rng(0), np.empty(n, np.int32), 1 / np.arange(3, 1003)
    for part in np.array_split(words, 64):
        part[:] = rng.choice(1000, len(part), p=shares / shares.sum())
    corpus = Corpus(words, np.append(np.arange(0, n, 200), n), tuple(map(str, range(1000))))
    priors, state = lda.Priors.symmetric(n_topics), lda.start(corpus, n_topics, seed=0)
    state = lda.sweep(corpus, state, priors, seed=0, sampler="warp", n_threads=n_threads)
    lda.optimize_alpha(corpus, state, priors, n_threads=n_threads)

trained(1000)
before = memory("VmRSS")
trained(n_tokens)
print((memory("VmHWM") - before) / n_tokens)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the memory of a process in /proc")
@pytest.mark.parametrize(("n_topics", "n_threads"), [(50, 2), (10_000, 1)])
def test_sampling_takes_24_bytes_per_token(n_topics, n_threads):
    numbers = map(str, (n_topics, N_TOKENS, n_threads))
    done = subprocess.run([sys.executable, "-c", SCRIPT, *numbers], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert 20 < float(done.stdout) < 24.5, done.stdout  # the margin: 3 MB of scratch and pages
