"""The errors that a user can cause. The command line prints them without a trace."""


class HeapwireError(Exception):
    """Anything the user can act upon; the text says what to do."""
