"""A statement as a page to print: the guarantee, what may undermine it, the data under it."""

from typing import Any

from fedtopics.report.rendering import render


def statement_page(statement: Any) -> str:
    """The page of a `statement` (`report.statement`), complete in itself."""
    told = statement["deployment"]
    return render("statement.html", told=told, simulated="NOT TO BE FILED" in told["administrative"]["notes"])
