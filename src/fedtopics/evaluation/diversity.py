"""Topic diversity: do topics speak of different things."""

from __future__ import annotations

from fedtopics.model import TopicModel


def diversity(model: TopicModel, n_words: int = 25) -> float:
    """Share of different words among the `n_words` top words of all topics of `model`, 1/n_topics to 1.

    Dieng, Ruiz, Blei: Topic Modeling in Embedding Spaces, TACL 2020.
    """
    top = [word for topic in model.top_words(n_words) for word in topic]
    return len(set(top)) / len(top)
