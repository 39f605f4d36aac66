"""Pages in a real browser, with everything they complain about or ask for."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

DESKTOP, PHONE = {"width": 1180, "height": 900}, {"width": 390, "height": 844}


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser; the test is skipped where there is none."""
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


class Visit:
    """A page in a window of its own."""

    def __init__(
        self,
        browser: Any,
        path: Path,
        at: str = "",
        *,
        viewport: dict[str, int] = DESKTOP,
        **options: Any,
    ) -> None:
        self.context = browser.new_context(viewport=viewport, **options)
        self.page = self.context.new_page()
        self.address = path.as_uri()
        self.trouble: list[str] = []
        self.page.on("console", lambda message: self.trouble.append(message.text))
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))
        self.page.on("dialog", lambda dialog: self.trouble.append(f"dialog: {dialog.message}"))
        self.page.on("request", self._request)
        self.page.goto(f"{self.address}{at}")

    def _request(self, request: Any) -> None:
        if not request.url.startswith(("file:", "data:")):
            self.trouble.append(request.url)

    def __enter__(self) -> Visit:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()

    def evaluate(self, script: str, *given: Any) -> Any:
        return self.page.evaluate(script, *given)

    def chosen(self) -> int:
        """The topic that the panel shows."""
        return int(self.page.locator("#topic-number").inner_text().split()[1])

    def words(self) -> list[str]:
        """The words that the panel shows."""
        found: list[str] = self.page.locator("#topic-words bdi").all_inner_texts()
        return found

    def settled(self, expected: str) -> None:
        """Wait for the address to say what was chosen."""
        self.page.wait_for_function("hash => location.hash === hash", arg=expected, timeout=3000)
