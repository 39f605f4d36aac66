"""Topics over time: how much of the documents of each period is in each topic, and what it says there.

A topic is a theme, and most themes outlive what happens in them: war is written about in every century. So
there are also the words that set the text of a topic in a period apart from all of its text (`said`), and the
course of an event: of the text that is about its words, in the topic that most of this text is in.

Periods come from a public column of dates or years. All of it is made of the documents themselves: for who
holds them, and not to be published; a model alone knows nothing of time.
"""

import re
from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.documents.text.given import check_words
from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.evaluation.assigned import Assigned
from fedtopics.model import TopicModel

if TYPE_CHECKING:
    import pandas

Floats: TypeAlias = NDArray[np.float64]
DATE = re.compile(r"\s*(\d{4})(?:-(\d{2}))?(?:-\d{2}.*)?\s*", re.DOTALL)
YEARS = {"year": 1, "decade": 10, "century": 100}
PERIODS = ("month", *YEARS)
BARS = " ▁▂▃▄▅▆▇█"


@dataclass(frozen=True, eq=False)
class Event:
    """The course of an event.

    name     its words as they were given
    topic    the topic that most of the text of its words is in
    shares   of the text of each period that are its words in this topic
    periods  in order of time
    """

    name: str
    topic: int
    shares: Floats
    periods: tuple[str, ...]

    @property
    def peak(self) -> str:
        """The period in which most of the text is about it."""
        return self.periods[int(self.shares.argmax())]

    def bar(self) -> str:
        """Its course as a character for each period, of its own height."""
        return _bar(self.shares)


@dataclass(frozen=True, eq=False)
class OverTime:
    """Shares of topics by period.

    periods   in order of time
    n_docs    documents of each
    shares    of the text of each period in each topic, shape (n_periods, n_topics)
    names     of the topics
    said      by period and topic, the words that set what it says in the period apart
    events    those that were asked for
    """

    periods: tuple[str, ...]
    n_docs: tuple[int, ...]
    shares: Floats
    names: tuple[str, ...]
    said: tuple[tuple[tuple[str, ...], ...], ...] = ()
    events: tuple[Event, ...] = ()

    def peak(self, topic: int) -> str:
        """The period in which the `topic` has its largest share."""
        return self.periods[int(self.shares[:, topic].argmax())]

    def bar(self, topic: int) -> str:
        """The course of the `topic` as a character for each period, of its own height."""
        return _bar(self.shares[:, topic])

    def story(self, topic: int) -> str:
        """What the `topic` says, a line for each period: its share, and words that set the period apart."""
        if not 0 <= topic < len(self.names):
            raise InputError(f"expected a topic from 0 to {len(self.names) - 1}, got {topic}")
        rows = [f"topic {topic}, {self.names[topic]}: share of the text of a period, and what it says there"]
        for number, period in enumerate(self.periods):
            words = " ".join(self.said[number][topic]) if self.said else ""
            rows.append(f"{period:<7}  {self.shares[number, topic]:6.1%}  {words}".rstrip())
        return "\n".join(rows)

    def to_dict(self) -> dict[str, object]:
        """As plain JSON values."""
        found = {"periods": list(self.periods), "n_docs": list(self.n_docs), "names": list(self.names)}
        events = [
            {"name": event.name, "topic": event.topic, "peak": event.peak, "shares": event.shares.tolist()}
            for event in self.events
        ]
        said = [[list(words) for words in of_period] for of_period in self.said]
        return {**found, "shares": self.shares.round(6).tolist(), "said": said, "events": events}

    def to_pandas(self) -> "pandas.DataFrame":
        """A DataFrame with a row for each period and a column for each topic."""
        try:
            import pandas
        except ImportError:
            raise InputError("to_pandas needs pandas; install it with: pip install pandas") from None
        return pandas.DataFrame(self.shares, index=list(self.periods), columns=list(self.names))

    def courses(self) -> str:
        """A line for each event: its topic, the period in which it peaks, its course; "" without any."""
        rows = [(each.name, self.names[each.topic], each.peak, each.bar()) for each in self.events]
        return _aligned([("event", "in topic", "peak", self._span), *rows], str.ljust) if rows else ""

    def __str__(self) -> str:
        rows = [(str(k), name, self.peak(k), self.bar(k)) for k, name in enumerate(self.names)]
        topics = _aligned([("topic", "name", "peak", self._span), *rows], str.rjust)
        return f"{topics}\n\n{self.courses()}".rstrip("\n")

    @property
    def _span(self) -> str:
        return f"{self.periods[0]} to {self.periods[-1]}"


