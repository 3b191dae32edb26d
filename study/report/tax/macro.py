"""Figures 7 and 8: Ultimaker and LuaPbIntf beside Cap'n Proto; many messages in flight."""

from __future__ import annotations

from heapwire.workload.case import CAPNP
from study.report import text
from study.report.content import Item, Plot, Table, unmeasured
from study.report.store import Store, by_case, machine_of, series
from study.report.tax.micro import COMMAND

ENGINES = ("nanopb", "table", CAPNP, "hw")
IN_FLIGHT = ("hw-x1", "hw-x2")


def message(store: Store, number: str, name: str, prefix: str) -> Item:
    """Returns the figure of a macro benchmark."""
    title = f"{name}: time, and bytes, against entries of its repeated fields"
    rows = [row for row in store.rows("protobuf") if row["op"] == "serialize" and row["engine"] in ENGINES]
    by = {engine: series([row for row in rows if row["engine"] == engine], prefix) for engine in ENGINES}
    by = {engine: found for engine, found in by.items() if found}
    if not by:
        return unmeasured(number, title, COMMAND)
    panels = {
        "cycles to serialize": {
            engine: [(count, float(row["cycles"])) for count, row in found] for engine, found in by.items()
        }
    }
    sizes = {
        label: [(count, float(row["wire_bytes"])) for count, row in by[engine]]
        for label, engine in (("protobuf", "hw"), ("Cap'n Proto", CAPNP))
        if engine in by
    }
    counts = sorted({count for found in by.values() for count, _ in found})
    lines = [
        [
            engine,
            *(text.count(dict((count, int(row["cycles"])) for count, row in found).get(count)) for count in counts),
        ]
        for engine, found in by.items()
    ]
    lines += [
        [f"bytes, {label}", *(text.count(dict(found).get(count)) for count in counts)] for label, found in sizes.items()
    ]
    return Item(
        number,
        title,
        [
            "The paper: Cap'n Proto, which copies a struct, is the lower bound in time, by more than two orders of "
            "magnitude above 1,000 entries, and the upper one in bytes.",
            *_beside(by, sizes),
            f"{machine_of([row for found in by.values() for _, row in found])} The messages are rebuilt after the "
            "paper's description; `capnp` copies a message that is already in Cap'n Proto's encoding. The paper also "
            "varies how many messages are in a batch; for that see *messages in flight*.",
        ],
        [
            Plot(
                f"tax-{number.rpartition(' ')[2]}",
                f"{name}: cycles to serialize against entries",
                lambda: _lines(panels, "cycles"),
            ),
            Plot(
                f"tax-{number.rpartition(' ')[2]}-bytes",
                f"{name}: bytes against entries",
                lambda: _lines({"bytes on the wire": sizes}, "bytes"),
            ),
        ],
        [Table("Cycles, and bytes, by the number of entries", ["", *map(text.count, counts)], lines)],
        cut=store.cut("protobuf"),
    )


def _beside(by: dict, sizes: dict) -> list[str]:
    """Returns what the largest message that Cap'n Proto and the unit were measured on says of the paper's sentence."""
    copied, made = (dict(by.get(engine, ())) for engine in (CAPNP, "hw"))
    count = max(copied.keys() & made.keys(), default=None)
    if count is None:
        return []
    times = int(made[count]["cycles"]) / int(copied[count]["cycles"])
    of_bytes = dict(sizes["Cap'n Proto"])[count] / dict(sizes["protobuf"])[count]
    return [
        f"Here the largest measured message has {count:,} entries. For it the unit takes {times:.2f} times the cycles "
        f"of Cap'n Proto, whose message has {of_bytes:.2f} times the bytes of protobuf's."
    ]


def _lines(panels: dict, up: str):
    from study.report import plots

    return plots.lines(panels, "entries", up)


def in_flight(store: Store) -> Item:
    """Returns the item of batches: eight commands in flight, with one unit or two."""
    title = "messages in flight: eight at a time, by one engine and by two"
    lines, data = [], {}
    for machine in store.machines("protobuf"):
        rows = store.rows("protobuf", machine)
        for operation in ("deserialize", "serialize"):
            for case, found in by_case(rows, operation).items():
                many = [found[engine] for engine in IN_FLIGHT if engine in found]
                for row in many:
                    alone = found.get("hw")
                    gain = int(alone["cycles"]) / int(row["cycles"]) if alone else None
                    lines.append(
                        [
                            case,
                            operation,
                            machine or "default-128",
                            str(row["engine"])[-1],
                            text.count(int(row["wire_bytes"])),
                            text.count(int(alone["cycles"])) if alone else "",
                            text.count(int(row["cycles"])),
                            text.times(gain),
                        ]
                    )
                    if gain and operation == "deserialize":
                        data.setdefault(f"{machine or 'default-128'}, engines: {str(row['engine'])[-1]}", []).append(
                            (int(row["wire_bytes"]), gain)
                        )
    if not lines:
        return unmeasured("", title, COMMAND)
    return Item(
        "",
        title,
        [
            "The paper's batches are many messages serialized one after the other. Here each of eight commands has "
            "arenas of its own, and the core submits the next while units work. Only `CONFIG=full` has two engines: "
            "`make bench SUITE=protobuf CONFIG=full`."
        ],
        [Plot("tax-flight", "To read: times one message at a time, against bytes", lambda: _gains(data))]
        if data
        else [],
        [
            Table(
                "Cycles a message",
                ["message", "operation", "machine", "engines", "bytes", "one at a time", "eight in flight", "gain"],
                lines,
            )
        ],
        cut=store.cut("protobuf"),
    )


def _gains(data: dict):
    from study.report import plots

    return plots.lines({"": data}, "bytes of the message", "times one at a time", log="x", points=True)
