"""A real browser for all pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from visits import chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started
