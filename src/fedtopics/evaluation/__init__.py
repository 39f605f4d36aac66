"""Model and held-out documents -> numbers: perplexity, coherence, diversity, and how many topics to take."""

from fedtopics.evaluation.coherence import coherence_cv, coherence_npmi, coherence_umass
from fedtopics.evaluation.perplexity import Completion, complete, perplexity, unigram_perplexity
from fedtopics.evaluation.scores import diversity, scores, scores_on
from fedtopics.evaluation.selection import Candidate, Selection, select_topics

__all__ = [
    "Candidate",
    "Completion",
    "Selection",
    "coherence_cv",
    "coherence_npmi",
    "coherence_umass",
    "complete",
    "diversity",
    "perplexity",
    "scores",
    "scores_on",
    "select_topics",
    "unigram_perplexity",
]
