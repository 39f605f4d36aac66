"""Threads of a block may come in any order: what is played backward has the same bits, or there is a race."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sampling.gpu import test_same_bits_on_a_gpu as forward
from sampling.gpu.played import PlayedGpu

from fedtopics.sampling.gpu import device, launches

Check = Callable[[device.Device, pytest.MonkeyPatch], None]
CHECKS: dict[str, Check] = {
    "short rows": lambda gpu, _: forward.test_the_sampler(gpu, forward.FEW, False, 3, 7),
    "long rows": lambda gpu, patch: forward.test_the_sampler_on_long_rows(gpu, patch, False, 2),
    "pieces": lambda gpu, patch: forward.test_a_corpus_larger_than_the_memory(gpu, patch, 20),
    "mixtures": lambda gpu, patch: forward.test_mixtures(gpu, forward.FEW, patch),
    "E step": lambda gpu, patch: forward.test_the_e_step(gpu, "geometric", forward.FEW, patch),
    "E step in shared memory": lambda gpu, patch: forward.test_the_e_step(gpu, "none", forward.MANY, patch),
    "cut sums": lambda gpu, _: forward.test_sums_of_cut_units(gpu, forward.FEW, "persons"),
}


@pytest.mark.parametrize("check", CHECKS)
def test_whose_turn_comes_first_changes_no_bit(check: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FEDTOPICS_PLAYED_BACKWARD", "1")
    gpu = PlayedGpu()
    monkeypatch.setattr(device, "_cuda", lambda: gpu)
    monkeypatch.setattr(launches, "MOST_TEAMS", 4)
    CHECKS[check](gpu, monkeypatch)
    assert gpu.launches
