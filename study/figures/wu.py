"""E. Wu, V. Schmulbach: *Multi-Language Deserialization Accelerator with GC Support*, and the earlier report
UCB/EECS-2023-268."""

from dataclasses import replace
from typing import Any, Callable

from heapwire.measure.rows import Row
from study.bench import heap
from study.bench.clearing import LESS
from study.bench.interleaved import FIELDS, ROWS, TURNS
from study.bench.interleaved import NAME as INTERLEAVED
from study.bench.rows import PEERS, fit, geometric_mean, slopes
from study.bench.shares import PARTS, shares
from study.report.content import Item, absent, drawings
from study.report.figure import OVER_BEST, Column, Figure, Lines, bars, each, listing, mean, of, over, paper, table
from study.report.records import Case, Value, at, cases, cycles, points, select
from study.report.scaling import BLOCK
from study.report.store import Store, area_of, series
from study.report.text import count, fixed, percent, short, times

of_heap, of_protobuf = map(of, ("heap", "protobuf"))

TITLE = "Wu & Schmulbach"
TEXT = """E. Wu, V. Schmulbach, *Multi-Language Deserialization Accelerator with GC Support*.
    [units/protobuf.md](root:docs/reference/units/protobuf.md) describes the engine,
    [runtime.md](root:docs/reference/runtime.md) the heap."""
EARLIER_TITLE = "UCB/EECS-2023-268"
EARLIER_TEXT = """E. Wu, V. Schmulbach, *A Deserialization Architecture for GC Languages*. Its pauses are those of the
    fuller report."""
ENGINES = (*PEERS, "hw")
READ = ("deserialize",)
HYPER = "hyperprotobench/"
FEW = 14
"""Messages in the picture of figure 13, besides the paper's."""
THEIRS = ("bench0 M1", "bench0 M25")
"""The messages of figures 13 and 14."""
ABSTRACT = {OVER_BEST: 10.9}
"""Over Java on BOOM: the geometric mean of the abstract, which gives a range of 1.5 to 30."""
NEEDS_DATA = "It needs the real messages, which are not ours to give away ([host.md](root:docs/reference/host.md))."
DIFFERS = """The paper's peer is Java's protobuf library on HotSpot, on a core like a Cortex-A72 at 3 GHz. Our peers are
    nanopb, which fills C structs, and `table`, our software codec for the same managed objects; both are compiled and
    run on the small core beside the engine."""
SIZE, SIZED = at("wire_bytes"), "bytes=wire_bytes:count"
RATE = "bytes a cycle"


def rate(row: Row) -> float:
    """Returns bytes on the wire a cycle."""
    return int(row["wire_bytes"]) / cycles(row)


def cold_rate(row: Row) -> float | None:
    """Returns the same of the first run, with cold caches."""
    return int(row["wire_bytes"]) / int(row["cold_cycles"]) if row.get("cold_cycles") else None


def message(record: Any) -> str:
    """Returns the message's name: bench0 M25 for hyperprotobench/bench0/03_hyperprotobench.M25."""
    name = str(record["case"]).rpartition(": ")[2]
    _, bench, file = name.split("/") if name.startswith(HYPER) else ("", "", "")
    return f"{bench} {file.rpartition('.')[2]}" if bench else name


def best(record: Case) -> float | None:
    """Returns the cycles of the quickest software of a case, divided by the engine's."""
    return record.over(record.best(PEERS), "hw", cycles)


def a_kilobyte(row: Row, key: str) -> float:
    """Returns blocks for each KB of the message."""
    return 1024 * int(row[key]) / BLOCK / int(row["wire_bytes"])


def of_bench(number: str, bench: str) -> Figure:
    """Figures 8 and 9: the messages of one bench of HyperProtoBench."""
    return of_protobuf(
        f"{number}: throughput on HyperProtoBench's {bench}",
        f"""The paper: 80 % of the messages are read 4 to 33 times as fast as by Java; the smallest, of 17 bytes, 1.4
        times. This is for Bench1 and Bench4 together, without the time to allocate buffers. Its abstract has 1.5 to 30
        times, 10.9 as a geometric mean. Here the arenas are reset before each read, outside the measured time.

        {{machine}} {DIFFERS}""",
        bars(
            f"Bytes on the wire a cycle, to read, logarithmic | {RATE}",
            *each(ENGINES, rate, short),
            name=message,
            log=True,
        ),
        table(
            "Cycles to read",
            Column("message", lambda case: f"`{message(case)}`"),
            "bytes=first>wire_bytes:count",
            *each(ENGINES, cycles, count),
            *over(PEERS, times),
            Column(OVER_BEST, best, times, mean=True),
            ends=[mean("geometric mean"), paper("the paper's abstract, over Java", ABSTRACT)],
        ),
        rows=select("protobuf", READ, ENGINES, f"{HYPER}{bench.lower()}/"),
        needs=NEEDS_DATA,
    )


