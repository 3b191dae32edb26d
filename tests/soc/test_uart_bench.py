"""`heapwire bench --port` against the simulated SoC, over a line that drops, duplicates, flips, delays and inserts
bytes and is cut, while the machine is reset. Every row is taken once, and is that of a perfect line."""

import json
import os
import re
import socket
import subprocess
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from base.repository import ROOT
from heapwire import firmware
from heapwire import interface as interface_module
from heapwire.check.selftest import PARTS, SelfTest, Wanted
from heapwire.client.line import Line
from heapwire.measure import uart
from heapwire.measure.fields import field_heavy_group
from heapwire.measure.journal import key_of
from heapwire.measure.messages import demo_group
from heapwire.simulation import parts as default_parts
from sim.run import Simulation
from tests.host.faulty_line import KINDS, FaultyLine

LIMIT = 120
RESETS = "reset"
VARYING = ("cycles", "cold_cycles", "instret", "read_bytes", "write_bytes", "busy_cycles")
"""Values that may differ a little after another history of the caches and of the DRAM refresh."""
TOLERANCE = 0.25


@pytest.fixture(scope="module")
def image(groups):
    """Builds the monitor with nanopb's code for the demo's messages."""
    parts, group = default_parts(), groups[0]
    out = ROOT / "build" / "test" / "uart" / parts.name
    assert firmware.generate_peers(group.schema, group.roots, out / "peers")
    return firmware.build("monitor", parts, out, out / "peers")


class Board:
    """A simulated SoC that can be reset. It then boots again, and its memory is lost."""

    def __init__(self, image):
        self.image, self.lock, self.resets = image, threading.Lock(), 0
        self.simulation = Simulation(image)

    def connect(self):
        with self.lock:
            return socket.create_connection(("127.0.0.1", self.simulation.port), timeout=5)

    def reset(self):
        with self.lock:
            self.simulation.__exit__()
            self.simulation = Simulation(self.image)
            self.resets += 1

    def close(self):
        self.simulation.__exit__()


@pytest.fixture(scope="module")
def board(image):
    board = Board(image)
    yield board
    board.close()


@pytest.fixture(scope="module")
def groups():
    """Returns groups of small messages, because the line is under test, and is slow."""
    return [small(demo_group(), "heapwire.demo.MediaContent"), small(field_heavy_group(), "heapwire.fields.Position")]


def small(group, *types):
    """Returns the group with only the messages of these types, and therefore with a small schema."""
    return replace(group, cases=[case for case in group.cases if case.type_name in types])


def measure(port, groups, folder, resume=False):
    said = []
    line = Line(f"socket://127.0.0.1:{port}", said.append, timeout=2.0, patience=200)
    try:
        return uart.Bench(line, groups, interface_module.load(), "uart", folder, resume, LIMIT, line.say).run(), said
    finally:
        line.close()


@pytest.fixture(scope="module")
def perfect(board, groups, tmp_path_factory):
    """Returns the rows of a line without faults."""
    measured, said = measure(board.simulation.port, groups, tmp_path_factory.mktemp("perfect"))
    assert not measured.problems and not any(": again, for " in text for text in said)
    return measured.rows


def test_every_engine_both_ways(perfect):
    assert all(row["ok"] and row["cycles"] and not row["fallbacks"] for row in perfect)
    demo = [row for row in perfect if row["case"].startswith("demo/")]
    assert {(row["op"], row["engine"]) for row in demo} == {
        (op, engine) for op in uart.OPERATIONS for engine in ("hw", "table", "nanopb")
    }
    cycles = {(row["case"], row["op"], row["engine"]): row["cycles"] for row in perfect}
    assert all(cycles[case, op, "hw"] < cycles[case, op, "table"] for case, op, engine in cycles if engine == "hw")


def test_what_tells_builds_apart_is_code_alone(image):
    """The part of memory that identifies a build, from the start of the program on, contains no variable."""
    sections = subprocess.run(
        ["riscv64-unknown-elf-readelf", "-SW", image], capture_output=True, text=True, check=True
    ).stdout
    start, size = re.search(r"\.text +PROGBITS +(\w+) \w+ (\w+)", sections).groups()
    assert int(start, 16) == interface_module.load().cluster["memoryBase"] and int(size, 16) >= uart.IMAGE_BYTES


def same(row, other):
    """Returns whether two rows agree. Measured counts may differ a little, all else not at all."""
    return {name: row[name] for name in row if name not in VARYING} == {
        name: other[name] for name in other if name not in VARYING
    } and all(abs(row[name] - other[name]) <= TOLERANCE * other[name] + 100 for name in ("cycles", "instret"))


@pytest.mark.parametrize("faults, gap, seed", [(19, 500, 1), pytest.param(1000, 800, 2, marks=pytest.mark.full)])
def test_faults_on_the_line(board, groups, perfect, tmp_path, faults, gap, seed):
    before = board.resets
    with FaultyLine(board.connect, gap, seed, delays=(0.02, 2.0), extra={RESETS: board.reset}) as line:
        for round in range(1000):
            measured, _ = measure(line.port, groups, tmp_path / str(round))
            assert line.error is None and not measured.problems
            written = [json.loads(text) for text in measured.page.with_suffix(".jsonl").read_text().splitlines()]
            assert written == measured.rows
            assert [key_of(row) for row in written] == [key_of(row) for row in perfect]
            assert not [(row, other) for row, other in zip(written, perfect) if not same(row, other)]
            if line.faults.total() >= faults:
                break
    print(f"{line.faults.total()} faults in {line.bytes} bytes, {round + 1} benches: {dict(line.faults)}")
    assert line.faults.total() >= faults and line.faults[RESETS] == board.resets - before
    assert set(line.faults) == {*KINDS, RESETS} and min(line.faults[kind] for kind in KINDS) >= faults // 8


RUNNER = Path(os.environ.get("CACHE") or ROOT / ".cache") / "conformance"


@pytest.mark.parametrize("runner", [None, pytest.param(RUNNER, marks=pytest.mark.full)])
def test_the_self_test_of_a_board(board, groups, image, tmp_path, runner):
    """`make check-board`, with a simulation in the place of the board, which has no time of its own."""
    wanted = Wanted("simulated", image.with_suffix(".bin"), runner, 20, groups[:1], LIMIT)
    line = Line(f"socket://127.0.0.1:{board.simulation.port}", print, timeout=5.0, patience=200)
    try:
        findings = SelfTest(line, interface_module.load(), wanted, tmp_path, print).run()
    finally:
        line.close()
    untested = {"clock", "line"} if runner else {"clock", "line", "conformance"}
    assert {finding.name: finding.ok for finding in findings} == {
        name: None if name in untested else True for name in PARTS
    }, findings
    report = json.loads((tmp_path / "simulated.json").read_text())
    assert report["passed"] and report["findings"][0]["facts"]["kernel"]
