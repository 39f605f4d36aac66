"""The corpora that come with the package: where they lie and what their columns are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fedtopics.documents.reading.columns import Columns

_DATA = Path(__file__).parent.parent / "data"


@dataclass(frozen=True)
class BuiltIn:
    """A file in the package and its default columns."""

    file: str
    columns: Columns

    def located(self, asked: Columns) -> tuple[Path, Columns]:
        """The file, and its columns where no others were asked for."""
        own = self.columns
        return _DATA / self.file, Columns(
            asked.text or own.text, asked.party or own.party, asked.label or own.label, asked.id or own.id
        )


BUILT_IN = {
    "sotu": BuiltIn("sotu.jsonl.xz", Columns(text="text", party="party", label="label", id="id")),
}
