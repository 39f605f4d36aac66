"""A party of a federation."""

from pathlib import Path
from typing import Annotated

import typer

from fedtopics import files
from fedtopics.commands import options
from fedtopics.commands.pages import Pages, keeping
from fedtopics.errors import InputError
from fedtopics.network.plan import acceptance
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.policy import Policy

app = typer.Typer(help=__doc__, no_args_is_help=True)
Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="Of this party.")]


@app.command()
@options.takes(options.Reading, "reading")
def start(
    folder: Folder,
    data: Annotated[str, typer.Option(help="The party's documents: a file, a folder or a database.")],
    reading: options.Reading,
    plan: Annotated[
        Path | None, typer.Option(help="The plan that was accepted, where it is not FOLDER/plan.toml.")
    ] = None,
    policy: Annotated[
        Path | None, typer.Option(help="What this party allows, where it is not FOLDER/policy.toml.")
    ] = None,
    person_column: options.PersonColumn = None,
) -> None:
    """Take part in the federation until this command is stopped.

    Example: fedtopics party start ward --data letters.csv --text-column body
    """
    from fedtopics.network.keeper import Kept, say, until_told_to_stop
    from fedtopics.network.party import on_cluster
    from fedtopics.network.party.folder import PartyFolder

    place = PartyFolder(folder)
    _take_over(folder, plan, policy)
    place.note_source(data, reading.options() | {"person_column": person_column})
    place.check()
    with place.store() as store:
        store.require(place.plan.costs(place.plan.vocabulary.most_words))
        if place.policy.cluster is not None:
            on_cluster.check(place.policy.cluster, store)
    say(f"party {place.name}: {place.check_source()}, plan {place.plan.digest}")
    with Kept("party", folder, say) as worker:
        worker.keep_going(keeping(until_told_to_stop(), Pages(folder, say)))


@app.command()
def forget(
    folder: Folder,
    name: Annotated[str, typer.Option("--run", help="A run that is finished.")],
) -> None:
    """Delete what a finished run has left in the party's store, save its lines in the ledger.

    Example: fedtopics party forget ward --run run-1
    """
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


def _take_over(folder: Path, plan: Path | None, policy: Path | None) -> None:
    """Put plan and policy from elsewhere into the party's folder, once they are checked."""
    read = Plan.read(plan or folder / "plan.toml")
    acceptance.check(folder, read)
    Policy.read(policy or folder / "policy.toml").check(read)
    for given, name in ((plan, "plan.toml"), (policy, "policy.toml")):
        if given is not None and given.resolve() != (folder / name).resolve():
            files.publish(folder / name, files.read(given))
