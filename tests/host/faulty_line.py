"""A TCP line between a client and a monitor that behaves like a bad line, on purpose, and counts its faults.

Faults come at random distances in bytes, in both directions, from a seed. A byte is dropped, doubled or flipped, bytes
are inserted, the following bytes are delayed, or the connection is cut. All kinds are equally frequent."""

from __future__ import annotations

import random
import select
import socket
import threading
import time
from collections import Counter
from typing import Callable

KINDS = ("drop", "duplicate", "flip", "garbage", "delay", "disconnect")
RARER = 3
"""How much rarer the extra faults are: a machine takes long to recover from a reset."""


class FaultyLine:
    """Listens on `port` of 127.0.0.1 and passes bytes to and from the connection that `target` makes.

    gap: bytes between two faults, on average. delays: shortest and longest delay of bytes, in seconds. extra:
    additional kinds of fault, by name, RARER than the others. They are called between two bytes, and the connection is
    then cut. `faults` counts the faults. `quiet` stops all faults while it is set."""

    def __init__(
        self,
        target: Callable[[], socket.socket],
        gap: float,
        seed: int,
        delays: tuple[float, float] = (0.0, 0.1),
        extra: dict[str, Callable[[], None]] | None = None,
    ) -> None:
        self.target, self.gap, self.delays, self.extra = target, gap, delays, extra or {}
        self.dice = random.Random(seed)
        self.faults: Counter[str] = Counter()
        self.bag: list[str] = []
        self.quiet = self.ended = False
        self.bytes = 0
        self.error: Exception | None = None
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.left = self._distance()
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def __enter__(self) -> "FaultyLine":
        return self

    def __exit__(self, *_) -> None:
        self.ended = True
        self.listener.close()
        self.thread.join(10)

    def _distance(self) -> int:
        return 1 + int(self.dice.expovariate(1 / self.gap))

    def _kind(self) -> str:
        if not self.bag:
            self.bag = [*KINDS * RARER, *self.extra]
            self.dice.shuffle(self.bag)
        return self.bag.pop()

    def _serve(self) -> None:
        while not self.ended:
            try:
                ready, _, _ = select.select([self.listener], [], [], 0.1)
                if not ready:
                    continue
                client, _ = self.listener.accept()
            except (OSError, ValueError):
                return
            try:
                with client, self.target() as machine:
                    self._pass(client, machine)
            except OSError:
                pass  # either end is gone, and the client connects again
            except Exception as error:  # kept for the test, because exceptions of a thread do not reach it
                self.error = error
                return

    def _pass(self, client: socket.socket, machine: socket.socket) -> None:
        for end in (client, machine):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        other = {client: machine, machine: client}
        while not self.ended:
            for end in select.select([client, machine], [], [], 0.1)[0]:
                data = end.recv(4096)
                if not data or not self._faulty(data, other[end]):
                    return

    def _faulty(self, data: bytes, to: socket.socket) -> bool:
        """Passes bytes on, with the faults that fall among them. Returns false if the connection is cut."""
        self.bytes += len(data)
        while not self.quiet and self.left <= len(data):
            before, byte, data = data[: self.left - 1], data[self.left - 1 : self.left], data[self.left :]
            self.left = self._distance()
            kind = self._kind()
            self.faults[kind] += 1
            if kind == "duplicate":
                byte *= 2
            elif kind == "flip":
                byte = bytes([byte[0] ^ 1 << self.dice.randrange(8)])
            elif kind == "garbage":
                byte += self.dice.randbytes(self.dice.randrange(1, 40))
            to.sendall(before + (b"" if kind in ("drop", "delay", "disconnect", *self.extra) else byte))
            if kind == "delay":
                time.sleep(self.dice.uniform(*self.delays))
                to.sendall(byte)
            elif kind == "disconnect":
                return False
            elif kind in self.extra:
                self.extra[kind]()
                return False
        if not self.quiet:
            self.left -= len(data)
        to.sendall(data)
        return True
