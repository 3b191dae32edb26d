"""The bars of all suites."""

from dataclasses import replace
from statistics import median
from typing import Iterator

from study.bench import bars, cores, flight, heap, roundtrip, rpc
from study.bench.bars import Bar, graphs, pick
from study.bench.cereal import MEDIUM, OPERATIONS, SCALES, SERIES, SMALL
from study.bench.rows import PEERS

CORE_CYCLES: dict[tuple[str, str, str], float] = {
    ("read_1024", "read", "core"): 1024 / 2.1,
    ("read_65536", "read", "core"): 65536 / 0.48,
    ("write_1024", "write", "core"): 1024 / 1.3,
    ("write_65536", "write", "core"): 65536 / 0.41,
    ("memcpy_1024", "copy", "memcpy"): 1024 / 1.09,
    ("memcpy_65536", "copy", "memcpy"): 65536 / 0.22,
    **{
        (case, operation, "nanopb"): cycles
        for case, encode, decode in (
            ("sint32_unpacked_100", 29510, 65076),
            ("uint64_packed_1000", 588512, 870587),
            ("strings_10_of_32", 10088, 9219),
            ("media_content", 34673, 35022),
            ("nested_4", 28516, 18827),
        )
        for operation, cycles in (("serialize", encode), ("deserialize", decode))
    },
}
"""Cycles of stock LiteX with its 8 KB L2, by case, operation and engine. Streaming cycles are bytes divided by its rate
in bytes a cycle; nanopb's are those of encode and decode. They are constants, measured once, elsewhere (nanopb's on
VexRiscv `full+cfu` with 4 KB caches), with this memory's timing.

LIKE=BOARD+stock measures such a CPU on the memory of a board, with nanopb as it is built here. On the memory of ULX3S
it takes 0.6 to 1.0 of these cycles to read and 0.7 to 1.05 to write, so that some of nanopb's bars are too easy. The
cluster that is compared with them has a shared cache of 16 KB (heapwire.json: `sharedCacheBytes`)."""


def least(suite: str, name: str, limit: float, rows: bars.Selection, formula: bars.Formula = bars.cycles()) -> Bar:
    return Bar(suite, name, rows, formula, limit)


def most(suite: str, name: str, limit: float, rows: bars.Selection, formula: bars.Formula = bars.cycles()) -> Bar:
    return Bar(suite, name, rows, formula, limit, at_least=False)


