"""Scripts for the programs over tests/common/script/script.h, on this host and on the SoC: classes, graphs and streams
go in, and statuses, streams and graphs come out."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path
from typing import Callable

from heapwire import interface as interface_module
from heapwire.cereal import Class, Object, objects

NAME_BYTES = 16


def packed(*words: int) -> bytes:
    return struct.pack(f"<{len(words)}I", *words)


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


class Script:
    """Steps, and how their answers are read. Methods that say that they answer something add an answer to those that
    `told` returns."""

    def __init__(self) -> None:
        self.classes: list[Class] = []
        self.places: dict[Class, int] = {}
        self.input = bytearray()
        self.answers: list[Callable] = []
        self.output, self.at = b"", 0

    def _do(self, operation: str, *numbers: int, data: bytes = b"", answer: Callable | None = None):
        words = packed(*numbers) + padded(data)
        self._step(operation.encode().ljust(NAME_BYTES, b"\0") + packed(len(words) // 4) + words, answer)

    def _step(self, step: bytes, answer: Callable | None):
        self.input += step
        if answer:
            self.answers.append(answer)

    def told(self, output: bytes) -> list:
        """Returns the answers in a program's output, without those that are None."""
        self.output, self.at = output, 0
        found = [answer() for answer in self.answers]
        assert self.at == len(output)
        return [answer for answer in found if answer is not None]

    # What all programs do

    def heap(
        self,
        size: int,
        eden: int,
        large: int,
        region: int = 16384,
        base: int = 0,
        array: bool = False,
        stress: bool = False,
        verify: bool = False,
    ) -> None:
        """Makes the heap, from `base` on in the memory for heaps. array: units' objects are adopted by arrays."""
        self._do("heap", base, size, eden, large, region, array, stress, verify)

    def define(self, cls: Class, load: bool = True):
        """Answers the class's id, or a negative number. load: False makes the class without registering it."""
        bits, count, name = (
            sum(flag << i for i, flag in enumerate(cls.references)),
            len(cls.references),
            cls.name.encode(),
        )
        described = bits.to_bytes((count + 31) // 32 * 4, "little") + packed(len(name)) + name
        self.places[cls] = len(self.classes)
        self.classes.append(cls)
        return self._do("define", load, cls.kind.code, cls.shift, count, data=described, answer=self._number)

    def build(self, root: Object, place: int = 0) -> None:
        graph = objects(root)
        index = {id(each): i for i, each in enumerate(graph, 1)}
        words = [len(graph)]
        for each in graph:
            words += (self.places[each.cls], each.hash, each.length)
            words += (
                0 if slot is None else index[id(slot)] if isinstance(slot, Object) else slot for slot in each.slots
            )
        self._do("build", place, data=packed(*words))

    def describe(self, place: int = 0):
        """Answers the graph, an Object."""
        return self._do("describe", place, answer=self._graph)

    def collect(self, full: bool = True, drop: bool = False) -> None:
        """drop: nothing is held any longer."""
        self._do("collect", full, drop)

    def stress(self, on: bool) -> None:
        """Makes each allocation collect from here on, or stops that."""
        self._do("stress", on)

    def used(self):
        """Answers the bytes of the heap in use."""
        return self._do("used", answer=self._number)

    def identity_hash(self, place: int = 0):
        """Answers the identity hash of the root. A root without one gets one."""
        return self._do("hash", place, answer=self._number)

    # Answers

    def _take(self, count: int) -> bytes:
        self.at += count
        return self.output[self.at - count : self.at]

    def _numbers(self, count: int) -> tuple[int, ...]:
        return struct.unpack(f"<{count}i", self._take(4 * count))

    def _number(self) -> int:
        return self._numbers(1)[0]

    def _bytes(self, count: int) -> bytes:
        return self._take(-(-count // 4) * 4)[:count]

    def _graph(self) -> Object:
        count = self._number()
        words = struct.unpack(f"<{count}I", self._take(4 * count))
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


class HostScript(Script):
    """A script for a program of this host."""

    def __init__(self, program: Path) -> None:
        super().__init__()
        self.program = program

    def run(self) -> list:
        done = subprocess.run([str(self.program)], input=bytes(self.input), capture_output=True)
        assert done.returncode == 0, (done.stdout[-400:], done.stderr.decode(errors="replace")[-4000:])
        return self.told(done.stdout)


class LiveScript(Script):
    """A process that executes each step at once. Methods return what they answer."""

    def __init__(self, command: list[str], pass_fds=()) -> None:
        super().__init__()
        pipes = {name: subprocess.PIPE for name in ("stdin", "stdout", "stderr")}
        self.process = subprocess.Popen(command, pass_fds=pass_fds, **pipes)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_) -> None:
        if kind:
            self.process.kill()
        output, errors = self.process.communicate(timeout=600)
        if not kind:
            assert self.process.returncode == 0, (output[-400:], errors.decode(errors="replace")[-4000:])

    def _do(self, operation: str, *numbers: int, data: bytes = b"", answer: Callable | None = None):
        try:
            super()._do(operation, *numbers, data=data)
            self.process.stdin.flush()
        except BrokenPipeError:
            self._died()
        return answer() if answer else None

    def _step(self, step: bytes, answer: Callable | None) -> None:
        self.process.stdin.write(step)

    def _take(self, count: int) -> bytes:
        data = self.process.stdout.read(count)
        if len(data) < count:
            self._died()
        return data

    def _died(self) -> None:
        output, errors = self.process.communicate()
        raise AssertionError((self.process.returncode, output[-400:], errors.decode(errors="replace")[-4000:]))


def soc_areas(script: Script, interface: interface_module.Interface, most: int):
    """Returns what to load for a script on the SoC, and what to dump for answers of at most that many bytes."""
    base, size = interface.cluster["memoryBase"], interface.cluster["memoryBytes"]
    return (base + size // 8, bytes(script.input) + bytes(NAME_BYTES)), (base + size // 2, most)


def soc_answers(script: Script, memory: bytes) -> list:
    """Returns the answers in what was dumped."""
    (end,) = struct.unpack_from("<I", memory)
    assert 8 + end <= len(memory), "more answers than were asked for"
    return script.told(memory[8 : 8 + end])
