"""D. Parimi, W. Zhao, J. Zhao, *Datacenter Tax Cuts: Improving WSC Efficiency Through Protocol Buffer Acceleration*."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Sequence

from heapwire.measure.rows import Row
from heapwire.workload.case import CAPNP
from study.bench.cases import BY_FIELDS
from study.bench.repeated import SWEEPS
from study.bench.rows import PEERS, fit
from study.report.content import Item, absent, drawings
from study.report.figure import Column, Figure, Lines, bars, each, listing, mean, of, over, table
from study.report.records import READ_FIRST, Case, at, cases, cycles, select
from study.report.store import Store, name_of, series
from study.report.text import count, times

of_protobuf = of("protobuf")

TITLE = "Datacenter Tax Cuts"
TEXT = """D. Parimi, W. Zhao, J. Zhao, *Datacenter Tax Cuts: Improving WSC Efficiency Through Protocol Buffer
    Acceleration*. The paper measures software and proposes hardware; our hardware is measured beside software in the
    paper's benchmarks."""
ENGINES = (*PEERS, "hw")
TYPES = ("sint32", "sint64", "uint32", "uint64", "float", "double", "string")
TRAFFIC = {
    "serialize": "2.80 3.16, 5.40 5.59, 2.80 3.16, 5.40 5.59, 2.68 2.66, 5.21 4.79, 30.78 3.22",
    "deserialize": "5.04 2.00, 9.42 4.03, 5.11 2.04, 9.41 4.00, 4.56 1.96, 8.64 4.01, 33.25 25.72",
}
"""GiB read and written by these types, figures 3 and 6. The paper does not say for how many messages. It calls `sint32`
Int32 (chapter IV)."""
NAMES = [f"{kind}, {packing}" for kind, packing in SWEEPS]
LONGEST = [f"{kind}, {packing}" for kind, packing in SWEEPS if packing == "packed" or kind == "string"]
"""The packed fields, and strings, which cannot be packed."""
PROFILE = """no suite samples where software spends its cycles, so there are no rows; the shares of a unit's cycles are
    in the section on Wu & Schmulbach, figure 13"""
LISTING = "a listing of x86 instructions with samples of perf; no suite samples instructions"


def _instructions(case: Case) -> int | None:
    return int(case.rows[BY_FIELDS]["instret"]) if BY_FIELDS in case.rows else None


@dataclass(frozen=True)
class Sweep:
    """A line of a table: values by size. rows: those of an engine, by size."""

    name: str
    engine: str
    sizes: dict[int, float]
    rows: Sequence[tuple[int, Row]] = ()

    def points(self) -> list[tuple[int, float]]:
        return list(self.sizes.items())

    def rate(self) -> float | None:
        return fit(self.points())[0] if len(self.sizes) >= 3 and self.rows else None


def swept(rows: list[Row], prefix: str, engine: str, name: str = "", key: str = "cycles") -> Sweep:
    """Returns the sweep of an engine: its cycles, or what another key says."""
    found = series([row for row in rows if row["engine"] == engine], prefix)
    return Sweep(name or engine, engine, {size: float(row[key]) for size, row in found}, found)


def by_size(sweeps: list[Sweep]) -> list[Column]:
    sizes = sorted({size for sweep in sweeps for size in sweep.sizes})
    return [Column(count(size), lambda sweep, size=size: sweep.sizes.get(size), count) for size in sizes]


def _repeated(rows: list[Row]) -> list[Sweep]:
    found = [
        swept(rows, f"{kind}_{packing}", engine, f"{kind}, {packing}") for kind, packing in SWEEPS for engine in ENGINES
    ]
    return [sweep for sweep in found if sweep.sizes]


def _packed(rows: list[Row]) -> dict[str, dict[str, list]]:
    """Returns the lines of the picture: packed fields, and strings, by engine."""
    sweeps = [sweep for sweep in _repeated(rows) if sweep.name in LONGEST]
    return {
        engine: {sweep.name.partition(",")[0]: sweep.points() for sweep in sweeps if sweep.engine == engine}
        for engine in ENGINES
    }


def repeated(number: str, op: str, verb: str, slower: str) -> Figure:
    """Figures 1 and 4. slower: on a Xeon, section V-A."""
    return of_protobuf(
        f"{number}: time to {op} a repeated field, by its type and length",
        f"""The paper, protobuf's C++ library: integers take {slower}; a Rocket core is 3 to 6 times as slow as a Xeon.

        {{machine}} nanopb and `table`, our software codec for managed objects, run on the core beside the engine; the
        paper's library ran on a Xeon and on a Rocket core. Values are random over the whole type, and strings have 50
        characters, as in the paper. Its Int32 and Int64 are `sint32` and `sint64`; in `int32` and `int64` a negative
        number, here half of them, takes ten bytes.""",
        Lines(f"Cycles to {verb} a packed field (strings: unpacked) against its elements | elements | cycles", _packed),
        table(
            "Cycles by the number of elements, and cycles an element (fitted)",
            columns=lambda sweeps: [
                "type=name; engine",
                *by_size(sweeps),
                Column("an element", Sweep.rate, "{:.2f}".format),
            ],
            records=_repeated,
        ),
        rows=select("protobuf", (op,), ENGINES, tuple(f"{kind}_{packing}/" for kind, packing in SWEEPS)),
        claims=NAMES,
    )


