"""Runs of a federation, on the coordinator's machine."""

from fedtopics.commands.family import family

PANELS = {
    "Commands": ("submit", "status", "watch", "abort", "resume", "fetch", "verify"),
}
app = family(__name__, __doc__, PANELS)
