"""The result of every method: topics, on disk and in other tools' forms."""

from fedtopics.model.topic_model import TopicModel

__all__ = ["TopicModel"]
