"""The errors that a user can cause. The command line prints them without a trace."""


class HeapwireError(Exception):
    """Anything the user can act upon; the text says what to do."""


class BadInput(HeapwireError):
    """What was asked for does not exist, or is out of range: nothing has been done. The command line ends with 2."""
