"""The bars of the suite `protobuf`, each for both directions."""

from __future__ import annotations

from statistics import median
from typing import Callable, Iterator

from heapwire.measure.rows import Row
from study.bench import cores, flight
from study.bench.rows import PEERS, geometric_mean, slopes, speedups

Rows = dict[str, list[Row]]
"""Rows of suites by name."""
Figure = Callable[[Rows], float | None]
OPERATIONS = ("deserialize", "serialize")
LARGE = 1 << 16
"""Messages of at least so many bytes are compared with the copy unit."""


def _rows(suites: Rows, operation: str, prefix: str) -> list[Row]:
    return [row for row in suites.get("protobuf", []) if row["op"] == operation and str(row["case"]).startswith(prefix)]


def _hw(suites: Rows, operation: str, case: str) -> Row | None:
    return next((row for row in _rows(suites, operation, case) if row["case"] == case and row["engine"] == "hw"), None)


def _mean(operation: str, prefix: str, peers: tuple[str, ...]) -> Figure:
    """Returns the geometric mean of the speed-ups over the fastest of the peers."""

    def figure(suites: Rows) -> float | None:
        found = list(speedups(_rows(suites, operation, prefix), peers).values())
        return geometric_mean(found) if found else None

    return figure


def _cycles(operation: str, case: str) -> Figure:
    def figure(suites: Rows) -> float | None:
        row = _hw(suites, operation, case)
        return None if row is None else float(row["cycles"])

    return figure


def _slope(operation: str, series: str) -> Figure:
    def figure(suites: Rows) -> float | None:
        rows = [row for row in _rows(suites, operation, f"{series}/") if row["engine"] == "hw"]
        return next((slope.rate for slope in slopes(rows)), None)

    return figure


def _port_share(operation: str, case: str) -> Figure:
    """Returns the bytes moved divided by those that the port could have moved."""

    def figure(suites: Rows) -> float | None:
        row = _hw(suites, operation, case)
        return (
            None
            if row is None
            else (
                (int(row["read_bytes"]) + int(row["write_bytes"]))
                / (int(row["cycles"]) * int(row["port_bytes_per_cycle"]))
            )
        )

    return figure


def _copy_rate(suites: Rows) -> float | None:
    """Returns the copy unit's bytes a cycle: 64 KB, median of bank offsets. The suite `memory` measures it."""
    copies = [
        int(row["cycles"])
        for row in suites.get("memory", [])
        if str(row["case"]).startswith("copy_64K_bank_offset_") and row["engine"] == "hw"
    ]
    return LARGE / median(copies) if copies else None


def _against_copy(operation: str, prefix: str) -> Figure:
    """Returns the bytes a cycle of the slowest message of at least 64 KB, divided by those of the copy unit."""

    def figure(suites: Rows) -> float | None:
        copy = _copy_rate(suites)
        rates = [
            int(row["wire_bytes"]) / int(row["cycles"])
            for row in _rows(suites, operation, prefix)
            if row["engine"] == "hw" and int(row["wire_bytes"]) >= LARGE
        ]
        return min(rates) / copy if rates and copy else None

    return figure


def _two_units(operation: str) -> Figure:
    return lambda suites: flight.gain(suites.get("protobuf", []), suites.get(flight.SINGLE, []), operation)


def _over_cores(operation: str, group: str) -> Figure:
    return lambda suites: cores.times(suites.get("protobuf", []), operation, group)


def bars() -> Iterator[tuple[str, Figure, float, bool]]:
    """Yields name, figure, limit, and whether the limit is a lower one."""
    for op in OPERATIONS:
        for prefix, times in (("jsbs/", 25), ("fleetbench/", 25), ("fields/", 40)):
            yield f"{op}: {prefix[:-1]} (times nanopb, geometric mean)", _mean(op, prefix, ("nanopb",)), times, True
            yield f"{op}: {prefix[:-1]} (times the best software, geometric mean)", _mean(op, prefix, PEERS), 6, True
        for group in cores.GROUPS:
            yield (
                f"{op}: {group} (messages a second and LUT, times a core's; needs `make area`)",
                _over_cores(op, group),
                4,
                True,
            )
        yield (
            f"{op}: hyperprotobench (times the best software, geometric mean)",
            _mean(op, "hyperprotobench/", PEERS),
            5,
            True,
        )
        yield (
            f"{op}: hyperprotobench, messages over 64 KB (share of the copy rate; needs the suite memory)",
            _against_copy(op, "hyperprotobench/"),
            0.9,
            True,
        )
        yield (
            f"{op}: two engines of CONFIG=full, fields of {flight.SHORT} to {flight.LONG:,} bytes (times the one of "
            "CONFIG=single, "
            "geometric mean)",
            _two_units(op),
            1.8,
            True,
        )
        yield f"{op}: MediaContent, 242 bytes (cycles)", _cycles(op, "jsbs/media.1"), 600, False
        yield (
            f"{op}: 17-byte message (cycles)",
            _cycles(op, "hyperprotobench/bench1/05_hyperprotobench.M15"),
            300,
            False,
        )
        for series, decode, encode in (
            ("packed_uint32_1B", 1.1, 0.6),
            ("packed_uint32_2B", 1.1, 0.6),
            ("packed_varint_1B", 1.1, 0.9),
            ("packed_varint_2B", 1.1, 0.9),
            ("packed_varint_10B", 1.8, 1.8),
        ):
            yield (
                f"{op}: {series} (cycles an element)",
                _slope(op, series),
                decode if op == "deserialize" else encode,
                False,
            )
        yield f"{op}: unpacked_varint_1B (cycles a field)", _slope(op, "unpacked_varint_1B"), 2, False
        yield f"{op}: unpacked_varint_2B (cycles a field)", _slope(op, "unpacked_varint_2B"), 2, False
        yield f"{op}: 4 KB string (share of the port)", _port_share(op, "string/4096"), 0.5, True
        yield (
            f"{op}: 64 KB string (share of the copy rate; needs the suite memory)",
            _against_copy(op, "string/65536"),
            0.9,
            True,
        )
