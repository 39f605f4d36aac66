"""Found a federation, join it, review and accept its plan."""

import typer

from fedtopics.commands import add
from fedtopics.commands.federation import accept, approve, init, renew, request, revoke, share, show

app = typer.Typer(help=__doc__, no_args_is_help=True)
add(app, init, request, approve, accept, share, revoke, renew, show)
