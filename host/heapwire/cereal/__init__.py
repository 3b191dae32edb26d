"""The Cereal format (docs/reference/cereal.md) in Python: the reference for the C code and the hardware.

It is written from the specification. Graphs are plain Python objects (`graph.Object`). They hold only what a stream
carries, and nothing of a heap."""

from heapwire.cereal.graph import Class, ClassSet, Kind, Object, difference, objects
from heapwire.cereal.reader import Stream, read
from heapwire.cereal.stream import BadLayout, BadReference, BadStream, BadValue, CerealError
from heapwire.cereal.writer import write

__all__ = [
    "BadLayout",
    "BadReference",
    "BadStream",
    "BadValue",
    "CerealError",
    "Class",
    "ClassSet",
    "Kind",
    "Object",
    "Stream",
    "difference",
    "objects",
    "read",
    "write",
]
