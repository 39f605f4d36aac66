"""Model and held-out documents -> numbers: perplexity, coherence, diversity, and how many topics to take."""

from fedtopics.evaluation.coherence import coherence_cv, coherence_npmi, coherence_umass
from fedtopics.evaluation.over_time import OverTime, over_time
from fedtopics.evaluation.perplexity import Completion, complete, perplexity, unigram_perplexity
from fedtopics.evaluation.scores import diversity, scores, scores_on
from fedtopics.evaluation.selection import Candidate, Selection, select_topics

__all__ = [
    "Candidate",
    "Completion",
    "OverTime",
    "Selection",
    "coherence_cv",
    "coherence_npmi",
    "coherence_umass",
    "complete",
    "diversity",
    "over_time",
    "perplexity",
    "scores",
    "scores_on",
    "select_topics",
    "unigram_perplexity",
]
