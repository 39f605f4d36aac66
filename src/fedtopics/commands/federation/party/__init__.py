"""A party of a federation."""

from fedtopics.commands.family import family

PANELS = {"Commands": ("start", "watch", "forget")}
app = family(__name__, __doc__, PANELS)
