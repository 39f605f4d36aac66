"""What is launched on a GPU and how much memory it takes, without one; and who is told what is missing."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from sampling.gpu.played import PlayedGpu

import fedtopics
from fedtopics.errors import InputError
from fedtopics.sampling.gpu import device, jumps, launches, rows
from fedtopics.sampling.gpu.channel_em import Items, Large
from fedtopics.sampling.gpu.device import Card

H200 = Card("NVIDIA H200", 132, 2048, 232_448, 233_472, 139 << 30)
TURING = Card("Tesla T4", 40, 1024, 65_536, 65_536, 15 << 30)


@pytest.mark.parametrize("card", [H200, TURING], ids=lambda card: card.name)
@pytest.mark.parametrize("n_topics", [2, 100, 1000, 8000])
def test_launches_fit_on_the_card(card: Card, n_topics: int) -> None:
    short, long = launches.short_rows(card, 10**6, n_topics), launches.long_rows(card, 50, n_topics)
    assert short.threads % launches.LANES == long.threads % launches.LANES == 0
    assert short.shared == 4 * (n_topics + short.threads // launches.LANES * -(-n_topics // 2))
    assert max(short.shared, long.shared + launches.LONG_SHARED) <= card.shared_block
    at_once = short.blocks / card.n_processors
    assert at_once * short.threads <= card.threads
    assert at_once * (short.shared + 1024) <= card.shared or at_once == 1
    assert long.blocks == 50
    assert launches.short_rows(card, 1, n_topics).blocks == 1


def test_ten_thousand_topics_fit_on_a_card_of_today_and_are_refused_on_an_older_one() -> None:
    assert launches.short_rows(H200, 10**6, 10_000).threads == 128
    with pytest.raises(InputError, match="expected at most 8,032 topics on Tesla T4, got 10,000"):
        launches.long_rows(TURING, 1, 10_000)


@pytest.mark.parametrize("n_topics", [1, 16, 17, 128, 256, 257, 5000])
def test_rows_of_topics_fit_where_they_are_planned(n_topics: int) -> None:
    need = rows.Need(4, (96, 128, 168), beside=272)
    launch, constants = rows.launch(H200, 10**6, n_topics, need, at_once=True), need.constants(n_topics)
    assert (constants["VECTORS"] == 0) == (n_topics > 256)
    assert launch.shared <= H200.shared_block
    assert constants["BLOCKS"] * rows.THREADS * need.registers[0 if n_topics > 256 else -1] <= 65_536 * 2
    assert launch.blocks <= H200.n_processors * constants["BLOCKS"] * rows.THREADS // launch.threads
    for_all = rows.launch(H200, 10**6, n_topics, need)
    assert for_all == replace(launch, blocks=-(-(10**6) // (launch.threads // launches.LANES)))
    with pytest.raises(InputError, match="topics on Tesla T4, got 10,000"):
        rows.launch(TURING, 1, 10_000, need)


def test_a_token_takes_at_most_16_bytes() -> None:
    for n_tokens in (10**6, 10**8):
        memory = 16 * n_tokens + launches.RESERVE + 12 * 10_002 + 64 * 100
        assert launches.tokens_at_once(memory, 5_000, 5_000, 100) >= n_tokens
    assert launches.tokens_at_once(1000, 5_000, 5_000, 100) == 0


def test_large_counts_of_a_document_are_worked_on_side_by_side_the_largest_first() -> None:
    values = np.array([9, 1, 30, 8, 2, 100, *range(40, 20, -1)], np.int32)
    found = Large.of(values, np.array([0, 3, 5, 5, 26]), 8.0)
    assert list(found.offsets) == [0, 2, 2, 2, 23]
    assert list(found.entries[:4]) == [2, 0, 5, 6]
    assert list(found.steps) == [30, 0, 0, 100 + 25]  # of two documents' first, and the seventeenth
    nothing = Large.of(values, np.array([0, 26]), np.inf)
    assert (len(nothing.entries), list(nothing.offsets), list(nothing.steps)) == (0, [0, 0], [0])


def test_every_row_with_tokens_is_short_or_long() -> None:
    lengths = np.array([0, 5, 4097, 4096, 0, 1_000_000, 300])
    found = launches.ByLength.of(lengths)
    assert sorted([*found.short, *found.long]) == [1, 2, 3, 5, 6]
    assert list(found.long) == [5, 2, 3, 6]
    big = launches.ByLength.of(np.full(20_000, 4096))
    assert len(big.long) == 0


def test_parts_hold_all_rows_in_order_and_are_no_larger_than_said() -> None:
    lengths = np.random.default_rng(0).integers(0, 50, 300)
    bounds = launches.parts(lengths, 60, "document")
    assert [first for first, _ in bounds] == [0, *(last for _, last in bounds[:-1])]
    assert bounds[-1][1] == 300
    assert max(lengths[first:last].sum() for first, last in bounds) <= 60
    with pytest.raises(InputError, match="expected GPU memory for a document of 49 tokens, got room for 10"):
        launches.parts(np.array([3, 49]), 10, "document")


def test_items_hold_every_entry_once_and_those_of_hot_words_block_by_block() -> None:
    random = np.random.default_rng(0)
    lengths = np.array([5, 0, 40_000, 1200, 30])
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    blocks = np.concatenate([np.sort(random.integers(0, 7, n)) for n in lengths]).astype(np.int32)
    items = Items.of(offsets, blocks, 7)
    covered = np.concatenate([np.arange(a, b) for a, b in zip(items.first, items.last, strict=True)])
    assert sorted(covered) == list(range(offsets[-1]))
    assert list(items.hot[0]) == [2, 3]
    assert items.n_parts == items.hot[2][-1] == (items.parts >= 0).sum()
    for word, first, last, part in zip(items.words, items.first, items.last, items.parts, strict=True):
        assert offsets[word] <= first <= last <= offsets[word + 1]
        if part >= 0:
            assert len(set(blocks[first:last])) == 1
            number = list(items.hot[0]).index(word)
            assert items.hot[1][number] <= part < items.hot[2][number]
    assert list(items.last - items.first) == sorted(items.last - items.first, reverse=True)


@pytest.mark.parametrize("n", [0, 1, 2, 31, 3 << 9])
def test_a_jump_is_so_many_steps(n: int) -> None:
    table, state = jumps.polynomials(20, 4), [3, 1, 4, 159]
    r, t = max(0, n.bit_length() - 2), 0
    while (t << r) != n and r > 0:
        t, r = (t + 1, r) if t < 3 else (0, r - 1)
    if (t << r) != n:  # no such number of steps is in the table: several jumps make it
        polynomial = 1
        for bit in range(n.bit_length()):
            if n >> bit & 1:
                words = table[bit, 1]
                polynomial = jumps.product(polynomial, sum(int(w) << 32 * i for i, w in enumerate(words)))
    else:
        polynomial = sum(int(word) << 32 * i for i, word in enumerate(table[r, t]))
    jumped, at = [0, 0, 0, 0], state
    for bit in range(jumps.STATE_BITS):
        if polynomial >> bit & 1:
            jumped = [a ^ b for a, b in zip(jumped, at, strict=True)]
        at = jumps.step(at)
    walked = state
    for _ in range(n):
        walked = jumps.step(walked)
    assert jumped == walked


def fake_cupy(*, count: int, capability: tuple[int, int] = (9, 0), free: int = 1 << 30) -> ModuleType:
    class CUDARuntimeError(Exception):
        pass

    def count_devices() -> int:
        if count < 0:
            raise CUDARuntimeError("cudaErrorInsufficientDriver: driver is too old\nmore")
        return count

    facts = {
        "name": b"A card",
        "major": capability[0],
        "minor": capability[1],
        "multiProcessorCount": 4,
        "maxThreadsPerMultiProcessor": 2048,
        "sharedMemPerBlockOptin": 101_376,
        "sharedMemPerMultiprocessor": 102_400,
    }
    runtime = SimpleNamespace(
        getDeviceCount=count_devices,
        CUDARuntimeError=CUDARuntimeError,
        getDeviceProperties=lambda _: facts,
        memGetInfo=lambda: (free, free),
    )
    found = ModuleType("cupy")
    found.cuda = SimpleNamespace(runtime=runtime, Device=lambda: SimpleNamespace(id=0))  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize(
    ("cupy", "told"),
    [
        (None, r"device='cuda' needs CuPy, got none: pip install 'fedtopics\[gpu\]'"),
        (fake_cupy(count=-1), "expected an NVIDIA GPU and its driver, got none .*driver is too old.; use"),
        (fake_cupy(count=0), "expected an NVIDIA GPU, got none; use device='cpu'"),
        (fake_cupy(count=1, capability=(7, 0)), "capability 7.5 or newer, got A card with 7.0; use"),
    ],
)
def test_a_gpu_that_is_not_there_is_one_sentence(
    fresh: pytest.MonkeyPatch, cupy: ModuleType | None, told: str
) -> None:
    fresh.setitem(sys.modules, "cupy", cupy)
    for ask in (
        lambda: device.chosen("cuda"),
        lambda: fedtopics.LDA(device="cuda", sampler="warp").fit([[1, 2]]),
    ):
        with pytest.raises(InputError, match=told):
            ask()
    assert device.chosen("auto") is None
    assert device.chosen("cpu") is None


def test_a_cupy_that_does_not_load_is_told_from_none(fresh: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "cupy.py").write_text(
        "try:\n    raise ImportError('libcudart: no such file\\nmore')\n"
        "except ImportError as error:\n    raise ImportError('=====\\nFailed to import CuPy') from error\n"
    )
    fresh.syspath_prepend(tmp_path)
    fresh.delitem(sys.modules, "cupy", raising=False)
    with pytest.raises(InputError, match=r"got one that does not load \(libcudart: no such file\): pip"):
        device.chosen("cuda")


def test_the_memory_that_may_be_taken(fresh: pytest.MonkeyPatch) -> None:
    fresh.setitem(sys.modules, "cupy", fake_cupy(count=1))
    assert device._cuda().card.memory == int(0.9 * (1 << 30))
    fresh.setenv(device.LIMIT, "5000")
    assert device._cuda().card.memory == 5000
    for wrong in ("-3", "much", "0"):
        fresh.setenv(device.LIMIT, wrong)
        for name in ("cuda", "auto"):
            with pytest.raises(InputError, match="FEDTOPICS_GPU_MEMORY must be a number of bytes"):
                device.chosen(name)


def test_a_card_without_room_is_said_in_one_sentence(fresh: pytest.MonkeyPatch) -> None:
    class OutOfMemoryError(Exception):
        pass

    def full(*_: object) -> None:
        raise OutOfMemoryError

    cupy = fake_cupy(count=1)
    cupy.cuda.memory = SimpleNamespace(OutOfMemoryError=OutOfMemoryError)
    cupy.empty = cupy.zeros = cupy.asarray = full  # type: ignore[attr-defined]
    fresh.setitem(sys.modules, "cupy", cupy)
    card, buffer = device._cuda(), SimpleNamespace(copy=full, nbytes=4_000_000)
    for ask in (
        lambda: card.empty((1000, 1000), np.float32),
        lambda: card.zeros((1000, 1000), np.float32),
        lambda: card.put(np.zeros((1000, 1000), np.float32)),
        lambda: card.copy(buffer),
    ):
        with pytest.raises(InputError, match="expected 4 MB of free memory on A card, got too little"):
            ask()


@pytest.mark.parametrize(
    ("options", "counts", "told"),
    [
        ({"one_topic": True}, [[1, 2]], "one_topic"),
        ({"seed_words": [[0]], "sampler": "warp"}, [[1, 2]], "seed_words"),
        ({}, [[1.5, 2]], "no whole numbers"),
        ({"sampler": "metropolis"}, [[1, 2]], "the sampler metropolis"),
        ({}, [[1, 2]], "the sampler gibbs"),
    ],
)
def test_lda_says_what_a_gpu_does_not_do(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, object], counts: list[list[float]], told: str
) -> None:
    monkeypatch.setattr(device, "_cuda", PlayedGpu)
    with pytest.raises(InputError, match=f"device='cuda' samples with warp alone, got .*{told}"):
        fedtopics.LDA(n_components=3, device="cuda", max_iter=2, **options).fit(counts)
    fedtopics.LDA(n_components=3, device="auto", max_iter=2, **options).fit(counts)


def test_sources_hold_what_they_include_once() -> None:
    text = device.source("warp.cu")
    assert '#include "' not in text
    assert text.count("class Random") == 1
    assert text.count("constexpr int LANES") == 1


def test_a_memory_that_is_too_small_for_a_document_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    small = PlayedGpu(launches.RESERVE + 3000)
    monkeypatch.setattr(device, "_cuda", lambda: small)
    lda = fedtopics.LDA(n_components=3, device="cuda", sampler="warp", max_iter=2)
    with pytest.raises(InputError, match="expected GPU memory for a document of 800 tokens, got room for 1"):
        lda.fit(np.full((3, 2), 400))
