"""What is seen of a run while it is under way."""

from collections.abc import Callable
from time import perf_counter, process_time

from fedtopics.documents.corpus import Corpus
from fedtopics.evaluation.perplexity import perplexity
from fedtopics.model import TopicModel
from fedtopics.progress import Bar
from fedtopics.protocol.engine import Round


class Watch:
    """Held-out perplexity after rounds 1, 2, 4, 8, ...: often while topics form, rarely later.

    Nothing is measured where no document was held out.
    """

    def __init__(self, test: Corpus, n_threads: int) -> None:
        self.test, self.n_threads = test, n_threads
        self.seconds = self.processor_seconds = 0.0

    def __call__(self, number: int, model: Callable[[], TopicModel | None]) -> dict[str, float]:
        if (number + 1).bit_count() != 1 or not self.test.n_docs:
            return {}
        began, working = perf_counter(), process_time()
        topics = model()
        found = (
            {} if topics is None else {"perplexity": perplexity(topics, self.test, n_threads=self.n_threads)}
        )
        self.seconds += perf_counter() - began
        self.processor_seconds += process_time() - working
        return found


def shower(shown: Bar) -> Callable[[Round], None]:
    """Moves the bar on by a round and shows the last measures beside it."""
    latest: dict[str, float] = {}

    def show(entry: Round) -> None:
        latest.update(entry.measures)
        shown.advance(round=entry.round + 1, **latest)

    return show
