"""Of one run: where it is kept, its seed and threads, and what of it is printed."""

from pathlib import Path
from typing import Annotated

import typer

RunFolder = Annotated[
    Path, typer.Argument(metavar="DIR", help="A folder written by `fedtopics train --out`.")
]
Seed = Annotated[int, typer.Option(help="Same seed, same model.")]
TestFraction = Annotated[float, typer.Option(help="Share of the documents held out for the scores.")]
Threads = Annotated[
    int | None,
    typer.Option(min=1, help="Threads (all cores if not given); the result does not depend on it."),
]
Device = Annotated[
    str | None,
    typer.Option(
        help="cpu, cuda, or auto for a GPU where there is one and much to do; the result is the same.",
        show_default=False,
    ),
]
Title = Annotated[str | None, typer.Option(help="Of the page that is written.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]
