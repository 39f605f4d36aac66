"""Show where every run stands."""

from dataclasses import asdict
from typing import Any

from fedtopics.commands import options
from fedtopics.commands.chosen_run import hub
from fedtopics.network.phases import logged


def status(folder: options.Coordinator, as_json: options.Json = False) -> None:
    rows: dict[str, Any] = {item.name: asdict(item.status()) for item in hub(folder).runs()}
    if as_json:
        options.print_json(rows)
        return
    for key, row in rows.items():
        reason = f": {row['reason']}" if row["reason"] else ""
        options.say(f"{key}  {row['state']}, {logged(row['round'])} of {row['n_rounds']}{reason}")
