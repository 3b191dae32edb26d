"""Our own figures, for which no paper has one."""

import re
from functools import partial
from typing import Any

from heapwire.measure.rows import Row
from study.bench import cores, sweep
from study.bench.cereal import OPERATIONS
from study.bench.rows import IN_PLACE, PEERS, geometric_mean, slopes
from study.bench.shares import BOUNDS, PORT, shares
from study.figures.wu import SHARES
from study.report.content import absent
from study.report.figure import Column, Figure, bars, each, listing, mean, of, over, over_best, table
from study.report.records import READ_FIRST, Case, at, cases, cycles, select
from study.report.store import Store, area_of, name_of
from study.report.text import count, fixed, percent, times, whole

of_all, of_protobuf = map(of, ("all", "protobuf"))

TITLE = "Ours"
TEXT = "What was measured beside the papers' figures."
ENGINES = (*PEERS, IN_PLACE, "hw")
SETS = ("jsbs", "fleetbench", "demo", "fields", "hyperprotobench")
PICTURED = ("jsbs/", "fleetbench/", "demo/")
LIKE = "like-"
LEAST = 0.03
"""Least share of the cluster's LUTs of a module that is listed."""
TOP = "HeapwireCluster"
ROW = "case; operation=op; engine"
WIRE = at("wire_bytes")


def messages(store: Store) -> list[Figure]:
    """Returns a figure for each machine: the engine by message."""
    return [_messages(machine, store) for machine in store.machines("protobuf")] or [_messages("", store)]


def _messages(machine: str, store: Store) -> Figure:
    selected = select("protobuf", READ_FIRST, ENGINES, tuple(f"{name}/" for name in SETS), machine=machine)
    rows = selected(store)
    # Software is far from its best in some link layouts, so in one alone no ratio over it means anything.
    fair = not machine or any(int(row.get("layouts", 1)) > 1 for row in rows if row["engine"] in PEERS)
    name = name_of(rows[0]) if rows else ""
    of_engines = each(ENGINES, cycles, count)
    warning = "" if fair else " In one link layout software may be far from its best, so there is no ratio over it."
    ratios = [*over_best(PEERS), *over((*PEERS, IN_PLACE), times)] if fair else []
    return of_protobuf(
        f"protobuf by message{name and f', {name}'}",
        f"""{{machine}} Warm, driver included.{warning} The best software is the fastest of those with the same usable
        result: {", ".join(f"`{peer}`" for peer in PEERS)}. `{IN_PLACE}` leaves strings in the input.""",
        bars(
            f"Cycles by message on {name}, logarithmic | cycles",
            *of_engines,
            name=lambda case: case.case.rpartition("/")[2],
            log=True,
            pick=lambda found: [case for case in found if case.case.startswith(PICTURED)],
        ),
        table(
            "Cycles",
            "message=case; operation=op; bytes=first>wire_bytes:count",
            *of_engines,
            *ratios,
            by=at("op"),
            totals=[
                mean(
                    f"**{name}**, geometric mean of {{n}}",
                    when=lambda case, name=name: case.case.startswith(f"{name}/"),
                )
                for name in SETS
            ],
        ),
        rows=selected,
    )


def _slopes(store: Store) -> list[dict[str, Any]]:
    return [
        {"suite": suite} | vars(line)
        for suite in ("protobuf", "heap", "cereal", "skyway", "memory")
        for line in slopes(store.rows(suite))
    ]


def _busy(store: Store) -> list[Row]:
    suites = (select(suite, READ_FIRST, ("hw", "hw_nanopb", "hw-vanilla")) for suite in ("protobuf", "cereal"))
    return [row for rows in suites for row in rows(store) if row.get("busy_cycles")]


def _bounds(rows: list[Row]) -> list[dict[str, Any]]:
    """Returns, by engine and operation, the number of cases that each part bounds."""
    found: dict[str, dict[str, Any]] = {}
    for row in (row for row in rows if not str(row["case"]).startswith("clear ")):
        name, bound = f"{row['engine']}, {row['op']}", shares(row).bound
        record = found.setdefault(name, {"case": name})
        record[bound] = record.get(bound, 0) + 1
    return list(found.values())


def _moved(row: Row) -> float | None:
    """Returns the share of the port that a unit's bytes are."""
    moved = int(row.get("read_bytes", 0)) + int(row.get("write_bytes", 0))
    return moved / (cycles(row) * int(row["port_bytes_per_cycle"])) if moved and cycles(row) else None


def on_machines(suite: str, title: str, note: str) -> Figure:
    """Returns the figure of a suite on each machine that it was measured on."""
    return of(suite)(
        title,
        f"{{machine}} {note}",
        listing(
            "Cycles",
            ROW,
            Column("machine", name_of),
            "cycles:count",
            Column("of the port", _moved, percent),
            Column("layouts", lambda row: row.get("layouts", 1)),
        ),
        rows=lambda store: [row for machine in store.machines(suite) for row in store.rows(suite, machine)],
    )


