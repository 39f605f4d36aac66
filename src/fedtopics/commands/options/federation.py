"""Folders of a coordinator or a party, and the run that is meant."""

from pathlib import Path
from typing import Annotated

import typer

Coordinator = Annotated[Path, typer.Argument(metavar="FOLDER", help="Of the coordinator.")]
Member = Annotated[Path, typer.Argument(metavar="FOLDER", help="Of this coordinator or party.")]
MemberOption = Annotated[Path, typer.Option("--folder", help="Of this coordinator or party.")]
Office = Annotated[Path, typer.Argument(metavar="FOLDER", help="Of this party.")]
Metrics = Annotated[
    Path | None,
    typer.Option(help="FILE.prom for Prometheus (textfile collector of node_exporter), replaced as a whole."),
]
RunName = Annotated[str, typer.Option("--run", help="Name of the run; the newest if not given.")]
