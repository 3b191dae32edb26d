"""What programs can be run by and on, and what their rows call things."""
from __future__ import annotations

import re

from heapwire.interface import REPOSITORY

TIMES = ("computation", "collection", "serialize", "write", "deserialize", "read")
"""What cycles go to: enum shuffle_time."""
WORDS, MOST_WORDS = 200, 10000
VERTICES, MOST_VERTICES = 24, 400
"""Of a demonstration that is not told, and of the largest one, for which two machines of firmware/programs/skyway have room and patience."""
SOURCES = REPOSITORY / "firmware" / "programs" / "shuffle"


def serializers() -> tuple[str, ...]:
    """Those that a program can be run by, in the order of the firmware's table (serializers.c)."""
    return tuple(re.findall(r'\{\.name = "([\w-]+)"', (SOURCES / "serializers.c").read_text()))
