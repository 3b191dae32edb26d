"""The shuffle programs of firmware/programs/shuffle: a plain computation of their results, and the choices for their
runs."""

from heapwire.shuffle.choices import MOST_VERTICES, MOST_WORDS, TIMES, VERTICES, WORDS, serializers
from heapwire.shuffle.jsbs import JSBS, MOST_OBJECTS, OBJECTS
from heapwire.shuffle.plain import PROGRAMS, digest, results

__all__ = [
    "JSBS",
    "MOST_OBJECTS",
    "MOST_VERTICES",
    "MOST_WORDS",
    "OBJECTS",
    "PROGRAMS",
    "TIMES",
    "VERTICES",
    "WORDS",
    "digest",
    "results",
    "serializers",
]
