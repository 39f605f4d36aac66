"""What a run costs in privacy, before it is run and after."""

import typer

from fedtopics.commands import add
from fedtopics.commands.privacy import attack, audit_claims, calibrate, explain, gaussian, ledger, mechanisms

app = typer.Typer(help=__doc__, no_args_is_help=True)
add(app, explain, audit_claims, mechanisms, calibrate, gaussian, attack, ledger)
