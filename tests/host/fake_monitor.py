"""A monitor in Python: the protocol of docs/reference/monitor_protocol.md over the model.

It shows that the client and the demo work with an independent implementation. It damages frames on purpose."""

from __future__ import annotations

import random
import struct
import zlib

from heapwire.client.frame import Packet, Receiver, encode
from heapwire.heap import Region, model_runtime
from heapwire.model import Deserializer
from heapwire.records import monitor
from heapwire.records.monitor import Operation, Status
from heapwire.records.packet import PACKET_BODY_MAX, PACKET_RESPONSE
from heapwire.records.workload import Engine
from heapwire.schema import CompiledSchema, SchemaError, check_blob

BASE, SIZE = 0x4000_0000, 1 << 22
KLASSES, BUFFER, BUFFER_LIMIT = BASE + 0x1000, BASE + 0x10000, BASE + 0x110000
SCHEMA, FIXED, FLEXIBLE = BASE + 0x110000, BASE + 0x200000, BASE + 0x300000


class Refusal(Exception):
    """A status other than OK."""


class FakeMonitor:
    """A transport with a monitor at its far end.

    units: number of protobuf engines that it reports. Without one, as without a front end, software finishes every
    command. noise: probability that a frame, in either direction, is damaged, lost or truncated."""

    def __init__(self, interface, compiled: CompiledSchema, noise: float = 0.0, seed: int = 1, units: int = 1) -> None:
        self.units, self.clock_hz = units, 60_000_000
        self.interface, self.compiled = interface, compiled
        self.noise, self.dice = noise, random.Random(seed)
        self.memory = bytearray(SIZE)
        self.receiver, self.output = Receiver(), bytearray()
        self.last: tuple[tuple[int, int], bytes] | None = None
        self.executed: list[Operation] = []
        self.runtime, self.schema_size = None, 0
        self.exit_code: int | None = None

    # Transport

    rate = None

    def write(self, data: bytes) -> None:
        damaged = self.receiver.damaged
        for packet in self.receiver.feed(self._line(data)):
            self._packet(packet)
        for _ in range(self.receiver.damaged - damaged):
            self._send(encode(Packet(0, monitor.MONITOR_NAK, Status.BAD_FRAME)))

    def read(self, timeout: float) -> bytes:
        data, self.output = bytes(self.output), bytearray()
        return data

    def close(self) -> None:
        pass

    def _line(self, data: bytes) -> bytes:
        if self.dice.random() >= self.noise:
            return data
        data = bytearray(data)
        kind = self.dice.randrange(4)
        at = self.dice.randrange(len(data))
        if kind == 0:
            data[at] ^= 1 << self.dice.randrange(8)
        elif kind == 1:
            del data[at : at + self.dice.randrange(1, 20)]
        elif kind == 2:
            data[at:at] = self.dice.randbytes(3)
        else:
            data.clear()
        return bytes(data)

    def _send(self, frame: bytes) -> None:
        self.output += self._line(frame)

    def restart(self) -> None:
        """Forgets everything, like a board after a reset."""
        self.memory[:] = bytes(SIZE)
        self.receiver, self.output = Receiver(), bytearray()
        self.last, self.runtime, self.schema_size = None, None, 0

    # Requests

    def _packet(self, packet: Packet) -> None:
        identity = packet.sequence, zlib.crc32(encode(packet))
        if self.last and self.last[0] == identity and packet.operation != Operation.HELLO:
            self._send(self.last[1])
            return
        status, body = Status.OK, b""
        try:
            body = self._execute(Operation(packet.operation), packet.body)
        except Refusal as refusal:
            status = refusal.args[0]
        except ValueError:
            status = Status.UNKNOWN_OPERATION
        text = 1 if status is Status.BAD_SCHEMA else 0
        frame = encode(Packet(packet.sequence, packet.operation | PACKET_RESPONSE, status, text, body))
        self.last = identity, frame
        self._send(frame)

    def _range(self, address: int, length: int, base: int = BASE, limit: int = BASE + SIZE) -> slice:
        if not base <= address <= address + length <= limit:
            raise Refusal(Status.BAD_ADDRESS)
        return slice(address - BASE, address - BASE + length)

    def _asked(self, body: bytes) -> slice:
        asked = monitor.Range.unpack(body)
        return self._range(asked.address, asked.length)

    def _execute(self, operation: Operation, body: bytes) -> bytes:
        self.executed.append(operation)
        return getattr(self, f"_{operation.name.lower()}")(body)

    def _hello(self, body: bytes) -> bytes:
        information, cluster = self.interface.information, self.interface.cluster
        capability, sizes = 0, 0
        if self.units:  # otherwise there is no front end that could report any
            capability, sizes = self.interface.version, (cluster["dataWidth"] // 8).bit_length() - 1 << 16
            for unit, count in (cluster["units"] | {"protobuf_engine": self.units}).items():
                capability |= (
                    count
                    << information["capability_units_bit"]
                    + information["capability_units_width"] * self.interface.units[unit]
                )
        return monitor.Hello(
            protocol=monitor.MONITOR_PROTOCOL,
            max_body=PACKET_BODY_MAX,
            interface=self.interface.version,
            capability=capability,
            sizes=sizes,
            engines=7 if self.units else 6,
            nanopb_schema=self.compiled.schema_id,
            clock_hz=self.clock_hz,
            simulated=1,
        ).pack()

    def _layout(self, body: bytes) -> bytes:
        registers = self.runtime.registers if self.runtime else []
        return monitor.MemoryLayout(
            registers=(*registers, *[0] * (32 - len(registers))),
            memory_base=BASE,
            memory_limit=BASE + SIZE,
            buffer_base=BUFFER,
            buffer_limit=BUFFER_LIMIT,
            fixed_base=FIXED,
            fixed_limit=FLEXIBLE,
            flexible_base=FLEXIBLE,
            flexible_limit=BASE + SIZE,
            schema=SCHEMA if self.runtime else 0,
            schema_size=self.schema_size,
        ).pack()

    def _write(self, body: bytes) -> bytes:
        address = struct.unpack_from("<I", body)[0]
        self.memory[self._range(address, len(body) - 4, BUFFER, BUFFER_LIMIT)] = body[4:]
        return b""

    def _read(self, body: bytes) -> bytes:
        return bytes(self.memory[self._asked(body)])

    def _checksum(self, body: bytes) -> bytes:
        return struct.pack("<I", zlib.crc32(self.memory[self._asked(body)]))

    def _load_schema(self, body: bytes) -> bytes:
        blob = bytes(self.memory[self._asked(body)])
        try:
            names = check_blob(blob)
        except SchemaError as error:
            raise Refusal(Status.BAD_SCHEMA) from error
        self.runtime, self.schema_size = model_runtime(self.interface, self.compiled, SCHEMA, KLASSES), len(blob)
        self.memory[self._range(SCHEMA, len(blob), SCHEMA, FIXED)] = blob
        return monitor.LoadedSchema(SCHEMA, self.compiled.schema_id, len(names)).pack()

    def _run(self, body: bytes) -> bytes:
        asked = monitor.RunRequest.unpack(body)
        engine, length = asked.engine, asked.length
        if self.runtime is None:
            raise Refusal(Status.NO_SCHEMA)
        data = bytes(self.memory[self._range(asked.input, length)])
        if engine == Engine.NANOPB or asked.flags:
            # These engines encode messages as the host does, so that the output equals the input.
            cycles = (1, 100, 1000)[engine] * length
            self.memory[FIXED - BASE : FIXED - BASE + length] = data
            return self._ran(0, FIXED, FIXED + length, FLEXIBLE, 0, cycles)
        fixed, flexible = Region("fixed", FIXED, bytearray(1 << 20)), Region("flexible", FLEXIBLE, bytearray(1 << 20))
        outcome = Deserializer(self.runtime, fixed, flexible, asked.max_depth).run(data, asked.type)
        self.memory[FIXED - BASE :] = fixed.data + flexible.data
        cycles = 100 * len(data) if engine else len(data)
        status, fallbacks = self.interface.status[outcome.status], 0 if self.units or engine else asked.iterations
        return self._ran(
            status, outcome.root, outcome.fixed_top, outcome.flexible_top, outcome.offset, cycles, fallbacks
        )

    @staticmethod
    def _ran(
        status: int, root: int, fixed_top: int, flexible_top: int, offset: int, cycles: int, fallbacks: int = 0
    ) -> bytes:
        counted = (cycles, cycles, cycles, 0, fallbacks, 0, 0)
        return monitor.RunAnswer(status, root, fixed_top, flexible_top, offset, *counted, FIXED, FLEXIBLE, 0).pack()

    def _baud(self, body: bytes) -> bytes:
        raise Refusal(Status.NOT_SUPPORTED)

    def _counters(self, body: bytes) -> bytes:
        return struct.pack("<13I", 5, 1, 6, 0, 1, *range(8))

    def _reset(self, body: bytes) -> bytes:
        return b""

    def _exit(self, body: bytes) -> bytes:
        self.exit_code = struct.unpack("<I", body)[0]
        return b""

    def _text(self, body: bytes) -> bytes:
        return f"text {struct.unpack('<I', body)[0]}".encode()
