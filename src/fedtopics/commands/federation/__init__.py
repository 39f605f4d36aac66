"""Several organizations, one model: try it, found a federation, join it, run it."""

from fedtopics.commands.family import family

PANELS = {
    "Try": ("simulate",),
    "Found and join": ("init", "request", "approve", "accept", "share", "revoke", "renew", "remove", "show"),
    "Run": ("coordinator", "party", "run"),
}
app = family(__name__, __doc__, PANELS)
