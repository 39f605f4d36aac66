"""Property tests draw the same examples in every run; FRESH_SEEDS=1 draws new ones. None has a deadline."""

import os

import pytest
from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("fresh", deadline=None)
settings.load_profile("fresh" if os.environ.get("FRESH_SEEDS") else "same")


@pytest.fixture
def on_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of what the processor does, whatever device the other tests run on."""
    monkeypatch.setenv("FEDTOPICS_DEVICE", "cpu")
