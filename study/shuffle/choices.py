"""The serializers and sizes of the programs, and the names of times in their rows."""

from __future__ import annotations

import re

from base.repository import ROOT
from study.records.shuffle import Time

TIMES = tuple(time.name.lower() for time in Time)
"""The categories of cycles: enum shuffle_time."""
WORDS, MOST_WORDS = 200, 20_000
"""Words: the default of a demonstration, and the most. Memory would allow 160,000; the time of the simulator does
not."""
VERTICES, MOST_VERTICES = 24, 20_000
"""Vertices: the default, and the most. Connected components with 30,000 have no room in the streams between two
machines. By `java` and `kryo-generic` that program has room for 16,000 and not for 20,000, and says so."""
ORDERS, MOST_ORDERS = 24, 400
"""Orders: the default, and the most. The room of small problems has to be enough for them (`Room.of` of
study.shuffle.demo): it holds 1,600 orders by every serializer of software, and not 2,400 by Skyway."""
SOURCES = ROOT / "study" / "firmware" / "programs" / "shuffle"


def serializers() -> tuple[str, ...]:
    """Returns the serializers that a program can use, in the order of the firmware's table (serializers.c)."""
    return tuple(re.findall(r'\{\.name = "([\w-]+)"', (SOURCES / "serializers.c").read_text()))