def _longest(op: str):
    """Returns a selection: for each type the longest field that both engines have."""

    def records(store: Store) -> list[dict[str, Any]]:
        rows, found = select("protobuf", (op,), ("hw", "nanopb"))(store), []
        theirs = dict(zip(TYPES, TRAFFIC[op].split(", ")))
        for name in LONGEST:
            kind, _, packing = name.partition(", ")
            unit, peer = (dict(swept(rows, f"{kind}_{packing}", engine).rows) for engine in ("hw", "nanopb"))
            if size := max(unit.keys() & peer.keys(), default=0):
                row, other = unit[size], peer[size]
                read, written = theirs.get(kind, " ").split(" ")
                found.append(
                    {"kind": kind, "type": name, "elements": size, "rows": [row, other]}
                    | {"on the wire": row["wire_bytes"]}
                    | {"engine reads": row["read_bytes"], "engine writes": row["write_bytes"]}
                    | {
                        f"{way}, {name}": int(each.get(f"dram_{key}_bytes", 0))
                        for name, each in (("engine", row), ("nanopb", other))
                        for way, key in (("DRAM to cache", "read"), ("cache to DRAM", "write"))
                    }
                    | {"the paper's reads, GiB": read, "its writes, GiB": written}
                )
        return found

    return records


PICTURED = {
    **{"engine reads": "engine reads", "engine writes": "engine writes"},
    **{"nanopb, DRAM reads": "DRAM to cache, nanopb", "nanopb, DRAM writes": "cache to DRAM, nanopb"},
}


def _an_element(key: str, record: dict[str, Any]) -> float:
    return record[key] / record["elements"]


def traffic(number: str, op: str) -> Figure:
    """Figures 3 and 6."""
    heads = """type; elements; on the wire; engine reads; engine writes; DRAM to cache, engine; cache to DRAM, engine;
        DRAM to cache, nanopb; cache to DRAM, nanopb; the paper's reads, GiB; its writes, GiB"""
    columns = [Column(head, at(head), count) for head in " ".join(heads.split()).split("; ")]
    an_element = [Column(head, partial(_an_element, key)) for head, key in PICTURED.items()]
    return of_protobuf(
        f"{number}: memory traffic to {op} by type",
        """The paper counts what perf saw between the Xeon's caches and memory over a run of unknown length, in GiB.
        Ratios between types can be compared, figures cannot.

        {machine} The table has the longest field that both engines have, warm: the bytes that the engine's port moved,
        and those that the shared cache fetched from DRAM and wrote back.""",
        bars("Bytes an element | bytes an element", *an_element, records=list, name=at("kind")),
        listing("Bytes", *columns),
        rows=_longest(op),
        claims=LONGEST,
        used=lambda records: [row for record in records for row in record["rows"]],
    )


def _macro(prefix: str):
    """Returns the sweeps of a macro benchmark: cycles by engine, then bytes."""

    def sweeps(rows: list[Row]) -> list[Sweep]:
        found = [swept(rows, prefix, engine) for engine in ("nanopb", "table", CAPNP, "hw")]
        found += [
            swept(rows, prefix, engine, f"bytes, {name}", "wire_bytes")
            for name, engine in (("protobuf", "hw"), ("Cap'n Proto", CAPNP))
        ]
        return [sweep for sweep in found if sweep.sizes]

    return sweeps


def _beside(rows: list[Row], prefix: str) -> str:
    """Returns what the largest message that Cap'n Proto and the unit were measured on says of the paper's sentence."""
    copied, made = (dict(swept(rows, prefix, engine).rows) for engine in (CAPNP, "hw"))
    if not (size := max(copied.keys() & made.keys(), default=0)):
        return ""
    return (
        f"Here the largest measured message has {size:,} entries. For it the unit takes "
        f"{cycles(made[size]) / cycles(copied[size]):.2f} times the cycles of Cap'n Proto, whose message has "
        f"{int(copied[size]['wire_bytes']) / int(made[size]['wire_bytes']):.2f} times the bytes of protobuf's."
    )


def macro(number: str, name: str, prefix: str) -> Figure:
    """Figures 7 and 8: beside Cap'n Proto."""
    sweeps = _macro(prefix)

    def lines(title: str, of_bytes: bool):
        return lambda rows: {
            title: {
                sweep.name.removeprefix("bytes, "): sweep.points()
                for sweep in sweeps(rows)
                if sweep.name.startswith("bytes, ") == of_bytes
            }
        }

    return of_protobuf(
        f"{number}: {name}: time, and bytes, against entries of its repeated fields",
        """The paper: Cap'n Proto, which copies a struct, is the lower bound in time, by more than two orders of
        magnitude above 1,000 entries, and the upper one in bytes.

        {beside}

        {machine} The messages are rebuilt after the paper's description; `capnp` copies a message that is already in
        Cap'n Proto's encoding. The paper also varies how many messages are in a batch; for that see *messages in
        flight*.""",
        Lines(f"{name}: cycles to serialize against entries | entries | cycles", lines("cycles to serialize", False)),
        Lines(f"{name}: bytes against entries | entries | bytes", lines("bytes on the wire", True)),
        table(
            "Cycles, and bytes, by the number of entries",
            columns=lambda found: ["=name", *by_size(found)],
            records=sweeps,
        ),
        rows=select("protobuf", ("serialize",), ("nanopb", "table", CAPNP, "hw"), f"{prefix}/"),
        said=lambda store, rows: {"beside": _beside(rows, prefix)},
    )