def areas(store: Store) -> list[Figure]:
    """Returns the figure of the large modules of each machine whose area was measured."""

    def modules(machine: str) -> list[dict[str, Any]]:
        document = store.areas[machine]
        totals = [{"machine": machine, "case": name} | area_of(document, name) for name in document["modules"]]
        least = LEAST * area_of(document, TOP)["ecp5.LUT"]
        large = [total for total in totals if total["ecp5.LUT"] >= least]
        return sorted(large, key=lambda total: -total["ecp5.LUT"])

    there = {machine: modules(machine) for machine, document in store.areas.items() if area_of(document, TOP)}
    return [
        of("area")(
            "area by module",
            """Yosys mapped each module on its own for ECP5 and Gowin; nothing was placed
            ([area.md](root:docs/reference/area.md)).""",
            bars(
                "LUTs of ECP5 by module | LUTs",
                "LUTs of ECP5=ecp5.LUT",
                records=lambda found: sum(found.values(), []),
                panel=at("machine"),
            ),
            *(
                table(
                    f"{machine}, modules of at least {100 * LEAST:.0f} % of the cluster; a module's row counts "
                    f"everything in it",
                    """module=case; ecp5.LUT:short; ecp5.FF:short; ecp5.BRAM:short; gowin.LUT:short; kGE:short;
                    memory bits:short""",
                    records=at(machine),
                )
                for machine in there
            ),
            rows=lambda store: there,
            command="make area CONFIG=default",
        )
    ]


def _on_boards(store: Store) -> list[dict[str, Any]]:
    """Returns a record for each message and simulated board: microseconds by engine."""
    from boards import boards  # here, because LiteX comes with it, which takes a second

    mhz, found = {name: board.clock_hz / 1e6 for name, board in boards().items()}, []
    for machine in store.machines("protobuf"):
        name = machine.removeprefix(LIKE).rpartition("-")[0]
        board = max((board for board in mhz if name.startswith(board)), key=len, default=None)
        if not machine.startswith(LIKE) or board is None:
            continue
        for case in cases(select("protobuf", READ_FIRST, ENGINES, PICTURED, machine=machine)(store)):
            if "hw" in case.rows:
                found.append(
                    {"board": name, "mhz": mhz[board], "case": case.case, "op": case.op, "bytes": WIRE(case.first)}
                    | {engine: cycles(row) / mhz[board] for engine, row in case.rows.items()}
                    | {"layouts": case.rows["hw"]["layouts"]}
                )
    return found


def _machines(store: Store) -> list[dict[str, Any]]:
    """Returns, for each suite and other machine, its cycles over the usual machine's of the cases that both have."""
    records = []
    for suite in ("protobuf", "cereal", "skyway", "memory", "heap"):
        usual = {(row["case"], row["op"], row["engine"]): cycles(row) for row in store.rows(suite)}
        for machine in filter(None, store.machines(suite) if usual else ()):
            found: dict[tuple[str, str], list[float]] = {}
            for row in store.rows(suite, machine):
                key = (row["case"], row["op"], row["engine"])
                if usual.get(key) and cycles(row):
                    found.setdefault((str(row["op"]), str(row["engine"])), []).append(cycles(row) / usual[key])
            records += [
                {"suite": suite, "machine": machine, "op": op, "engine": engine, "ratios": ratios}
                for (op, engine), ratios in found.items()
            ]
    return records


def _swept(rows: list[Row]) -> list[Case]:
    """Returns the cases of the suite `sweep`; the engine of a row is its machine."""
    return cases(row for row in rows if row["op"] in OPERATIONS)


def _over_base(case: Case, name: str) -> float | None:
    return case.over(name, sweep.BASE, cycles)


def _machine_cell(name: str, case: Case) -> str | None:
    row, ratio = case.rows.get(name), _over_base(case, name)
    return row and count(cycles(row)) + (f" ({ratio:.2f})" if ratio and name != sweep.BASE else "")


def _ratios(rows: list[Row]) -> list[dict[str, Any]]:
    """Returns, by operation and machine, cycles over those of the base, by graph."""
    return [
        {"op": op, "machine": name} | {case.case: _over_base(case, name) for case in _swept(rows) if case.op == op}
        for op in OPERATIONS
        for name in sweep.MACHINES[1:]
    ]


def _fields(rows: list[Row]) -> list[Case]:
    return [case for case in cases(rows) if re.fullmatch(r"\w+_(un)?packed/\d+", case.case) and "hw" in case.rows]


def _dram(engine: str, key: str):
    return lambda case: int(case.rows[engine].get(f"dram_{key}_bytes", 0)) if engine in case.rows else None


