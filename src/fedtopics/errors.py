"""The one exception a user sees: what was expected, what came, what to do."""


class InputError(ValueError):
    """Bad input. The command line prints its message on one line and exits with status 2."""
