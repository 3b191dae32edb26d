"""What a stream can be rejected for: a class a status."""
from heapwire.errors import HeapwireError


class CerealError(HeapwireError):
    """A stream that is not as docs/cereal.md says.

    status: name of the status code; offset: of the word, or of the first bucket of the item, at fault."""

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
