"""The reasons to reject a stream, and the errors of class numbering."""

from base.errors import HeapwireError


class SkywayError(HeapwireError):
    """A stream that violates docs/reference/skyway.md.

    status: name of the status. at: the offset in the stream for BAD_STREAM, CUT and END, else the relative address of
    the faulty object."""

    def __init__(self, status: str, at: int, problem: str) -> None:
        super().__init__(f"{status} at {at}: {problem}")
        self.status, self.at, self.problem = status, at, problem


class FormatError(HeapwireError):
    """A format that no heap can have, or a format file with an error."""


class NumberingError(HeapwireError):
    """A class that has no number, or whose layout differs elsewhere. The status is one of docs/reference/skyway.md."""

    def __init__(self, status: str, problem: str) -> None:
        super().__init__(f"{status}: {problem}")
        self.status = status
