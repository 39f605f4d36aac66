"""A real browser for the live pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: make setup")
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.skip("no Chromium was found; `make system` installs it on Debian and Ubuntu")
    with sync_api.sync_playwright() as playwright:
        try:
            started = playwright.chromium.launch(
                executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"]
            )
        except sync_api.Error as error:
            pytest.skip(f"Chromium does not start here: {str(error).splitlines()[0]}")
        yield started
        started.close()
