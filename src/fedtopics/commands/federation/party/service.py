"""Write a systemd unit that runs this party: a user of its own, documents read-only, no port.

Example: fedtopics federation party service office --out fedtopics-office.service
"""

import json
from pathlib import Path

from fedtopics.commands import options, unit_written
from fedtopics.errors import InputError
from fedtopics.network.service import Service


def service(
    folder: options.Office,
    out: unit_written.Out = None,
    user: unit_written.User = "fedtopics",
    name: unit_written.Name = "",
    metrics: options.Metrics = None,
) -> None:
    if not (folder / "party.key").is_file():
        raise InputError(
            f"expected the folder of a party, got {folder} without a party.key; "
            "for a coordinator: fedtopics federation service"
        )
    unit_written.write(Service("party", folder, name, user, _documents(folder), metrics), out)


def _documents(folder: Path) -> Path | None:
    """Where the party's documents are, if they are files."""
    if not (folder / "source.json").is_file():
        raise InputError(
            "expected a party that knows its documents, got one that was never started; join first"
        )
    source = Path(json.loads((folder / "source.json").read_bytes())["source"])
    return source if source.exists() else None
