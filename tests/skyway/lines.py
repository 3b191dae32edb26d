"""Lines between a process and its peer, on socket pairs; and what may befall them."""
from __future__ import annotations

import select
import socket
import threading
from collections import Counter
from contextlib import contextmanager
from random import Random

from heapwire.client.ports import Disconnected

FAULTS = ("drop", "duplicate", "reorder", "flip")


class SocketTransport:
    """heapwire.client's Transport over a connected socket."""

    rate = None

    def __init__(self, end: socket.socket) -> None:
        self.end = end

    def write(self, data: bytes) -> None:
        try:
            self.end.sendall(data)
        except OSError as error:
            raise Disconnected(str(error)) from error

    def read(self, timeout: float) -> bytes:
        try:
            if not select.select([self.end], [], [], timeout)[0]:
                return b""
            data = self.end.recv(4096)
        except (OSError, ValueError) as error:
            raise Disconnected(str(error)) from error
        if not data:
            raise Disconnected("the other end is gone")
        return data

    def set_rate(self, rate: int) -> None:
        raise Disconnected("a socket has no rate")

    def close(self) -> None:
        self.end.close()


@contextmanager
def driven(driver):
    """A socket to a driver that answers in a thread."""
    ours, theirs = socket.socketpair()
    stop = threading.Event()
    thread = threading.Thread(target=driver.serve, args=(SocketTransport(theirs), stop), daemon=True)
    thread.start()
    try:
        yield ours
    finally:
        stop.set()
        thread.join(10)
        ours.close()
        theirs.close()


class Faulty:
    """Passes frames between two sockets, and does to some of them what bad lines do; `faults` counts it.

    rate: how many frames of a thousand. `budget` faults at most, then the line is good. `cut` closes both ends."""

    def __init__(self, one: socket.socket, other: socket.socket, seed: int, rate: int, budget: int = 1 << 30,
                 kinds: tuple[str, ...] = FAULTS) -> None:
        self.ends, self.random, self.rate, self.budget, self.kinds = (one, other), Random(seed), rate, budget, kinds
        self.faults: Counter[str] = Counter()
        self.ended = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def cut(self) -> None:
        self.ended = True
        self.thread.join(10)
        for end in self.ends:
            end.close()

    def _run(self) -> None:
        kept = {end: b"" for end in self.ends}
        late = {end: b"" for end in self.ends}
        other = {self.ends[0]: self.ends[1], self.ends[1]: self.ends[0]}
        while not self.ended:
            for end in select.select(self.ends, [], [], 0.05)[0]:
                try:
                    data = end.recv(4096)
                    if not data:
                        return
                    whole, _, kept[end] = (kept[end] + data).rpartition(b"\0")
                    for frame in filter(None, whole.split(b"\0")):
                        for each in self._fate(frame, late, end):
                            other[end].sendall(b"\0" + each + b"\0")
                except OSError:
                    return

    def _fate(self, frame: bytes, late: dict, end: socket.socket) -> list[bytes]:
        before, late[end] = late[end], b""
        out = [frame] + ([before] if before else [])
        if self.budget <= 0 or self.random.randrange(1000) >= self.rate:
            return out
        kind = self.random.choice(self.kinds)
        self.budget -= 1
        self.faults[kind] += 1
        if kind == "drop":
            return out[1:]
        if kind == "duplicate":
            return [frame, *out]
        if kind == "reorder":
            late[end] = frame  # behind the next one
            return out[1:]
        at = self.random.randrange(len(frame))
        flipped = frame[at] ^ 1 << self.random.randrange(8)
        return [frame[:at] + bytes([flipped or 1]) + frame[at + 1:], *out[1:]]
