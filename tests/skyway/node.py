"""Talks to host/node.c, one machine of a cluster. Classes, graphs and streams go in. Statuses, streams and graphs come
out."""

from __future__ import annotations

import struct
import subprocess
from dataclasses import astuple, dataclass
from pathlib import Path

from heapwire.cereal import Class, Kind, Object, objects
from heapwire.skyway import Format

(
    END,
    DRIVE,
    JOIN,
    CLASS,
    LOAD,
    BUILD,
    PHASE,
    OPEN,
    WRITE,
    FLUSH,
    FINISH,
    MEANWHILE,
    TAKEN,
    READ,
    DESCRIBE,
    FREE,
    COLLECT,
    USED,
    KNOWN,
    HEAP,
    LIMITS,
    LINK,
    LINKED,
    SERVE,
) = range(24)
HOLDER = Class("[Ljava.lang.Object;", Kind.REFERENCES, 2)
"""The class of the array that holds the roots of a buffer."""
PLAIN = Format(8, 16)
REGISTRY = 0x5EED


def held(roots: list[Object | None]) -> Object:
    return Object(HOLDER, 0, len(roots), [*roots, *[0] * (len(roots) % 2)])


def _words(*words: int) -> bytes:
    return struct.pack(f"<{len(words)}I", *words)


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


