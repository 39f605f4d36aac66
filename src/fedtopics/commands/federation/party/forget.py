"""Delete what a finished run has left in the party's store, save its lines in the ledger.

Example: fedtopics federation party forget ward --run run-1
"""

from typing import Annotated

import typer

from fedtopics.commands import options
from fedtopics.errors import InputError


def forget(
    folder: options.Office,
    name: Annotated[str, typer.Option("--run", help="A run that is finished.")],
) -> None:
    from fedtopics.network.party import on_cluster
    from fedtopics.network.party.folder import PartyFolder

    if not (folder / "models" / name).is_dir():
        raise InputError(f"expected a finished run, got {name!r} without a folder in {folder / 'models'}")
    place = PartyFolder(folder)
    with place.store() as store:
        store.forget(name)
        if place.policy.cluster is not None:
            on_cluster.forget(place.policy.cluster, store, name)
    options.say(f"releases and memory of {name} are deleted; its price stays in the ledger")
