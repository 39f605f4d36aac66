"""Several organizations, one model: try it, found a federation, join it, run it."""

from fedtopics.commands.family import family

PANELS = {
    "Try": ("simulate",),
    "Found and join": ("init", "invite", "approve", "request", "accept", "share", "show"),
    "Look after": ("renew", "revoke", "remove"),
    "Run": ("coordinator", "party", "run", "go-on", "service"),
}
app = family(__name__, __doc__, PANELS)
