"""An animated SVG of a command as it really runs: `python tools/moving_picture.py FILE.svg COMMAND...`.

The command gets a terminal of 80 columns; every change of its screen is a frame, long pauses are cut short.
The picture holds no script: frames are shown by CSS animation, and readers who
want no motion see the last one.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shlex
import struct
import sys
import termios
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from xml.sax.saxutils import escape

import pyte

COLUMNS, LINES = 80, 30
CELL, ROW, EDGE = 8.4, 18, 14  # pixels
SHORTEST, PAUSE, END = 0.2, 1.2, 7.0  # seconds
MOST_FRAMES = 70
BACKGROUND, FOREGROUND = "#0d1117", "#e6edf3"
COLORS = {
    "black": "#6e7681",
    "red": "#ff7b72",
    "green": "#3fb950",
    "brown": "#d29922",
    "blue": "#58a6ff",
    "magenta": "#bc8cff",
    "cyan": "#39c5cf",
    "white": "#e6edf3",
}
FONT = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"

Run = tuple[int, str, str, bool]  # column, text, color, bold
Screen = tuple[tuple[Run, ...], ...]


def record(command: Sequence[str]) -> list[tuple[float, Screen]]:
    """The screens that a command shows, each with how long it is shown."""
    screen = pyte.Screen(COLUMNS, LINES)
    stream = pyte.ByteStream(screen)
    stream.feed(f"\x1b[1m$ {shlex.join(command)}\x1b[0m\r\n".encode())
    frames: list[tuple[float, Screen]] = [(0.0, shot(screen))]
    began = time.monotonic()
    process, terminal = pty.fork()
    if process == 0:
        os.environ |= {"TERM": "xterm-256color", "COLUMNS": str(COLUMNS), "LINES": str(LINES)}
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    while (told := _read(terminal)) is not None:
        stream.feed(told)
        now, seen = time.monotonic() - began, shot(screen)
        if seen != frames[-1][1] and now - frames[-1][0] >= SHORTEST:
            frames.append((now, seen))
    frames.append((time.monotonic() - began, shot(screen)))
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    if status:
        sys.exit(f"{shlex.join(command)} ended with status {status}: no picture was written")
    return durations(frames)


def _read(terminal: int) -> bytes | None:
    """What was printed in a tenth of a second; None where the command has ended."""
    if not select.select([terminal], [], [], 0.1)[0]:
        return b""
    try:
        return os.read(terminal, 65536) or None
    except OSError:
        return None


def durations(frames: Sequence[tuple[float, Screen]]) -> list[tuple[float, Screen]]:
    """How long each screen is shown: no pause beyond PAUSE, no more than MOST_FRAMES of them."""
    step = -(-len(frames) // MOST_FRAMES)
    kept = [*frames[:-1:step], frames[-1]]
    times = [at for at, _ in kept]
    shown = [min(PAUSE, after - at) for at, after in pairwise(times)]
    return [(seconds, screen) for seconds, (_, screen) in zip([*shown, END], kept, strict=True)]


def shot(screen: pyte.Screen) -> Screen:
    """The lines of a screen as runs of one color."""
    lines = []
    for row in range(LINES):
        runs: list[Run] = []
        for column in range(COLUMNS):
            cell = screen.buffer[row][column]
            color = COLORS.get(cell.fg, f"#{cell.fg}" if len(cell.fg) == 6 else FOREGROUND)
            if runs and runs[-1][2:] == (color, cell.bold):
                runs[-1] = (runs[-1][0], runs[-1][1] + cell.data, color, cell.bold)
            else:
                runs.append((column, cell.data, color, cell.bold))
        lines.append(tuple(run for run in map(_trimmed, runs) if run[1]))
    return tuple(lines)


def _trimmed(run: Run) -> Run:
    column, text, color, bold = run
    bare = text.lstrip()
    return column + len(text) - len(bare), bare.rstrip(), color, bold


def picture(frames: Sequence[tuple[float, Screen]], title: str) -> str:
    """One SVG; a line that several frames share is there once."""
    known: dict[tuple[Run, ...], str] = {}
    total = sum(seconds for seconds, _ in frames)
    groups, rules, at = [], [], 0.0
    for number, (seconds, screen) in enumerate(frames):
        uses = []
        for row, line in enumerate(screen):
            if line:
                name = known.setdefault(line, f"l{len(known)}")
                uses.append(f'<use href="#{name}" y="{row * ROW}"/>')
        rules.append(_rule(number, 100 * at / total, 100 * (at + seconds) / total, total))
        groups.append(f'<g id="f{number}" class="f">{"".join(uses)}</g>')
        at += seconds
    drawn = "".join(f'<g id="{name}">{"".join(map(_text, line))}</g>' for line, name in known.items())
    width, height = COLUMNS * CELL + 2 * EDGE, LINES * ROW + 2 * EDGE
    still = f".f{{animation:none!important}}#f{len(frames) - 1}{{visibility:visible}}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:.0f}" height="{height}" '
        f'viewBox="0 0 {width:.0f} {height}" font-family="{FONT}" font-size="14">'
        f"<title>{escape(title)}</title><style>.f{{visibility:hidden}}{''.join(rules)}"
        f"@media (prefers-reduced-motion:reduce){{{still}}}</style>"
        f'<rect width="100%" height="100%" rx="10" fill="{BACKGROUND}"/><defs>{drawn}</defs>'
        f'<g transform="translate({EDGE},{EDGE + 13})">{"".join(groups)}</g></svg>\n'
    )


def _rule(number: int, start: float, end: float, total: float) -> str:
    """The n-th frame is seen between two percentages of the time."""
    before = f"0%,{start - 0.001:.3f}%{{visibility:hidden}}" if number else ""
    seen = f"{start:.3f}%,{end - 0.001:.3f}%{{visibility:visible}}"
    frames = f"@keyframes k{number}{{{before}{seen}{end:.3f}%,100%{{visibility:hidden}}}}"
    return f"{frames}#f{number}{{animation:k{number} {total:.1f}s step-end infinite}}"


def _text(run: Run) -> str:
    column, text, color, bold = run
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{column * CELL:.1f}" textLength="{len(text) * CELL:.1f}" lengthAdjust="spacingAndGlyphs" '
        f'xml:space="preserve" fill="{color}"{weight}>{escape(text)}</text>'
    )


if __name__ == "__main__":
    file, *command = sys.argv[1:]
    frames = record(command)
    text = picture(frames, shlex.join(command))
    Path(file).write_text(text, encoding="utf-8")
    print(
        f"{file}: {len(frames)} frames, {sum(s for s, _ in frames):.0f} s, {len(text.encode()) / 1000:.0f} kB"
    )
