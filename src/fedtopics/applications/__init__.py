"""What a topic model is good for: sorting documents into classes, helping a speech recognizer."""

from fedtopics.applications import speech
from fedtopics.applications.bootstrap import Score
from fedtopics.applications.classification import Classified, classify, split_by_class, split_by_column

__all__ = ["Classified", "Score", "classify", "speech", "split_by_class", "split_by_column"]
