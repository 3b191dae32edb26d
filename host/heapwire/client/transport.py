"""Byte streams to the monitor: a TCP socket, a serial port, or any URL of pyserial's."""

from __future__ import annotations

import socket
import termios
import time
from typing import Protocol

import serial

from base.errors import HeapwireError
from heapwire.client.ports import BITS_RATE, Disconnected, explained

LOST = (serial.SerialException, OSError, termios.error)
"""The exceptions that pyserial and its callees raise for a lost port. termios.error is a subclass of neither of the
others."""


class Transport(Protocol):
    """A byte stream.

    rate: bits a second. None if the stream has no rate, or a fixed one."""

    rate: int | None

    def write(self, data: bytes) -> None:
        """Sends all of `data`. Raises Disconnected when the other end is gone."""

    def read(self, timeout: float) -> bytes:
        """Returns the bytes that have arrived. Waits up to `timeout` seconds for the first byte; returns b"" if none
        comes.

        Raises Disconnected when the other end is gone."""

    def set_rate(self, rate: int) -> None:
        """Changes the rate, if there is one. Drops bytes that have arrived but were not read."""

    def close(self) -> None:
        """Ends the stream."""


class TcpTransport:
    """The simulator's UART on a TCP port."""

    rate = None

    def __init__(self, host: str, port: int, patience: float = 30.0) -> None:
        """Connects. Retries for `patience` seconds while nobody listens yet."""
        deadline = time.monotonic() + patience
        while True:
            try:
                self.socket = socket.create_connection((host, port), timeout=5)
                break
            except OSError as error:
                if time.monotonic() > deadline:
                    raise Disconnected(
                        f"nobody listens on {host}:{port} ({error}): is the simulation running?"
                    ) from error
                time.sleep(0.05)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def write(self, data: bytes) -> None:
        try:
            self.socket.settimeout(60)
            self.socket.sendall(data)
        except OSError as error:
            raise Disconnected(f"the connection broke ({error}): did the simulation end?") from error

    def read(self, timeout: float) -> bytes:
        try:
            self.socket.settimeout(max(timeout, 0.001))
            data = self.socket.recv(4096)
        except TimeoutError:
            return b""
        except OSError as error:
            raise Disconnected(f"the connection broke ({error}): did the simulation end?") from error
        if not data:
            raise Disconnected("the other end closed the connection: did the simulation end?")
        return data

    def set_rate(self, rate: int) -> None:
        raise HeapwireError("a TCP connection has no baud rate")

    def close(self) -> None:
        self.socket.close()


class SerialTransport:
    """A board's serial port."""

    def __init__(self, where: str, rate: int = BITS_RATE) -> None:
        """Opens a device, exclusively, or a URL of pyserial's.

        Raises Disconnected, with the reason and what to do, if it cannot be opened."""
        self.where = where
        try:
            options = {} if "://" in where else {"exclusive": True}
            self.port = serial.serial_for_url(where, rate, timeout=0, write_timeout=60, **options)
        except (*LOST, ValueError) as error:
            raise Disconnected(explained(where, error)) from error

    @property
    def rate(self) -> int | None:
        return self.port.baudrate

    def _broken(self, error: Exception) -> Disconnected:
        return Disconnected(
            f"{self.where} is gone ({error}): was the cable pulled, or is another program reading from it?"
        )

    def write(self, data: bytes) -> None:
        try:
            self.port.write(data)
        except LOST as error:
            raise self._broken(error) from error

    def read(self, timeout: float) -> bytes:
        try:
            self.port.timeout = timeout
            first = self.port.read(1)
            return first + self.port.read(self.port.in_waiting) if first else b""
        except (*LOST, TypeError) as error:  # pyserial raises TypeError for a port closed meanwhile
            raise self._broken(error) from error

    def set_rate(self, rate: int) -> None:
        try:
            self.port.flush()
            self.port.baudrate = rate
            self.port.reset_input_buffer()
        except (*LOST, ValueError) as error:
            raise Disconnected(f"{self.where} cannot be set to {rate:,} baud ({error})") from error

    def close(self) -> None:
        self.port.close()


def connect(where: str, baud: int = BITS_RATE, patience: float = 30.0) -> Transport:
    """Returns a transport for `host:port`, `tcp:host:port`, `socket://host:port`, the path of a serial device, or
    another URL of pyserial's (rfc2217://, hwgrep://, loop://)."""
    if where.startswith("/") or ("://" in where and not where.startswith("socket://")):
        return SerialTransport(where, baud)
    # Do not use pyserial's own socket://: it reads a byte at a time.
    host, _, port = where.removeprefix("tcp:").removeprefix("socket://").rpartition(":")
    if not port.isdigit():
        raise HeapwireError(
            f"{where!r} is neither host:port nor a serial device (/dev/...) nor a URL such as socket://host:port"
        )
    return TcpTransport(host or "127.0.0.1", int(port), patience)
