"""The run that a command means."""

from pathlib import Path

from fedtopics.errors import InputError
from fedtopics.network.coordinator.folder import CoordinatorFolder, RunFolder


def hub(folder: Path) -> CoordinatorFolder:
    """The coordinator's folder, if it is one."""
    if not (folder / "plan.toml").is_file():
        raise InputError(f"expected the coordinator's folder, got {folder} without a plan.toml")
    return CoordinatorFolder(folder)


def chosen_run(folder: Path, name: str) -> RunFolder:
    """The run of this name, or the newest."""
    place = hub(folder)
    if name:
        return place.run(name)
    runs = sorted(place.runs(), key=lambda item: (item.path / "log.txt").stat().st_ctime)
    if not runs:
        raise InputError(
            f"expected a run in {folder}, got none; start one with `fedtopics federation run submit`"
        )
    return runs[-1]
