"""The serializers and sizes of the programs, and the names of times in their rows."""

from __future__ import annotations

import re

from heapwire.interface import REPOSITORY

TIMES = ("computation", "collection", "serialize", "write", "deserialize", "read")
"""The categories of cycles: enum shuffle_time."""
WORDS, MOST_WORDS = 200, 20000
VERTICES, MOST_VERTICES = 24, 20000
ORDERS, MOST_ORDERS = 24, 400
"""Sizes: the default of a demonstration, and the largest for which two machines of firmware/programs/skyway have
room."""
SOURCES = REPOSITORY / "firmware" / "programs" / "shuffle"


def serializers() -> tuple[str, ...]:
    """Returns the serializers that a program can use, in the order of the firmware's table (serializers.c)."""
    return tuple(re.findall(r'\{\.name = "([\w-]+)"', (SOURCES / "serializers.c").read_text()))
