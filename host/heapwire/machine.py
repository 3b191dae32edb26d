"""A machine behind a monitor with a schema loaded. It receives messages, and its objects and encodings are compared
with the official library's."""

from __future__ import annotations

import zlib
from typing import Callable

from google.protobuf.message import DecodeError, Message

from base.errors import HeapwireError
from heapwire.client import Engine, Monitor, RunFlag
from heapwire.client.monitor import Run
from heapwire.compare import first_difference
from heapwire.framing import hint
from heapwire.graph import GraphError, GraphReader
from heapwire.heap import Region, Runtime
from heapwire.interface import Interface
from heapwire.records import Numbers
from heapwire.records.monitor import Hello, MemoryLayout
from heapwire.schema import CompiledSchema, Schema
from heapwire.wire import MAX_DEPTH
from heapwire.workload.case import Case
from heapwire.workload.group import Group

ENCODING_ROOM = 4, 1 << 10
"""Bound on the bytes of an encoding: this many times the bytes of the message, plus this many more. Unpacked elements
have keys of up to three bytes."""
OBJECT_ROOM = 64, 1 << 16
"""Bound on the bytes of an arena beside the message objects (strings, arrays, and the old arrays of grown lists): this
many for each byte of the message, plus this many more."""
UART_CYCLES = 60
"""Approximate cycles that the simulated SoC takes to send a byte. Nearly all bytes go that way."""
SIMULATED_HZ = 400_000
"""Approximate cycles that the simulated SoC runs in a second."""


def nothing(_: object) -> None:
    """Ignores its argument."""


def simulated_time(cycles: int) -> str:
    """Returns the cycles and about how long the simulated SoC takes for them, as text."""
    seconds = round(cycles / SIMULATED_HZ)
    return f"{cycles:,} cycles, {f'{seconds:,} s' if seconds else 'under a second'}"


def parsed(schema: Schema, case: Case) -> Message:
    """Returns a case as the official library parses it. Raises HeapwireError if the library refuses it."""
    kind = schema.message_class(case.type_name)
    try:
        return kind.FromString(case.data)
    except DecodeError as error:
        raise HeapwireError(
            f"{case.name}: the official library refuses it as {kind.DESCRIPTOR.full_name}: {error}. What to do: "
            f"`heapwire decode` says at which byte; {hint(case.data, kind)}"
        ) from error


def same_interface(hello: Hello, interface: Interface) -> None:
    """Raises HeapwireError unless the machine speaks this host's version of the interface."""
    if hello.interface != interface.version:
        raise HeapwireError(f"the machine's interface is version {hello.interface}, this host's {interface.version}")


