"""Talks to host/script.c: sends classes, graphs and streams, and receives statuses, streams and graphs."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

from heapwire.cereal import Class, Object, objects

CLASS, BUILD, WRITE, READ, DESCRIBE, HOLD, RELEASE, COLLECT, LIMITS, TRY, STRIP = range(1, 12)


def packed(*words: int) -> bytes:
    return struct.pack(f"<{len(words)}I", *words)


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def describe(root: Object, ids: dict[Class, int]) -> bytes:
    """Encodes a graph in the format of host/graph.h. ids: places of the classes in the order in which they were
    sent."""
    graph = objects(root)
    places = {id(each): place for place, each in enumerate(graph, 1)}
    words = [len(graph)]
    for each in graph:
        words += (ids[each.cls], each.hash, each.length)
        words += (0 if slot is None else places[id(slot)] if isinstance(slot, Object) else slot for slot in each.slots)
    return packed(*words)


def described(found_words, classes: list[Class]) -> Object:
    """Returns the root of a graph that the program has described."""
    found, pending, at = [], [], 1
    for _ in range(found_words[0]):
        cls, identity, length = classes[found_words[at]], found_words[at + 1], found_words[at + 2]
        slots = cls.slots(length)
        each = Object(cls, identity, length, list(found_words[at + 3 : at + 3 + slots]))
        pending += ((each, i) for i in range(slots) if cls.is_reference(i, length))
        found.append(each)
        at += 3 + slots
    for each, i in pending:
        each.slots[i] = found[each.slots[i] - 1] if each.slots[i] else None
    return found[0]


class Script:
    """A script. `run` runs it and returns the answers, one for each call that has an answer."""

    def __init__(self, program: Path, *options: str) -> None:
        self.command = [str(program), *options]
        self.classes: list[Class] = []
        self.ids: dict[Class, int] = {}
        self.input = bytearray()
        self.answers: list = []

    def register(self, classes) -> None:
        """Answers each class's id, or -1 if the class was refused."""
        for each in classes:
            bits = sum(flag << i for i, flag in enumerate(each.references))
            count = len(each.references)
            name = each.name.encode()
            self.input += packed(CLASS, each.kind.code, each.shift, count)
            self.input += bits.to_bytes((count + 31) // 32 * 4, "little") + packed(len(name)) + padded(name)
            self.ids[each] = len(self.classes)
            self.classes.append(each)
            self.answers.append(self._number)

    def build(self, root: Object) -> None:
        self.input += packed(BUILD) + describe(root, self.ids)

    def write(self) -> None:
        """Answers a status and the stream."""
        self.input += packed(WRITE)
        self.answers.append(self._stream)

    def read(self, stream: bytes) -> None:
        """Answers a status, and the stream's length or the error's offset."""
        self.input += packed(READ, len(stream)) + padded(stream)
        self.answers.append(self._pair)

    def attempt(self, stream: bytes) -> None:
        """Reads the stream into an image that nobody adopts, and then into the heap. Answer: the results of both."""
        self.input += packed(TRY, len(stream)) + padded(stream)
        self.answers.append(lambda: (self._pair(), self._pair()))

    def describe(self) -> None:
        """Answers the graph, an Object."""
        self.input += packed(DESCRIBE)
        self.answers.append(self._graph)

    def hold(self, step: int) -> None:
        """Lets another serialization claim every `step`th object. Answers how many it claimed."""
        self.input += packed(HOLD, step)
        self.answers.append(self._number)

    def release(self) -> None:
        self.input += packed(RELEASE)

    def collect(self, full: bool) -> None:
        self.input += packed(COLLECT, full)

    def limits(self, work: int, output: int) -> None:
        """Sets the bytes of the work area and of the output."""
        self.input += packed(LIMITS, work, output)

    def strip(self, strip: bool) -> None:
        self.input += packed(STRIP, strip)

    def run(self) -> list:
        done = subprocess.run(self.command, input=bytes(self.input) + packed(0), capture_output=True)
        assert done.returncode == 0, (done.stdout[-400:], done.stderr.decode(errors="replace")[-4000:])
        self.output, self.at = done.stdout, 0
        found = [answer() for answer in self.answers]
        assert self.at == len(self.output)
        return found

    def _number(self) -> int:
        self.at += 4
        return struct.unpack_from("<i", self.output, self.at - 4)[0]

    def _pair(self) -> tuple[int, int]:
        return self._number(), self._number()

    def _stream(self) -> tuple[int, bytes]:
        status, length = self._pair()
        self.at += length
        return status, self.output[self.at - length : self.at]

    def _graph(self) -> Object:
        count = self._number()
        self.at += 4 * count
        return described(struct.unpack_from(f"<{count}I", self.output, self.at - 4 * count), self.classes)
