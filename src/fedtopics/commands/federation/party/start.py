"""Take part in the federation until this command is stopped.

Example: fedtopics federation party start ward --data letters.csv --text-column body
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fedtopics import files
from fedtopics.commands import options
from fedtopics.commands.keeping import keep
from fedtopics.network.plan import acceptance
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.policy import Policy
from fedtopics.privacy.price.budget import BudgetError

if TYPE_CHECKING:
    from fedtopics.network.party.folder import PartyFolder
    from fedtopics.network.party.store import PartyStore


@options.takes(options.Reading, "reading")
def start(
    folder: options.Office,
    reading: options.Reading,
    data: Annotated[
        str | None,
        typer.Option(help="The party's documents: a file, a folder or a database; as before if not given."),
    ] = None,
    plan: Annotated[
        Path | None, typer.Option(help="The plan that was accepted, where it is not FOLDER/plan.toml.")
    ] = None,
    policy: Annotated[
        Path | None, typer.Option(help="What this party allows, where it is not FOLDER/policy.toml.")
    ] = None,
    person_column: options.PersonColumn = None,
    language: options.LanguageOfAll = None,
    metrics: options.Metrics = None,
) -> None:
    from fedtopics.network.party.folder import PartyFolder

    _take_over(folder, plan, policy)
    if data is not None:
        PartyFolder(folder).note_source(
            data, reading.options() | {"person_column": person_column, "language": language}
        )
    take_part(folder, metrics)


def take_part(folder: Path, metrics: Path | None = None) -> None:
    """Check what can be checked, and take part until told to stop."""
    from fedtopics.network.keeper import say
    from fedtopics.network.party import on_cluster
    from fedtopics.network.party.folder import PartyFolder
    from fedtopics.sampling.gpu import using

    using.check()
    place = PartyFolder(folder)
    place.check()
    with place.store() as store:
        _require_budget(place, store)
        if place.policy.cluster is not None:
            on_cluster.check(place.policy.cluster, store)
    say(f"party {place.name}: {place.check_source()}, plan {place.plan.digest}")
    keep("party", folder, metrics)


def _require_budget(place: "PartyFolder", store: "PartyStore") -> None:
    """Raise unless the budget can pay a whole run; or the rest of one that this party has a part in."""
    try:
        store.require(place.plan.costs(place.plan.vocabulary.most_words))
    except BudgetError:
        begun = place.unfinished(store)
        if not begun:
            raise
        options.say(f"the budget is enough to go on with {', '.join(begun)}, not for another run")


def _take_over(folder: Path, plan: Path | None, policy: Path | None) -> None:
    """Put plan and policy from elsewhere into the party's folder, once they are checked."""
    read = Plan.read(plan or folder / "plan.toml")
    acceptance.check(folder, read)
    Policy.read(policy or folder / "policy.toml").check(read)
    for given, name in ((plan, "plan.toml"), (policy, "policy.toml")):
        if given is not None and given.resolve() != (folder / name).resolve():
            files.publish(folder / name, files.read(given))
