"""The driver: answers the workers' REQUEST_VIEW and LOOKUP from a registry, over any transport."""

from __future__ import annotations

import struct
import threading

from heapwire.client.frame import Packet, Receiver, encode
from heapwire.client.ports import Disconnected
from heapwire.client.transport import Transport
from heapwire.records.packet import PACKET_BODY_MAX, PACKET_RESPONSE
from heapwire.records.skyway import SKYWAY_NAME_MAX, Answer, Operation
from heapwire.skyway.registry import NumberingError, Registry

_NUMBERING = {"CLASS_CONFLICT": Answer.CONFLICT, "REGISTRY_FULL": Answer.FULL}


class Driver:
    """Answers requests from a registry. Every request can safely be repeated."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.lock = threading.Lock()

    def answer(self, packet: Packet) -> Packet:
        """Returns the response to a request."""
        status, body = self._answer(packet)
        return Packet(
            packet.sequence, packet.operation | PACKET_RESPONSE, status, 0, body if status == Answer.OK else b""
        )

    def _answer(self, packet: Packet) -> tuple[Answer, bytes]:
        body, registry = packet.body, self.registry
        if packet.operation not in (Operation.REQUEST_VIEW, Operation.LOOKUP):
            return Answer.UNKNOWN_OPERATION, b""
        if len(body) < 8:
            return Answer.BAD_BODY, b""
        number, word = struct.unpack_from("<2I", body)
        view = packet.operation == Operation.REQUEST_VIEW
        if number != registry.number and not (view and number == 0):
            return Answer.OTHER_REGISTRY, b""
        with self.lock:
            return self._view(word, body) if view else self._lookup(word, body[8:])

    def _view(self, first: int, body: bytes) -> tuple[Answer, bytes]:
        if len(body) != 8 or first == 0:
            return Answer.BAD_BODY, b""
        entries = self.registry.entries
        answer = struct.pack("<2I", self.registry.number, len(entries))
        for entry in entries[first - 1 :]:
            name = entry.name.encode("utf-8", "surrogateescape")
            if len(answer) + 6 + len(name) > PACKET_BODY_MAX:
                break
            answer += struct.pack("<IH", entry.fingerprint, len(name)) + name
        return Answer.OK, answer

    def _lookup(self, fingerprint: int, name: bytes) -> tuple[Answer, bytes]:
        if not 0 < len(name) <= SKYWAY_NAME_MAX or 0 in name:
            return Answer.BAD_BODY, b""
        try:
            return Answer.OK, struct.pack(
                "<I", self.registry.lookup(name.decode("utf-8", "surrogateescape"), fingerprint)
            )
        except NumberingError as error:
            return _NUMBERING[error.status], b""

    def serve(self, transport: Transport, stop: threading.Event) -> None:
        """Answers one worker until `stop` is set or the worker is gone. Damaged requests get no answer, so that the
        worker asks again."""
        receiver = Receiver()
        while not stop.is_set():
            try:
                for packet in receiver.feed(transport.read(0.1)):
                    if not packet.operation & PACKET_RESPONSE:
                        transport.write(encode(self.answer(packet)))
            except Disconnected:
                return
