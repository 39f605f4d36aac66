"""GPUs for the tests of this folder: one that is played, and the one that is there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sampling.gpu.played import PlayedGpu

from fedtopics.errors import InputError
from fedtopics.sampling.gpu import device, launches, using


def real() -> device.Device:
    """The GPU of this machine, or a skip that says why there is none."""
    try:
        return device._cuda()
    except InputError as reason:
        pytest.skip(f"no GPU: {reason}")


@pytest.fixture(autouse=True)
def _what_is_expected_comes_from_the_processor(on_the_processor: None) -> None:
    pass


@pytest.fixture(params=["played", "real"])
def gpu(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[device.Device]:
    """What `device="cuda"` is in a test; `make gpu` runs those of the real one."""
    if request.param == "real":
        yield real()
        return
    found = PlayedGpu()
    monkeypatch.setattr(device, "_cuda", lambda: found)
    monkeypatch.setattr(launches, "MOST_TEAMS", 4)  # threads are played one by one
    yield found


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The GPU is looked for anew, and the environment asks for none."""
    monkeypatch.setattr(device, "_cuda", device._cuda.__wrapped__)
    monkeypatch.delenv(using.VARIABLE, raising=False)
    return monkeypatch