COPIES = pick(prefix=bars.COPIES, engine="hw")
HIT, BLOCK = "gather_1024_hits_in_flight_1", "gather_1024_hits_of_a_block"
MEMORY = [
    least("memory", "64 KB copy, median of bank offsets (share of the port's peak)", 0.84, COPIES, bars.share(median)),
    least("memory", "64 KB copy, worst bank offset (share of the port's peak)", 0.55, COPIES, bars.share(min)),
    least("memory", "random reads, 8 in flight over 1 (times faster)", 3, pick(engine="hw"), bars.gather_gain),
    most("memory", "a unit's read that hits, one after the other (cycles)", 8, pick(case=HIT), bars.cycles(1024)),
    # The same unit also writes each of them: two beats of requests, of which the shared cache takes one a cycle.
    most(
        "memory", "a unit's reads of one block, and as many writes (cycles)", 2.5, pick(case=BLOCK), bars.cycles(1024)
    ),
]
CALL_CYCLES = {
    "set_scalar": 20,
    "set_string_15": 130,
    "mutable_absent_48": 120,
    "get_int/8": 100,
    "put_int_new/8": 250,
    "get_string/8": 180,
    "equals_120": 1_200,
}
"""Most cycles of a program's calls on a message."""
CORE = [
    most("core", f"{case}, {op} (cycles, 1.1 x stock, a constant)", 1.1 * limit, pick(op, case, engine=engine))
    for (case, op, engine), limit in CORE_CYCLES.items()
]
"""The core must be at most 10 % slower than stock LiteX."""
CORE += [
    most("core", f"{case}, by an accessor (cycles)", limit, pick("access", case, engine="accessors"))
    for case, limit in CALL_CYCLES.items()
]
CORE += [
    least(
        "core",
        f"{case}, round trip without collections (times the best software)",
        5,
        pick(roundtrip.TRIP, case),
        bars.over(*roundtrip.SOFTWARE),
    )
    for case in roundtrip.CASES
]
BUILT = "young collection of unit-built objects (times software-built, cycles a byte)"
WAIT = "longest wait for a command in flight, messages up to 64 KB, ours among them (cycles)"
HEAP = [
    most("heap", "16-byte object without a handle, hw_allocate (cycles)", 25, pick(case="object_16")),
    most("heap", "16-byte object with a handle, hw_new (cycles)", 25, pick(case="object_16_handle")),
    most("heap", BUILT, 1.03, list, lambda rows, _: heap.survival(rows)),
    most("heap", WAIT, 15_000, list, lambda rows, _: heap.longest_wait(rows)),
]
HYPER = "hyperprotobench/"
SLOPES = {
    "packed_uint32_1B": ("an element", 1.1, 0.6),
    "packed_uint32_2B": ("an element", 1.1, 0.6),
    "packed_varint_1B": ("an element", 1.1, 0.9),
    "packed_varint_2B": ("an element", 1.1, 0.9),
    "packed_varint_10B": ("an element", 1.8, 1.8),
    "unpacked_varint_1B": ("a field", 2, 2),
    "unpacked_varint_2B": ("a field", 2, 2),
}
"""Most cycles an element, by sweep: to read, to write."""


def _protobuf(op: str) -> Iterator[Bar]:
    """Yields the bars of one direction of the suite `protobuf`, without the direction in their names."""
    suite = "protobuf"
    for name, times in (("jsbs", 25), ("fleetbench", 25), ("fields", 40)):
        rows = pick(op, prefix=f"{name}/")
        yield least(suite, f"{name} (times nanopb, geometric mean)", times, rows, bars.over("nanopb"))
        yield least(suite, f"{name} (times the best software, geometric mean)", 6, rows, bars.over(*PEERS))
    for group in cores.GROUPS:
        name = f"{group} (messages a second and LUT, times a core's; needs `make area`)"
        yield least(suite, name, 4, list, bars.over_core(op, group))
    name = "hyperprotobench (times the best software, geometric mean)"
    yield least(suite, name, 5, pick(op, prefix=HYPER), bars.over(*PEERS))
    name = "hyperprotobench, messages over 64 KB (share of the copy rate; needs the suite memory)"
    yield least(suite, name, 0.9, pick(op, prefix=HYPER, engine="hw"), bars.of_copy)
    fields = f"fields of {flight.SHORT} to {flight.LONG:,} bytes"
    name = f"two engines of CONFIG=full, {fields} (times the one of CONFIG=single, geometric mean)"
    yield least(suite, name, 1.8, list, bars.two_engines(op))
    yield most(suite, "MediaContent, 242 bytes (cycles)", 600, pick(op, "jsbs/media.1", engine="hw"))
    yield most(suite, "17-byte message (cycles)", 300, pick(op, f"{HYPER}bench1/05_hyperprotobench.M15", engine="hw"))
    for series, (what, read, write) in SLOPES.items():
        rows = pick(op, prefix=f"{series}/", engine="hw")
        yield most(suite, f"{series} (cycles {what})", read if op == "deserialize" else write, rows, bars.slope)
    yield least(suite, "4 KB string (share of the port)", 0.5, pick(op, "string/4096", engine="hw"), bars.share(min))
    name = "64 KB string (share of the copy rate; needs the suite memory)"
    yield least(suite, name, 0.9, pick(op, "string/65536", engine="hw"), bars.of_copy)


