"""The format's numbers, from heapwire.json: `FORMAT.magic`, `FORMAT.header_graph`, ... (isa/CerealFormat.scala
lists them)."""

from __future__ import annotations

from heapwire.interface import load


class Numbers:
    """Reads the file at the first access to a number. Raises HeapwireError if the file is absent."""

    def __getattr__(self, name: str) -> int:
        found = load().cereal
        if name not in found:
            raise AttributeError(name)
        self.__dict__.update(found)
        return found[name]


FORMAT = Numbers()
