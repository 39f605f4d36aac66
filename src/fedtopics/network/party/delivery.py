"""What a party keeps of a finished run."""

from dataclasses import dataclass

from fedtopics.model import TopicModel
from fedtopics.privacy.price.ledger import Ledger


@dataclass(frozen=True)
class Delivery:
    """What a party keeps of a finished run: the coordinator's files by name, and what is its own."""

    files: dict[str, bytes]
    words: tuple[str, ...]
    local_model: TopicModel | None
    ledger: Ledger
