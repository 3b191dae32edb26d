"""The programs of study/firmware/programs/shuffle that shuffle: a plain computation of their results, and the choices
for their runs."""

from study.records.serializers import Serializer
from study.records.shuffle import PROGRAM_JSBS as JSBS
from study.records.shuffle import Time
from study.shuffle.plain import SPARK, Results
from study.shuffle.queries import QUERIES

PROGRAMS = {**SPARK, **QUERIES}
ALL = (*PROGRAMS, JSBS)
"""Programs by name: those of two workers, and with that of several machines (jsbs.py)."""
SERIALIZERS = tuple(each.text for each in Serializer if each is not Serializer.HW_VANILLA)
"""The serializers that a program can use."""
TIMES = tuple(time.text for time in Time)
"""The categories of cycles."""
WORDS, MOST_WORDS = 200, 20_000
"""Words: the default of a demonstration, and the most. Memory would allow 160,000; the time of the simulator does
not."""
VERTICES, MOST_VERTICES = 24, 20_000
"""Vertices: the default, and the most. Connected components with 30,000 have no room in the streams between two
machines. By `java` and `kryo-generic` that program has room for 16,000 and not for 20,000, and says so."""
ORDERS, MOST_ORDERS = 24, 400
"""Orders: the default, and the most. The room of small problems has to be enough for them (`Room.of` of
study.shuffle.demo): it holds 1,600 orders by every serializer of software, and not 2,400 by Skyway."""
OBJECTS, MOST_OBJECTS = 4, 64
"""Objects that a machine of JSBS sends in a round: the default, and the most. Memory would allow 256; the time of the
simulator does not."""


def results(program: str, scale: int) -> Results:
    """Returns the combined result of all workers."""
    return PROGRAMS[program](scale)
