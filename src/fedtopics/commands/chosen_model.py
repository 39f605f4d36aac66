"""The model that a command is given; where its run has been called useless, that is said again."""

import logging
from pathlib import Path

from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.runs.run import whole_record

logger = logging.getLogger(__name__)


def chosen_model(folder: Path) -> TopicModel:
    """The model in the folder: topics of no use look like any others, whoever comes back to them."""
    model = TopicModel.load(folder)
    for warning in _said_of(folder):
        logger.warning("%s: %s", folder.name, warning)
    return model


def _said_of(folder: Path) -> list[str]:
    """What a run was called; a model without a run, or whose record cannot be read, is sound nevertheless."""
    if not (folder / "run.json").is_file():
        return []
    try:
        return list(whole_record(folder).get("warnings", []))
    except InputError as error:
        return [f"whether its topics are of use is not known: {error}"]
