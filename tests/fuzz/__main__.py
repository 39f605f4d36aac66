"""Fuzz one reader for long, and keep the smallest case of every crash.

    .venv/bin/python tests/fuzz                        the names of the targets
    .venv/bin/python tests/fuzz TARGET [MINUTES] [SEED]

A crash (anything but success or `InputError`, or too much time or memory) is made smaller and written to
`tests/fuzz/crashes/TARGET/`, where `make check` tries it from then on: commit it together with the fix.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # tests/, as for pytest
CRASHES = Path(__file__).parent / "crashes"


def main(name: str = "", minutes: str = "10", seed: str = "") -> int:
    from fuzz.fuzzer import crashes, smaller
    from fuzz.targets import TARGETS

    chosen = [target for target in TARGETS if target.name == name]
    if not chosen:
        print("targets:", ", ".join(target.name for target in TARGETS))
        return 2
    number = int(seed or int.from_bytes(os.urandom(4)))
    print(f"{name}, seed {number}", flush=True)
    found = 0
    for crash in crashes(chosen[0], number, sys.maxsize, 60 * float(minutes)):
        small = smaller(chosen[0], crash)
        path = CRASHES / name / f"{small.error}-{small.place.replace(':', '-')}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(small.data)
        print(f"{path}: {small}", flush=True)
        found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
