"""The kernels on a GPU: samplers, E step and mixtures, in absolute times, beside the card's own bandwidth.

Times are of whole calls, with what is sent to the card and what comes back, but sweeps, after which nothing
does; each is the fastest of a few. Compiling is done before (`first_seconds` has it). Bytes are those that a
sweep has to move at the least: records read and written, a place, topics written and read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

import fedtopics
from benchmarks import corpora, stored
from benchmarks.case import Steps, case
from benchmarks.cases import disk
from benchmarks.markdown_tables import table
from fedtopics import sampling
from fedtopics.documents import Corpus
from fedtopics.evaluation.perplexity import perplexity
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.sampling import channel_em, lda
from fedtopics.sampling.gpu import device, launches, warp
from fedtopics.sampling.gpu.using import using
from fedtopics.sampling.histograms import Histograms

TIMES = 107  # NIPS so many times over is 200 million tokens
MOVED = 2 * 2 * launches.RECORD + 4 + 2 * 4  # bytes of a token in the two passes of a sweep
EPSILON = 6.0


def fastest(work: Callable[[], Any], n: int = 5) -> float:
    """Seconds of the fastest of `n` calls, the card's part of it included."""
    import cupy

    found = []
    for _ in range(n):
        cupy.cuda.Device().synchronize()
        began = perf_counter()
        work()
        cupy.cuda.Device().synchronize()
        found.append(perf_counter() - began)
    return min(found)


def gpu() -> device.Device:
    found = device.chosen("cuda")
    assert found is not None
    return found


def copying() -> dict[str, Any]:
    """Bytes read and written by a copy of 4 GB within the card."""
    import cupy

    whole = cupy.zeros(1 << 30, cupy.float32)
    other = cupy.empty_like(whole)
    seconds = fastest(lambda: cupy.copyto(other, whole), 10)
    return {"card": gpu().card.name, "gigabytes_per_second": 2 * whole.nbytes / seconds / 1e9}


def repeated_nips() -> Corpus:
    return corpora.repeated(corpora.read(corpora.path("nips")), TIMES)


def blogs() -> Corpus:
    """With stop words, over 20,000 words."""
    return disk.blogs("in memory", 100_000_000)


def sweeps(corpus: Callable[[], Corpus], n_topics: int, share_of_memory: float = 0.0) -> dict[str, Any]:
    """Tokens a second; where a share is given, with so much memory for the tokens that they come in parts."""
    import cupy

    found, priors, card = corpus(), lda.Priors.symmetric(n_topics, 0.1, 0.01), gpu()
    if share_of_memory:
        room = int(share_of_memory * launches.TOKEN * found.n_tokens)
        card.card = replace(card.card, memory=room)
    cupy.get_default_memory_pool().free_all_blocks()
    began, before = perf_counter(), cupy.get_default_memory_pool().used_bytes()
    sampler = warp.Warp(card, found, lda.start(found, n_topics, 1), priors, seed=1)
    sampler.sweep()
    cupy.cuda.Device().synchronize()
    first, taken = perf_counter() - began, cupy.get_default_memory_pool().used_bytes() - before
    seconds = fastest(sampler.sweep)
    n_blocks = len(sampler._records.blocks)
    if share_of_memory:
        device._cuda.cache_clear()
    return {
        "n_tokens": found.n_tokens,
        "n_words": found.n_words,
        "first_seconds": first,
        "seconds_a_sweep": seconds,
        "tokens_a_second": found.n_tokens / seconds,
        "bytes_a_second": MOVED * found.n_tokens / seconds,
        "memory_a_token": taken / found.n_tokens,
        "blocks": n_blocks,
    }


def race() -> dict[str, Any]:
    """Seconds of a whole `LDA.fit` that predicts as well as 200 sweeps of tomotopy, NIPS with 100 topics."""
    target = stored.values("speed")["nips"]["100"]["target_perplexity"]
    train, test = corpora.pooled("nips")
    for n_sweeps in range(60, 601, 20):
        priors = {"doc_topic_prior": 0.1, "topic_word_prior": 0.01}
        options = {**priors, "max_iter": n_sweeps, "random_state": 1}
        model = fedtopics.LDA(100, device="cuda", **options)
        reached = perplexity(model.fit(train).model_, test)
        if reached <= target:
            break
    seconds = fastest(lambda: model.fit(train))
    began = perf_counter()
    same = fedtopics.LDA(100, device="cpu", n_jobs=-1, **options).fit(train)
    return {
        "target_perplexity": target,
        "perplexity": reached,
        "n_sweeps": n_sweeps,
        "seconds": seconds,
        "processor_seconds_by_all_cores": perf_counter() - began,
        "same_bits": bool(np.array_equal(same.components_, model.components_)),
    }


def private_nips(times: int) -> Histograms:
    """Long documents, many of whose counts are large, so many times over."""
    return private(corpora.repeated(corpora.read(corpora.path("nips")), times))


def private(corpus: Corpus) -> Histograms:
    """What a party of CALM has of its documents at epsilon 6."""
    mechanism = Histogram(EPSILON, corpus.n_words)
    rows = mechanism(corpus.words, corpus.offsets, Noise.simulated(0, "gpu")).value
    return Histograms(rows.offsets, rows.words, rows.values, rows.n_words, mechanism.decay, 0.3)


def private_blogs() -> Histograms:
    return private(blogs())


def made_up(n_docs: int, n_words: int, n_entries: int) -> Histograms:
    """Documents of so many entries each, words by Zipf's law."""
    random = np.random.default_rng(0)
    chances = np.cumsum(1 / (np.arange(n_words) + 20.0))
    chances = (chances / chances[-1]).astype(np.float32)
    offsets = np.arange(0, n_docs * n_entries + 1, n_entries)
    words = np.searchsorted(chances, random.random(offsets[-1], np.float32)).clip(max=n_words - 1)
    values = random.geometric(0.8, offsets[-1]).astype(np.int32)
    return Histograms(offsets, words.astype(np.int32), values, n_words, float(np.exp(-EPSILON)), 0.3)


