"""Packets, which frames carry (docs/reference/monitor_protocol.md)."""

from __future__ import annotations

from heapwire.records import Record, u8

PACKET_BODY_MAX = 1008
PACKET_CRC = 4
"""Bytes of the CRC-32 behind the body."""
PACKET_RESPONSE = 0x80
"""The bit that an operation has in a response."""


class Head(Record, c="packet_head"):
    """What precedes the body."""

    sequence: u8
    operation: u8
    status: u8
    text: u8