def _flying(store: Store) -> list[dict[str, Any]]:
    """Returns a record for each message with eight commands in flight, of all machines."""
    found = []
    for machine in store.machines("protobuf"):
        for case in cases(select("protobuf", READ_FIRST, machine=machine)(store)):
            for units, engine in ((1, "hw-x1"), (2, "hw-x2")):
                if row := case.rows.get(engine):
                    moved = int(row["read_bytes"]) + int(row["write_bytes"])
                    counted = "busy_cycles" in row  # tiny has no counters
                    found.append(
                        {"case": case.case, "op": case.op, "machine": name_of(row), "engines": str(units)}
                        | {"bytes": int(row["wire_bytes"]), "many": cycles(row), "instret": row["instret"]}
                        | {"alone": cycles(case.rows["hw"]) if "hw" in case.rows else None}
                        | {"gain": case.over("hw", engine, cycles)}
                        | {"busy": int(row["busy_cycles"]) / (cycles(row) * units) if counted else None}
                        | {"port": moved / (cycles(row) * int(row["port_bytes_per_cycle"])) if counted else None}
                    )
    return found


def _gains(records: list[dict[str, Any]]) -> dict[str, dict[str, list]]:
    found: dict[str, list] = {}
    for record in records:
        if record["gain"] and record["op"] == "deserialize":
            name = f"{record['machine']}, engines: {record['engines']}"
            found.setdefault(name, []).append((record["bytes"], record["gain"]))
    return {"": found}


FIGURES: list[Figure | Item] = [
    repeated(
        "Figure 1", "serialize", "write", "4 to 5 times as long as floating point of the same size, strings 10 times"
    ),
    *absent(PROFILE, "Figure 2: profile of functions, to serialize"),
    traffic("Figure 3", "serialize"),
    repeated(
        "Figure 4", "deserialize", "read", "3 to 6 times as long as floating point of the same size, strings 16 times"
    ),
    *absent(PROFILE, "Figure 5: profile of functions, to parse"),
    traffic("Figure 6", "deserialize"),
    macro("Figure 7", "Ultimaker", "ultimaker"),
    macro("Figure 8", "LuaPbIntf", "lua_pb_intf"),
    of_protobuf(
        "messages in flight: eight at a time, by one engine and by two",
        """The paper's batches are many messages serialized one after the other. Here each of eight commands has arenas
        of its own, and the core submits the next while units work. Only `CONFIG=full` has two engines: `make bench
        SUITE=protobuf CONFIG=full`. Engines that are not busy wait for the core, which a message costs the instructions
        shown.""",
        Lines(
            "To read: times one message at a time, against bytes | bytes of the message | times one at a time",
            _gains,
            log="x",
            points=True,
        ),
        listing(
            "Cycles a message",
            """message=case; operation=op; machine; engines; bytes:count; one at a time=alone:count;
            eight in flight=many:count; gain:times; engines busy=busy:whole; of the port=port:whole;
            instructions=instret:count""",
        ),
        rows=_flying,
    ),
    *absent(
        LISTING,
        "Figure 9: profile of the serialization of an Int64; Figure 10: profile of the serialization of a double",
    ),
    *drawings("Figure 11: block diagram"),
    of_protobuf(
        "The table of proposed instructions",
        """{machine} Engine `fields`: the four instructions, in C that the plugin makes of the schema
        ([units/protobuf_fields.md](root:docs/reference/units/protobuf_fields.md)). The core walks a message, and the
        protobuf unit handles its fields. `table`, our codec, does both in software, and `hw` is one command for a
        whole message. All three work on the same objects.

        `parfield` returns after 20 to 30 cycles, because the core needs the address of the next field; `serfield`
        returns at once. The rest are the core's own instructions, shown beside.""",
        table(
            "Cycles by message",
            "message=case; operation=op; bytes=first>wire_bytes:count",
            *each(("nanopb", "table", BY_FIELDS, "hw"), cycles, count, optional=False),
            *over(("table", "nanopb"), times, BY_FIELDS, "{} over fields"),
            Column("instructions, fields", _instructions, count),
            by=at("op"),
            totals=[mean("geometric mean of {n}")],
        ),
        rows=select("protobuf", READ_FIRST, ("nanopb", "table", BY_FIELDS, "hw"), ("jsbs/", "demo/", "fields/")),
    ),
]
