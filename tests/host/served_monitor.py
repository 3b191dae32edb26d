"""A monitor in Python on a TCP port, and the bench over a UART against it."""

import json
import socket
import struct
import threading

import pytest

from heapwire.client.line import Line
from heapwire.measure import uart
from heapwire.measure.fields import field_heavy_group
from heapwire.measure.messages import demo_group
from tests.host.fake_monitor import FakeMonitor

LIMIT = 700


class Served:
    """A FakeMonitor on a TCP port, with one connection at a time. `reset` makes it forget everything."""

    def __init__(self, fake):
        self.fake, self.lock = fake, threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port))

    def reset(self):
        with self.lock:
            self.fake.restart()

    def _serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
                with connection:
                    while data := connection.recv(4096):
                        with self.lock:
                            self.fake.write(data)
                            answer = self.fake.read(0)
                        connection.sendall(answer)
            except OSError:
                if self.listener.fileno() < 0:
                    return

    def close(self):
        self.listener.close()


@pytest.fixture(scope="module")
def groups():
    return uart.chosen((), LIMIT, print, [demo_group(), field_heavy_group()])


class Multi(FakeMonitor):
    """A FakeMonitor that accepts the schema of any group, recognized by its blob."""

    def __init__(self, interface, groups):
        self.known = [group.compile(interface) for group in groups]
        super().__init__(interface, self.known[0])

    def _load_schema(self, body):
        blob = bytes(self.memory[self._range(*struct.unpack("<2I", body))])
        schema = self.compiled
        self.compiled = next((compiled for compiled in self.known if compiled.blob == blob), schema)
        answer = super()._load_schema(body)
        self.loaded, self.compiled = self.compiled, schema  # HELLO reports nanopb's schema, which never changes
        return answer


def before_runs(fake, monkeypatch, do):
    """Has the monitor call do(number) before each RUN, counted from 1. Returns a list of the count."""
    genuine, runs = fake._run, [0]

    def run(body):
        runs[0] += 1
        do(runs[0])
        return genuine(body)

    monkeypatch.setattr(fake, "_run", run)
    return runs


@pytest.fixture
def served(interface, groups):
    served = Served(Multi(interface, groups))
    yield served
    served.close()


def bench(port, groups, interface, folder, resume=False, name="uart", said=None, missing_unit=False, **options):
    line = Line(
        f"socket://127.0.0.1:{port}",
        (said if said is not None else []).append,
        **{"timeout": 0.03, "patience": 10.0} | options,
    )
    try:
        return uart.Bench(line, groups, interface, name, folder, resume, LIMIT, line.say, missing_unit).run()
    finally:
        line.close()


def rows_in(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def perfect(served, groups, interface, tmp_path):
    """Returns the rows without faults."""
    return bench(served.port, groups, interface, tmp_path / "perfect").rows