def _compared(index: int, key: str = "cycles"):
    return lambda record: record[key] and record[key][index]


def _demo(rows: list[Row]) -> list[dict[str, Any]]:
    """Returns a record for each message of the demo."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        record = found.setdefault(
            str(row["case"]), {"message": str(row["case"]).removeprefix("demo/"), "wire bytes": WIRE(row)}
        )
        record[f"{row['engine']}, {row['op']}"] = cycles(row)
    for record in found.values():
        for op in ("deserialize", "serialize"):
            record[f"over, {op}"] = record[f"table, {op}"] / record[f"hw, {op}"]
    return list(found.values())


FIGURES: list[Any] = [
    of("demo")(
        "what `make demo` prints",
        """Cycles of one placement of the program, with the monitor in it; the host checks every field. Of the software,
        our codec makes the same objects as the engine, and is the fastest that does. {machine}""",
        table(
            "Cycles",
            """message; wire bytes:count; nanopb, read=nanopb, deserialize:count;
            codec, read=table, deserialize:count; engine, read=hw, deserialize:count;
            over codec, read=over, deserialize:times; nanopb, written=nanopb, serialize:count;
            codec, written=table, serialize:count; engine, written=hw, serialize:count;
            over codec, written=over, serialize:times""",
            records=_demo,
        ),
        command="make demo",
    ),
    messages,
    of_all(
        "slopes: cycles = fixed + rate x size",
        """Each line is fitted to a sweep of at least three sizes, on the usual machine. The number at the end of a
        case's name is its size: elements, bytes or nodes. The suites `cereal` and `skyway` measure the same graphs on
        machines of their own. If a line misses a point by more than a quarter, the cycles do not depend on this size
        alone: a dense graph of N nodes has about N times N edges.""",
        listing(
            "Slopes", "suite; sweep=series; operation; engine; rate:3; fixed:0; points; largest deviation=error:percent"
        ),
        rows=_slopes,
        command="make bench",
    ),
    of_all(
        "where the cycles of a command go, and what bounds it",
        """{machine} The share of DRAM's port is the bytes moved over what the port could have moved; from three
        quarters on, the port counts as the bound.""",
        bars("Number of cases by what bounds them | cases", "; ".join((*BOUNDS, PORT)), records=_bounds, stacked=True),
        listing("Shares", ROW, "cycles:count", *SHARES, Column("bound by", lambda row: shares(row).bound)),
        rows=_busy,
        command="make bench SUITE=protobuf",
    ),
    of_protobuf(
        "throughput against size, with the misses of the shared cache",
        """Books of trades. Misses: blocks of 64 bytes that the shared cache fetched from DRAM during the warm run, and
        those it wrote back; cold: the first run, with empty caches.""",
        listing(
            "Throughput",
            "operation=op; wire bytes=wire_bytes:count; cycles:count",
            Column("wire bytes a cycle", lambda row: WIRE(row) / cycles(row), fixed(3)),
            Column("of the port", _moved, whole),
            Column("misses", lambda row: int(row.get("dram_read_bytes", 0)) / 64, count),
            Column("misses / KB", lambda row: 16 * int(row.get("dram_read_bytes", 0)) / WIRE(row), fixed(1)),
            Column("written back", lambda row: int(row.get("dram_write_bytes", 0)) / 64, count),
            "cold cycles=cold_cycles:count",
        ),
        rows=select("protobuf", READ_FIRST, ("hw",), "bytes/", lambda row: bool(row["wire_bytes"])),
    ),
    of_protobuf(
        "traffic of one repeated field of each type",
        """Bytes, warm: what the engine read and wrote, and what the shared cache fetched from DRAM and wrote back, by
        engine (as in figures 3 and 6 of *Datacenter Tax Cuts*).""",
        table(
            "Traffic",
            """case; operation=op; wire=first>wire_bytes:count; objects=first>object_bytes:count;
            engine reads=first>read_bytes:count; engine writes=first>write_bytes:count""",
            *(
                Column(f"{way}, {engine}", _dram(engine, key), count)
                for engine in ("hw", "nanopb")
                for way, key in (("DRAM to cache", "read"), ("cache to DRAM", "write"))
            ),
            records=_fields,
        ),
        rows=select("protobuf", READ_FIRST, ("hw", "nanopb")),
    ),
    of("rpc")(
        "remote calls over Ethernet",
        """Echoes by pw_rpc, from the last byte of a request to the last byte of its response, at the PHY; with eight
        requests outstanding, between responses. {machine} `hw` and `table` have managed messages, the others structs;
        `nanopb-stock` runs on LiteX's VexRiscv with an L2 of 8 KB, over the same driver of the MAC
        ([rpc.md](root:docs/howto/rpc.md)).""",
        table(
            "Cycles",
            "bytes=first>wire_bytes:count; requests=op",
            *each(("hw", "table", "hw_nanopb", "nanopb", "nanopb-stock"), cycles, count),
            *over(("table", "nanopb-stock"), times),
        ),
        rows=select("rpc"),
    ),
    on_machines(
        "memory",
        "memory: copies, fills, random reads",
        """`of the port` is the bytes that the unit read and wrote, over what DRAM's port could have moved. A copy
        within the shared cache moves a word each way in a cycle, so it may be above 100 %.""",
    ),
    on_machines(
        "core",
        "the core alone: streams and nanopb",
        """Machines that end in `-stock` have LiteX's own CPU and L2 on the memory of that board. A board of 8 MB holds
        one link layout, in which software may be far from its best.""",
    ),
    areas,
    *absent(
        """placing and routing take hours, so `make report` does not do it;
        [boards.md](root:docs/howto/boards.md#what-fits) has what `make bitstream` printed""",
        "clock and size on boards",
    ),
    of_protobuf(
        "microseconds a message on simulated boards",
        """The times follow from the cycles of the board's configuration and memory in the simulator, at LiteX's default
        clock. Boards of 8 MB hold one link layout; in that one nanopb may be far from its best.""",
        listing(
            "Microseconds",
            """simulated board=board; MHz=mhz:g; message=case; operation=op; bytes:count; nanopb:1; table:1;
            engine=hw:1; layouts""",
        ),
        rows=_on_boards,
        command="make bench SUITE=protobuf LIKE=ulx3s",
        cut=False,
    ),
    of_protobuf(
        "the engine against plain cores",
        f"""The engine beside a plain core that runs the codec `table`; cycles as geometric means. Messages a second and
        1,000 LUT are of the modules `{cores.ENGINE}` with `{cores.CORE}` (VexRiscv with its caches), and of
        `{cores.CORE}` alone; the road to memory is in neither. {{areas}}""",
        listing(
            "Cycles, and messages a second and 1,000 LUT",
            "messages=case; operation=op",
            Column("cycles, engine", _compared(0), count),
            Column("cycles, core", _compared(1), count),
            Column("times", lambda record: record["cycles"][1] / record["cycles"][0], fixed(1)),
            Column("engine, messages / s / 1,000 LUT", _compared(0, "rates"), count),
            Column("core", _compared(1, "rates"), count),
            Column("times", lambda record: record["rates"] and record["rates"][0] / record["rates"][1], fixed(2)),
        ),
        rows=lambda store: cores.compared(store.rows("protobuf"), store.areas),
        said=lambda store, records: {"areas": cores.said(store.rows("protobuf"), store.areas)},
        needs="It needs the real messages of JSBS and fleetbench ([host.md](root:docs/reference/host.md)).",
    ),
    of_all(
        "the same cases on other machines",
        """The table gives each machine's cycles divided by those of the usual machine (`default`, or the suite's own
        machines, at 128 bits): geometric means and ranges of the cases that both have.""",
        listing(
            "Cycles over the usual machine's",
            "suite; machine; operation=op; engine",
            Column("cases", lambda record: len(record["ratios"])),
            Column("geometric mean", lambda record: geometric_mean(record["ratios"]), fixed(3)),
            Column("range", lambda record: f"{min(record['ratios']):.2f} to {max(record['ratios']):.2f}"),
        ),
        rows=_machines,
        command='make report ARGS="--widths 64,128"',
        needs="Needs a suite on the usual machine and on another.",
    ),
    of("sweep")(
        "Cereal's units: entries, cache, latency of memory, number of units",
        f"""These are medium graphs, by units alone.

        Cycles a graph. In brackets: divided by those of {sweep.BASE}. With two units, of two graphs at a time, divided
        by two. e: entries of the memory access interface; k: KB of the shared cache; l: cycles that are added to each
        read of DRAM; x: units in each direction.

        A thing is named as the bound if a change of it changes the cycles by more than a limit (5 % for entries and
        cache, 10 % and 30 % for 16 and 48 cycles of latency); the port, if one unit moves 85 % of what the copy unit
        moves, or more.""",
        bars(
            f"Cycles of each machine over those of {sweep.BASE}, by graph | cycles, {sweep.BASE} = 1",
            "; ".join(sweep.graphs()),
            records=_ratios,
            name=at("machine"),
        ),
        table(
            "Machines",
            "case; operation=op",
            *(Column(name, partial(_machine_cell, name), optional=True) for name in sweep.MACHINES),
            records=_swept,
        ),
        table(
            "What bounds one unit",
            "case; operation=op",
            Column("bound by", lambda line: "; ".join(line["bounds"]) or "the unit itself"),
            records=lambda rows: [
                {"case": case.case, "op": case.op, "bounds": sweep.bounds(rows, case.case, case.op)}
                for case in _swept(rows)
            ],
        ),
        rows=select("sweep", (*OPERATIONS, "copy")),
    ),
]
