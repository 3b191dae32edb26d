"""Simulated boards that are like real ones (sim/like.py). `make test` runs OrangeCrab's 25F, with a cluster of 32 bits
on DDR3 of 128 bits, `make test-full` all of them, among them ULX3S, with SDRAM at twice the clock.

The tests do what a user with such a board does. The monitor reads and writes random messages with the units, and a
bench runs over the UART. A memory read that meets a write returns noise (sim/collisions.py)."""

import os
import random

import pytest

from boards import boards
from heapwire import firmware
from heapwire import interface as interface_module
from heapwire.client import Engine, RunFlag
from heapwire.client.line import Line
from heapwire.demo import Placement, Session, simulated
from heapwire.measure import uart
from heapwire.measure.fields import field_heavy_group
from heapwire.measure.messages import demo_group
from heapwire.schema import compile_proto
from heapwire.simulation import parts
from heapwire.workload.case import Case
from heapwire.workload.group import Group
from sim.like import Like
from sim.run import Build, Simulation
from tests.common.random_messages import fill
from tests.host.conftest import PROTOS
from tests.soc.test_messages import difference

NAME = "test.Everything"
FULL_RUN = bool(os.environ.get("HEAPWIRE_FULL"))
SEED = int(os.environ.get("HEAPWIRE_SEED") or 2021)
BOARDS = ["orangecrab-25f"] + list(boards()) * FULL_RUN
MESSAGES = 100 if FULL_RUN else 3
LIMIT = 115


@pytest.fixture(scope="module", params=BOARDS)
def board(request):
    """Yields the name of a board. The environment selects that board meanwhile."""
    with pytest.MonkeyPatch.context() as environment:
        environment.delenv("HEAPWIRE_JSON", raising=False)
        environment.setenv("LIKE", request.param)
        environment.setenv("NOISE", "1")
        if not Build.of().binary.is_file():
            pytest.fail(f"there is no simulator. What to do: make sim LIKE={request.param} NOISE=1")
        yield request.param


@pytest.fixture
def interface(board):
    return interface_module.load()


def test_it_is_like_the_board(board, interface):
    """The simulated board has the properties that the board's file states."""
    like, cluster, facts = Like.named(board), interface.cluster, Build.of().facts()
    variant = like.board.variants[like.device]
    assert facts["clockHz"] == like.board.clock_hz and facts["memory"]["bytes"] == like.board.memory_mb << 20
    assert (cluster["config"], cluster["dataWidth"]) == (variant.config, like.board.data_bits(like.device))
    assert cluster["unitClockDivider"] == 1 and cluster["dram"] == {"readPorts": 1, "writePorts": 1}


def test_random_messages(board, interface):
    schema, dice = compile_proto(PROTOS / "everything.proto"), random.Random(SEED)
    placement = Placement({})
    with simulated(Group("everything", schema, [Case("empty", NAME, b"")]), placement, print) as monitor:
        session = Session(
            monitor, Group("everything", schema, [Case("empty", NAME, b"")]), interface, lambda _: None, placement
        )
        for number in range(MESSAGES):
            message = schema.message_class(NAME)()
            fill(message, dice, depth=2)
            data = message.SerializeToString(deterministic=True)
            address = session.place(data) if data else session.layout.buffer_base
            run = session.monitor.run(Engine.HW, 0, address, len(data), warm=0)
            assert (run.result, run.fallbacks) == (0, 0), (
                f"message {number} of seed {SEED}: {interface.status_name(run.result)}"
            )
            assert difference(session, run, message) is None, f"message {number} of seed {SEED}"
            run = session.monitor.run(Engine.HW, 0, address, len(data), warm=0, flags=RunFlag.SERIALIZE)
            assert (run.result, run.fallbacks) == (0, 0), (
                f"message {number} of seed {SEED}: {interface.status_name(run.result)}"
            )
            assert session.check_encoding(run, message, Engine.HW) is None, f"message {number} of seed {SEED}"


def test_a_bench_over_the_uart(interface, tmp_path):
    """Every row is right, in both directions, and none is done by software in a unit's stead."""
    image = firmware.build("monitor", parts(), tmp_path / "firmware")
    groups = uart.chosen((), LIMIT, print, [demo_group(), field_heavy_group()])
    with Simulation(image) as simulation:
        line = Line(f"socket://127.0.0.1:{simulation.port}", print, timeout=2.0, patience=100)
        try:
            measured = uart.Bench(line, groups, interface, "uart", tmp_path, False, LIMIT, print).run()
        finally:
            line.close()
    assert not measured.problems and all(row["ok"] and not row["fallbacks"] for row in measured.rows)
    facts = {
        "port_bytes_per_cycle": interface.cluster["dataWidth"] // 8,
        "config": interface.cluster["config"],
        "clock_hz": Build.of().facts()["clockHz"],
    }
    assert all({name: row[name] for name in facts} == facts for row in measured.rows)
    assert all(
        {row["op"] for row in measured.rows if row["engine"] == engine} == {"deserialize", "serialize"}
        for engine in ("hw", "table")
    )
    cycles = {(row["case"], row["op"], row["engine"]): row["cycles"] for row in measured.rows}
    assert all(cycles[case, op, "hw"] < cycles[case, op, "table"] for case, op, engine in cycles if engine == "hw")
