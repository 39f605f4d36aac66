"""Write the topic mixture of each document as CSV: id, then one column per topic.

Texts are read, cut and folded in some thousands at a time, on all cores: there may be more than fit into
memory.

Nothing is released and nothing is paid; a mixture tells what its document is about, so keep it as you keep
the document.

Example: fedtopics transform runs/demo letters.csv --text-column body --out letters-mixtures.csv

A stream of texts: zcat letters.txt.gz | fedtopics transform runs/demo - > letters-mixtures.csv
"""

import csv
import io
import logging
import re
import sys
from collections.abc import Iterable, Iterator
from os import cpu_count
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray

from fedtopics import files
from fedtopics.commands import options, tables
from fedtopics.commands.chosen_model import chosen_model
from fedtopics.documents.corpus import Corpus, Document
from fedtopics.documents.pieces import pieces
from fedtopics.documents.reading import CountedWordsError, stream
from fedtopics.documents.reading.folders import from_standard_input
from fedtopics.documents.reading.form import Form
from fedtopics.documents.text._words import lines_of
from fedtopics.documents.text.cores import batched
from fedtopics.documents.text.harmless import cell
from fedtopics.documents.text.known_words import CHARACTERS, TEXTS, reader
from fedtopics.documents.text.languages import several
from fedtopics.documents.text.tokens import tokenizer_for
from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.model.inference import in_order
from fedtopics.progress import bar
from fedtopics.sampling.gpu.using import using

OWN = "mixtures tell what each document is about: for who holds the documents, not to be published"
TOKENS_AT_ONCE = 2**20
_MARKS = re.compile(r'[",\r\n]')
logger = logging.getLogger(__name__)


class Part(NamedTuple):
    """Mixtures of some documents, and how much of them the model knew."""

    names: list[str]
    mixtures: NDArray[np.float32]
    n_tokens: int
    n_known: int
    n_empty: int


@options.takes(options.Reading, "reading")
def transform(
    folder: options.RunFolder,
    source: Annotated[
        str,
        typer.Argument(
            metavar="INPUT",
            help="Documents, in any form that train reads; or - for a text on each line of standard input.",
        ),
    ],
    reading: options.Reading,
    out: Annotated[Path | None, typer.Option(help="CSV file to write; standard output if not given.")] = None,
    threads: options.Threads = None,
    device: options.Device = None,
) -> None:
    options.require_new_file(out, "--out")
    model = chosen_model(folder)
    with using(device):
        _write(source, reading, model, threads, out)


def _write(
    source: str, reading: options.Reading, model: TopicModel, threads: int | None, out: Path | None
) -> None:
    parts = _parts(source, reading, model, threads or cpu_count() or 1)
    told = _Told()
    blocks = _csv(told.of(parts), model)
    if out is None:
        for block in blocks:
            sys.stdout.write(block)
        told.say()
    else:
        files.write_blocks(out, (block.encode() for block in blocks), new=True)
        told.say()
        tables.console.print(f"mixtures of {told.n_docs} documents: {out}", soft_wrap=True)
    options.say(OWN, beside=out is None)


def _parts(source: str, reading: options.Reading, model: TopicModel, n_threads: int) -> Iterator[Part]:
    """Mixtures of all documents, in order; of texts as they come, of counted words from memory or disk."""
    if several(model.language):
        yield from _counted(reading.all_words(source, model), model, n_threads)
        return
    try:
        found = stream(source, progress=None, **reading.options()) if source != "-" else _coming_in(reading)
    except CountedWordsError:
        yield from _counted(reading.all_words(source, model), model, n_threads)
        return
    read = reader(model.vocabulary, tokenizer_for(model.language or "en"))

    def work(batch: list[tuple[int, Document]]) -> Part:
        known = read([each.text for _, each in batch])
        names = [str(number) if each.id is None else each.id for number, each in batch]
        n_empty = int((np.diff(known.offsets) == 0).sum())
        return Part(names, model.folded(known), known.n_tokens, len(known.words), n_empty)

    several_at_once = batched(enumerate(found), lambda numbered: len(numbered[1].text), CHARACTERS, TEXTS)
    yield from in_order(work, several_at_once, n_threads)


def _coming_in(reading: options.Reading) -> Iterator[Document]:
    if reading.text_column or reading.id_column or reading.query:
        raise InputError("expected a text on each line of standard input, got a column or query; name a file")
    return from_standard_input(Form(reading.encoding, reading.encoding_errors))


def _counted(corpus: Corpus, model: TopicModel, n_threads: int) -> Iterator[Part]:
    first = 0
    with bar("Documents", corpus.n_docs, shown=None) as shown:
        for piece in pieces(corpus, TOKENS_AT_ONCE):
            names = list(piece.ids or map(str, range(first, first + piece.n_docs)))
            known = model.read(piece)
            mixtures = model.transform(known, n_threads=n_threads)
            yield Part(names, mixtures, piece.n_tokens, known.n_tokens, known.n_empty)
            first += piece.n_docs
            shown.advance(piece.n_docs)


class _Told:
    """Counts what the model knew of the documents."""

    n_docs = n_tokens = n_known = n_empty = 0

    def of(self, parts: Iterable[Part]) -> Iterator[Part]:
        """The parts, counted as they pass."""
        for part in parts:
            self.n_docs += len(part.names)
            self.n_tokens += part.n_tokens
            self.n_known += part.n_known
            self.n_empty += part.n_empty
            yield part

    def say(self) -> None:
        logger.warning(
            "the model knows %.0f %% of the %d tokens; %d of %d documents have no known word",
            *(100 * self.n_known / max(self.n_tokens, 1), self.n_tokens, self.n_empty, self.n_docs),
        )


def _csv(parts: Iterable[Part], model: TopicModel) -> Iterator[str]:
    labels = [str(cell(model.label(topic))) for topic in range(model.n_topics)]
    head = io.StringIO(newline="")
    csv.writer(head).writerow(["id", *labels])
    yield head.getvalue()
    for part in parts:
        yield _lines([str(cell(name)) for name in part.names], part.mixtures)


def _lines(names: list[str], mixtures: NDArray[np.float32]) -> str:
    """Rows of CSV, written natively: Python takes ten times as long; names in quotes where they need any."""
    quoted = ['"' + name.replace('"', '""') + '"' if _MARKS.search(name) else name for name in names]
    return lines_of(quoted, np.ascontiguousarray(mixtures, np.float32))
