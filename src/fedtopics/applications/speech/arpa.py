"""ARPA files: the text format in which n-gram models are exchanged. Errors name the line."""

import re
from collections.abc import Iterator
from pathlib import Path

from fedtopics import files
from fedtopics.applications.speech.ngrams import END, START, Gram, NGramModel
from fedtopics.documents.reading.files import lines
from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError

_COUNT = re.compile(r"ngram\s+(\d+)\s*=\s*(\d+)$")
_SECTION = re.compile(r"\\(\d+)-grams:$")
LOWEST = -90.0  # logarithms below mean "never", as -99 for <s>
LARGEST = 99.0  # of a back-off; nothing sensible comes near


class _Reader:
    """The lines of a file that are not empty, and what has been read so far."""

    def __init__(self, path: Path) -> None:
        self.path, self.number = path, 0
        self.ids: dict[str, int] = {}
        self.probabilities: dict[Gram, float] = {}
        self.back_offs: dict[Gram, float] = {}

    def __iter__(self) -> Iterator[str]:
        for number, line in enumerate(lines(self.path), start=1):
            self.number = number
            if line.strip():
                yield line.strip()

    def error(self, expected: str, line: str) -> InputError:
        return InputError(f"expected {expected}, got {quoted(line)} at {self.path}, line {self.number}")

    def add(self, order: int, line: str) -> None:
        """One n-gram: logarithm (base 10), words, and for all but the last order a back-off."""
        fields = line.split()
        if len(fields) not in (order + 1, order + 2):
            raise self.error(f"a logarithm, {order} words and perhaps a back-off", line)
        values = [self.logarithm(fields[0], line), *(self.logarithm(f, line) for f in fields[order + 1 :])]
        if values[0] > 0:
            raise self.error("the logarithm of a probability, at most 0", line)
        words = fields[1 : order + 1]
        if order == 1:
            self.ids.setdefault(words[0], len(self.ids))
        if unknown := [word for word in words if word not in self.ids]:
            raise self.error(f"words listed as 1-grams (not {quoted(unknown[0])})", line)
        gram = tuple(self.ids[word] for word in words)
        if gram in self.probabilities:
            raise self.error("every n-gram once", line)
        self.probabilities[gram] = 10 ** values[0] if values[0] > LOWEST else 0.0
        if len(values) > 1:
            self.back_offs[gram] = 10 ** values[1]

    def logarithm(self, text: str, line: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise self.error("a logarithm", line) from None
        if not value < LARGEST:
            raise self.error(f"a logarithm below {LARGEST:g}", line)
        return value


def read(path: str | Path, *, unknown: float | None = None) -> NGramModel:
    """The model in the ARPA file at `path` (also .gz, .xz, .bz2).

    unknown   probability of a word that the model does not list, where it has no <unk>
    """
    reader = _Reader(Path(path))
    found = iter(reader)
    announced = _read_counts(reader, found)
    counts = dict.fromkeys(announced, 0)
    order = 1
    for line in found:
        section = _SECTION.match(line)
        if line == "\\end\\":
            break
        if section:
            order = int(section[1])
            if order not in counts:
                raise reader.error("a section announced under \\data\\", line)
        else:
            reader.add(order, line)
            counts[order] += 1
    else:
        place = f"{reader.path}, line {reader.number}"
        raise InputError(f"expected \\end\\, got the end of the file at {place}")
    if counts != announced:
        raise reader.error(f"as many n-grams as announced {announced}", str(counts))
    if missing := [word for word in (START, END) if word not in reader.ids]:
        raise reader.error(f"{START} and {END} among the 1-grams", f"no {missing[0]}")
    return NGramModel(tuple(reader.ids), reader.probabilities, reader.back_offs, unknown=unknown)


def _read_counts(reader: _Reader, found: Iterator[str]) -> dict[int, int]:
    """How many n-grams of each order the header announces; stops behind the line \\1-grams:"""
    if not any(line == "\\data\\" for line in found):
        raise reader.error("a line \\data\\", "none")
    counts: dict[int, int] = {}
    for line in found:
        if line == "\\1-grams:":
            if 1 in counts:
                return counts
            break
        match = _COUNT.match(line)
        if not match:
            raise reader.error("ngram N=COUNT", line)
        counts[int(match[1])] = int(match[2])
    raise reader.error("ngram 1=COUNT and a section \\1-grams:", "none")


def write(model: NGramModel, path: str | Path) -> None:
    """Write `model` as an ARPA file to `path`; one that is there is not overwritten."""
    from math import log10

    by_order: dict[int, list[Gram]] = {}
    for gram in model.probabilities:
        by_order.setdefault(len(gram), []).append(gram)
    lines = ["\\data\\", *(f"ngram {n}={len(by_order[n])}" for n in sorted(by_order))]
    for order in sorted(by_order):
        lines += ["", f"\\{order}-grams:"]
        for gram in by_order[order]:
            probability, back_off = model.probabilities[gram], model.back_offs.get(gram)
            logarithm = f"{log10(probability):.6f}" if probability else "-99"
            words = " ".join(model.vocabulary[word] for word in gram)
            end = "" if back_off is None else f"\t{log10(max(back_off, 1e-99)):.6f}"
            lines.append(f"{logarithm}\t{words}{end}")
    files.publish(Path(path), "\n".join([*lines, "", "\\end\\", ""]), new=True)
