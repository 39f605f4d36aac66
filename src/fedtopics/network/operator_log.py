"""What an operator reads: lines on the screen, and a party's own log of bounded size on its own disk."""

import logging
import os
from datetime import datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path

from fedtopics import files
from fedtopics.documents.text.harmless import HarmlessFormatter, one_line

LOG = "party.log"
MOST_BYTES, N_FILES = 10 * 2**20, 5


def say(line: str) -> None:
    print(f"{datetime.now():%H:%M:%S} {one_line(line)}", flush=True)


def keep_log(folder: Path) -> None:
    """Let this process log to `party.log` in the folder, for its owner alone, and nowhere else."""
    os.umask(0o777 & ~files.PRIVATE_FOLDER)
    handler = RotatingFileHandler(folder / LOG, maxBytes=MOST_BYTES, backupCount=N_FILES, encoding="utf-8")
    handler.setFormatter(HarmlessFormatter("%(asctime)s %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
