"""A party of a federation."""

from fedtopics.commands.family import family

PANELS = {"Commands": ("join", "start", "watch", "status", "service", "forget")}
app = family(__name__, __doc__, PANELS)
