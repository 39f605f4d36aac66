"""The one exception a user sees: what was expected, what came, what to do."""


class InputError(ValueError):
    """Bad input. The command line prints its message on one line and exits with status 2.

    What a message quotes may come from a stranger: line ends, control characters and halves of characters are
    spelled out, so that it stays one line, can always be printed, and moves no cursor.

    >>> print(InputError("expected a name, got \\x1b[2J\\n"))
    expected a name, got \\x1b[2J\\n
    """

    def __str__(self) -> str:
        told = super().__str__()
        if told.isprintable():
            return told
        return "".join(
            letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in told
        )


class EmptyCorpusError(InputError):
    """A source could be read, and no word was in it."""
