"""Byte streams to the monitor: a TCP socket or a serial port."""
from __future__ import annotations

import socket
import time
from typing import Protocol

from heapwire.errors import HeapwireError


class Transport(Protocol):
    """A byte stream."""

    def write(self, data: bytes) -> None:
        """Sends all of `data`."""

    def read(self, timeout: float) -> bytes:
        """What has arrived, waiting up to `timeout` seconds for the first byte; b"" if nothing did.

        Raises HeapwireError when the other end is gone."""

    def close(self) -> None:
        """Ends the stream."""


class TcpTransport:
    """The simulator's UART on a TCP port."""

    def __init__(self, host: str, port: int, patience: float = 30.0) -> None:
        """Connects, trying for `patience` seconds while nobody listens yet."""
        deadline = time.monotonic() + patience
        while True:
            try:
                self.socket = socket.create_connection((host, port), timeout=5)
                break
            except OSError as error:
                if time.monotonic() > deadline:
                    raise HeapwireError(f"nobody listens on {host}:{port} ({error}): is the simulation running?") from error
                time.sleep(0.05)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def write(self, data: bytes) -> None:
        try:
            self.socket.settimeout(60)
            self.socket.sendall(data)
        except OSError as error:
            raise HeapwireError(f"the connection broke ({error}): did the simulation end?") from error

    def read(self, timeout: float) -> bytes:
        try:
            self.socket.settimeout(max(timeout, 0.001))
            data = self.socket.recv(4096)
        except TimeoutError:
            return b""
        except OSError as error:
            raise HeapwireError(f"the connection broke ({error}): did the simulation end?") from error
        if not data:
            raise HeapwireError("the other end closed the connection: did the simulation end?")
        return data

    def close(self) -> None:
        self.socket.close()


class SerialTransport:
    """A board's serial port."""

    def __init__(self, device: str, baud: int = 115200) -> None:
        import serial

        try:
            self.port = serial.Serial(device, baud, timeout=0, write_timeout=60)
        except (serial.SerialException, ValueError) as error:
            raise HeapwireError(f"cannot open {device}: {error}") from error

    def write(self, data: bytes) -> None:
        self.port.write(data)

    def read(self, timeout: float) -> bytes:
        self.port.timeout = timeout
        first = self.port.read(1)
        return first + self.port.read(self.port.in_waiting) if first else b""

    def close(self) -> None:
        self.port.close()


def connect(where: str, baud: int = 115200, patience: float = 30.0) -> Transport:
    """A transport from `tcp:host:port`, `host:port` or the path of a serial device."""
    if where.startswith("/"):
        return SerialTransport(where, baud)
    host, _, port = where.removeprefix("tcp:").rpartition(":")
    if not port.isdigit():
        raise HeapwireError(f"{where!r} is neither host:port nor a serial device")
    return TcpTransport(host or "127.0.0.1", int(port), patience)
