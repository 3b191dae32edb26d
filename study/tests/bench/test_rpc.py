"""The suite `rpc`: its machines, and the cycles of frames on the line."""

from dataclasses import replace

import pytest

from heapwire.simulation import parts
from sim.ethernet import Frame
from study.bench import limits, rpc, run
from study.bench.machines import variables
from study.bench.rows import speedups
from study.tests.bench.bench_rows import of_suite


@pytest.mark.parametrize(
    "like, machines, files",
    [
        ("", ["ecpix5", "ecpix5+stock"], ""),
        ("ecpix5", ["ecpix5", "ecpix5+stock"], ""),
        ("ulx3s", ["ulx3s", "ulx3s+stock"], "@like-ulx3s"),
        ("ulx3s+stock", ["ulx3s", "ulx3s+stock"], "@like-ulx3s"),
    ],
)
def test_machines_are_like_a_board_ours_and_litexs_own(monkeypatch, like, machines, files):
    monkeypatch.setenv("LIKE", like)
    assert (rpc.machines(), rpc.suffix()) == (machines, files)
    wanted = [f"LIKE={name},ETHERNET=1" for name in machines]
    assert variables(["rpc"]) == wanted
    assert variables(["core", "rpc"]) == ["CONFIG=default", *wanted]
    assert all(word.startswith("CONFIG=") for word in variables([]))


def test_litexs_own_cpu_has_no_units():
    ours = parts("default", 128)
    assert run.has_units(ours) and run.has_units(replace(ours, like="ulx3s"))
    assert not run.has_units(replace(ours, like="ulx3s+stock"))


def call(start, cycles):
    return [Frame(start - 100, start, b"", False), Frame(start + cycles - 100, start + cycles, b"", True)]


def test_cycles_of_calls():
    """Those before they are warm do not count."""
    slow, usual = [9000] * rpc.WARM, [100] * 5 + [120] * 2
    frames = [frame for n, cycles in enumerate((*slow, *usual)) for frame in call(10_000 * n, cycles)]
    assert rpc.cycles_of(frames, 1) == 100
    assert rpc.cycles_of(frames, 8) == round((10_000 * 6 + 20) / 6)


@pytest.mark.parametrize("table, stock, met", [(24_100, 40_100, [True, True]), (23_000, 39_000, [False, False])])
def test_bars_are_of_calls_of_254_bytes_one_at_a_time(table, stock, met):
    engines = {"hw": 8000, "table": table, "nanopb-stock": stock}
    rows = [of_suite("rpc", "ecpix5", "echo/254", rpc.ONE, name, cycles) for name, cycles in engines.items()]
    rows += [of_suite("rpc", "ecpix5", "echo/49", rpc.ONE, "hw", 1)]
    assert len(speedups(rows, ("table",))) == 1
    results = [limits.bars.check(bar, {"rpc": rows}) for bar in limits.of_suite("rpc")]
    assert [result.met for result in results] == met
