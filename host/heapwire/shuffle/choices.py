"""The serializers and sizes of the programs, and the names of times in their rows."""

from __future__ import annotations

import re
from dataclasses import dataclass

from heapwire.errors import BadInput
from heapwire.interface import REPOSITORY

TIMES = ("computation", "collection", "serialize", "write", "deserialize", "read")
"""The categories of cycles: enum shuffle_time."""
MOST_WORDS, MOST_VERTICES, MOST_ORDERS = 10000, 400, 400
"""The largest sizes for which two machines of firmware/programs/skyway have room and patience."""
SOURCES = REPOSITORY / "firmware" / "programs" / "shuffle"


@dataclass(frozen=True)
class Sizes:
    """The sizes of a demonstration's programs."""

    words: int = 200
    vertices: int = 24
    orders: int = 24

    def of(self, program: str) -> int:
        """Returns the scale of a program."""
        if program.startswith("query-"):
            return self.orders
        return self.words if program == "word-count" else self.vertices

    def check(self) -> None:
        """Raises BadInput if one is out of range."""
        for what, count, most in (
            ("words", self.words, MOST_WORDS),
            ("vertices", self.vertices, MOST_VERTICES),
            ("orders", self.orders, MOST_ORDERS),
        ):
            if not 1 <= count <= most:
                raise BadInput(f"{count} {what}: 1 to {most}")


def serializers() -> tuple[str, ...]:
    """Returns the serializers that a program can use, in the order of the firmware's table (serializers.c)."""
    return tuple(re.findall(r'\{\.name = "([\w-]+)"', (SOURCES / "serializers.c").read_text()))
