"""Read SOURCE once, on all cores, into a folder that every command opens at once, however large it is.

Example: fedtopics index letters.csv --text-column body --out letters-corpus
"""

from pathlib import Path
from typing import Annotated

import typer

from fedtopics.commands import options
from fedtopics.documents import store
from fedtopics.documents.reading import read
from fedtopics.errors import InputError


@options.takes(options.Indexing, "indexing")
def index(
    source: options.Source,
    indexing: options.Indexing,
    out: Annotated[Path, typer.Option(help="New folder for the corpus.")],
) -> None:
    if out.exists():
        raise InputError(f"{out} exists; choose another --out, nothing is overwritten")
    corpus = read(source, progress=None, on_disk=True, **indexing.options())
    store.save(corpus, out, filtered=not indexing.keeps_all)
    sizes = f"{corpus.n_docs} documents, {corpus.n_tokens} tokens, {corpus.n_words} words"
    options.say(f"corpus of {sizes}: {out}")
