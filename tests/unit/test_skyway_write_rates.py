"""Cycle counts of Skyway's sending mode alone, next to those of Cereal in the same unit."""

import random

import pytest

from heapwire.cereal import Object
from heapwire.skyway.registry import Registry
from sim.unit.process import Unit
from tests.unit.cereal_heap import Heap
from tests.unit.cereal_write import HEAP_BASE, WriteBench
from tests.unit.cereal_writing import NODE, TREE, chain, check, small
from tests.unit.skyway_write import Sent, SkywayBench
from tests.unit.test_cereal_write_rates import bytes_array, fan, hub, tree
from tests.unit.test_skyway_write import send


def cycles_of(unit: Unit, interface, graph: list[Object], mode: str, **layout) -> int:
    registered = small(TREE if graph[0].cls is TREE else NODE)
    cereal = WriteBench(unit, interface, registered)
    heap = Heap(random.Random(len(graph)), registered, graph, HEAP_BASE, **layout)
    if mode == "cereal":
        return check(cereal, heap, graph[0], work=1 << 20).cycles
    bench = SkywayBench(unit, interface, registered, Registry(1))
    bench.epochs(1)
    heap.load(unit)
    return send(bench, heap, Sent(bench.registry), graph[0], 1 << 16 | 1, slack=64, work=20).cycles


@pytest.mark.parametrize("latency", [20, 40])
@pytest.mark.parametrize(
    "name, make, sizes, bar, layout",
    [
        ("list", chain, (100, 1100), 30, {}),
        ("tree", tree, (127, 1023), 10, {}),
        ("tree scattered", tree, (127, 1023), 10, {"shuffle": True, "gap": 2}),
        ("references to new objects", fan, (100, 1100), 8, {}),
        ("references to known objects", hub, (1000, 3000), 3, {}),
        ("values, cycles a 16 bytes", bytes_array, (256, 4096), 1.25, {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_cycles(fast, interface, name, make, sizes, bar, layout, latency):
    fast.memory(1, 0, latency, latency)
    slopes = {}
    for mode in ("cereal", "skyway"):
        first, last = (cycles_of(fast, interface, make(count), mode, **layout) for count in sizes)
        slopes[mode] = (last - first) / (sizes[-1] - sizes[0])
    print(f"{name}, latency {latency}: skyway {slopes['skyway']:.2f} cycles, cereal {slopes['cereal']:.2f}")
    if latency == 20:
        assert slopes["skyway"] <= bar
    assert slopes["skyway"] <= 1.1 * slopes["cereal"] + 0.1


def test_fixed_cost(fast, interface):
    fast.memory(1, 0, 20, 20)
    for name, graph in {"array of 9": fan(9), "list of 10": chain(10), "one": chain(1)}.items():
        found = {mode: cycles_of(fast, interface, graph, mode) for mode in ("cereal", "skyway")}
        print(f"{name}: skyway {found['skyway']} cycles, cereal {found['cereal']}")
        assert found["skyway"] < found["cereal"]
