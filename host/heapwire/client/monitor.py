"""The monitor's client: one method for each request of docs/reference/monitor_protocol.md."""

from __future__ import annotations

import random
import struct
import time
import zlib
from dataclasses import dataclass
from typing import Callable, TypeVar

from base.errors import HeapwireError
from heapwire.client.frame import Packet, Receiver, encode
from heapwire.client.ports import LinkError, VersionMismatch, stranger
from heapwire.client.transport import Transport
from heapwire.records import Record
from heapwire.records import monitor as records
from heapwire.records.monitor import Hello, MemoryLayout, Operation, Range, RunFlag, Status
from heapwire.records.packet import PACKET_RESPONSE
from heapwire.records.workload import Engine
from heapwire.wire import MAX_DEPTH

R = TypeVar("R", bound=Record)
MIN_DATA = 64
"""Data bytes of a frame on the worst line."""


@dataclass(frozen=True)
class Run(records.RunAnswer):
    """Answer to RUN. `text` explains why nanopb refused the message."""

    text: str = ""


class MonitorError(HeapwireError):
    """The monitor refused a request."""

    def __init__(self, operation: Operation, status: int, text: str) -> None:
        name = Status(status).name if status in Status.__members__.values() else str(status)
        super().__init__(f"the monitor refused {operation.name}: {name}{': ' + text if text else ''}")
        self.status = status


