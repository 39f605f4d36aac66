"""Documents and what is made of them before any training.

Corpus, read         documents as flat arrays, from wherever they lie (`reading`)
TextOptions          how texts become words (`text`)
datasets             corpora that come with the package
splitting            one corpus divided among parties
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fedtopics.documents import datasets, splitting
    from fedtopics.documents.corpus import Corpus, Document, concatenate
    from fedtopics.documents.reading import CountedWordsError, read
    from fedtopics.documents.text.preparation import TextOptions
    from fedtopics.documents.text.word_filter import WordFilter

# Imported on first use: a process that only waits reads no documents.
_HOMES = {
    "Corpus": "corpus",
    "CountedWordsError": "reading",
    "Document": "corpus",
    "TextOptions": "text.preparation",
    "WordFilter": "text.word_filter",
    "concatenate": "corpus",
    "read": "reading",
}

__all__ = [
    "Corpus",
    "CountedWordsError",
    "Document",
    "TextOptions",
    "WordFilter",
    "concatenate",
    "datasets",
    "read",
    "splitting",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"fedtopics.documents.{_HOMES[name]}"), name)
    if name in __all__:
        return import_module(f"fedtopics.documents.{name}")
    raise AttributeError(f"module 'fedtopics.documents' has no attribute {name!r}")