class Node:
    """A node process. Every call returns after the process has done it."""

    def __init__(self, program: Path, *options: str, driver=None, patience: int = 3000) -> None:
        """driver: a socket to the driver of class numbering, which the process inherits. patience: milliseconds that
        the process waits for an answer. On a good line it never waits that long, however slow the machine is."""
        self.classes: list[Class] = []
        self.places: dict[Class, int] = {}
        self.lost = False  # whether the process died during a call
        command = [str(program), *options, "--patience", str(patience)] + (
            ["--driver", str(driver.fileno())] if driver else []
        )
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=[driver.fileno()] if driver else [],
        )

    def __enter__(self) -> "Node":
        return self

    def __exit__(self, kind, *_) -> None:
        if kind:
            self.process.kill()
        elif self.process.poll() is None:
            self._send(END, b"")
        output, errors = self.process.communicate(timeout=600)
        if not kind:
            assert self.process.returncode == 0, (output[-400:], errors.decode(errors="replace")[-4000:])

    def _send(self, operation: int, data: bytes) -> None:
        assert len(data) % 4 == 0
        try:
            self.process.stdin.write(_words(operation, len(data) // 4) + data)
            self.process.stdin.flush()
        except BrokenPipeError:
            self._died()

    def _died(self) -> None:
        output, errors = self.process.communicate()
        raise AssertionError((self.process.returncode, output[-400:], errors.decode(errors="replace")[-4000:]))

    def _get(self, count: int) -> bytes:
        data = self.process.stdout.read(count)
        if len(data) < count:
            self._died()
        return data

    def _numbers(self, count: int) -> tuple[int, ...]:
        return struct.unpack(f"<{count}i", self._get(4 * count))

    def drive(self, number: int = REGISTRY) -> None:
        """Makes the process the driver of its own cluster."""
        self._send(DRIVE, _words(number))
        self._numbers(1)

    def join(self) -> int:
        self._send(JOIN, b"")
        return self._numbers(1)[0]

    def define(self, cls: Class, load: bool = True) -> int:
        """Registers a class. Returns its type id, or a negative status. load: False makes the class available for
        loading only."""
        bits, count, name = (
            sum(flag << i for i, flag in enumerate(cls.references)),
            len(cls.references),
            cls.name.encode(),
        )
        self._send(
            CLASS,
            _words(load, cls.kind.code, cls.shift, count)
            + bits.to_bytes((count + 31) // 32 * 4, "little")
            + _words(len(name))
            + name
            + bytes(-len(name) % 4),
        )
        self.places[cls] = len(self.classes)
        self.classes.append(cls)
        return self._numbers(1)[0]

    def load(self, cls: Class) -> int:
        self._send(LOAD, _words(self.places[cls]))
        return self._numbers(1)[0]

    def known(self, cls: Class) -> int:
        """Returns the type id in the class's klass, or 0 if there is none."""
        self._send(KNOWN, _words(self.places[cls]))
        return self._numbers(1)[0]

    def build(self, root: Object) -> None:
        graph = objects(root)
        places = {id(each): place for place, each in enumerate(graph, 1)}
        words = [len(graph)]
        for each in graph:
            words += (self.places[each.cls], each.hash, each.length)
            words += (
                0 if slot is None else places[id(slot)] if isinstance(slot, Object) else slot for slot in each.slots
            )
        self._send(BUILD, _words(*words))

    def phase(self, start: bool = True) -> int:
        self._send(PHASE, _words(start))
        return self._numbers(1)[0]

    def open(
        self,
        stream: int = 0,
        buffer: int = 1 << 20,
        work: int = 1 << 18,
        collect: int = 0,
        form: Format | tuple[int, ...] = Format(),
    ) -> None:
        """Opens a stream. buffer: bytes of the output buffer. collect: a collection happens every `collect` sends."""
        self._send(OPEN, _words(stream, buffer, work, collect, *_bytes(form)))

    def write(self, element: int, stream: int = 0) -> int:
        """Writes the object that the element of the root refers to. Returns the status."""
        self._send(WRITE, _words(stream, element))
        return self._numbers(3)[0]

    def flush(self, stream: int = 0) -> int:
        self._send(FLUSH, _words(stream))
        return self._numbers(3)[0]

    def finish(self, stream: int = 0) -> int:
        self._send(FINISH, _words(stream))
        return self._numbers(3)[0]

    def meanwhile(self, stream: int, other: int, element: int) -> None:
        """Makes `other` write the element when `stream` sends next."""
        self._send(MEANWHILE, _words(stream, other, element))

    def taken(self, stream: int = 0) -> tuple[int, bytes, int]:
        """Returns the status, the bytes sent and the number of buffers given up since the last call. Forgets the
        status."""
        self._send(TAKEN, _words(stream))
        status, size, aborts = self._numbers(3)
        return status, self._get(size), aborts

    def read(self, stream: bytes, piece: int = 1 << 30, collect: int = 0) -> Received:
        self._send(READ, _words(piece, collect, 0, len(stream)) + stream + bytes(-len(stream) % 4))
        return Received(*self._numbers(5))

    def describe(self) -> Object:
        """Returns the held object: the root that was built, or an array of the roots that were read."""
        self._send(DESCRIBE, b"")
        words = struct.unpack(f"<{(count := self._numbers(1)[0])}I", self._get(4 * count))
        found, pending, at = [], [], 1
        for _ in range(words[0]):
            cls, identity, length = self.classes[words[at]], words[at + 1], words[at + 2]
            slots = cls.slots(length)
            each = Object(cls, identity, length, list(words[at + 3 : at + 3 + slots]))
            pending += ((each, i) for i in range(slots) if cls.is_reference(i, length))
            found.append(each)
            at += 3 + slots
        for each, i in pending:
            each.slots[i] = found[each.slots[i] - 1] if each.slots[i] else None
        return found[0]

    def free(self, buffer: int) -> None:
        self._send(FREE, _words(buffer))

    def collect(self, full: bool = True, drop: bool = False) -> None:
        """Runs a collection. drop: no longer holds the held object."""
        self._send(COLLECT, _words(full, drop))

    def used(self) -> int:
        self._send(USED, b"")
        return self._numbers(1)[0]

    def heap(
        self,
        stress: bool = False,
        size: int = 8 << 20,
        large: int = 3 << 20,
        eden: int = 512 << 10,
        region: int = 16384,
    ) -> None:
        self._send(HEAP, _words(stress, size, large, eden, region))

    def limits(self, chunk: int, work: int = 1 << 16) -> None:
        """Sets sizes in bytes. chunk: a regular chunk, 0 for a region. work: the work area of an input stream."""
        self._send(LIMITS, _words(chunk, work))

    def link(self, port: int, sender: int, patience: int) -> bool:
        """Connects to a peer, or connects again. patience: milliseconds to wait for an answer."""
        self._send(LINK, _words(port, sender, patience))
        return bool(self._numbers(1)[0])

    def open_linked(self, stream: int = 0, buffer: int = 4096, work: int = 1 << 16) -> None:
        """Opens a stream to the peer. In its results `taken` then has the reason of a failure in the place of the
        buffers given up."""
        self._send(LINKED, _words(stream, buffer, work))

    def serve(self, idle: int = 5, wanted: int = 0) -> tuple[bool, int, int]:
        """Answers the peer until nothing has come for `idle` waits, or, if `wanted` is not 0, until that many buffers
        have arrived.

        Returns whether the line is whole, how many buffers arrived, and the number of the last one. The buffers are
        held as an array of roots."""
        self._send(SERVE, _words(idle, wanted))
        whole, arrivals, buffer = self._numbers(3)
        return bool(whole), arrivals, buffer

    def free_all(self) -> None:
        """Drops all that arrived, and runs a full collection."""
        self._send(SERVE, _words(0, 0))
        self.free(self._numbers(3)[2])
        self.collect(drop=True)
