"""The errors on the way to a board, in words for the user of the command."""


class BoardError(Exception):
    """The text says what is wrong and what to do about it."""
