"""Write the topic mixture of each document as CSV: id, then one column per topic.

Example: fedtopics transform runs/demo letters.csv --text-column body --out letters-mixtures.csv
"""

import csv
import io
import logging
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from fedtopics import files
from fedtopics.commands import options, tables
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.pieces import pieces
from fedtopics.documents.text.harmless import cell
from fedtopics.model import TopicModel
from fedtopics.progress import bar

TOKENS_AT_ONCE = 2**20
logger = logging.getLogger(__name__)


@options.takes(options.Reading, "reading")
def transform(
    folder: options.RunFolder,
    source: Annotated[str, typer.Argument(metavar="INPUT", help="Documents, in any form that train reads.")],
    reading: options.Reading,
    out: Annotated[Path | None, typer.Option(help="CSV file to write; standard output if not given.")] = None,
    threads: options.Threads = None,
) -> None:
    model = TopicModel.load(folder)
    options.require_new_file(out, "--out")
    corpus = documents_for(source, reading, model)
    lines = _lines(model, corpus, threads)
    if out is None:
        for block in lines:
            sys.stdout.write(block)
    else:
        files.write_blocks(out, (block.encode() for block in lines), new=True)
        tables.console.print(f"mixtures of {corpus.n_docs} documents: {out}", soft_wrap=True)


def _lines(model: TopicModel, corpus: Corpus, threads: int | None) -> Iterator[str]:
    """The table as CSV, some documents at a time: there may be more than fit into memory."""
    yield _csv([["id", *(cell(model.label(topic)) for topic in range(model.n_topics))]])
    first = 0
    with bar("Documents", corpus.n_docs, shown=None) as shown:
        for piece in pieces(corpus, TOKENS_AT_ONCE):
            ids = piece.ids or tuple(map(str, range(first, first + piece.n_docs)))
            mixtures = model.transform(piece, n_threads=threads).tolist()
            yield _csv(
                [cell(name), *(f"{share:.6g}" for share in mixture)]
                for name, mixture in zip(ids, mixtures, strict=True)
            )
            first += piece.n_docs
            shown.advance(piece.n_docs)


def _csv(rows: Iterable[list[str]]) -> str:
    table = io.StringIO(newline="")
    csv.writer(table).writerows(rows)
    return table.getvalue()


def documents_for(source: str, reading: options.Reading, model: TopicModel) -> Corpus:
    """The documents over the model's vocabulary; a note says how much of them that is."""
    corpus = reading.all_words(source, model)
    known = model.read(corpus)
    logger.warning(
        "the model knows %.0f %% of the %d tokens; %d of %d documents have no known word",
        100 * known.n_tokens / max(corpus.n_tokens, 1),
        corpus.n_tokens,
        known.n_empty,
        known.n_docs,
    )
    return known
