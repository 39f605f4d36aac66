"""Documents and what is made of them before any training.

Corpus, read         documents as flat arrays, from wherever they lie (`reading`)
TextOptions          how texts become words (`text`)
datasets             corpora that come with the package
splitting            one corpus divided among parties
"""

from fedtopics.documents import datasets, splitting
from fedtopics.documents.corpus import Corpus, Document, concatenate
from fedtopics.documents.reading import CountedWordsError, read
from fedtopics.documents.text.preparation import TextOptions
from fedtopics.documents.text.word_filter import WordFilter

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
