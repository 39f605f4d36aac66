"""Write the topic mixture of each document as CSV: id, then one column per topic.

Example: fedtopics transform runs/demo letters.csv --text-column body --out letters-mixtures.csv
"""

import csv
import io
import logging
import sys
from pathlib import Path
from typing import Annotated

import typer

from fedtopics import files
from fedtopics.commands import options, tables
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.text.harmless import cell
from fedtopics.model import TopicModel

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
    mixtures = model.transform(corpus, n_threads=threads)
    ids = corpus.ids or tuple(map(str, range(corpus.n_docs)))
    table = io.StringIO(newline="")
    writer = csv.writer(table)
    writer.writerow(["id", *(cell(model.label(topic)) for topic in range(model.n_topics))])
    for name, mixture in zip(ids, mixtures.tolist(), strict=True):
        writer.writerow([cell(name), *(f"{share:.6g}" for share in mixture)])
    if out is None:
        sys.stdout.write(table.getvalue())
    else:
        files.publish(out, table.getvalue(), new=True)
        tables.console.print(f"mixtures of {corpus.n_docs} documents: {out}", soft_wrap=True)


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
