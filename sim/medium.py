"""The medium between several machines: a switch, with a line of its own to each machine, in lock-step with all of them
(docs/reference/sim.md, "Several machines").

    with Medium(5) as medium:
        ... Running("a.elf", medium.ends[0]), ...

A frame on a line is `00 address bytes 00`, where no byte but the first and the last is 0. From a machine the address is
that of the machine to which the frame goes; to a machine it is that of the machine from which the frame comes. The
address of machine n is n + 1.
"""

import socket
import struct
import tempfile
import threading
from collections import deque
from contextlib import suppress
from pathlib import Path

MAGIC = b"HLNK"
QUANTUM = 1000
"""Cycles of a token: kQuantum of sim/harness/link.h."""
MOST_MACHINES = 5
MOST_WAITING = 64
"""Frames that wait for a machine's line. Further ones are dropped."""
STOP_SECONDS = 10


class Frame:
    """A frame on its way to a machine: bytes with the cycles in which they came. The last ones may still be to come."""

    def __init__(self, source, cycle):
        self.bytes, self.whole = deque([(cycle, 0), (cycle, source + 1)]), False


class Port:
    """One machine's line: what has come of a frame from it, and what waits to go to it."""

    def __init__(self, number, byte_cycles):
        self.number, self.byte_cycles = number, byte_cycles
        self.end = None
        self.starting = False  # the next byte is an address
        self.coming = None  # the Frame that comes from the machine; None: nothing, or a frame that is dropped
        self.waiting = deque()
        self.free = 0  # the first cycle in which the line can take a byte

    def token(self, start):
        """Returns the token of what goes to the machine in the quantum that begins at a cycle."""
        sent = []
        while self.waiting:
            frame = self.waiting[0]
            while frame.bytes:
                cycle, byte = frame.bytes[0]
                at = max(self.free, cycle, start)
                if at >= start + QUANTUM:
                    return self._packed(sent)
                frame.bytes.popleft()
                sent.append((at - start, byte))
                self.free = at + self.byte_cycles
            if not frame.whole:
                break
            self.waiting.popleft()
        return self._packed(sent)

    @staticmethod
    def _packed(sent):
        return struct.pack("<H", len(sent)) + b"".join(struct.pack("<HB", at, byte) for at, byte in sent)

    def heard(self):
        """Returns the bytes of the machine's token, each with its cycle within the quantum, or None if the line is
        cut."""
        count = self.read(2)
        data = count and self.read(3 * struct.unpack("<H", count)[0])
        return None if data is None else list(struct.iter_unpack("<HB", data))

    def read(self, count):
        data = b""
        while len(data) < count:
            try:
                piece = self.end.recv(count - len(data))
            except OSError:
                piece = b""
            if not piece:
                return None
            data += piece
        return data

    def close(self):
        if self.end:
            self.end.close()
        self.end = None


class Switch:
    """Forwards frames between ports. It knows no processes and no sockets."""

    def __init__(self, ports):
        self.ports, self.forwarded, self.dropped = ports, 0, 0

    def take(self, source, cycle, byte):
        """Takes a byte of a machine."""
        port = self.ports[source]
        if byte == 0:
            if port.coming:
                port.coming.bytes.append((cycle, 0))
                self.end(source)
            port.starting, port.coming = True, None
        elif port.starting:
            port.starting, port.coming = False, self._opened(source, byte - 1, cycle)
        elif port.coming:
            port.coming.bytes.append((cycle, byte))

    def _opened(self, source, target, cycle):
        if target >= len(self.ports) or target == source or len(self.ports[target].waiting) >= MOST_WAITING:
            self.dropped += 1
            return None
        frame = Frame(source, cycle)
        self.ports[target].waiting.append(frame)
        return frame

    def end(self, source):
        """Ends the frame under way, so that the next one can follow it."""
        port = self.ports[source]
        if port.coming:
            port.coming.whole, port.coming = True, None
            self.forwarded += 1

    def cut(self, source, cycle):
        """The machine's line is cut, maybe within a frame, which its receiver then finds damaged."""
        if self.ports[source].coming:
            self.ports[source].coming.bytes.append((cycle, 0))
        self.end(source)
        self.ports[source].waiting.clear()


class Medium:
    """The switch as a thread of this process. ends: options of each machine's simulator. paths: their Unix sockets, for
    programs of the host. It is a context manager, which cuts all lines at its end."""

    def __init__(self, machines, byte_cycles=100):
        if not 2 <= machines <= MOST_MACHINES:
            raise ValueError(f"{machines} machines: 2 to {MOST_MACHINES}")
        self.folder = tempfile.TemporaryDirectory(prefix="heapwire-medium-")
        self.paths = [Path(self.folder.name) / f"line{number}" for number in range(machines)]
        self.ends = [["--link", f"connect:{path}", "--link-byte-cycles", byte_cycles] for path in self.paths]
        self.byte_cycles = byte_cycles
        self.ports = [Port(number, byte_cycles) for number in range(machines)]
        self.switch = Switch(self.ports)
        self.listeners = [socket.socket(socket.AF_UNIX) for _ in self.paths]
        self.thread = threading.Thread(target=self._run, name="medium", daemon=True)
        self.stopped = False

    def __enter__(self):
        for listener, path in zip(self.listeners, self.paths):
            listener.bind(str(path))
            listener.listen(1)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopped = True
        for each in (*self.listeners, *(port.end for port in self.ports if port.end)):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self.thread.join(STOP_SECONDS)
        for each in (*self.listeners, *self.ports):
            each.close()
        self.folder.cleanup()

    def _run(self):
        for port, listener in zip(self.ports, self.listeners):
            with suppress(OSError):
                port.end = listener.accept()[0]
            if self.stopped or not port.end:
                return
        for port in self._going():
            self._greet(port)
        start = 0
        while self._going() and not self.stopped:
            self._pass(start)
            start += QUANTUM
        for port in self._going():
            port.close()

    def _going(self):
        return [port for port in self.ports if port.end]

    def _greet(self, port):
        """Exchanges greetings. An end of another kind, or of another rate, is cut; its simulator says why."""
        ours = MAGIC + struct.pack("<2I", QUANTUM, self.byte_cycles)
        self._send(port, ours)
        if port.end and port.read(len(ours)) != ours:
            port.close()

    def _pass(self, start):
        """Exchanges a token with each machine: a quantum of time passes. What came is handled in the order of its
        cycles, and of the machines' numbers, whichever machine was the first to tell."""
        for port in self._going():
            self._send(port, port.token(start))
        came = []
        for port in self._going():
            heard = port.heard()
            if heard is None:
                port.close()
                self.switch.cut(port.number, start + QUANTUM)
                continue
            came += [(start + QUANTUM + at, port.number, byte) for at, byte in heard]
        for cycle, number, byte in sorted(came, key=lambda each: each[:2]):
            self.switch.take(number, cycle, byte)

    @staticmethod
    def _send(port, data):
        """What a machine sent before it was gone can still be read."""
        with suppress(OSError):
            port.end.sendall(data)