def _by_size(rows: list[Row]) -> dict[str, dict[str, list]]:
    found = {}
    for name, prefix in (("HyperProtoBench", HYPER), ("books of trades", "bytes/")):
        mine = [row for row in rows if str(row["case"]).startswith(prefix)]
        found |= {f"{name}, warm": points(mine, SIZE, rate), f"{name}, cold caches": points(mine, SIZE, cold_rate)}
    return found


def _missing(store: Store, rows: list[Row]) -> dict[str, str]:
    there = {prefix for prefix in (HYPER, "bytes/") for row in rows if str(row["case"]).startswith(prefix)}
    command = "run `make bench SUITE=protobuf`."
    hyper = "" if HYPER in there else f"HyperProtoBench is not measured: {command} {NEEDS_DATA}"
    return {"hyper": hyper, "books": "" if "bytes/" in there else f"The sweep over sizes is not measured: {command}"}


def books(rows: list[Row]) -> list[Row]:
    """Returns the rows of books of trades, by size."""
    return [row for _, row in series(rows, "bytes")]


SHARES = [Column(head, lambda row, key=key: getattr(shares(row), key), percent) for head, key in PARTS.items()]
WITHOUT_PORT = [column for column in SHARES if column.head != "of DRAM's port"]


def _empty(store: Store, rows: list[Row]) -> dict[str, str]:
    """Says what the message costs that is closest to empty: its only field is absent."""
    found = select("protobuf", READ, ("hw",), "string/0")(store)
    return {
        "empty": f"A message without a field takes {cycles(found[0]):,} cycles here."
        if found
        else "A call with a message without a field (`string/0`) is not measured: run `make bench SUITE=protobuf`."
    }


def _breakdown(store: Store) -> list[Row]:
    found = select("protobuf", READ, ("hw",), where=lambda row: bool(row.get("busy_cycles")))(store)
    named = (HYPER, "jsbs/", "fleetbench/", "fields/", f"{INTERLEAVED}/")
    return [row for row in found if str(row["case"]).startswith(named)] or found