def over_time(
    model: TopicModel,
    documents: Corpus,
    times: Sequence[str | int],
    *,
    period: str = "year",
    events: Sequence[str] = (),
    n_words: int = 5,
    n_threads: int | None = None,
) -> OverTime:
    """Shares of the topics of a `model` in `documents` by the `period` that their `times` are in.

    times       a year or an ISO date of each document: 1987, "1987-02", "1987-02-26 15:01"
    period      "month", "year", "decade" or "century"
    events      words of each event whose course is wanted: ["vietnam", "coinage silver"]
    n_words     so many words for what each topic says in each period; 0 for none
    n_threads   all cores if not given; the result does not depend on it
    """
    if not isinstance(documents, Corpus):
        raise InputError(
            f"expected a Corpus, got {type(documents).__name__}; read() or Corpus.from_texts() makes one"
        )
    if isinstance(times, str) or not isinstance(times, Sized):
        raise InputError(f"expected a list of times, got {type(times).__name__}")
    if len(times) != documents.n_docs:
        raise InputError(f"expected a time for each of {documents.n_docs} documents, got {len(times)}")
    if period not in PERIODS:
        raise InputError(f"expected a period among {', '.join(PERIODS)}, got {quoted(period)}")
    if n_words < 0:
        raise InputError(f"expected n_words of at least 0, got {n_words}")
    check_words(events, "vietnam")
    wanted = [_known(event, model.vocabulary) for event in events]
    named = [period_of(str(time), period) for time in times]
    periods = sorted(set(named))
    place = {name: number for number, name in enumerate(periods)}
    rows = np.array([place[name] for name in named])
    corpus = model.read(documents)
    theta = model.transform(corpus, n_threads=n_threads)
    weights = corpus.lengths.astype(np.float64)
    sums = np.zeros((len(periods), model.n_topics))
    np.add.at(sums, rows, theta * weights[:, None])
    totals = np.maximum(sums.sum(axis=1, keepdims=True), 1e-300)
    counts = np.bincount(rows, minlength=len(periods))
    assigned = Assigned(corpus, theta, model.topic_word, rows, len(periods))
    found = [
        _course(event, assigned.amounts(words), totals, tuple(periods))
        for event, words in zip(events, wanted, strict=True)
    ]
    said = assigned.sayings(n_words) if n_words else []
    words_said = tuple(
        tuple(tuple(model.vocabulary[word] for word in words) for words in of_period) for of_period in said
    )
    shares = sums / totals
    return OverTime(tuple(periods), tuple(counts.tolist()), shares, model.names, words_said, tuple(found))


def _known(event: str, vocabulary: tuple[str, ...]) -> NDArray[np.int64]:
    """Numbers of the words of an event; those that a model does not know as written, in small letters."""
    place = {word: number for number, word in enumerate(vocabulary)}
    words = [word if word in place else word.lower() for word in event.split()]
    if not words:
        raise InputError("expected one or more words of each event, got none")
    if unknown := [word for word in words if word not in place]:
        raise InputError(f"expected words that the model knows, got {quoted(unknown[0])} in an event")
    return np.array([place[word] for word in words])


def _course(name: str, amounts: Floats, totals: Floats, periods: tuple[str, ...]) -> Event:
    """The course of an event of which so many tokens are in each period and topic."""
    if not amounts.any():
        raise InputError(f"expected events that the documents speak of, got {quoted(name)}, which none has")
    topic = int(amounts.sum(axis=0).argmax())
    return Event(name, topic, amounts[:, topic] / totals[:, 0], periods)


def _bar(course: Floats) -> str:
    heights = np.ceil(course / max(float(course.max()), 1e-300) * (len(BARS) - 1)).astype(int)
    return "".join(BARS[height] for height in heights)


def _aligned(rows: list[tuple[str, str, str, str]], justify: Callable[[str, int], str]) -> str:
    """Lines whose cells stand one below the other, the first put to its side, the last as long as it is."""
    first, second, third = (max(len(row[column]) for row in rows) for column in range(3))
    return "\n".join(
        f"{justify(name, first)}  {topic:<{second}}  {peak:<{max(third, 7)}}  {bar}"
        for name, topic, peak, bar in rows
    )


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
