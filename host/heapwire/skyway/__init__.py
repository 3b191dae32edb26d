"""Skyway (K. Nguyen et al., ASPLOS 2018), from docs/reference/skyway.md: reads and writes streams in Python, and
implements the driver of class numbering. Graphs are those of `heapwire.cereal`."""

from heapwire.skyway.driver import Driver
from heapwire.skyway.formats import Format, FormatError
from heapwire.skyway.reader import Buffer, read
from heapwire.skyway.registry import NumberingError, Registry, fingerprint
from heapwire.skyway.stream import Header, SkywayError
from heapwire.skyway.writer import write

__all__ = [
    "Buffer",
    "Driver",
    "Format",
    "FormatError",
    "Header",
    "NumberingError",
    "Registry",
    "SkywayError",
    "fingerprint",
    "read",
    "write",
]
