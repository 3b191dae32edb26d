"""Streams from a JVM over a line: to a program (tests/cereal/line) behind a TCP port or a serial one, which returns
each behind a count."""

import os
import pty
import select
import socket
import subprocess
import threading
import tty
from contextlib import contextmanager
from random import Random

from heapwire.cereal import difference, read, write
from tests.cereal.test_line import BUFFER, CLASSES, Bad, graph

PATIENCE = 20_000


def pump(one, other, change):
    """Carries bytes between two descriptors until one of them is closed."""
    partner = {one: other, other: one}
    while True:
        for ready in select.select([one, other], [], [])[0]:
            try:
                data = os.read(ready, 65536)
                os.write(partner[ready], change(data))
            except OSError:
                return
            if not data:
                return


@contextmanager
def served(programs, damage=None, patience=3000):
    """Yields HOST:PORT of the program, which serves one client."""
    with socket.create_server(("localhost", 0)) as server:

        def serve():
            with server.accept()[0] as client:
                if not damage:
                    command = [programs / "line", str(patience)]
                    subprocess.run(command, stdin=client, stdout=client, stderr=subprocess.DEVNULL)
                    return
                near, far = socket.socketpair()
                with near, far:
                    command = [programs / "line", str(patience)]
                    process = subprocess.Popen(command, stdin=far, stdout=far, stderr=subprocess.DEVNULL)
                    pump(client.fileno(), near.fileno(), damage)
                    process.kill()
                    process.wait()

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"localhost:{server.getsockname()[1]}"
        thread.join()


def streams(seed, count):
    random = Random(seed)
    return [write(graph(random, random.choice((1, 5, 40, 150))), CLASSES) for _ in range(count)]


def check(sent, lines, answers):
    assert lines == ["OK"] * len(sent)
    for i, (stream, answer) in enumerate(zip(sent, answers, strict=True)):
        root = read(answer, CLASSES).root
        assert root.slots[0] == 2 * i + 1
        assert difference(read(stream, CLASSES).root, root.slots[1]) is None


def test_a_port(jvm, programs, seed):
    sent = streams(seed, 30)
    with served(programs) as where:
        check(sent, *jvm.carry(where, sent, PATIENCE))


def test_a_bad_line(jvm, programs, seed):
    """Whatever the line does to the bytes, each stream arrives once and unchanged."""
    sent, damage = streams(seed, 20), Bad(seed, 500)
    with served(programs, damage, 20_000) as where:
        check(sent, *jvm.carry(where, sent, 10 * PATIENCE))
    assert damage.faults > 2


def test_a_serial_port(jvm, programs, seed):
    """A pseudo-terminal, which the JVM makes raw."""
    sent = streams(seed, 10)
    master, slave = pty.openpty()
    command = [programs / "line", "3000"]
    process = subprocess.Popen(command, stdin=master, stdout=master, stderr=subprocess.DEVNULL)
    try:
        assert tty.tcgetattr(slave)[3] & tty.ECHO
        check(sent, *jvm.carry(os.ttyname(slave), sent, PATIENCE))
        assert not tty.tcgetattr(slave)[3] & (tty.ECHO | tty.ICANON)
    finally:
        process.kill()
        process.wait()
        os.close(slave)
        os.close(master)


def test_what_fails(jvm, programs, seed):
    """A stream that is too long is refused. A program that has gone, one that never answers, and a port that is none
    end in an exception."""
    (good,) = streams(seed, 1)
    with served(programs) as where:
        lines, _ = jvm.carry(where, [bytes(BUFFER + 16), good], PATIENCE)
    assert lines == ["RefusedException STREAM_IN was refused: TOO_LARGE", "OK"]
    with socket.create_server(("localhost", 0)) as silent:
        lines, _ = jvm.carry(f"localhost:{silent.getsockname()[1]}", [good], 100)
    assert lines[0].startswith("InterruptedIOException no answer to HELLO")
    failed = subprocess.run(
        ["java", "-cp", jvm.path, "Check", "tell", "cereal", "/dev/null", "/dev/none"], capture_output=True, text=True
    )
    assert failed.returncode and "IOException" in failed.stderr and "plugged in" in failed.stderr
