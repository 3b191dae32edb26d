"""The reasons to reject a stream, one exception class for each status."""

from base.errors import HeapwireError


class CerealError(HeapwireError):
    """A stream that violates docs/reference/cereal.md.

    status: name of the status code. offset: offset of the faulty word, or of the first bucket of the faulty item."""

    status = ""

    def __init__(self, offset: int, problem: str) -> None:
        super().__init__(f"{self.status} at {offset}: {problem}")
        self.offset, self.problem = offset, problem


class BadStream(CerealError):
    status = "BAD_STREAM"


class BadValue(CerealError):
    status = "BAD_VALUE"


class BadReference(CerealError):
    status = "BAD_REFERENCE"


class BadLayout(CerealError):
    status = "BAD_LAYOUT"
