"""CALM: channel-aware LDA on masked histograms, the default (our own)."""

from fedtopics.methods.calm.method import Calm

METHOD = Calm
