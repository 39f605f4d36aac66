"""Write a public word list, one word per line: the words of a public corpus, or of a list that comes along.

Never make one from the documents of a party: whoever sees the list then sees their words, at no price.

[bold]Examples[/bold]

  fedtopics vocabulary english-20000 --out words.txt

  fedtopics vocabulary wikipedia-medicine.jsonl --max-words 10000 --out medical-words.txt
"""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from fedtopics import files
from fedtopics.commands import options
from fedtopics.documents.reading import read
from fedtopics.documents.text import word_lists
from fedtopics.errors import InputError


@options.takes(options.Preparing, "preparing")
def vocabulary(
    source: Annotated[
        str,
        typer.Argument(help="Public documents, in any form that train reads, or a list as english-20000."),
    ],
    preparing: options.Preparing,
    out: Annotated[Path, typer.Option(help="New text file for the list.")],
) -> None:
    options.require_new_file(out, "--out")
    if preparing.vocabulary is not None:
        raise InputError("expected documents to take words from, got --vocabulary; leave it out")
    words = word_lists.words(source) if word_lists.is_name(source) else _words(source, preparing)
    files.publish(out, "".join(f"{word}\n" for word in words))
    options.say(f"{len(words)} words, the most frequent first: {out}; for --vocabulary {out}")


def _words(source: str, preparing: options.Preparing) -> list[str]:
    """The words of a corpus, by the number of documents that have them."""
    corpus = read(source, progress=None, **preparing.options() | {"sentences": False})
    order = np.argsort(-corpus.document_frequency(), kind="stable")
    return [corpus.vocabulary[place] for place in order]
