"""Object streams from and to a program on a board, over the monitor's line (docs/reference/monitor_protocol.md, "Object
streams").

    line = ObjectLine(connect("/dev/ttyUSB0"))
    line.give(cereal.write(root, classes))
    copy = cereal.read(line.take(), classes).root
"""

from __future__ import annotations

import struct
import time
import zlib

from heapwire.client.frame import Packet
from heapwire.client.monitor import Monitor, MonitorError
from heapwire.client.ports import LinkError
from heapwire.client.transport import Transport
from heapwire.records.monitor import MONITOR_PROTOCOL, Operation, Status, StreamAsk, StreamIn, StreamOut, StreamTaken
from heapwire.records.packet import PACKET_BODY_MAX

MOST = PACKET_BODY_MAX - StreamIn.SIZE
"""Bytes of a stream in one frame."""
PAUSE = 0.01
"""Seconds until a program that was not ready is asked again."""


class ObjectLine:
    """A program's line, for exclusive use.

    patience: seconds that the program may be busy, or make the host wait. timeout, attempts: seconds until a request is
    repeated, and how often (`Monitor`)."""

    def __init__(self, transport: Transport, patience: float = 30.0, timeout: float = 1.0, attempts: int = 5) -> None:
        self.link = Monitor(transport, timeout, attempts)
        self.patience = patience
        self.begun = False

    def _ask(self, operation: Operation, body: bytes, deadline: float) -> Packet:
        """Returns the answer once the program is ready. Raises MonitorError for any other refusal, LinkError for no
        answer."""
        if not self.begun:
            self.link.resynchronise()
            self.link.request(Operation.HELLO, struct.pack("<I", MONITOR_PROTOCOL), patience=self.patience)
            self.begun = True
        while True:
            try:
                return self.link.request(operation, body, patience=max(deadline - time.monotonic(), 0))
            except MonitorError as error:
                if error.status != Status.NOT_READY:
                    raise
                if time.monotonic() >= deadline:
                    raise LinkError(
                        f"the program has not been ready for {operation.name} for {self.patience:.0f} s"
                    ) from error
            time.sleep(PAUSE)

    def take(self) -> bytes:
        """Returns the whole stream that the program sends, with its CRC checked.

        Raises LinkError if the stream does not arrive. Also raises LinkError if the stream has arrived but the program
        does not answer the acknowledgement."""
        deadline = time.monotonic() + self.patience
        number, length, crc, data = 0, 1, 0, b""
        while len(data) < length:
            try:
                answer = self._ask(Operation.STREAM_OUT, StreamAsk(number, len(data)).pack(), deadline)
            except MonitorError as error:
                if error.status != Status.BAD_BODY or not number:
                    raise
                number, data = 0, b""  # the program has given that stream up and offers another
                continue
            if len(answer.body) <= StreamOut.SIZE:
                raise LinkError(
                    f"STREAM_OUT gave {len(answer.body)} bytes: host and firmware are of different versions"
                )
            offered = StreamOut.unpack(answer.body)
            number, length, crc = offered.number, offered.length, offered.crc
            data += answer.body[StreamOut.SIZE :]
            deadline = time.monotonic() + self.patience
        if len(data) != length or zlib.crc32(data) != crc:
            raise LinkError(f"a stream of {length} bytes came damaged")
        self._ask(Operation.STREAM_TAKEN, StreamTaken(number, crc).pack(), deadline)
        return data

    def give(self, stream: bytes) -> None:
        """Sends a stream. Returns when the program has all of it.

        Raises MonitorError (TOO_LARGE) if the program has no room for it, LinkError if the program does not take it."""
        if not stream:
            raise ValueError("an empty stream")
        deadline, crc = time.monotonic() + self.patience, zlib.crc32(stream)
        received = furthest = 0
        while received < len(stream):
            piece = stream[received : received + MOST]
            answer = self._ask(Operation.STREAM_IN, StreamIn(len(stream), crc, received).pack() + piece, deadline)
            if len(answer.body) != 4:
                raise LinkError(f"STREAM_IN gave {len(answer.body)} bytes: host and firmware are of different versions")
            received = int.from_bytes(answer.body, "little")
            if received > furthest:
                furthest, deadline = received, time.monotonic() + self.patience
            elif time.monotonic() >= deadline:
                raise LinkError(f"the program takes no more than {furthest} of {len(stream)} bytes")

    def close(self) -> None:
        """Closes the port."""
        self.link.transport.close()
