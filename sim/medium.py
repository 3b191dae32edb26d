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

from sim.run import SimulationError

MAGIC = b"HLNK"
QUANTUM = 1000
"""Cycles of a token: kQuantum of sim/harness/link.h."""
MOST_MACHINES = 5
MOST_WAITING = 64
"""Frames of one machine that wait for another one's line. Further ones are dropped."""
FRAME_BYTES = 2048
"""Most bytes of a frame between its address and its end: twice as many as any machine sends. A longer one is cut."""
MOST_SILENT = 100_000
"""Cycles after the last byte of an unfinished frame until the frame is cut: ten bytes of the slowest line. A machine
sends a frame without pauses, so it has stopped in the middle of one."""
STOP_SECONDS = 10


class Frame:
    """A frame on its way to a machine: bytes with the cycles in which they came. The last ones may still be to come.

    room: how many bytes may still come. begun, last: the cycles of its beginning and of its last byte."""

    def __init__(self, source, cycle):
        self.source, self.bytes, self.whole = source, deque([(cycle, 0), (cycle, source + 1)]), False
        self.room, self.begun, self.last = FRAME_BYTES, cycle, cycle

    def add(self, cycle, byte):
        self.bytes.append((cycle, byte))
        self.room, self.last = self.room - 1, cycle


class Port:
    """One machine's line: what has come of a frame from it, and what waits to go to it."""

    def __init__(self, number, byte_cycles):
        self.number, self.byte_cycles = number, byte_cycles
        self.end = None
        self.starting = False  # the next byte is an address
        self.coming = None  # the Frame that comes from the machine; None: nothing, or a frame that is dropped
        self.waiting = deque()
        self.free = 0  # the first cycle in which the line can take a byte
        self.earliest = 0  # the first cycle in which the machine's next byte can come

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

    def heard(self, start):
        """Returns the bytes of the machine's token, each with its cycle within the quantum that begins at a cycle, or
        None if the line is cut. Raises ValueError if no line can carry these bytes."""
        if (head := self.read(2)) is None:
            return None
        (count,) = struct.unpack("<H", head)
        if count > -(-QUANTUM // self.byte_cycles):
            raise ValueError(f"{count} bytes in a quantum, at {self.byte_cycles} cycles each")
        if (data := self.read(3 * count)) is None:
            return None
        told = list(struct.iter_unpack("<HB", data))
        for at, _ in told:
            if at >= QUANTUM:
                raise ValueError(f"a byte in cycle {at} of a quantum of {QUANTUM}")
            if start + at < self.earliest:
                raise ValueError(f"a byte in cycle {at} of a quantum, while the line is busy with the one before")
            self.earliest = start + at + self.byte_cycles
        return told

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
        self.ports, self.forwarded, self.dropped, self.cuts = ports, 0, 0, 0

    def take(self, source, cycle, byte):
        """Takes a byte of a machine."""
        port = self.ports[source]
        if byte == 0:
            self._end(source, cycle)
            port.starting = True
        elif port.starting:
            port.starting, port.coming = False, self._opened(source, byte - 1, cycle)
        elif port.coming and port.coming.room:
            port.coming.add(cycle, byte)
        elif port.coming:
            self._cut(source, cycle)

    def _opened(self, source, target, cycle):
        waiting = self.ports[target].waiting if target < len(self.ports) and target != source else None
        if waiting is None or sum(each.source == source for each in waiting) >= MOST_WAITING:
            self.dropped += 1
            return None
        frame = Frame(source, cycle)
        self.ports[target].waiting.append(frame)
        return frame

    def _end(self, source, cycle):
        """Ends the frame under way, if there is one, so that the next one can follow it."""
        port = self.ports[source]
        if port.coming:
            port.coming.bytes.append((cycle, 0))
            port.coming.whole, port.coming = True, None
            self.forwarded += 1

    def _cut(self, source, cycle):
        """Ends a frame that is not whole. Its receiver finds it damaged; what still comes of it is dropped."""
        self.cuts += bool(self.ports[source].coming)
        self._end(source, cycle)

    def pass_time(self, cycle):
        """Cuts the frames whose machines have stopped in the middle of them, or are much slower than their lines. To be
        called with what came before that cycle taken: other machines' frames wait behind these."""
        for port in self.ports:
            frame, longest = port.coming, MOST_SILENT + 2 * FRAME_BYTES * port.byte_cycles
            if frame and (cycle - frame.last > MOST_SILENT or cycle - frame.begun > longest):
                self._cut(port.number, cycle)

    def cut(self, source, cycle):
        """The machine's line is cut, maybe within a frame."""
        self._cut(source, cycle)
        self.ports[source].waiting.clear()


class Medium:
    """The switch as a thread of this process. ends: options of each machine's simulator. paths: their Unix sockets, for
    programs of the host. problem: what a machine sent that no line can carry, or None; its line is then cut. It is a
    context manager, which cuts all lines at its end."""

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
        self.stopped, self.problem = False, None

    def check(self):
        """Raises SimulationError if there is a problem."""
        if self.problem:
            raise SimulationError(self.problem)

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
            heard = self._heard(port, start)
            if heard is None:
                port.close()
                self.switch.cut(port.number, start + QUANTUM)
                continue
            came += [(start + QUANTUM + at, port.number, byte) for at, byte in heard]
        for cycle, number, byte in sorted(came, key=lambda each: each[:2]):
            self.switch.take(number, cycle, byte)
        self.switch.pass_time(start + 2 * QUANTUM)

    def _heard(self, port, start):
        try:
            return port.heard(start)
        except ValueError as error:
            self.problem = self.problem or f"machine {port.number}: its line tells of {error}"
            return None

    @staticmethod
    def _send(port, data):
        """What a machine sent before it was gone can still be read."""
        with suppress(OSError):
            port.end.sendall(data)
