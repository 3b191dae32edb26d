"""Frames on the wire: packets with a CRC-32, encoded with COBS, between zero bytes.

A packet that does not decode, or that has a wrong CRC-32, is never returned."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from cobs import cobs

from heapwire.records.packet import PACKET_BODY_MAX, PACKET_CRC, Head

DELIMITER = b"\0"


@dataclass(frozen=True)
class Packet:
    """A request or a response."""

    sequence: int
    operation: int
    status: int = 0
    text: int = 0
    body: bytes = b""


def encode(packet: Packet) -> bytes:
    """Returns the frame of a packet, both delimiters included.

    Raises ValueError if the body is longer than PACKET_BODY_MAX."""
    if len(packet.body) > PACKET_BODY_MAX:
        raise ValueError(f"a body of {len(packet.body)} bytes; at most {PACKET_BODY_MAX} fit a frame")
    content = Head(packet.sequence, packet.operation, packet.status, packet.text).pack() + packet.body
    return DELIMITER + cobs.encode(content + zlib.crc32(content).to_bytes(PACKET_CRC, "little")) + DELIMITER


def decode(content: bytes) -> Packet | None:
    """Returns the packet between two delimiters, or None if it is damaged."""
    try:
        packet = cobs.decode(content)
    except cobs.DecodeError:
        return None
    if not Head.SIZE + PACKET_CRC <= len(packet) <= Head.SIZE + PACKET_BODY_MAX + PACKET_CRC:
        return None
    content, crc = packet[:-PACKET_CRC], packet[-PACKET_CRC:]
    if zlib.crc32(content).to_bytes(PACKET_CRC, "little") != crc:
        return None
    return Packet(**vars(Head.unpack(content)), body=content[Head.SIZE :])


class Receiver:
    """Cuts a stream of bytes into packets. Counts and drops damaged ones."""

    #: Bytes between delimiters at most: COBS adds a byte in 254.
    LIMIT = Head.SIZE + PACKET_BODY_MAX + PACKET_CRC + 8
    #: Bytes kept of the input that was no packet.
    NOISE = 400

    def __init__(self) -> None:
        self.pending = bytearray()
        self.damaged = 0
        self.overlong = False
        self.noise = bytearray()

    def restart(self, forget: bool = False) -> None:
        """Drops the frame that has begun, for example after the line broke within it. forget: also drop the kept
        noise."""
        self.noise = bytearray() if forget else (self.noise + self.pending)[-self.NOISE :]
        self.pending.clear()
        self.overlong = False

    def heard(self) -> str:
        """Returns the end of the input that was no packet, as text. A program that dies may have printed the reason
        there."""
        text = bytes(self.noise + self.pending)[-self.NOISE :].decode("ascii", errors="replace")
        return "".join(c if c.isprintable() or c == "\n" else " " for c in text).strip()

    def feed(self, data: bytes) -> list[Packet]:
        """Returns the packets that `data` completes."""
        packets = []
        for byte in data:
            if byte:
                self.overlong |= len(self.pending) >= self.LIMIT
                if not self.overlong:
                    self.pending.append(byte)
                continue
            if self.pending:
                packet = None if self.overlong else decode(bytes(self.pending))
                if packet is None:
                    self.damaged += 1
                    self.noise = (self.noise + self.pending)[-self.NOISE :]
                else:
                    packets.append(packet)
            self.pending.clear()
            self.overlong = False
        return packets
