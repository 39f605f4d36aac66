"""Samples where the workers of a federation spend processor time; started by Python itself as sitecustomize.

When a worker is told to end it writes FOLDER/sampled.json: seconds of the processor by what was done.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import Counter
from pathlib import Path
from threading import Thread, get_ident
from time import process_time, sleep
from types import FrameType

EVERY = 0.002
WAITING = {"wait", "select", "readinto", "accept", "sleep", "read", "wait_for", "poll", "watch"}
KINDS = (
    ("imports", "importlib._bootstrap", ""),
    ("private keys read and checked", "certificates.py", "key"),
    ("files written", "fedtopics/files.py", ""),
    ("the method", "fedtopics/methods/", ""),
    ("the method", "fedtopics/sampling/", ""),
    ("messages coded", "fedtopics/network/wire.py", ""),
    ("messages coded", "fedtopics/protocol/coding.py", ""),
    ("ledger and prices", "fedtopics/privacy/price/", ""),
    ("TLS and HTTP", "ssl.py", ""),
    ("TLS and HTTP", "server.py", ""),
)
SPENT: Counter[str] = Counter()


def kind_of(stack: list[tuple[str, str]]) -> str:
    """What is done in a stack of files and functions."""
    for kind, file, function in KINDS:
        if any(file in name and function in does for name, does in stack):
            return kind
    return "all else"


def sample() -> None:
    own, last = get_ident(), process_time()
    while True:
        sleep(EVERY)
        now = process_time()
        stacks = [_stack(frame) for thread, frame in sys._current_frames().items() if thread != own]
        busy = [stack for stack in stacks if stack and stack[0][1] not in WAITING] or stacks[:1]
        for stack in busy:
            SPENT[kind_of(stack)] += (now - last) / len(busy)
        last = now


def _stack(frame: FrameType | None) -> list[tuple[str, str]]:
    found = []
    while frame is not None:
        found.append((frame.f_code.co_filename, frame.f_code.co_name))
        frame = frame.f_back
    return found


def tell(*_: object) -> None:
    Path(sys.argv[-1], "sampled.json").write_text(json.dumps({**SPENT, "in all": process_time()}))
    os._exit(0)


if "fedtopics.network.worker" in sys.orig_argv:
    Thread(target=sample, daemon=True, name="sampler").start()
    signal.signal(signal.SIGTERM, tell)