class Monitor:
    """A session with the monitor.

    timeout: seconds until a request is repeated for the first time; later waits grow up to `SLOWER` times as long. A
    RUN or CHECKSUM may take `run_timeout` seconds in all. attempts: how often a request is sent before LinkError.
    waiting: called repeatedly with a text while a RUN or CHECKSUM stays unanswered. requests, repeats: numbers of
    frames that were sent for the first time, and again, except while the operation itself may take long. heard_at: time
    of the last valid answer (time.monotonic; 0: never)."""

    SLOWER = 8
    #: Seconds without an answer until `waiting` is called for the first time. Each later period is twice as long.
    LONG = 5.0
    #: The line is given up after `DAMAGED` times `attempts` damaged frames of one operation.
    DAMAGED = 10

    def __init__(
        self, transport: Transport, timeout: float = 5.0, attempts: int = 5, run_timeout: float = 600.0
    ) -> None:
        self.transport = transport
        self.timeout, self.attempts, self.run_timeout = timeout, attempts, run_timeout
        self.receiver = Receiver()
        # A random start: an answer to an earlier program that is still in transit must not pass for an answer to this
        # one.
        self.sequence = random.randrange(255)
        self.requests = self.repeats = 0
        self.chunk = records.MONITOR_MAX_DATA
        self.heard_at = 0.0
        self.waiting: Callable[[str], None] = lambda text: None

    # Requests and answers

    def request(
        self,
        operation: Operation,
        body: bytes = b"",
        timeout: float | None = None,
        patience: float = 0,
        attempts: int | None = None,
    ) -> Packet:
        """Sends a request until its answer comes.

        timeout, attempts: replace those of the session. patience: seconds that the operation itself may take. The
        monitor answers or refuses repeats sent during that time once the operation is done. Raises MonitorError for an
        answer other than OK, LinkError for no answer, Disconnected if the line is gone."""
        self.sequence = self.sequence % 255 + 1
        self.requests += 1
        frame = encode(Packet(self.sequence, operation, body=body))
        wait = longest = timeout or self.timeout
        longest *= self.SLOWER
        begun, told = time.monotonic(), self.LONG
        deadline, attempts = begun + patience, attempts or self.attempts
        silent = damaged = 0
        while (silent < attempts or time.monotonic() < deadline) and damaged < attempts * self.DAMAGED:
            self.repeats += damaged > 0 or silent > 0 and not patience
            self.transport.write(frame)
            started = time.monotonic()
            answer = self._answer(operation, wait)
            if answer is not None:
                self.heard_at = time.monotonic()
                if answer.status != Status.OK:
                    raise MonitorError(operation, answer.status, self._text(answer.text, operation))
                return answer
            if time.monotonic() - started < wait:
                damaged += 1
            else:
                silent, wait = silent + 1, min(2 * wait, longest)
            if patience and time.monotonic() - begun >= told:
                self.waiting(
                    f"no answer to {operation.name} for {time.monotonic() - begun:.0f} s; it may take {patience:,.0f} s"
                )
                told *= 2
        heard = self.receiver.heard()
        raise LinkError(
            f"no answer to {operation.name} in {silent + damaged} attempts: "
            + (stranger(heard) or "does the monitor run there?")
            + (f" It said: {heard}" if heard else "")
        )

    def resynchronise(self, quiet: float = 0.02) -> None:
        """Drops incoming bytes until none has come for `quiet` seconds, but for at most a second."""
        deadline = time.monotonic() + 1
        while (data := self.transport.read(quiet)) and time.monotonic() < deadline:
            self.receiver.feed(data)
        self.receiver.restart()

    def _answer(self, operation: Operation, timeout: float) -> Packet | None:
        """Returns the answer to the current request. Returns None at the timeout, or earlier after a frame was damaged
        in either direction."""
        deadline = time.monotonic() + timeout
        while (left := deadline - time.monotonic()) > 0:
            answer, damaged = None, self.receiver.damaged
            refused = False
            for packet in self.receiver.feed(self.transport.read(left)):
                if packet.operation == records.MONITOR_NAK:
                    refused = True
                elif packet.sequence == self.sequence and packet.operation == operation | PACKET_RESPONSE:
                    answer = packet
            if answer is not None or refused or self.receiver.damaged > damaged:
                return answer
        return None

    def _text(self, number: int, operation: Operation) -> str:
        return self.text(number) if number and operation is not Operation.TEXT else ""

    def _sized_as(self, operation: Operation, answer: Packet, size: int) -> bytes:
        if len(answer.body) < size:
            raise VersionMismatch(
                f"the answer to {operation.name} has {len(answer.body)} bytes, not {size}: "
                "host and firmware are of different versions"
            )
        return answer.body

    def _words(self, operation: Operation, answer: Packet, count: int, at: int = 0) -> tuple[int, ...]:
        return struct.unpack_from(f"<{count}I", self._sized_as(operation, answer, at + 4 * count), at)

    def _record(self, operation: Operation, answer: Packet, record: type[R]) -> R:
        return record.unpack(self._sized_as(operation, answer, record.SIZE))

    # Operations

    def hello(self, timeout: float | None = None, attempts: int | None = None) -> Hello:
        """Returns the machine's answer to HELLO. Raises VersionMismatch if it speaks another protocol."""
        answer = self.request(Operation.HELLO, struct.pack("<I", records.MONITOR_PROTOCOL), timeout, attempts=attempts)
        hello = self._record(Operation.HELLO, answer, Hello)
        if hello.protocol != records.MONITOR_PROTOCOL:
            raise VersionMismatch(
                f"the monitor speaks protocol {hello.protocol}, this host {records.MONITOR_PROTOCOL}: "
                "host and firmware are of different versions"
            )
        return hello

    def layout(self) -> MemoryLayout:
        """Returns the addresses of the parts of the machine's memory."""
        return self._record(Operation.LAYOUT, self.request(Operation.LAYOUT), MemoryLayout)

    def _sized(self, operation: Operation, body: bytes) -> Packet:
        """Sends a request with data. After a repeat the next frames are shorter; each success makes them longer."""
        before = self.repeats
        try:
            return self.request(operation, body)
        finally:
            self.chunk = (
                max(self.chunk // 2, MIN_DATA)
                if self.repeats > before
                else min(self.chunk * 5 // 4, records.MONITOR_MAX_DATA)
            )

    def write(
        self, address: int, data: bytes, progress: Callable[[int], None] | None = None, begun: bool = False
    ) -> None:
        """Writes to the buffer, in as many frames as needed, and verifies the whole.

        progress: called with the size of each chunk once it is written. begun: an earlier call may have written a part
        before the line broke, so that only missing chunks are sent."""
        at = 0
        while at < len(data):
            chunk = data[at : at + self.chunk]
            if not (begun and self.checksum(address + at, len(chunk)) == zlib.crc32(chunk)):
                self._sized(Operation.WRITE, struct.pack("<I", address + at) + chunk)
            at += len(chunk)
            if progress:
                progress(len(chunk))
        if data and self.checksum(address, len(data)) != zlib.crc32(data):
            raise LinkError(f"what was written to {address:#x} does not read back the same")

    def read(self, address: int, length: int, progress: Callable[[int], None] | None = None) -> bytes:
        """Reads main memory, in as many frames as needed."""
        data = bytearray()
        while len(data) < length:
            size = min(self.chunk, length - len(data))
            chunk = self._sized(Operation.READ, Range(address + len(data), size).pack()).body
            if len(chunk) != size:
                raise LinkError(f"READ gave {len(chunk)} bytes, not {size}")
            data += chunk
            if progress:
                progress(size)
        return bytes(data)

    def checksum(self, address: int, length: int) -> int:
        """Returns the CRC-32 (zlib's) of main memory, computed by the machine."""
        answer = self.request(Operation.CHECKSUM, Range(address, length).pack(), patience=self.run_timeout)
        return self._words(Operation.CHECKSUM, answer, 1)[0]

    def load_schema(self, address: int, length: int) -> records.LoadedSchema:
        """Makes the schema blob in the buffer the current one."""
        answer = self.request(Operation.LOAD_SCHEMA, Range(address, length).pack())
        return self._record(Operation.LOAD_SCHEMA, answer, records.LoadedSchema)

    def run(
        self,
        engine: Engine,
        type_index: int,
        address: int,
        length: int,
        *,
        max_depth: int = MAX_DEPTH,
        warm: int = 1,
        iterations: int = 1,
        flags: RunFlag = RunFlag(0),
    ) -> Run:
        """Deserializes the message at `address`, or serializes the object built from it, `warm` + `iterations` times.

        A malformed message raises nothing: see `Run.result`."""
        asked = records.RunRequest(engine, type_index, address, length, max_depth, warm, iterations, flags)
        answer = self.request(Operation.RUN, asked.pack(), patience=self.run_timeout)
        run = self._record(Operation.RUN, answer, records.RunAnswer)
        return Run(**vars(run), text=self._text(answer.text, Operation.RUN))

    def counters(self) -> dict[str, int | tuple[int, ...]]:
        """Returns `mcycle`, `minstret` and, for each kind of unit by its index, a tuple of counters."""
        answer = self.request(Operation.COUNTERS)
        head = self._record(Operation.COUNTERS, answer, records.Counters)
        each = records.COUNTERS_OF_KIND
        words = self._words(Operation.COUNTERS, answer, each * head.kinds, records.Counters.SIZE)
        return {
            "mcycle": head.cycles_high << 32 | head.cycles_low,
            "minstret": head.instret_high << 32 | head.instret_low,
            **{str(kind): words[each * kind : each * (kind + 1)] for kind in range(head.kinds)},
        }

    def reset(self) -> None:
        """Empties the arenas."""
        self.request(Operation.RESET)

    def exit(self, code: int) -> None:
        """Ends the simulation with an exit code, 0 .. 255."""
        self.request(Operation.EXIT, struct.pack("<I", code))

    def baud(self, rate: int = 0, timeout: float | None = None, attempts: int | None = None) -> int:
        """Asks the monitor to change to `rate`, in bits a second, after its answer. A HELLO at the new rate must follow
        within a second. Returns the rate. A rate of 0 asks for the current one.

        Raises MonitorError if the line has no rate, or does not support this one."""
        return self._words(
            Operation.BAUD, self.request(Operation.BAUD, struct.pack("<I", rate), timeout, attempts=attempts), 1
        )[0]

    def text(self, number: int) -> str:
        """Returns the monitor's message with that number."""
        return self.request(Operation.TEXT, struct.pack("<I", number)).body.decode(errors="replace")
