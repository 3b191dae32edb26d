"""The errors that a user can cause. The command line prints them without a traceback."""


class HeapwireError(Exception):
    """Any error that the user can act upon. The text says what to do."""


class BadInput(HeapwireError):
    """The user asked for something that does not exist or is out of range. Nothing has been done. The command line
    exits with code 2."""
