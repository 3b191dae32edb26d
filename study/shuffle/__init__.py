"""The shuffle programs of study/firmware/programs/shuffle: a plain computation of their results, and the choices for
their runs."""

from study.shuffle.choices import MOST_ORDERS, MOST_VERTICES, MOST_WORDS, ORDERS, TIMES, VERTICES, WORDS, serializers
from study.shuffle.jsbs import JSBS, MOST_OBJECTS, OBJECTS
from study.shuffle.plain import SPARK, Results, digest
from study.shuffle.queries import QUERIES

PROGRAMS = {**SPARK, **QUERIES}
"""By name, in the order of the firmware's table (programs.c)."""

__all__ = [
    "JSBS",
    "MOST_OBJECTS",
    "MOST_ORDERS",
    "MOST_VERTICES",
    "MOST_WORDS",
    "OBJECTS",
    "ORDERS",
    "PROGRAMS",
    "QUERIES",
    "SPARK",
    "TIMES",
    "Results",
    "VERTICES",
    "WORDS",
    "digest",
    "results",
    "serializers",
]


def results(program: str, scale: int) -> Results:
    """Returns the combined result of all workers."""
    return PROGRAMS[program](scale)