BRANCHING = tuple(series.name for series in SERIES if not series.name.startswith("list"))
TREES_AND_DENSE = tuple(name for name in BRANCHING if name != "graph-sparse")
KRYO = ("kryo-generic", "kryo-manual")


def _cereal(op: str) -> Iterator[Bar]:
    """Yields the bars of one direction of the suite `cereal`, without the direction in their names. Cycles include the
    driver. Figures are geometric means over the small and the medium microbenchmarks unless a bar says otherwise."""
    suite, writes, few = "cereal", op == "serialize", (SMALL, MEDIUM)
    for name, peers, limit, alone in (
        ("`java`", ["java"], 18 if writes else 60, 20),
        ("the best Kryo", KRYO, 10 if writes else 25, 12),
    ):
        yield least(suite, f"times {name}, geometric mean", limit, graphs(op, few), bars.over(*peers))
        text = f"trees and the dense graph alone, times {name}, geometric mean"
        yield least(suite, text, alone, graphs(op, few, TREES_AND_DENSE), bars.over(*peers))
    lists = graphs(op, shapes=("list",), engine="hw")
    yield most(suite, "the longest lists (cycles a node)", 22 if writes else 5, lists, bars.a_node)
    share = graphs(op, engine="hw"), bars.mean_share
    yield least(suite, "share of the port, one unit, mean of all graphs", 0.209 if writes else 0.311, *share)
    if not writes:
        yield least(suite, "share of the port in the best case, of the copy unit's", 0.95, graphs(op), bars.best)
    vanilla = graphs(op, few, BRANCHING), bars.over("hw-vanilla")
    yield least(suite, "times `hw-vanilla`, trees and graphs, geometric mean", 3, *vanilla)
    for units, limit in ((2, 1.8), (4, 3.2)):
        name = f"{units} units, a medium graph each, times one, without graphs that fill the port, geometric mean"
        yield least(suite, name, limit, graphs(op, (MEDIUM,)), bars.several(SCALES[units], limit))


def _both_ways(suite: str, rows: bars.Selection, what: str, engine: str, peer: str, limit: float) -> Bar:
    return least(suite, f"{what}: times `{peer}`", limit, rows, bars.both_ways_over(peer, engine))


def _named(op: str, bar: Bar) -> Bar:
    return replace(bar, name=f"{op}: {bar.name}")


JSBS = "JSBS MediaContent"
BOTH_WAYS = [
    _both_ways("cereal", bars.media, f"{JSBS}, both ways together", "hw", "kryo-manual", 8),
    _both_ways("skyway", bars.media, f"{JSBS}, `skyway-sw`", "skyway-sw", "kryo-manual", 1.1),
    _both_ways("skyway", bars.media, f"{JSBS}, `skyway-sw`", "skyway-sw", "java", 6),
    _both_ways("skyway", bars.bulk, "bulk graphs, `skyway-sw`", "skyway-sw", "kryo-generic", 2.9),
    _both_ways("skyway", bars.bulk, "bulk graphs, `skyway-hw`", "skyway-hw", "skyway-sw", 8),
    _both_ways("skyway", bars.media, f"{JSBS}, `skyway-hw`", "skyway-hw", "skyway-sw", 3),
]
"""Both directions together. For bulk graphs they apply to the geometric mean."""
RPC = [
    least("rpc", f"echo of 254 bytes, times {name}", limit, pick(rpc.ONE, "echo/254"), bars.over(peer))
    for name, peer, limit in (("the codec in software", "table", 3), ("nanopb on LiteX's own CPU", "nanopb-stock", 5))
]
BARS = [
    *MEMORY,
    *CORE,
    *(_named(op, bar) for op in ("deserialize", "serialize") for bar in _protobuf(op)),
    *(_named(op, bar) for op in OPERATIONS for bar in _cereal(op)),
    *BOTH_WAYS,
    *HEAP,
    *RPC,
]


def of_suite(suite: str) -> list[Bar]:
    return [bar for bar in BARS if bar.suite == suite]
