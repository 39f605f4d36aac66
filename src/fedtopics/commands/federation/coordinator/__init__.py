"""The coordinator of a federation."""

from fedtopics.commands.family import family

PANELS = {"Commands": ("start", "status")}
app = family(__name__, __doc__, PANELS)
