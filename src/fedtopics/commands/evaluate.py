"""Score a trained model on documents that it has not seen.

Example: fedtopics evaluate runs/demo letters.csv --text-column body
"""

import logging
import os

from fedtopics.commands import options, tables
from fedtopics.documents.corpus import Corpus
from fedtopics.evaluation.scores import scores_on
from fedtopics.evaluation.usefulness import warnings
from fedtopics.model import TopicModel

logger = logging.getLogger(__name__)


@options.takes(options.Reading, "reading")
def evaluate(
    folder: options.RunFolder,
    source: options.Source,
    reading: options.Reading,
    threads: options.Threads = None,
    as_json: options.Json = False,
) -> None:
    model = TopicModel.load(folder)
    corpus = documents_for(source, reading, model)
    found = scores_on(model, corpus, n_threads=threads or os.cpu_count() or 1)
    if as_json:
        options.print_json(found | {"warnings": warnings(found)})
    else:
        tables.print_rows([{"score": name, "value": f"{value:.4f}"} for name, value in found.items()])
        for warning in warnings(found):
            tables.print_note(warning, "bold red")


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
