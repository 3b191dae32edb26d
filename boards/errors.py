"""What goes wrong on the way to a board, in words for the one who typed the command."""


class BoardError(Exception):
    """The text says what is wrong and what to do about it."""
