"""A party of a federation."""

from fedtopics.commands.family import family

PANELS = {
    "Take part": ("join", "start", "watch", "status", "service", "forget"),
    "Keep": ("backup", "restore", "charge"),
}
app = family(__name__, __doc__, PANELS)