def _some(rows: list[Row]) -> list[Row]:
    """Returns the paper's messages and a few others, of all sizes."""
    by_size = sorted(rows, key=lambda row: int(row["wire_bytes"]))
    few = by_size[:: max(1, -(-len(rows) // FEW))]
    return [row for row in by_size if row in few or message(row) in THEIRS]


def _cleared(rows: list[Row]) -> list[dict[str, Any]]:
    """Returns the cycles of each message by what is cleared, and what clearing everything adds."""
    by_case, found = {str(row["case"]): cycles(row) for row in rows}, []
    for case, whole in by_case.items():
        less = {clear.value: by_case.get(f"clear {clear.value}: {case}") for clear in LESS}
        if None not in less.values():
            added = {f"all adds to {name}": whole / value - 1 for name, value in less.items()}
            found.append({"case": case, "all": whole, **less, **added})
    return found


NAMES = [clear.value for clear in LESS]


def _waits_for_tables(row: Row) -> float | None:
    return shares(row).table if row.get("busy_cycles") else None


def _series(row: Row) -> str:
    return f"{str(row['case']).partition('/')[0]}, {row['engine']}"


def _pauses(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["op"] in (heap.YOUNG, heap.FULL)]


def _waits(rows: list[Row]) -> list[Row]:
    return sorted(heap.waits(rows), key=lambda row: -cycles(row))[:8]


def _heap(record: Any) -> tuple[int, int]:
    return heap.eden_and_kept(record["op"])


def _by_eden(rows: list[Row]) -> dict[str, dict[str, list]]:
    """Returns cycles against eden, a panel for each engine, a line for each number of messages kept."""
    return {
        engine: points(
            [row for row in rows if row["engine"] == engine],
            lambda row: _heap(row)[0],
            cycles,
            lambda row: f"{_heap(row)[1]} kept",
        )
        for engine in heap.HEAPS_ENGINES
    }


_COLLECTOR: list[tuple[str, Value, Callable[[Any], str]]] = [
    ("in the collector", lambda row: row.get("collecting_cycles", 0) / cycles(row), percent),
    ("young collections", lambda row: row.get("collections", 0) - row.get("full_collections", 0), count),
    ("full", lambda row: row.get("full_collections", 0), count),
]
"""What a row of messages end to end says of the collector."""


def _benches(rows: list[Row]) -> list[dict[str, Any]]:
    """Returns a record for each bench of HyperProtoBench, and for the two that the fuller report shows together: number
    of messages, means by engine, ratios over peers."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(str(row["case"]).split("/")[1], []).append(row)
    if {"bench1", "bench4"} <= found.keys():
        found["bench1 and bench4"] = found["bench1"] + found["bench4"]
    records = []
    for bench, mine in found.items():
        means = {
            engine: geometric_mean(rates)
            for engine in ENGINES
            if (rates := [rate(row) for row in mine if row["engine"] == engine and row["wire_bytes"]])
        }
        ratios = {
            f"over {peer}": [ratio for case in cases(mine) if (ratio := case.over(peer, "hw", cycles))]
            for peer in PEERS
        } | {OVER_BEST: [ratio for case in cases(mine) if (ratio := best(case))]}
        if "hw" in means:
            records.append({"case": bench, "messages": len(cases(mine))} | means | ratios)
    return records


def _range(values: list[float]) -> str:
    return f"{min(values):.1f} to {max(values):.1f} ({geometric_mean(values):.1f})" if values else ""


def _sets(rows: list[Row]) -> dict[str, list]:
    return points(rows, SIZE, cycles, lambda row: str(row["case"]).split("/")[0])


def _lines(rows: list[Row]) -> list[dict[str, Any]]:
    """Returns a record for the line of each set of messages."""
    found = {name: each for name, each in _sets(rows).items() if len({x for x, _ in each}) >= 3}
    fits = {name: fit(each) for name, each in found.items()}
    return [
        {"messages": name, "number": len(found[name]), "fixed": fixed, "slope": slope}
        for name, (slope, fixed) in fits.items()
    ]


FIGURES: list[Figure | Item] = [
    *drawings(
        "Figure 1: layout of a Java object; Figure 2: heap before and after a collection; Figure 3: structures "
        "of objects; Figure 4: the descriptor table; Figure 5: architecture; Figure 6: state machines; Figure 7: "
        "a message with repeated sub-messages"
    ),
    of_bench("Figure 8", "Bench4"),
    of_bench("Figure 9", "Bench1"),
    of_protobuf(
        "Figure 10: throughput against the size of the message",
        f"""The paper: above about 250 KB throughput falls steeply, and stays above Java's.

        {{machine}} {DIFFERS}

        {{hyper}}

        {{books}}""",
        Lines(
            f"Bytes on the wire a cycle, to read, against bytes of the message | bytes of the message | {RATE}",
            _by_size,
            points=True,
        ),
        table(
            "Books of trades, to read",
            f"{SIZED}; engine; cycles:count",
            Column(RATE, rate, fixed(3)),
            "cold cycles=cold_cycles:count",
            records=books,
        ),
        table(
            "HyperProtoBench, cycles to read, and with cold caches",
            Column("message", message),
            "bytes=first>wire_bytes:count",
            *each(ENGINES, cycles, count),
            *(replace(column, head=f"{column.head}, cold") for column in each(ENGINES, at("cold_cycles"), count)),
            records=lambda rows: [case for case in cases(rows) if case.case.startswith(HYPER)],
        ),
        rows=select("protobuf", READ, ENGINES, (HYPER, "bytes/")),
        said=_missing,
    ),
    of_protobuf(
        "Figure 11: misses of the last cache",
        """The paper: misses differ little between messages of different sizes.

        {machine} The messages are books of trades, warm. The paper samples over time; our figures are totals of one
        message.""",
        Lines(
            "Blocks of 64 bytes a KB of message: fetched from DRAM, and read by the unit | bytes of the message "
            "| blocks a KB",
            lambda rows: {
                "": {
                    "fetched from DRAM": [
                        (size, max(a_kilobyte(row, "dram_read_bytes"), 0.01)) for size, row in series(rows, "bytes")
                    ],
                    "read by the unit": [(size, a_kilobyte(row, "read_bytes")) for size, row in series(rows, "bytes")],
                }
            },
        ),
        table(
            "To read",
            Column("bytes", lambda row: int(str(row["case"]).partition("/")[2]), count),
            Column("misses", lambda row: int(row["dram_read_bytes"]) / BLOCK, count),
            Column("misses / KB", lambda row: a_kilobyte(row, "dram_read_bytes"), fixed(1)),
            Column("written back", lambda row: int(row["dram_write_bytes"]) / BLOCK, count),
            "bytes that the unit read=read_bytes:count",
            Column("of them a byte of the message", lambda row: row["read_bytes"] / row["wire_bytes"], fixed(2)),
            records=books,
        ),
        rows=select("protobuf", READ, ("hw",), "bytes/", lambda row: "dram_read_bytes" in row),
    ),
    *absent(
        """a large message sends many more reads to the last cache, says the paper. Here one cache is between the unit
        and DRAM, so figure 11 has those reads: the last two columns of its table, and the second line of its
        picture""",
        "Figure 12: reads that reach the last cache",
    ),
    of_protobuf(
        "Figure 13: where the time of a message goes",
        """The paper, for Bench0's M25: an empty call through JNI takes 300 ns (900 cycles), all software without the
        unit 600 ns; the accelerator takes most of the time.

        {machine} {empty} There is no JNI: the driver is C on the same core. A scope, a handle and a cleared context are
        counted here and for `table`.""",
        bars(
            "Percent of a message's cycles, messages by size | percent",
            *WITHOUT_PORT,
            records=_some,
            name=message,
            scale=100,
            stacked=True,
        ),
        listing(
            "Shares of a message's cycles, to read",
            f"message=case; {SIZED}; cycles:count; cold cycles=cold_cycles:count",
            *WITHOUT_PORT,
            Column("bound by", lambda row: shares(row).bound),
        ),
        rows=_breakdown,
        said=_empty,
    ),
    of_protobuf(
        "Figure 14: what clearing new objects costs",
        """The paper: clearing of sub-messages adds 6 % to one message and 50 % to another (Bench0's M1 and M25).

        Here the unit clears all of an object, or its references and the words that software reads without a look at a
        hasbit, or only these words.""",
        bars(
            "Percent that clearing everything adds | percent",
            *[Column(f"over {name}", at(f"all adds to {name}")) for name in NAMES],
            records=_cleared,
            name=message,
            scale=100,
        ),
        table(
            "Cycles to read",
            Column("message", message),
            *(Column(name, at(name), count) for name in ("all", *NAMES)),
            *(Column(f"all adds to {name}", at(f"all adds to {name}"), percent) for name in NAMES),
            records=_cleared,
        ),
        rows=select("protobuf", READ, ("hw",)),
    ),
    of_protobuf(
        "types that take turns, so that the engine's tables do not stay in its cache",
        f"""Messages of {ROWS * TURNS} parts of {FIELDS} fields each, of the same bytes. They differ in the number of
        types that take turns. The engine's cache holds 4 KB of tables. {{machine}}""",
        Lines(
            "Cycles to read against the types that take turns | types | cycles",
            lambda rows: {"": points(rows, lambda row: int(str(row["case"]).rpartition("/")[2]), cycles)},
        ),
        table(
            "Cycles to read",
            Column("types", lambda case: case.case.rpartition("/")[2]),
            "bytes=first>wire_bytes:count",
            *each(ENGINES, cycles, count),
            Column("hw, cold", at("first>cold_cycles"), count),
            Column("waits for tables", lambda case: _waits_for_tables(case.first), percent),
            Column(OVER_BEST, best, times),
        ),
        rows=select("protobuf", READ, ENGINES, f"{INTERLEAVED}/"),
    ),
    of_heap(
        "pauses of the collector, and the wait for a command in flight",
        """The paper: pauses of about 10 ms with a heap of 512 MB, far longer than any deserialization; a pause that
        waits for one was never seen.

        Here a collection waits for commands in flight, and this wait is measured.{pause}""",
        Lines(
            "Cycles of a pause against bytes that live | bytes that live | cycles",
            lambda rows: {"": points(_pauses(rows), at("object_bytes"), cycles, _series)},
        ),
        table(
            "Pauses",
            "collection=case; engine; bytes that live=object_bytes:count; cycles:count",
            Column("cycles a byte", lambda row: cycles(row) / int(row["object_bytes"]), fixed(2)),
            records=_pauses,
        ),
        table(
            "cycles = fixed + rate x bytes",
            "collection=series; engine; fixed:count; rate:3; largest deviation=error:percent",
            records=lambda rows: slopes(_pauses(rows)),
        ),
        table("The longest waits for a command in flight", f"message=case; {SIZED}; cycles:count", records=_waits),
        said=lambda store, rows: {
            "pause": next(
                (
                    f" A young pause with 64 KB of survivors takes {cycles(row):,} cycles."
                    for row in rows
                    if (row["case"], row["engine"]) == (f"young_pause/{heap.SURVIVORS}", heap.RUNTIME)
                ),
                "",
            )
        },
    ),
    of_heap(
        "messages into a small heap, collections included",
        """The paper runs its benchmarks in an artificially small heap so that the collector has work; it has no figure
        of them.""",
        bars(
            "Messages a million cycles | messages a million cycles",
            *each(heap.TRAFFIC_ENGINES, lambda row: 1e6 / cycles(row), short),
        ),
        listing(
            "Messages",
            "message=case; engine; cycles a message=cycles:count",
            Column("messages a million cycles", lambda row: 1e6 / cycles(row), fixed(1)),
            "collections",
        ),
        rows=select("heap", (heap.SMALL_HEAP,), where=lambda row: bool(row["cycles"])),
    ),
    of_heap(
        "heaps of several sizes, collections included",
        """A message is read again and again, and the last of them are kept. A heap has six times its eden. `table` is
        the best software with the same result. `hw` has the machine's evacuation unit; for `hw-software-gc` and `table`
        software alone collects, for `table-unit-gc` the unit does. {machine}""",
        Lines("Cycles a message against eden, by the messages kept | bytes of eden | cycles a message", _by_eden),
        table(
            "Cycles a message",
            Column("KB of eden", lambda case: _heap(case)[0] >> 10, count),
            Column("kept", lambda case: _heap(case)[1], count),
            *each(heap.HEAPS_ENGINES, cycles, count),
            *over(("table",), times),
            *(
                replace(column, head=f"{column.head}, {head}")
                for head, value, form in _COLLECTOR
                for column in each(heap.HEAPS_ENGINES, value, form)
            ),
        ),
        rows=select("heap", heap.HEAPS_OF_ONE),
    ),
    of("area")(
        "area of the deserializer",
        """The paper: 0.191 mm², 226,000 cells, 1.72 GHz in 22 nm.

        Our engine reads and writes. It is mapped for ECP5, and also counted in NAND2 equivalents
        ([area.md](root:docs/reference/area.md)); neither count compares with cells of a foundry's library.""",
        listing(
            "The engine",
            """machine; LUT=ecp5.LUT:short; FF=ecp5.FF:short; BRAM=ecp5.BRAM:short; kGE:short; memory bits:short;
            MHz alone=mhz:short""",
        ),
        rows=lambda store: [
            {"machine": machine, "mhz": document.get("fmax", {}).get("alone", {}).get("Engine", {}).get("mhz")} | total
            for machine, document in store.areas.items()
            if (total := area_of(document, "Engine"))
        ],
        command="make area CONFIG=default",
    ),
]

EARLIER: list[Figure | Item] = [
    *drawings(
        "Figure 1: heap before and after a collection; Figure 2: structures of objects; Figure 3: the descriptor "
        "table; Figure 4: a message with repeated sub-messages"
    ),
    of_protobuf(
        "Figure 5: the accelerator's throughput",
        f"""The paper: 20 to 35 times as fast as Java.

        {{machine}} {DIFFERS}""",
        bars(
            f"Bytes on the wire a cycle, to read, geometric means, logarithmic | {RATE}",
            "; ".join(ENGINES),
            records=_benches,
            log=True,
        ),
        table(
            "Geometric means of bytes a cycle, and how many times as fast the engine is (range, geometric mean)",
            "bench=case; messages",
            *(Column(engine, at(engine), short) for engine in ENGINES),
            *(Column(head, at(head), _range) for head in (*(f"over {peer}" for peer in PEERS), OVER_BEST)),
            records=_benches,
            ends=[paper("the fuller report's abstract, over Java", {OVER_BEST: "1.5 to 30 (10.9)"})],
        ),
        rows=select("protobuf", READ, ENGINES, HYPER),
        needs=NEEDS_DATA,
    ),
    of_protobuf(
        "Figure 6: time to read against the size of the message",
        """The paper: a message of no bytes takes 1 us by extrapolation, 3,000 cycles at 3 GHz; its set-up was measured
        as 500 ns.

        {machine} The line is fitted to relative errors; its first figure is what a message costs before its first
        byte.""",
        Lines(
            "Cycles to read by the engine against bytes of the message | bytes of the message | cycles",
            lambda rows: {"": _sets(rows)},
            points=True,
        ),
        table(
            "cycles = fixed + slope x bytes",
            "messages; number; fixed, cycles=fixed:0; slope, cycles a byte=slope:3",
            records=_lines,
        ),
        rows=select("protobuf", READ, ("hw",), (HYPER, "jsbs/", "fleetbench/", "bytes/", "fields/", "demo/")),
        needs=NEEDS_DATA,
    ),
]