class Machine:
    """A monitor with a group's schema loaded.

    progress: called with numbers of bytes that went over the UART. say: called with a text before each step that takes
    long."""

    def __init__(
        self,
        monitor: Monitor,
        group: Group,
        interface: Interface,
        progress: Callable[[int], None] = nothing,
        say: Callable[[str], None] = nothing,
    ) -> None:
        self.monitor, self.group, self.interface, self.progress, self.say = monitor, group, interface, progress, say
        say("waiting for the monitor to answer")
        self.hello: Hello = monitor.hello()
        same_interface(self.hello, interface)
        self.compiled: CompiledSchema = group.compile(interface)
        self.begun: tuple[int, bytes] | None = None  # a transfer that a broken line interrupted

    def load(self) -> None:
        """Sends the schema and makes it the current one."""
        base = self.monitor.layout().buffer_base
        self._write("sending the schema", base, self.compiled.blob)
        self.say("waiting for the firmware to load the schema")
        self.monitor.load_schema(base, len(self.compiled.blob))
        self.layout: MemoryLayout = self.monitor.layout()
        self.runtime = Runtime(self.interface, self.compiled, list(self.layout.registers), self.layout.schema)

    def available(self, engine: Engine) -> bool:
        """Returns whether the firmware has the engine and, for nanopb, the code for this very schema."""
        return bool(self.hello.engines >> engine & 1) and (
            engine is not Engine.NANOPB or self.hello.nanopb_schema == self.compiled.schema_id
        )

    def _transfer(self, what: str, size: int) -> None:
        about = f", about {simulated_time(size * UART_CYCLES)}" if self.hello.simulated else ""
        self.say(f"{what}: {size:,} bytes over the UART{about}")

    def _write(self, what: str, address: int, data: bytes) -> None:
        self._transfer(what, len(data))
        begun, self.begun = self.begun == (address, data), (address, data)
        self.monitor.write(address, data, self.progress, begun)
        self.begun = None

    def place(self, data: bytes) -> int:
        """Writes a message to the machine's buffer. Returns its address there."""
        if len(data) > self.layout.buffer_limit - self.layout.buffer_base:
            raise HeapwireError(f"{len(data)} bytes do not fit the machine's buffer")
        self._write("sending the message", self.layout.buffer_base, data)
        return self.layout.buffer_base

    def expected(self, case: Case) -> tuple[int, Message]:
        """Returns the index of a case's type, and the message as the official library parses it.

        Raises HeapwireError if the library refuses it."""
        message = parsed(self.group.schema, case)
        return self.compiled.index(type(message).DESCRIPTOR.full_name), message

    def run(
        self,
        engine: Numbers,
        kind: int,
        address: int,
        length: int,
        warm: int,
        iterations: int,
        flags: RunFlag = RunFlag(0),
    ) -> Run:
        """Runs the message at an address `warm` times uncounted and `iterations` times counted."""
        what = "writing" if flags & RunFlag.SERIALIZE else "reading"
        self.say(f"waiting for {engine.name}, {what}: {warm} warm and {iterations} counted runs")
        return self.monitor.run(
            engine, kind, address, length, max_depth=MAX_DEPTH, warm=warm, iterations=iterations, flags=flags
        )

    def _object_room(self, message: Message) -> int:
        """Returns an upper bound on the bytes of an arena that a message's objects take. Each object needs at least two
        bytes of the message."""
        size = type(message).ByteSize(message)
        a_byte, more = OBJECT_ROOM
        return (size // 2 + 1) * max(record.layout.size for record in self.compiled.types) + a_byte * size + more

    def check_objects(self, run: Run, kind: int, expected: Message) -> tuple[str | None, int]:
        """Checks the objects that a run left. Returns the problem or None, and the bytes of the objects."""
        if run.result:
            return self.refusal(run), 0
        regions = []
        for name, base, top, limit in (
            ("fixed", run.fixed_start, run.fixed_top, self.layout.fixed_limit),
            ("flexible", run.flexible_start, run.flexible_top, self.layout.flexible_limit),
        ):
            if not base <= top <= limit:
                return f"the top of the {name} arena, {top:#x}, is outside {base:#x} .. {limit:#x}", 0
            if top - base > self._object_room(expected):
                return (
                    f"it took {top - base:,} bytes of the {name} arena, where at most {self._object_room(expected):,} "
                    "make sense",
                    0,
                )
            self._transfer(f"reading the {name} arena back", top - base)
            regions.append(Region(name, base, self.monitor.read(base, top - base, self.progress)))
        reader = GraphReader(self.runtime, *regions)
        try:
            return first_difference(reader.read(run.root, kind), expected), reader.object_bytes
        except GraphError as error:
            return str(error), 0

    def check_encoding(self, run: Run, expected: Message, engine: Numbers) -> str | None:
        """Checks the bytes that a run left. Returns the problem or None. nanopb drops unknown fields; the other engines
        keep them. Bytes that are the library's own, by their CRC-32, need not come over the UART."""
        if run.result:
            return self.refusal(run)
        if not self.layout.memory_base <= run.root <= run.fixed_top <= self.layout.memory_limit:
            return f"the encoded message, {run.root:#x} .. {run.fixed_top:#x}, is not in memory"
        times, more = ENCODING_ROOM
        kind = type(expected)  # whose methods no field hides, whatever it is called
        most = times * kind.ByteSize(expected) + more
        if run.fixed_top - run.root > most:
            return f"it encoded {run.fixed_top - run.root:,} bytes, where at most {most:,} make sense"
        known = kind()
        kind.CopyFrom(known, expected)
        if engine is Engine.NANOPB:
            kind.DiscardUnknownFields(known)
        right = kind.SerializePartialToString(known, deterministic=True)
        if run.fixed_top - run.root == len(right) and self.monitor.checksum(run.root, len(right)) == zlib.crc32(right):
            return None
        self._transfer(f"reading what {engine.text} encoded", run.fixed_top - run.root)
        data = self.monitor.read(run.root, run.fixed_top - run.root, self.progress)
        try:
            decoded = kind.FromString(data)
        except DecodeError as error:
            return f"what it encoded does not parse: {error}"
        if kind.SerializePartialToString(decoded, deterministic=True) != right:
            return "its structs hold another message" if engine is Engine.NANOPB else "it encoded another message"
        return None

    def refusal(self, run: Run) -> str:
        """Says how a failed run ended."""
        return run.text or f"{self.interface.status_name(run.result)} at offset {run.offset}"
