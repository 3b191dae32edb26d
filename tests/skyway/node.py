"""Talks to host/node.c, one machine of a cluster. Classes, graphs and streams go in. Statuses, streams and graphs come
out."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from pathlib import Path

from heapwire.cereal import Class, Kind, Object
from heapwire.skyway import Format
from tests.common.script import LiveScript

HOLDER = Class("[Ljava.lang.Object;", Kind.REFERENCES, 2)
"""The class of the array that holds the roots of a buffer."""
PLAIN = Format(8, 16)
REGISTRY = 0x5EED


def held(roots: list[Object | None]) -> Object:
    return Object(HOLDER, 0, len(roots), [*roots, *[0] * (len(roots) % 2)])


def _bytes(form: Format | tuple[int, ...]) -> tuple[int, ...]:
    """Returns the bytes of a struct hw_skyway_format. form: a format, or the numbers of one that no heap can have."""
    return (*(astuple(form) if isinstance(form, Format) else form), 0)


@dataclass
class Received:
    """The end of a read: status, position, number of roots and buffers read, number of the last buffer."""

    status: int
    at: int
    roots: int
    buffers: int
    buffer: int


class Node(LiveScript):
    """A node process. Every call returns after the process has done it."""

    def __init__(self, program: Path, *options: str, driver=None, patience: int = 3000) -> None:
        """driver: a socket to the driver of class numbering, which the process inherits. patience: milliseconds that
        the process waits for an answer. On a good line it never waits that long, however slow the machine is."""
        command = [str(program), *options, "--patience", str(patience)] + (
            ["--driver", str(driver.fileno())] if driver else []
        )
        super().__init__(command, [driver.fileno()] if driver else [])
        self.lost = False  # whether the process died during a call
        self.heap()

    def heap(
        self,
        stress: bool = False,
        size: int = 8 << 20,
        large: int = 3 << 20,
        eden: int = 512 << 10,
        region: int = 16384,
    ) -> None:
        super().heap(size, eden, large, region, stress=stress, verify=True)

    def drive(self, number: int = REGISTRY) -> None:
        """Makes the process the driver of its own cluster."""
        self._do("drive", number, answer=self._number)

    def join(self) -> int:
        return self._do("join", answer=self._number)

    def load(self, cls: Class) -> int:
        return self._do("load", self.places[cls], answer=self._number)

    def known(self, cls: Class) -> int:
        """Returns the type id in the class's klass, or 0 if there is none."""
        return self._do("known", self.places[cls], answer=self._number)

    def phase(self, start: bool = True) -> int:
        return self._do("phase", start, answer=self._number)

    def open(
        self,
        stream: int = 0,
        buffer: int = 1 << 20,
        work: int = 1 << 18,
        collect: int = 0,
        form: Format | tuple[int, ...] = Format(),
    ) -> None:
        """Opens a stream. buffer: bytes of the output buffer. collect: a collection happens every `collect` sends."""
        self._do("open", stream, buffer, work, collect, *_bytes(form))

    def write(self, element: int, stream: int = 0) -> int:
        """Writes the object that the element of the root refers to. Returns the status."""
        return self._do("write", stream, element, answer=self._status)

    def flush(self, stream: int = 0) -> int:
        return self._do("flush", stream, answer=self._status)

    def finish(self, stream: int = 0) -> int:
        return self._do("finish", stream, answer=self._status)

    def meanwhile(self, stream: int, other: int, element: int) -> None:
        """Makes `other` write the element when `stream` sends next."""
        self._do("meanwhile", stream, other, element)

    def taken(self, stream: int = 0) -> tuple[int, bytes, int]:
        """Returns the status, the bytes sent and the number of buffers given up since the last call. Forgets the
        status."""
        self._do("taken", stream)
        status, size, aborts = self._numbers(3)
        return status, self._bytes(size), aborts

    def read(self, stream: bytes, piece: int = 1 << 30, collect: int = 0) -> Received:
        self._do("read", piece, collect, len(stream), data=stream)
        return Received(*self._numbers(5))

    def free(self, buffer: int) -> None:
        self._do("free", buffer)

    def limits(self, chunk: int, work: int = 1 << 16) -> None:
        """Sets sizes in bytes. chunk: a regular chunk, 0 for a region. work: the work area of an input stream."""
        self._do("limits", chunk, work)

    def link(self, port: int, sender: int, patience: int) -> bool:
        """Connects to a peer, or connects again. patience: milliseconds to wait for an answer."""
        return bool(self._do("link", port, sender, patience, answer=self._number))

    def open_linked(self, stream: int = 0, buffer: int = 4096, work: int = 1 << 16) -> None:
        """Opens a stream to the peer. In its results `taken` then has the reason of a failure in the place of the
        buffers given up."""
        self._do("linked", stream, buffer, work)

    def serve(self, idle: int = 5, wanted: int = 0) -> tuple[bool, int, int]:
        """Answers the peer until nothing has come for `idle` waits, or, if `wanted` is not 0, until that many buffers
        have arrived.

        Returns whether the line is whole, how many buffers arrived, and the number of the last one. The buffers are
        held as an array of roots."""
        self._do("serve", idle, wanted)
        whole, arrivals, buffer = self._numbers(3)
        return bool(whole), arrivals, buffer

    def free_all(self) -> None:
        """Drops all that arrived, and runs a full collection."""
        self._do("serve", 0, 0)
        self.free(self._numbers(3)[2])
        self.collect(drop=True)

    def _status(self) -> int:
        return self._numbers(3)[0]
