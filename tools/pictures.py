"""Pictures of the docs, taken anew from real runs: `python tools/pictures.py [NAME...]`, or `make pictures`.

Every page that fedtopics writes is photographed in both themes and at two widths, as a PNG of at most 256
colors in docs/pictures; `live` are the pages of a federation that was watched, `moving` is the animated SVG
of one. Needs Chromium.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from live_pictures import live_pages
from PIL import Image
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
FEDTOPICS = str(Path(sys.executable).with_name("fedtopics"))
WIDTHS = {1180: 1000, 390: 844}  # and heights, of the first screen
THEMES = ("light", "dark")
LARGEST = 150_000  # bytes
MOVING = "federation simulate sotu --epsilon 6 --topics 20 --rounds 30 --out runs/eras"


def fedtopics(line: str, folder: Path) -> None:
    subprocess.run([FEDTOPICS, *line.split()], cwd=folder, check=True)


def demo(folder: Path) -> str:
    """Address of the report of the demo."""
    if not (folder / "demo").exists():
        fedtopics("demo --out demo", folder)
    return (folder / "demo" / "report.html").as_uri()


def comparison(folder: Path) -> str:
    line = "compare sotu --methods alone,calm,shared --epsilons 4,6 --topics 20 --out compared"
    fedtopics(line, folder)
    return (folder / "compared" / "report.html").as_uri()


def federation(folder: Path, place: str) -> str:
    """Address of the page that a federation of processes on this machine has left somewhere."""
    if not (folder / "runs" / "eras").exists():
        fedtopics(MOVING, folder)
    return (folder / "runs" / "eras" / place / "report.html").as_uri()


PAGES: dict[str, Callable[[Path], str]] = {
    "report": demo,
    "privacy": lambda folder: f"{demo(folder)}#privacy",
    "comparison": comparison,
    "coordinator": lambda folder: federation(folder, "coordinator/runs/run-1/result"),
    "party": lambda folder: federation(folder, "1790-1828/models/run-1"),
}


def photograph(browser: Browser, address: str, name: str) -> None:
    """The first screen of a page, in both themes and widths."""
    for theme in THEMES:
        for width, height in WIDTHS.items():
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)
            page.goto(address)
            page.wait_for_timeout(1500)
            if place := address.partition("#")[2]:
                page.evaluate("name => document.getElementById(name).scrollIntoView()", place)
                page.wait_for_timeout(300)
            keep(page.screenshot(), PICTURES / f"{name}-{theme}-{width}.png")
            page.close()


def keep(shot: bytes, file: Path) -> None:
    """A PNG of few colors: as many as stay below LARGEST."""
    picture = Image.open(io.BytesIO(shot)).convert("RGB")
    for n_colors in (256, 128, 64, 32, 16):
        out = io.BytesIO()
        reduced = picture.quantize(n_colors, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        reduced.save(out, "PNG", optimize=True)
        if out.tell() < LARGEST:
            break
    file.write_bytes(out.getvalue())
    print(f"{file.relative_to(ROOT)}: {out.tell() / 1000:.0f} kB, {n_colors} colors")


def moving(folder: Path) -> None:
    tool = ROOT / "tools" / "moving_picture.py"
    command = [sys.executable, str(tool), str(PICTURES / "simulate.svg"), "fedtopics", *MOVING.split()]
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    subprocess.run(
        command, cwd=folder, check=True, env={"PATH": path, "HOME": str(folder), "LANG": "C.UTF-8"}
    )


def main(names: list[str]) -> None:
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        sys.exit("expected Chromium to take pictures with, got none; `make system` installs it")
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name in names or ["moving", *PAGES, "live"]:
            if name == "moving":
                moving(Path(scratch))
            elif name == "live":
                with live_pages(Path(scratch)) as addresses:
                    for page, address in addresses.items():
                        photograph(browser, address, page)
            else:
                photograph(browser, PAGES[name](Path(scratch)), name)


if __name__ == "__main__":
    main(sys.argv[1:])
