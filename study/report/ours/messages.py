"""The engine by message, on every machine that was measured."""

from __future__ import annotations

from study.bench.rows import geometric_mean, slopes, speedups
from study.bench.shares import shares
from study.report import text
from study.report.content import Item, Plot, Table, unmeasured
from study.report.store import Store, by_case, machine_of

COMMAND = "make bench SUITE=protobuf"
OPERATIONS = ("deserialize", "serialize")
ENGINES = ("nanopb", "table", "hw")
SETS = ("jsbs", "fleetbench", "demo", "fields", "hyperprotobench")
PICTURED = ("jsbs", "fleetbench", "demo")


def by_message(store: Store) -> list[Item]:
    """Returns one item for each machine."""
    title = "protobuf by message"
    found = [item for machine in store.machines("protobuf") if (item := _machine(store, machine))]
    return found or [unmeasured("", title, COMMAND)]


def _machine(store: Store, machine: str) -> Item | None:
    rows = [
        row
        for row in store.rows("protobuf", machine)
        if str(row["case"]).split("/")[0] in SETS and row["engine"] in ENGINES
    ]
    if not rows:
        return None
    # Software is far from its best in some link layouts, so in one alone no ratio over it means anything.
    fair = not machine or any(int(row.get("layouts", 1)) > 1 for row in rows if row["engine"] in ENGINES[:2])
    peers = ENGINES[:2] if fair else ()
    lines, pictured = [], {}
    for operation in OPERATIONS:
        mine = [row for row in rows if row["op"] == operation]
        over = {peer: speedups(mine, (peer,)) for peer in peers}
        for case, each in by_case(rows, operation).items():
            lines.append(
                [
                    case,
                    operation,
                    text.count(int(next(iter(each.values()))["wire_bytes"])),
                    *(text.count(int(each[engine]["cycles"])) if engine in each else "" for engine in ENGINES),
                    *(text.times(ratios.get(case)) for ratios in over.values()),
                ]
            )
            if case.split("/")[0] in PICTURED:
                pictured.setdefault(operation, {})[case.rpartition("/")[2]] = {
                    engine: float(each[engine]["cycles"]) for engine in ENGINES if engine in each
                }
        for name in SETS:
            means = [
                [ratio for case, ratio in ratios.items() if case.startswith(f"{name}/")] for ratios in over.values()
            ]
            if any(means):
                lines.append(
                    [
                        f"**{name}**, geometric mean of {max(map(len, means))}",
                        operation,
                        "",
                        "",
                        "",
                        "",
                        *(text.times(geometric_mean(each)) if each else "" for each in means),
                    ]
                )
    name = machine or "default-128"
    plots = (
        [Plot(f"messages-{name}", f"Cycles by message on {name}, logarithmic", lambda: _bars(pictured))]
        if pictured
        else []
    )
    return Item(
        "",
        f"protobuf by message, {name}",
        [
            f"{machine_of(rows)} Warm, driver included."
            + ("" if fair else " In one link layout nanopb may be far from its best, so there is no ratio over it.")
        ],
        plots,
        [Table("Cycles", ["message", "operation", "bytes", *ENGINES, *(f"over {peer}" for peer in peers)], lines)],
        cut=store.cut("protobuf"),
    )


def _bars(panels: dict):
    from study.report import plots

    return plots.bars(panels, "cycles", log=True)


def sweeps(store: Store) -> Item:
    """Returns the item of slopes."""
    title = "slopes: cycles = fixed + rate x size"
    lines = []
    for suite in ("protobuf", "heap", "cereal", "skyway", "memory"):
        lines += [
            [
                suite,
                line.series,
                line.operation,
                line.engine,
                f"{line.rate:.3f}",
                f"{line.fixed:,.0f}",
                str(line.points),
                text.percent(line.error),
            ]
            for line in slopes(store.rows(suite))
        ]
    if not lines:
        return unmeasured("", title, "make bench")
    return Item(
        "",
        title,
        [
            "Each line is fitted to a sweep of at least three sizes, on the usual machine. The number at the end of "
            "a case's name is its size: elements, bytes or nodes. The suites `cereal` and `skyway` measure the same "
            "graphs on machines of their own. If a line misses a point by more than a quarter, the cycles do not "
            "depend on this size alone: a dense graph of N nodes has about N times N edges."
        ],
        tables=[
            Table(
                "Slopes",
                ["suite", "sweep", "operation", "engine", "rate", "fixed", "points", "largest deviation"],
                lines,
            )
        ],
    )


def cycles_go(store: Store) -> Item:
    """Returns the item of shares of cycles, with the bound of each case."""
    title = "where the cycles of a command go, and what bounds it"
    rows = [
        row
        for suite in ("protobuf", "cereal")
        for row in store.rows(suite)
        if row.get("busy_cycles")
        and row["engine"] in ("hw", "hw-vanilla")
        and row["op"] in OPERATIONS
        and not str(row["case"]).startswith("clear ")
    ]
    if not rows:
        return unmeasured("", title, COMMAND)
    lines = []
    for row in rows:
        found = shares(row)
        lines.append(
            [
                str(row["case"]),
                str(row["op"]),
                str(row["engine"]),
                text.count(int(row["cycles"])),
                *map(text.percent, (found.driver, found.table, found.reads, found.writes, found.work, found.port)),
                found.bound,
            ]
        )
    bounds: dict[str, dict[str, float]] = {}
    for line in lines:
        bounds.setdefault(f"{line[2]}, {line[1]}", {}).setdefault(line[-1], 0)
        bounds[f"{line[2]}, {line[1]}"][line[-1]] += 1
    return Item(
        "",
        title,
        [
            f"{machine_of(rows)} The share of DRAM's port is the bytes moved over what the port could have moved; "
            "from three quarters on, the port counts as the bound."
        ],
        [Plot("bounds", "Number of cases by what bounds them", lambda: _stacked({"": bounds}))],
        [
            Table(
                "Shares",
                [
                    "case",
                    "operation",
                    "engine",
                    "cycles",
                    "driver",
                    "waits for tables",
                    "waits for reads",
                    "waits for writes",
                    "works",
                    "of DRAM's port",
                    "bound by",
                ],
                lines,
            )
        ],
    )


def _stacked(panels: dict):
    from study.report import plots

    return plots.stacked(panels, "cases")
