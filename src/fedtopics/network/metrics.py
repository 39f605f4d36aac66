"""Numbers for Prometheus in a text file, as node_exporter's textfile collector reads them.

A file is replaced as a whole: a collector never reads half of one. No number comes from documents.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, isnan
from pathlib import Path
from time import monotonic

from fedtopics import files
from fedtopics.errors import InputError

NAME = re.compile(r"[a-z][a-z0-9_]*")
SUFFIX = ".prom"
EVERY = 15.0  # seconds


@dataclass(frozen=True)
class Gauge:
    """Numbers under one name: one for each value of a `label`, or a single one without."""

    name: str
    help: str
    values: Mapping[str, float]
    label: str = ""
    kind: str = "gauge"

    @classmethod
    def of(cls, name: str, text: str, value: float, kind: str = "gauge") -> "Gauge":
        return cls(name, text, {"": value}, kind=kind)

    def lines(self, common: Mapping[str, str]) -> list[str]:
        name = f"fedtopics_{self.name}"
        if not NAME.fullmatch(name):
            raise InputError(f"expected a name of small letters, digits and _, got {name!r}")
        rows = [
            f"{name}{_labels({**common, **({self.label: at} if self.label else {})})} {_number(value)}"
            for at, value in self.values.items()
        ]
        return [f"# HELP {name} {_escaped(self.help)}", f"# TYPE {name} {self.kind}", *rows]


def text(gauges: list[Gauge], **common: str) -> str:
    """The exposition format, version 0.0.4.

    >>> print(text([Gauge.of("up", "Whether it runs.", 1.0)], party="north"), end="")
    # HELP fedtopics_up Whether it runs.
    # TYPE fedtopics_up gauge
    fedtopics_up{party="north"} 1
    """
    return "".join(f"{line}\n" for gauge in gauges if gauge.values for line in gauge.lines(common))


def write(path: Path, gauges: list[Gauge], **common: str) -> None:
    """Replace the file, all of it or nothing, readable for the collector."""
    if path.suffix != SUFFIX:
        raise InputError(f"expected a file {path.stem}{SUFFIX}, which collectors read, got {path.name}")
    files.write(path, text(gauges, **common).encode(), mode=0o644, failed=files.UNWRITTEN)


@dataclass
class Written:
    """A file that is written anew every 15 seconds; what cannot be written is said once, and ends nothing."""

    path: Path
    gauges: Callable[[], list[Gauge]]
    labels: Mapping[str, str]
    say: Callable[[str], None]
    _next: float = 0.0
    _failed: bool = False

    def now_and_then(self) -> None:
        """Write it, if it is time."""
        if monotonic() < self._next:
            return
        self._next = monotonic() + EVERY
        try:
            write(self.path, self.gauges(), **self.labels)
            self._failed = False
        except (InputError, OSError) as error:
            if not self._failed:
                self.say(f"no metrics: {error}")
            self._failed = True


def _labels(labels: Mapping[str, str]) -> str:
    inside = ",".join(f'{name}="{_quoted(value)}"' for name, value in labels.items())
    return f"{{{inside}}}" if inside else ""


def _number(value: float) -> str:
    if isnan(value):
        return "NaN"
    if value in (inf, -inf):
        return "+Inf" if value > 0 else "-Inf"
    return f"{value:.10g}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n")


def _quoted(value: str) -> str:
    return _escaped(value).replace('"', '\\"')
