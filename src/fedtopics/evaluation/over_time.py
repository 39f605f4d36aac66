"""Topics over time: how much of the documents of each period is in each topic.

Periods come from a public column of dates or years. Shares are made of the documents themselves: for who
holds them, and not to be published; a model alone knows nothing of time.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.model import TopicModel

if TYPE_CHECKING:
    import pandas

Floats: TypeAlias = NDArray[np.float64]
DATE = re.compile(r"\s*(\d{4})(?:-(\d{2}))?(?:-\d{2}.*)?\s*", re.DOTALL)
YEARS = {"year": 1, "decade": 10, "century": 100}
PERIODS = ("month", *YEARS)
BARS = " ▁▂▃▄▅▆▇█"


@dataclass(frozen=True, eq=False)
class OverTime:
    """Shares of topics by period.

    periods   in order of time
    n_docs    documents of each
    shares    of the text of each period in each topic, shape (n_periods, n_topics)
    names     of the topics
    """

    periods: tuple[str, ...]
    n_docs: tuple[int, ...]
    shares: Floats
    names: tuple[str, ...]

    def peak(self, topic: int) -> str:
        """The period in which the `topic` has its largest share."""
        return self.periods[int(self.shares[:, topic].argmax())]

    def bar(self, topic: int) -> str:
        """The course of the `topic` as a character for each period, of its own height."""
        column = self.shares[:, topic]
        heights = np.ceil(column / max(float(column.max()), 1e-300) * (len(BARS) - 1)).astype(int)
        return "".join(BARS[height] for height in heights)

    def to_dict(self) -> dict[str, object]:
        """As plain JSON values."""
        found = {"periods": list(self.periods), "n_docs": list(self.n_docs), "names": list(self.names)}
        return {**found, "shares": self.shares.round(6).tolist()}

    def to_pandas(self) -> "pandas.DataFrame":
        """A DataFrame with a row for each period and a column for each topic."""
        try:
            import pandas
        except ImportError:
            raise InputError("to_pandas needs pandas; install it with: pip install pandas") from None
        return pandas.DataFrame(self.shares, index=list(self.periods), columns=list(self.names))

    def __str__(self) -> str:
        width = max(map(len, self.names))
        head = f"{'topic':>5}  {'name':<{width}}  peak     {self.periods[0]} to {self.periods[-1]}"
        rows = [
            f"{topic:>5}  {name:<{width}}  {self.peak(topic):<7}  {self.bar(topic)}"
            for topic, name in enumerate(self.names)
        ]
        return "\n".join([head, *rows])


def over_time(
    model: TopicModel,
    documents: Corpus,
    times: Sequence[str | int],
    *,
    period: str = "year",
    n_threads: int | None = None,
) -> OverTime:
    """Shares of the topics of a `model` in `documents` by the `period` that their `times` are in.

    times       a year or an ISO date of each document: 1987, "1987-02", "1987-02-26 15:01"
    period      "month", "year", "decade" or "century"
    n_threads   all cores if not given; the result does not depend on it
    """
    if len(times) != documents.n_docs:
        raise InputError(f"expected a time for each of {documents.n_docs} documents, got {len(times)}")
    if period not in PERIODS:
        raise InputError(f"expected a period among {', '.join(PERIODS)}, got {period!r:.40}")
    named = [period_of(str(time), period) for time in times]
    periods = sorted(set(named))
    place = {name: number for number, name in enumerate(periods)}
    rows = np.array([place[name] for name in named])
    corpus = model.read(documents)
    weights = corpus.lengths.astype(np.float64)
    sums = np.zeros((len(periods), model.n_topics))
    np.add.at(sums, rows, model.transform(corpus, n_threads=n_threads) * weights[:, None])
    shares = sums / np.maximum(sums.sum(axis=1, keepdims=True), 1e-300)
    counts = np.bincount(rows, minlength=len(periods))
    return OverTime(tuple(periods), tuple(counts.tolist()), shares, model.names)


def period_of(time: str, period: str) -> str:
    """The period of a year or an ISO date.

    >>> [period_of("1987-02-26", period) for period in PERIODS]
    ['1987-02', '1987', '1980', '1900']
    """
    found = DATE.fullmatch(time)
    if found is None or (period == "month" and found[2] is None):
        wanted = "a date such as 1987-02-26" if period == "month" else "a year or a date such as 1987-02-26"
        raise InputError(
            f"expected {wanted} in the column of times, got another form; write dates as ISO 8601"
        )
    if period == "month":
        return f"{found[1]}-{found[2]}"
    return f"{int(found[1]) // YEARS[period] * YEARS[period]:04d}"
