"""Lines between a process and its peer, on socket pairs, and their faults."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections import Counter
from contextlib import contextmanager
from random import Random
from typing import Callable

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
    """Yields a socket to a driver that answers in a thread."""
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
    """Passes frames between two sockets and damages some of them, as bad lines do. `faults` counts the faults by kind.

    rate: the number of faulty frames of a thousand. specials: more kinds of faults by name. Such a function is called
    in its turn, and the line is cut. `quiet` stops all faults while it is set. `silent` lets nothing through. An end
    may be None: what is sent to it is lost."""

    def __init__(
        self,
        one: socket.socket | None,
        other: socket.socket | None,
        seed: int,
        rate: int,
        specials: dict[str, Callable[[], None]] | None = None,
    ) -> None:
        self.ends: list[socket.socket | None] = [one, other]
        self.random, self.rate, self.specials = Random(seed), rate, specials or {}
        self.faults: Counter[str] = Counter()
        self.kept, self.late, self.bag = [b"", b""], [b"", b""], []
        self.ended = self.quiet = self.silent = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def cut(self) -> None:
        """Ends the line and both connections."""
        self.ended = True
        self.thread.join(10)
        self.close()

    def close(self) -> None:
        for place, end in enumerate(self.ends):
            if end:
                end.close()
            self.ends[place], self.kept[place], self.late[place] = None, b"", b""

    def _accept(self, ready: list) -> None:
        """Accepts connections. Only Relay does this."""

    def _waiting(self) -> list:
        return [end for end in self.ends if end]

    def _run(self) -> None:
        while not self.ended:
            waiting = self._waiting()
            try:
                ready = select.select(waiting, [], [], 0.02)[0] if waiting else time.sleep(0.01) or []
            except (OSError, ValueError):
                continue
            self._accept(ready)
            for place in (0, 1):
                if self.ends[place] in ready and not self._pass(place):
                    self.close()
                    break

    def _pass(self, place: int) -> bool:
        """Passes on what has come from an end. Returns False if the line is cut."""
        try:
            data = self.ends[place].recv(4096)
        except OSError:
            return False
        whole, _, self.kept[place] = (self.kept[place] + data).rpartition(b"\0")
        for frame in filter(None, whole.split(b"\0")):
            for each in self._fate(frame, place):
                if each is None:
                    return False
                try:
                    if self.ends[1 - place]:
                        self.ends[1 - place].sendall(b"\0" + each + b"\0")
                except OSError:
                    return False
        return bool(data)

    def _fate(self, frame: bytes, place: int) -> list[bytes | None]:
        before, self.late[place] = self.late[place], b""
        rest = [before] if before else []
        if self.silent:
            return []
        if self.quiet or self.random.randrange(1000) >= self.rate:
            return [frame, *rest]
        if not self.bag:
            self.bag = [*FAULTS, *self.specials]
            self.random.shuffle(self.bag)
        kind = self.bag.pop()
        self.faults[kind] += 1
        if kind in self.specials:
            self.specials[kind]()
            return [None]
        if kind == "drop":
            return rest
        if kind == "duplicate":
            return [frame, frame, *rest]
        if kind == "reorder":
            self.late[place] = frame  # goes behind the next frame
            return rest
        at = self.random.randrange(len(frame))
        flipped = frame[at] ^ 1 << self.random.randrange(8)
        return [frame[:at] + bytes([flipped or 1]) + frame[at + 1 :], *rest]


class Relay(Faulty):
    """A line to which two processes connect, each to its own port, and again after a cut.

    An end that connects again cuts the old line, so that nothing of it is heard later. What an end sends waits for the
    other end."""

    def __init__(self, seed: int, rate: int, specials: dict[str, Callable[[], None]] | None = None) -> None:
        self.listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
        self.ports = [listener.getsockname()[1] for listener in self.listeners]
        super().__init__(None, None, seed, rate, specials)

    def __enter__(self) -> "Relay":
        return self

    def __exit__(self, *_) -> None:
        self.cut()
        for listener in self.listeners:
            listener.close()

    def _waiting(self) -> list:
        return [*(self.ends if all(self.ends) else ()), *self.listeners]

    def _accept(self, ready: list) -> None:
        for place, listener in enumerate(self.listeners):
            if listener in ready:
                if self.ends[place]:
                    self.close()
                self.ends[place] = listener.accept()[0]
                self.ends[place].setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
