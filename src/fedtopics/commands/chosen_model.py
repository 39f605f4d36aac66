"""The model that a command is given; where its run has been called useless, that is said again."""

import logging
from pathlib import Path

from fedtopics.model import TopicModel
from fedtopics.runs.run import whole_record

logger = logging.getLogger(__name__)


def chosen_model(folder: Path) -> TopicModel:
    """The model in the folder: topics of no use look like any others, whoever comes back to them."""
    model = TopicModel.load(folder)
    for warning in whole_record(folder).get("warnings", []) if (folder / "run.json").is_file() else ():
        logger.warning("%s: %s", folder.name, warning)
    return model
