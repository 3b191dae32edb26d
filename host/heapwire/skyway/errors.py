"""What a stream can be rejected for, and what class numbering may end with."""
from heapwire.errors import HeapwireError


class SkywayError(HeapwireError):
    """A stream that is not as docs/skyway.md says.

    status: name of the status. at: of BAD_STREAM, CUT and END the offset in the stream, else the relative address of the object at fault."""

    def __init__(self, status: str, at: int, problem: str) -> None:
        super().__init__(f"{status} at {at}: {problem}")
        self.status, self.at, self.problem = status, at, problem


class NumberingError(HeapwireError):
    """A class that has no number, or another layout than elsewhere; status as in docs/skyway.md."""

    def __init__(self, status: str, problem: str) -> None:
        super().__init__(f"{status}: {problem}")
        self.status = status
