"""Options by what they are about, as help shows them: a panel for each."""

from functools import partial

import typer

of_method = partial(typer.Option, rich_help_panel="Method")
of_privacy = partial(typer.Option, rich_help_panel="Privacy")
of_documents = partial(typer.Option, rich_help_panel="Documents")
of_words = partial(typer.Option, rich_help_panel="Words")
of_parties = partial(typer.Option, rich_help_panel="Parties")
of_cluster = partial(typer.Option, rich_help_panel="Cluster")
