"""Figures 8, 9 and 10 of the fuller report, figures 5 and 6 of the earlier one: throughput."""

from __future__ import annotations

from study.bench.rows import fit, geometric_mean, speedups
from study.report import text
from study.report.content import Item, Plot, Table, unmeasured
from study.report.store import Store, by_case, machine_of, series
from study.report.wu import paper
from study.report.wu.common import COMMAND, DIFFERS, ENGINES, HYPER, NEEDS_DATA, name, rate, rows


def of_bench(store: Store, number: str, bench: str) -> Item:
    """Returns figure 8 or 9: the messages of one bench of HyperProtoBench."""
    title = f"throughput on HyperProtoBench's {bench}"
    found = rows(store, f"{HYPER}{bench.lower()}/")
    if not any(row["engine"] == "hw" for row in found):
        return unmeasured(number, title, f"{COMMAND}", [NEEDS_DATA])
    cases = by_case(found, "deserialize")
    over = {peer: speedups(found, (peer,)) for peer in ("nanopb", "table")}
    lines = [
        [
            f"`{name(case)}`",
            text.count(int(next(iter(each.values()))["wire_bytes"])),
            *(text.count(int(each[engine]["cycles"])) if engine in each else "" for engine in ENGINES),
            *(text.times(ratios.get(case)) for ratios in over.values()),
        ]
        for case, each in cases.items()
    ]
    lines.append(
        [
            "geometric mean",
            "",
            "",
            "",
            "",
            *(text.times(geometric_mean(list(ratios.values()))) for ratios in over.values()),
        ]
    )
    data = {name(case): {engine: rate(row) for engine, row in each.items()} for case, each in cases.items()}
    return Item(
        number,
        title,
        [
            f"The paper: 80 % of the messages are read {paper.SPEEDUP[0]} to {paper.SPEEDUP[1]} times as fast as by "
            f"Java; the smallest, of {paper.SMALLEST_BYTES} bytes, {paper.SMALLEST} times. This is for Bench1 and "
            "Bench4 together, without the time to allocate buffers. Here the arenas are reset before each read, "
            "outside the measured time.",
            f"{machine_of(found)} {DIFFERS}",
        ],
        [
            Plot(
                f"wu-{number.rpartition(' ')[2]}",
                "Bytes on the wire a cycle, to read, logarithmic",
                lambda: _bars({"": data}),
            )
        ],
        [Table("Cycles to read", ["message", "bytes", *ENGINES, "over nanopb", "over table"], lines)],
        cut=store.cut("protobuf"),
    )


def _bars(panels: dict):
    from study.report import plots

    return plots.bars(panels, "bytes a cycle", log=True)


def _points(store: Store) -> dict[str, list[tuple[float, float]]]:
    """Returns, by engine, bytes and bytes a cycle of all messages of HyperProtoBench."""
    found = rows(store, HYPER)
    return {
        engine: points
        for engine in ENGINES
        if (
            points := [
                (int(row["wire_bytes"]), rate(row))
                for row in found
                if row["engine"] == engine and int(row["wire_bytes"])
            ]
        )
    }


def figure_10(store: Store) -> Item:
    """Returns the figure of throughput by size, for real messages and for a sweep."""
    title = "throughput against the size of the message"
    points, sweep = _points(store), series(rows(store, "bytes/"), "bytes")
    if not points and not sweep:
        return unmeasured("Figure 10", title, COMMAND)
    panels = {
        label: data
        for label, data in (
            ("HyperProtoBench, warm", points),
            (
                "books of trades, warm",
                {
                    engine: [(int(row["wire_bytes"]), rate(row)) for _, row in sweep if row["engine"] == engine]
                    for engine in ENGINES
                },
            ),
            (
                "books of trades, cold caches",
                {
                    engine: [
                        (int(row["wire_bytes"]), int(row["wire_bytes"]) / int(row["cold_cycles"]))
                        for _, row in sweep
                        if row["engine"] == engine and row.get("cold_cycles")
                    ]
                    for engine in ENGINES
                },
            ),
        )
        if any(data.values())
    }
    lines = [
        [
            text.count(int(row["wire_bytes"])),
            str(row["engine"]),
            text.count(int(row["cycles"])),
            f"{rate(row):.3f}",
            text.count(row.get("cold_cycles")),
        ]
        for _, row in sweep
    ]
    tables = (
        [Table("Books of trades, to read", ["bytes", "engine", "cycles", "bytes a cycle", "cold cycles"], lines)]
        if lines
        else []
    )
    whole = [*rows(store, HYPER), *(row for _, row in sweep)]
    text_of = [
        f"The paper: above {paper.DROPS_AT} throughput falls steeply, and stays above Java's.",
        f"{machine_of(whole)} {DIFFERS}",
    ]
    if not points:
        text_of.append(f"HyperProtoBench is not measured: run `{COMMAND}`. {NEEDS_DATA}")
    if not sweep:
        text_of.append(f"The sweep over sizes is not measured: run `{COMMAND}`.")
    return Item(
        "Figure 10",
        title,
        text_of,
        [
            Plot(
                "wu-10",
                "Bytes on the wire a cycle, to read, against bytes of the message",
                lambda: _lines(panels, "bytes a cycle"),
            )
        ],
        tables,
        cut=store.cut("protobuf"),
    )


