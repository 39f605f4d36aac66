"""The result of every method: topics, on disk and in other tools' forms, and what models have in common."""

from fedtopics.model.alignment import AlignedTopic, Alignment, align
from fedtopics.model.merging import merge
from fedtopics.model.topic_model import TopicModel
from fedtopics.model.topic_table import TopicRow, TopicTable

__all__ = ["AlignedTopic", "Alignment", "TopicModel", "TopicRow", "TopicTable", "align", "merge"]
