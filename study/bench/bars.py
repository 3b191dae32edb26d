"""The bars for the figures of the suites.

If the cases of a bar were not measured, its figure is None, and the page says that it was not measured.
study.bench.expected checks that every case was measured."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Callable

from heapwire.measure.rows import Row
from study.bench import cereal_bars, heap, protobuf, skyway_bars

PORT_BYTES = 16
"""Bytes a cycle of the memory port for which the bars are meant."""

Suites = dict[str, list[Row]]
"""Rows of suites by name. Rows measured earlier may be among them."""


@dataclass(frozen=True)
class Bar:
    """A limit on one figure of a suite: `figure` must be at most `limit`, or with `at_least` at least `limit`."""

    name: str
    suite: str
    figure: Callable[[Suites], float | None]
    limit: float
    at_least: bool = False


@dataclass(frozen=True)
class Result:
    """The result of checking a bar against a measurement."""

    name: str
    measured: float
    wanted: str
    met: bool


def _row(rows: list[Row], case: str, engine: str = "hw", operation: str | None = None) -> Row | None:
    return next(
        (row for row in rows if row["case"] == case and row["engine"] == engine and operation in (None, row["op"])),
        None,
    )


def _cycles(
    suite: str, case: str, engine: str = "hw", operation: str | None = None
) -> Callable[[Suites], float | None]:
    def figure(suites: Suites) -> float | None:
        row = _row(suites.get(suite, []), case, engine, operation)
        return None if row is None else float(row["cycles"])

    return figure


def _copy_utilisation(suites: Suites) -> list[float]:
    """Returns reads and writes divided by the port's peak, for each bank offset."""
    return [
        (int(row["read_bytes"]) + int(row["write_bytes"])) / (int(row["cycles"]) * int(row["port_bytes_per_cycle"]))
        for row in suites.get("memory", [])
        if str(row["case"]).startswith("copy_64K_bank_offset_") and row["engine"] == "hw"
    ]


def _gather_gain(suites: Suites) -> float | None:
    one, eight = (_row(suites.get("memory", []), f"gather_1024_in_flight_{n}") for n in (1, 8))
    return int(one["cycles"]) / int(eight["cycles"]) if one and eight else None


def _each(case: str) -> Callable[[Suites], float | None]:
    """Returns the cycles of one of the 1,024 reads of a case."""

    def figure(suites: Suites) -> float | None:
        row = _row(suites.get("memory", []), case)
        return int(row["cycles"]) / 1024 if row else None

    return figure


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


def _core() -> list[Bar]:
    """Returns the bars of the core, which must be at most 10 % slower than stock LiteX."""
    return [
        Bar(
            f"{case}, {operation} (cycles, 1.1 x stock, a constant)",
            "core",
            _cycles("core", case, engine, operation),
            1.1 * cycles,
        )
        for (case, operation, engine), cycles in CORE_CYCLES.items()
    ]


BARS = [
    Bar(
        "64 KB copy, median of bank offsets (share of the port's peak)",
        "memory",
        lambda suites: median(found) if (found := _copy_utilisation(suites)) else None,
        0.84,
        at_least=True,
    ),
    Bar(
        "64 KB copy, worst bank offset (share of the port's peak)",
        "memory",
        lambda suites: min(_copy_utilisation(suites), default=None),
        0.55,
        at_least=True,
    ),
    Bar("random reads, 8 in flight over 1 (times faster)", "memory", _gather_gain, 3, at_least=True),
    Bar("a unit's read that hits, one after the other (cycles)", "memory", _each("gather_1024_hits_in_flight_1"), 8),
    # The same unit also writes each of them: two beats of requests, of which the shared cache takes one a cycle.
    Bar(
        "a unit's reads of one block, and as many writes (cycles)", "memory", _each("gather_1024_hits_of_a_block"), 2.5
    ),
    *_core(),
    *(Bar(name, "protobuf", figure, limit, at_least) for name, figure, limit, at_least in protobuf.bars()),
    *(Bar(name, "cereal", figure, limit, at_least) for name, figure, limit, at_least in cereal_bars.bars()),
    *(Bar(name, "skyway", figure, limit, at_least) for name, figure, limit, at_least in skyway_bars.bars()),
    Bar(
        "16-byte object without a handle, hw_allocate (cycles)", "heap", _cycles("heap", "object_16", heap.RUNTIME), 25
    ),
    Bar("16-byte object with a handle, hw_new (cycles)", "heap", _cycles("heap", "object_16_handle", heap.RUNTIME), 25),
    Bar(
        "young collection of unit-built objects (times software-built, cycles a byte)",
        "heap",
        lambda suites: heap.survival(suites.get("heap", [])),
        1.03,
    ),
    Bar(
        "longest wait for a command in flight, messages of the shared data up to 64 KB (cycles)",
        "heap",
        lambda suites: heap.longest_wait(suites.get("heap", [])),
        15_000,
    ),
]


def check(bar: Bar, suites: Suites) -> Result | None:
    """Checks a bar. Returns None if its figure was not measured."""
    measured = bar.figure(suites)
    if measured is None:
        return None
    met = measured >= bar.limit if bar.at_least else measured <= bar.limit
    return Result(bar.name, measured, f"{'>=' if bar.at_least else '<='} {bar.limit:,.4g}", met)


def of_suite(suite: str) -> list[Bar]:
    """Returns the bars of one suite."""
    return [bar for bar in BARS if bar.suite == suite]


def missed(results: list[Result], rows: list[Row]) -> list[str]:
    """Returns the missed bars, as text. The bars are meant for a memory port of 128 bits; at another width none is
    missed."""
    if any(row["port_bytes_per_cycle"] != PORT_BYTES for row in rows):
        return []
    return [f"{result.name}: {result.measured:,.4g}, wanted {result.wanted}" for result in results if not result.met]