def _lines(panels: dict, up: str):
    from study.report import plots

    return plots.lines(panels, "bytes of the message", up, points=True)


def earlier_figure_5(store: Store) -> Item:
    """Returns the earlier report's figure of throughput, with all benches in one table of means."""
    title = "the accelerator's throughput"
    found = rows(store, HYPER)
    benches = list(dict.fromkeys(str(row["case"]).split("/")[1] for row in found if row["engine"] == "hw"))
    if not benches:
        return unmeasured("Figure 5", title, COMMAND, [NEEDS_DATA])
    lines, data = [], {}
    for bench in benches:
        mine = [row for row in found if str(row["case"]).split("/")[1] == bench]
        data[bench] = {
            engine: geometric_mean([rate(row) for row in mine if row["engine"] == engine and int(row["wire_bytes"])])
            for engine in ENGINES
            if any(row["engine"] == engine for row in mine)
        }
        ratios = [list(speedups(mine, (peer,)).values()) for peer in ("nanopb", "table")]
        lines.append(
            [
                bench,
                str(len({row["case"] for row in mine})),
                *(text.short(data[bench].get(engine)) for engine in ENGINES),
                *(
                    f"{min(each):.1f} to {max(each):.1f} ({geometric_mean(each):.1f})" if each else ""
                    for each in ratios
                ),
            ]
        )
    return Item(
        "Figure 5",
        title,
        [
            f"The paper: {paper.EARLIER_SPEEDUP[0]} to {paper.EARLIER_SPEEDUP[1]} times as fast as Java.",
            f"{machine_of(found)} {DIFFERS}",
        ],
        [
            Plot(
                "earlier-5",
                "Bytes on the wire a cycle, to read, geometric means, logarithmic",
                lambda: _bars({"": data}),
            )
        ],
        [
            Table(
                "Geometric means of bytes a cycle, and how many times as fast the engine is (range, geometric mean)",
                ["bench", "messages", *ENGINES, "over nanopb", "over table"],
                lines,
            )
        ],
        cut=store.cut("protobuf"),
    )


def earlier_figure_6(store: Store) -> Item:
    """Returns the figure of time against size, with a line."""
    title = "time to read against the size of the message"
    found = [
        row
        for row in rows(store)
        if row["engine"] == "hw" and int(row["wire_bytes"]) and not str(row["case"]).startswith("clear ")
    ]
    sets: dict[str, list[tuple[float, float]]] = {}
    for row in found:
        group = str(row["case"]).split("/")[0]
        if group in ("hyperprotobench", "jsbs", "fleetbench", "bytes", "fields", "demo"):
            sets.setdefault(group, []).append((int(row["wire_bytes"]), float(row["cycles"])))
    if not sets:
        return unmeasured("Figure 6", title, COMMAND, [NEEDS_DATA])
    lines = []
    for group, points in sets.items():
        if len({x for x, _ in points}) >= 3:
            slope, fixed = fit(points)
            lines.append([group, str(len(points)), f"{fixed:,.0f}", f"{slope:.3f}"])
    return Item(
        "Figure 6",
        title,
        [
            f"The paper: a message of no bytes takes 1 us by extrapolation, {paper.GHZ * paper.EARLIER_EMPTY_NS:,.0f} "
            f"cycles at {paper.GHZ:.0f} GHz; its set-up was measured as 500 ns.",
            f"{machine_of(found)} The line is fitted to relative errors; its first figure is what a message costs "
            "before its first byte.",
        ],
        [
            Plot(
                "earlier-6",
                "Cycles to read by the engine against bytes of the message",
                lambda: _lines({"": sets}, "cycles"),
            )
        ],
        [
            Table(
                "cycles = fixed + slope x bytes", ["messages", "number", "fixed, cycles", "slope, cycles a byte"], lines
            )
        ],
        cut=store.cut("protobuf"),
    )
