"""Frames on the line between the harness and the machine's Ethernet PHY: what goes there, and what has come
(docs/reference/sim.md, "Ethernet").

    write(script, [(0, datagram(request, HOST, BOARD)), (1, b"")])     # ends when one frame has come
    result = run(image, arguments=["--eth-frames", script, "--eth-log", log], ethernet=True)
    for frame in read(log): ...
"""

import ipaddress
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

PREAMBLE = b"\x55" * 7 + b"\xd5"
LEAST = 60
"""Bytes of a frame, without preamble and checksum."""
IPV4, UDP, TTL = 0x0800, 17, 64


@dataclass(frozen=True)
class End:
    """An end of datagrams."""

    mac: bytes
    ip: str
    port: int

    @property
    def packed(self):
        return ipaddress.ip_address(self.ip).packed


@dataclass(frozen=True)
class Frame:
    """A frame that was on the line: the cycles of its first and of its last byte."""

    first: int
    last: int
    line: bytes
    from_machine: bool

    @property
    def data(self):
        """The frame without preamble and checksum. Raises ValueError if these are wrong."""
        inner = self.line[len(PREAMBLE) : -4]
        if self.line != on_line(inner):
            raise ValueError(f"no frame: {self.line.hex()}")
        return inner


def on_line(data, least=LEAST):
    """Returns a frame as it is on the line: with preamble and checksum, and at least so many bytes."""
    data = data.ljust(least, b"\0")
    return PREAMBLE + data + struct.pack("<I", zlib.crc32(data))


def checksum(data):
    """Returns the checksum of IP and UDP."""
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def ip(data, source, target, protocol=UDP, fragment=0x4000):
    """Returns a frame's data with an IP packet. fragment: flags and offset."""
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(data), 0, fragment, TTL, protocol, 0)
    head += source.packed + target.packed
    head = head[:10] + struct.pack(">H", checksum(head)) + head[12:]
    return target.mac + source.mac + struct.pack(">H", IPV4) + head + data


def udp(data, source, target):
    """Returns a datagram with its header and checksum."""
    head = struct.pack(">HHHH", source.port, target.port, 8 + len(data), 0)
    pseudo = source.packed + target.packed + struct.pack(">BBH", 0, UDP, 8 + len(data))
    return head[:6] + struct.pack(">H", checksum(pseudo + head + data) or 0xFFFF) + data


def datagram(data, source, target):
    """Returns the frame of a datagram, as it is on the line."""
    return on_line(ip(udp(data, source, target), source, target))


def content(frame, source, target):
    """Returns what is in the datagram in a frame. Raises ValueError if it is none from `source` to `target`, or if one
    of its checksums is wrong."""
    data = frame.data
    length = int.from_bytes(data[38:40], "big") - 8
    inner = data[42 : 42 + max(length, 0)]
    if frame.line != datagram(inner, source, target):
        raise ValueError(f"no datagram from {source.ip} to {target.ip}: {data.hex()}")
    return inner


def write(path, frames):
    """Writes frames for the machine: pairs of how many must have come from there, and the frame as it is on the line.
    An empty frame ends the simulation."""
    Path(path).write_bytes(b"".join(struct.pack("<II", after, len(line)) + line for after, line in frames))


def read(path):
    """Returns the frames of a log."""
    data, at, frames = Path(path).read_bytes(), 0, []
    head = struct.Struct("<QQII")
    while at != len(data):
        first, last, length, from_machine = head.unpack_from(data, at)
        at += head.size
        frames.append(Frame(first, last, data[at : at + length], bool(from_machine)))
        at += length
    return frames
