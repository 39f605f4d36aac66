"""Topics as a table: reads well when printed, turns into a pandas DataFrame when asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fedtopics.errors import InputError
from fedtopics.notebook import table

if TYPE_CHECKING:
    import pandas

HEAD = ("topic", "label", "share", "words")


@dataclass(frozen=True)
class TopicRow:
    """One topic.

    topic   its number
    label   its name
    share   of the training tokens, from 0 to 1; None where unknown
    words   its top words, the most probable first
    """

    topic: int
    label: str
    share: float | None
    words: tuple[str, ...]


@dataclass(frozen=True)
class TopicTable(Sequence[TopicRow]):
    """One of `rows` for each topic.

    >>> rows = TopicRow(0, "money", 0.75, ("tax", "law")), TopicRow(1, "topic 1", None, ("war",))
    >>> print(TopicTable(rows))
    topic  label    share  words
        0  money    75.0%  tax law
        1  topic 1      ?  war
    """

    rows: tuple[TopicRow, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, number: Any) -> Any:
        return self.rows[number]

    def _cells(self) -> list[tuple[str, ...]]:
        shares = ["?" if row.share is None else f"{row.share:.1%}" for row in self.rows]
        rows = zip(self.rows, shares, strict=True)
        return [(str(row.topic), row.label, share, " ".join(row.words)) for row, share in rows]

    def __str__(self) -> str:
        cells = [HEAD, *self._cells()]
        label_width = max(len(cell[1]) for cell in cells)
        return "\n".join(f"{a:>5}  {b:<{label_width}}  {c:>5}  {d}" for a, b, c, d in cells)

    def _repr_html_(self) -> str:
        """The table as notebooks show it."""
        return table(HEAD, self._cells())

    def to_pandas(self) -> "pandas.DataFrame":
        """The table as a DataFrame with the columns topic, label, share and words."""
        try:
            import pandas
        except ImportError:
            raise InputError("a DataFrame needs the package pandas; pip install pandas") from None
        return pandas.DataFrame([vars(row) for row in self.rows])
