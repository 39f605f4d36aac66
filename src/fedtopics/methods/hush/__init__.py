"""Hush: topics that protect whole documents, or whole persons, by noise on sums (our own)."""

from fedtopics.methods.hush.method import Hush

METHOD = Hush
