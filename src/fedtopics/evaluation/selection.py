"""How many topics: train plain LDA with several numbers of them and compare the scores."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.evaluation.scores import scores
from fedtopics.evaluation.usefulness import warnings
from fedtopics.model import TopicModel
from fedtopics.sampling.lda import Priors
from fedtopics.sampling.training import Schedule, train

CANDIDATES = (5, 10, 20, 30, 50, 75, 100)
TOLERANCE = 0.02
ALPHA, BETA = 0.1, 0.05


@dataclass(frozen=True)
class Candidate:
    """A number of topics, `n_topics`, and the `scores` of the model trained with it."""

    n_topics: int
    scores: dict[str, float]


@dataclass(frozen=True)
class Selection:
    """The `candidates` by number of topics, and which of them to take.

    >>> found = [Candidate(k, {"perplexity": p}) for k, p in ((10, 900.0), (20, 805.0), (50, 800.0))]
    >>> Selection(tuple(found)).best
    20
    """

    candidates: tuple[Candidate, ...]

    @property
    def best(self) -> int:
        """The fewest topics whose held-out perplexity is within 2 % of the lowest: more add little."""
        lowest = min(candidate.scores["perplexity"] for candidate in self.candidates)
        good = [c.n_topics for c in self.candidates if c.scores["perplexity"] <= (1 + TOLERANCE) * lowest]
        return min(good)

    def __str__(self) -> str:
        columns = ("perplexity", "coherence_npmi", "coherence_umass", "diversity")
        lines = ["topics" + "".join(f"{name:>17}" for name in columns)]
        for candidate in self.candidates:
            numbers = "".join(f"{candidate.scores[name]:>17.4g}" for name in columns)
            mark = "  <- best" if candidate.n_topics == self.best else ""
            lines.append(f"{candidate.n_topics:>6}{numbers}{mark}")
        return "\n".join([*lines, *(f"{self.best} topics: {warning}" for warning in self.warnings)])

    @property
    def warnings(self) -> list[str]:
        """Why even the best number of topics is of no use, by its scores; nothing where it is of use."""
        return next(warnings(c.scores) for c in self.candidates if c.n_topics == self.best)


def select_topics(
    corpus: Corpus,
    candidates: Sequence[int] = CANDIDATES,
    *,
    n_sweeps: int = 200,
    test_fraction: float = 0.1,
    seed: int = 0,
    n_threads: int = 1,
    on_sweeps: Callable[[int], None] = lambda _: None,
) -> Selection:
    """Scores of plain LDA with each number of topics, on documents held out once for all of them.

    corpus          documents to train and to test on
    candidates      the numbers of topics
    n_sweeps        passes over the documents for each of them
    test_fraction   share of the documents that is held out
    seed            same seed, same scores
    n_threads       the result does not depend on it
    on_sweeps       hears how many sweeps were made since it heard last
    """
    numbers = sorted(set(candidates))
    if not numbers or numbers[0] < 2:
        raise InputError(f"expected numbers of 2 or more topics, got {list(candidates)}; give some")
    train_part, test_part = corpus.split(test_fraction, seed)
    schedule = Schedule(n_sweeps, n_threads=n_threads)
    found = []
    for n_topics in numbers:
        priors = Priors.symmetric(n_topics, ALPHA, BETA)
        trained = train(train_part, priors, schedule, seed=seed, on_sweeps=on_sweeps)
        model = TopicModel.from_counts(trained.word_topic.T, corpus.vocabulary, alpha=ALPHA, beta=BETA)
        found.append(Candidate(n_topics, scores(model, train_part, test_part, n_threads=n_threads)))
    return Selection(tuple(found))