def e_step(data: Callable[[], Histograms], n_topics: int) -> dict[str, Any]:
    """Nanoseconds of a stored entry: two inner steps, the sums of counts, and what comes back."""
    found, random = data(), np.random.default_rng(0)
    topics = channel_em.maximize(random.gamma(0.3, size=(found.n_words, n_topics)), 0.05)
    alpha = np.full(n_topics, 0.1, np.float32)
    known = [channel_em.start(found, n_topics, 80.0)]

    def step() -> None:
        known[0] = channel_em.expect(found, known[0], topics, alpha, n_steps=2).documents

    with using("cuda"):
        first = fastest(step, 1)
        seconds = fastest(step)
    n_entries = len(found.words)
    return {
        "n_docs": found.n_docs,
        "n_words": found.n_words,
        "n_entries": n_entries,
        "first_seconds": first,
        "seconds": seconds,
        "nanoseconds_an_entry": seconds / n_entries * 1e9,
    }


def transform(n_docs: int, length: int, n_words: int, n_topics: int) -> dict[str, float]:
    """Documents a second from a corpus in memory to mixtures in memory; words drawn alike."""
    random = np.random.default_rng(0)
    words = random.integers(0, n_words, n_docs * length, np.int32)
    corpus = Corpus(words, np.arange(0, len(words) + 1, length), tuple(map(str, range(n_words))))
    topics, alpha = random.dirichlet(np.full(n_words, 0.1), n_topics), np.full(n_topics, 0.1)
    with using("cuda"):
        first = fastest(lambda: lda.fold_in(corpus, topics, alpha), 1)
        seconds = fastest(lambda: lda.fold_in(corpus, topics, alpha), 3)
    return {"first_seconds": first, "seconds": seconds, "documents_a_second": n_docs / seconds}


def shown() -> str:
    """What was measured, and what was asked for."""
    found = stored.values("gpu")
    bandwidth = found["copy"]["gigabytes_per_second"]
    rows = []
    for name, title in {"nips": "NIPS 107 times over", "blogs": "Blogs"}.items():
        for n_topics, run in sorted(found["lda"][name].items(), key=lambda item: int(item[0])):
            speed = f"{run['tokens_a_second'] / 1e9:.1f} billion tokens/s"
            share = f"{run['bytes_a_second'] / 1e9 / bandwidth:.0%} of the copy bandwidth"
            size = f"{run['n_tokens'] / 1e6:.0f} million tokens"
            rows.append([f"LDA, {title}, {size}, {n_topics} topics", speed, share])
    part, whole = found["lda"]["in parts"], found["lda"]["nips"]["100"]
    rows.append(
        [
            f"the first of them with a quarter of the memory, in {part['blocks']} blocks",
            f"{part['tokens_a_second'] / 1e9:.2f} billion tokens/s",
            f"{whole['tokens_a_second'] / part['tokens_a_second']:.0f} times slower",
        ]
    )
    raced = found["race"]
    beaten = f"{raced['n_sweeps']} sweeps; {raced['processor_seconds_by_all_cores']:.1f} s on the processor"
    rows.append(["`LDA.fit` to tomotopy's perplexity, NIPS, 100 topics", f"{raced['seconds']:.2f} s", beaten])
    for name, title in {"nips": "NIPS, long documents", "blogs": "Blogs"}.items():
        for n_topics, run in sorted(found["e step"][name].items(), key=lambda item: int(item[0])):
            cost = f"{run['nanoseconds_an_entry']:.2f} ns an entry"
            about = f"{run['n_docs']:,} documents, {run['n_entries']:,} entries"
            rows.append([f"CALM's E step, {title}, {n_topics} topics", cost, about])
    run = found["e step"]["a million documents"]
    about = f"{run['n_entries']:,} entries"
    rows.append(
        ["CALM's E step, a million documents, 50,000 words, 256 topics", f"{run['seconds']:.2f} s", about]
    )
    speed = f"{found['transform']['documents_a_second'] / 1e6:.1f} million documents/s"
    rows.append(["Mixtures of documents of 100 words, 100 topics", speed, "40 steps each"])
    return table([found["copy"]["card"], "", ""], rows)


@case(
    "gpu",
    measures=(sampling,),
    minutes=2,
    corpora=("nips", "blogs"),
    needs={"cupy": "gpu"},
    timed=True,
    pages=("docs/operate/gpu.md",),
    shows={"gpu": shown},
    summary=shown,
)
def gpu_steps() -> Steps:
    """Samplers, E step and mixtures on a GPU: absolute times, memory, bytes beside the bandwidth."""
    steps: Steps = {"copy": copying}
    steps |= {f"lda/nips/{k}": partial(sweeps, repeated_nips, k) for k in (100, 1000, 10_000)}
    steps |= {f"lda/blogs/{k}": partial(sweeps, blogs, k) for k in (100, 1000)}
    steps["lda/in parts"] = partial(sweeps, repeated_nips, 100, 0.25)
    steps["race"] = race
    steps |= {f"e step/nips/{k}": partial(e_step, partial(private_nips, 20), k) for k in (64, 128)}
    steps |= {f"e step/blogs/{k}": partial(e_step, private_blogs, k) for k in (64, 128)}
    steps["e step/a million documents"] = partial(e_step, partial(made_up, 1_000_000, 50_000, 100), 256)
    steps["transform"] = partial(transform, 1_000_000, 100, 20_000, 100)
    return steps
