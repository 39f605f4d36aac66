"""What a run costs in privacy, before it is run and after."""

import typer

from fedtopics.commands import add

app = typer.Typer(help=__doc__, no_args_is_help=True)
add(app, __name__, "explain", "audit-claims", "mechanisms", "calibrate", "gaussian", "attack", "ledger")
