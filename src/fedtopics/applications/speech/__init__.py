"""Topics as the long memory of a speech recognizer's language model.

ngrams       back-off n-gram models: probability of a word after others
arpa         reading and writing them as ARPA files
estimation   an n-gram model from plain text, where there is none to read
adaptation   P(w|C): the n-gram model adapted to the topics of a context C
rescoring    the best of N hypotheses under the adapted model
recognizer   hypotheses from audio, by pocketsphinx
"""

from fedtopics.applications.speech import arpa, nbest, recognizer
from fedtopics.applications.speech.adaptation import Adaptation
from fedtopics.applications.speech.estimation import estimate
from fedtopics.applications.speech.ngrams import NGramModel
from fedtopics.applications.speech.rescoring import Hypothesis, Setting, Utterance, rescored

__all__ = [
    "Adaptation",
    "Hypothesis",
    "NGramModel",
    "Setting",
    "Utterance",
    "arpa",
    "estimate",
    "nbest",
    "recognizer",
    "rescored",
]
