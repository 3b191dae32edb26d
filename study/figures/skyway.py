"""K. Nguyen et al., *Skyway: Connecting Managed Heaps in Distributed Big Data Systems* (ASPLOS 2018)."""

from dataclasses import replace
from functools import partial
from statistics import mean as average
from typing import Any, Iterable

from heapwire.measure.rows import Row
from study.bench.cereal import MEDIA, OPERATIONS, PEERS, SOFTWARE
from study.bench.objects.captured import SKYWAY
from study.bench.rows import geometric_mean
from study.bench.skyway import CONFIG, ENGINES, SHUFFLE, is_bulk
from study.bench.spark import PARTS as SPARK_PARTS
from study.figures.cereal import quickest, with_java
from study.figures.units import large_graphs
from study.report import spark
from study.report.content import Item, absent, drawings
from study.report.figure import Column, Figure, Grid, bars, each, listing, mean, of, of_graphs, over, paper, table
from study.report.plan import BROADCAST
from study.report.records import WRITE_FIRST, Case, at, cases, cycles, select, together
from study.report.store import Store, machine_of
from study.report.text import count, fixed, percent, short, whole
from study.shuffle import QUERIES, TIMES
from study.shuffle import SPARK as PROGRAMS

of_skyway = of("skyway")

TITLE = "Skyway, ASPLOS 2018"
TEXT = """K. Nguyen et al., *Skyway: Connecting Managed Heaps in Distributed Big Data Systems*.
    [bench_skyway.md](root:study/docs/bench_skyway.md) describes the suite,
    [skyway.md](root:docs/reference/skyway.md) our Skyway."""
SHARES = {
    "the paper's java": {"serialize": 0.163, "write": 0.023, "deserialize": 0.178, "read": 0.099},
    "the paper's kryo-manual": {"serialize": 0.182, "write": 0.014, "deserialize": 0.141, "read": 0.011},
}
"""Shares of the time of triangle counting on LiveJournal, figure 3(a), section 2."""
JSBS = {"kryo-manual": "2.2", "java": "more than 67"}
"""How many times as fast as these Skyway is, section 5.1."""
PARTS = ("serialize", "write", "deserialize", "read")
COLUMNS = {"overall": "cycles"} | {part: f"{part}_cycles" for part in PARTS} | {"size": "wire_bytes"}
"""Columns of tables 2 and 4."""
NORMALIZED = {
    "the paper's Kryo": (
        "0.39 0.94 0.76, 0.33 0.89 0.59, 0.12 0.83 0.61, 0.11 0.55 0.26, 0.01 0.03 0.02, 0.31 1.09 0.52"
    ),
    "the paper's Skyway": (
        "0.27 0.92 0.64, 0.19 1.29 0.62, 0.12 1.61 0.97, 0.04 0.43 0.16, 0.01 0.05 0.02, 0.91 3.13 1.15"
    ),
}
"""Table 2, over Java serialization: least, most, geometric mean."""
OVER_FLINK = {
    "the paper's Skyway": (
        "0.71 0.88 0.81, 0.56 1.06 0.77, 0.51 1.76 0.96, 0.58 0.82 0.75, 0.49 1.13 0.61, 1.23 2.03 1.68"
    )
}
"""Table 4, over Flink's own serializers."""
QUERY = {
    "query-a": ("QA", "Report pricing details for all items shipped within the last 120 days."),
    "query-b": ("QB", "List the minimum cost supplier for each region for each item in the database."),
    "query-c": ("QC", "Retrieve the shipping priority and potential revenue of all pending orders."),
    "query-d": ("QD", "Count the number of late orders in each quarter of a given year."),
    "query-e": ("QE", "Report all items returned by customers sorted by the lost revenue."),
}
"""Table 3, by our names."""
CROSSES = {
    "query-a": "LINEITEM, filtered; by flag and status",
    "query-b": "PARTSUPP and SUPPLIER, by supplier; the offers and PART, by part",
    "query-c": (
        "ORDERS and CUSTOMER, both filtered, by customer; the orders and LINEITEM, filtered, by order; sorted by "
        "one worker"
    ),
    "query-d": "ORDERS and LINEITEM, both filtered, by order; counts, by quarter",
    "query-e": "ORDERS and LINEITEM, filtered, by order; sums and CUSTOMER, by customer; sorted by one worker",
}
"""What crosses between workers, phase by phase."""
WIRE = at("wire_bytes")
jsbs = quickest("skyway-sw", "skyway-hw")
FLINKS = "kryo-manual"
"""The peer that is nearest to Flink's own serializers."""
THEIR_EXTRA = {"headers": 0.51, "padding": 0.34, "pointers": 0.15}
EXTRA = tuple(THEIR_EXTRA)
BROADCAST_COMMAND = f'make demo-skyway CONFIG={CONFIG} ARGS="{BROADCAST}"'
NO_SPARK = """These are four small programs in C with generated words and graphs, run by two workers that take turns on
    one machine. A stream goes through memory: one copy out (`write`) and one in (`read`). Spark writes files instead,
    and reads them over a network."""
NO_FLINK = f"""This is not Flink: the queries are small programs in C over generated tables with the relations of TPC-H,
    run by two workers that take turns on one machine. A stream goes through memory: one copy out (`write`) and one in
    (`read`). Flink reads 100 GB and sends records over a network. Here whole rows cross, as objects with strings, and
    every serializer reads all of a row; Flink reads only the fields that a step uses. `{FLINKS}`, written by hand for
    each class, takes the place of Flink's own serializers."""


def shuffled(names: Iterable[str]):
    """Returns a selection of the rows of these programs."""
    wanted = set(names)
    return select("skyway", (SHUFFLE,), ENGINES, where=lambda row: str(row["case"]).partition("/")[0] in wanted)


def by_engine(rows: list[Row]) -> list[Row]:
    """Returns rows by case, and then in the order of engines."""
    return [case.rows[engine] for case in cases(rows) for engine in ENGINES if engine in case.rows]


def _share(*parts: str):
    return lambda row: sum(int(row.get(f"{part}_cycles", 0)) for part in parts) / cycles(row)


SPLIT = [
    bars(
        "Cycles of a program | cycles",
        "; ".join(f"{part}={part}_cycles" for part in TIMES),
        records=by_engine,
        panel=at("case"),
        name=at("engine"),
        stacked=True,
    ),
    table(
        "Cycles",
        "program=case; engine; all=cycles:count",
        "; ".join(f"{part}={part}_cycles:count?" for part in TIMES),
        "bytes=wire_bytes:count",
        Column("S/D", _share("serialize", "deserialize"), percent),
        Column("transfer", _share("write", "read"), percent),
        "phases; roots",
        records=by_engine,
    ),
]


def _range(values: list[float]) -> str:
    return f"{min(values):.2f} to {max(values):.2f} ({geometric_mean(values):.2f})" if values else ""


def normalized(base: str, theirs: dict[str, str]) -> Grid:
    """Returns the table of programs over the engine `base`: range and geometric mean over the programs. theirs: lines
    of the paper, each below its engine."""

    def records(rows: list[Row]) -> list[dict[str, str]]:
        found = []
        for engine in ENGINES:
            mine = [case for case in cases(rows) if engine in case.rows and base in case.rows]
            if engine != base and mine:
                record = {"engine": engine}
                for head, key in COLUMNS.items():
                    both = [case for case in mine if case.rows[base][key] and case.rows[engine][key]]
                    record[head] = _range([case.over(engine, base, at(key)) for case in both])
                found.append(record)
                found += [line for name, line in lines.items() if name == BELOW.get(engine)]
        return found

    lines = {
        name: {"engine": name}
        | {head: "{} to {} ({})".format(*each.split()) for head, each in zip(COLUMNS, numbers.split(", "))}
        for name, numbers in theirs.items()
    }
    return table(
        f"Over {'Java serialization' if base == 'java' else base}",
        *[Column(head, at(head)) for head in ("engine", *COLUMNS)],
        records=records,
    )


BELOW = {"kryo-manual": "the paper's Kryo", "skyway-sw": "the paper's Skyway"}


def _less(rows: list[Row]) -> list[dict[str, Any]]:
    """Returns how much less time the programs take by Skyway, and how many more bytes they send: section 5.2."""
    found = []
    for engine in ("skyway-sw", "skyway-hw"):
        for peer, faster, more in (("java", "36 %", "about as many"), ("kryo-manual", "16 %", "77 % more")):
            both = [case for case in cases(rows) if {engine, peer} <= case.rows.keys()]
            if both:
                time, size = (
                    geometric_mean([case.over(engine, peer, at(key)) or 1 for case in both])
                    for key in ("cycles", "wire_bytes")
                )
                theirs = {"faster": faster, "more": more} if engine == "skyway-sw" else {}
                found.append({"case": f"{engine} over {peer}", "time": 1 - time, "bytes": size - 1} | theirs)
    return found


def broadcast(store: Store, rows: Any) -> dict[str, str]:
    """Says how the broadcast was measured, or what to run."""
    found = _broadcast(store)
    if not found:
        reason = store.cut("broadcast") or "the broadcast among several machines is not measured"
        return {"said": f"{reason[0].upper()}{reason[1:]}. What to do: `{BROADCAST_COMMAND}`."}
    first = found[0]
    return {
        "said": f"""With the network: {first["machines"]} simulated machines behind a switch, each of which broadcasts
        {first["objects"]} objects; a byte takes {first["byte_cycles"]} cycles on a line. {machine_of(found)} The paper
        has five nodes, 1000 rounds and Ethernet of 1 Gbit/s; here the core carries each byte through a UART, so the
        network weighs far more. `network` is the time to send one object to all others and to receive one of each,
        waiting included."""
    }


_broadcast = select("broadcast", ("broadcast",))


def with_broadcast(store: Store) -> list[Row]:
    """Returns the rows of MediaContent, and those of the broadcast if there are any."""
    rows = select("skyway", WRITE_FIRST, prefix=MEDIA)(store)
    return [*rows, *_broadcast(store)] if jsbs(rows) else []


def is_bulk_graph(case: Case) -> bool:
    return is_bulk({"case": case.case, "op": WRITE_FIRST[0]})


def _extra(part: str):
    return lambda row: int(row[f"skyway_{part}"]) / sum(int(row[f"skyway_{each}"]) for each in EXTRA)


sizes = select("graphs", where=lambda row: "skyway_headers" in row)


def times_of_spark(store: Store) -> list[dict[str, Any]]:
    """Returns a record for each program of Spark and serializer: milliseconds, measured with Java and Kryo, computed
    with Skyway."""
    rows, found = store.rows("skyway"), []
    for program, runs in spark.of(store, SKYWAY).items():
        bars = {serializer: spark.milliseconds(row) for serializer, row in runs.items()}
        for engine in ("skyway-sw", "skyway-hw"):
            if "java" in runs and (computed := spark.with_skyway(runs["java"], rows, program, engine)):
                bars[f"{engine}, computed"] = computed
        for name, parts in bars.items():
            java = sum(bars["java"].values()) if "java" in bars else None
            ratio = {"of java's": sum(parts.values()) / java} if java else {}
            found.append({"case": program, "engine": name, "all": sum(parts.values())} | parts | ratio)
    return found


def programs(store: Store) -> list[Row]:
    """Returns our programs' rows and Spark's records, for the figure of both."""
    return [*shuffled(PROGRAMS)(store), *times_of_spark(store)]


def _of_spark(rows: list[Row]) -> list[Row]:
    return [row for row in rows if "computation" in row]


def _ours(rows: list[Row]) -> list[Row]:
    return [row for row in rows if "computation" not in row]


def _says(store: Store, rows: list[Row]) -> dict[str, str]:
    """Says of both halves of figure 8(a) how they were measured, or what to run."""
    ours, runs = _ours(rows), spark.measured(store, SKYWAY)
    computed = any(str(row["engine"]).endswith("computed") for row in _of_spark(rows))
    return {
        "ours": f"**Our programs on the simulated machine**, measured there: {machine_of(ours)} {NO_SPARK}"
        if ours
        else "Our programs on the simulated machine are not measured: run `make bench SUITE=skyway`.",
        "spark": f"""**Spark's programs on a JVM**: `java` and `kryo` are measured. {spark.jvm(store, SKYWAY)} The
        programs are ours, with generated inputs ([spark.md](root:study/docs/spark.md))."""
        if runs
        else "Spark's own programs are not measured: run `make spark`.",
        "skyway": ""
        if not _of_spark(rows)
        else """`skyway-sw` and `skyway-hw` are computed, not measured, from the times of `java` on the JVM and from
        cycles of the program's captured records on the simulated machine. The times to serialize and to deserialize are
        divided by the engine's speed-up over `java` there, `write` and `read` grow with the bytes, and all else stays.
        Skyway ran in no JVM."""
        if computed
        else """Skyway's part is not computed, because cycles of the programs' captured records were not measured: run
        `make bench SUITE=skyway`.""",
    }


FLINK = ("phases", "results", "wire_bytes")


def _by_flink(key: str, case: Case) -> Any:
    return case.rows.get(FLINKS, case.first)[key]


def query(case: Case) -> str:
    return case.case.partition("/")[0]


FIGURES: list[Figure | Item] = [
    *drawings("Figure 1: transfer of data"),
    *absent("a listing; nothing is measured in it", "Figure 2: a Spark program"),
    of_skyway(
        "Figure 3: what serialization takes of triangle counting",
        f"""The paper, on LiveJournal and three nodes: S/D takes more than 30 % of the time with Kryo and with Java. The
        last column has the bytes, the paper's (b).

        {{machine}} {NO_SPARK}""",
        bars(
            "Percent of the cycles of triangle counting | percent",
            *[Column(part, _share(part)) for part in TIMES],
            records=by_engine,
            name=at("engine"),
            scale=100,
            stacked=True,
        ),
        table(
            "Shares of the program's cycles",
            "engine",
            *(Column(part, _share(part), percent) for part in TIMES[2:]),
            "bytes=wire_bytes:count",
            records=by_engine,
            ends=[paper(name, numbers) for name, numbers in SHARES.items()],
        ),
        rows=lambda store: [row for row in shuffled(["triangles"])(store) if row["engine"] in PEERS],
    ),
    *drawings("Figure 4: architecture; Figure 5: type registries; Figure 6: layout of objects and buffers"),
    of_skyway(
        "Figure 7: serializers on JSBS's MediaContent",
        """The paper: Skyway is the fastest of 91 libraries, 2.2 times as fast as hand-written Kryo, 1.5 times as fast
        as Colfer, and more than 67 times as fast as Java; it sends half as many bytes again.

        {machine} The case is one message of 35 objects, without a network. The paper's Java and Kryo ran on HotSpot, by
        reflection; ours are compiled C. Each buffer has a fixed cost, which is most of the time of one message here
        ([bench_skyway.md](root:study/docs/bench_skyway.md)).

        {said}""",
        bars(
            "Cycles of one MediaContent | cycles",
            *each(ENGINES, cycles, count),
            records=lambda rows: cases(row for row in rows if row["op"] in OPERATIONS),
        ),
        table(
            "Cycles",
            """engine; serialize=write:count; deserialize=read:count; both ways=cycles:count; over skyway-sw:2;
            over skyway-hw:2""",
            Column("the paper's, over Skyway", lambda row: JSBS.get(row["engine"])),
            "bytes=wire_bytes:count",
            records=jsbs,
        ),
        table(
            "Cycles of an object in the broadcast",
            """engine; serialize=serialize_cycles:count; network=network_cycles:count;
            deserialize=deserialize_cycles:count; bytes=wire_bytes:count""",
            records=lambda rows: [row for row in rows if row["op"] == "broadcast"],
        ),
        rows=with_broadcast,
        said=broadcast,
        used=lambda rows: [row for row in rows if row["op"] in OPERATIONS],
    ),
    of_skyway(
        "both ways together",
        """These are the graphs of Cereal's suite; the paper does not have them. Bulk graphs are all but MediaContent
        and the records captured from Spark. {machine}""",
        bars(
            "Times Java serialization, both ways, logarithmic | times Java",
            *each(ENGINES, cycles, short, over="java"),
            records=lambda rows: list(filter(is_bulk_graph, with_java(together)(rows))),
            log=True,
        ),
        table(
            "Cycles both ways, and times Java",
            "graph=case",
            *each(ENGINES, cycles, count),
            *over(["java"], short, "skyway-sw", "skyway-sw over java"),
            *over(["java"], short, "skyway-hw", "skyway-hw over java"),
            *over((*SOFTWARE[1:], "hw"), fixed(2), "skyway-sw", "skyway-sw over {}"),
            *over(["skyway-sw"], fixed(2), "skyway-hw", "skyway-hw over {}"),
            records=with_java(together),
            ends=[mean("bulk graphs, geometric mean of {n}", when=is_bulk_graph)],
        ),
        rows=select("skyway", WRITE_FIRST),
    ),
    large_graphs("skyway"),
    of_skyway(
        "bytes on the wire",
        """Of a stream with one root. The paper: Skyway's are 1.77 times those of Kryo by hand and 1.0 times Java
        serialization's in Spark.""",
        table(
            "Bytes on the wire",
            "case",
            *each(ENGINES, WIRE, count),
            Column("over kryo-manual", lambda case: case.over("skyway-sw", "kryo-manual", WIRE), fixed(2)),
            Column("over java", lambda case: case.over("skyway-sw", "java", WIRE), fixed(2)),
        ),
        rows=select("skyway", ("serialize",), where=lambda row: bool(row["wire_bytes"])),
    ),
    *absent(
        "public graphs of 69 million edges and more; ours are generated, of 64 vertices, for a machine of 256 MB",
        "Table 1: graphs that are the input of Spark's programs",
    ),
    of_skyway(
        "Table 2: programs that shuffle, normalized to Java serialization",
        f"""The table gives ranges over the programs, and geometric means.

        {{machine}} {NO_SPARK}

        Streams are short here, 0.1 to 3 KB, so the fixed cost of a buffer weighs more; there is no network.""",
        normalized("java", NORMALIZED),
        table(
            "Section 5.2: all of the time, geometric means over the programs",
            "=case; less time=time:whole; more bytes=bytes:signed; the paper: faster=faster; the paper: bytes=more",
            records=_less,
        ),
        rows=shuffled(PROGRAMS),
    ),
    of_skyway(
        "Figure 8(a): running time of the programs by serializer",
        """The paper: on average Spark is 36 % faster with Skyway than with Java serialization, and 16 % faster than
        with Kryo.

        {ours}

        {spark}

        {skyway}""",
        *(replace(show, records=lambda rows: by_engine(_ours(rows))) for show in SPLIT),
        bars(
            "Milliseconds of the tasks of a program of Spark | milliseconds",
            "; ".join(SPARK_PARTS),
            records=_of_spark,
            panel=at("case"),
            name=at("engine"),
            stacked=True,
        ),
        table(
            "Spark's programs: milliseconds of the tasks",
            "program=case; serializer=engine; all:0",
            *(Column(part, at(part), fixed(1)) for part in SPARK_PARTS),
            "of java's:2*",
            records=_of_spark,
            ends=[
                mean("geometric mean of {n}", when=lambda record, name=name: record["engine"] == name)
                for name in ("kryo", "skyway-sw, computed", "skyway-hw, computed")
            ],
        ),
        rows=programs,
        said=_says,
        command="make bench SUITE=skyway",
        needs="Spark's own: `make spark`.",
    ),
    of_skyway(
        "Figure 8(b): running time of queries by serializer",
        f"""The paper: with Skyway the queries take 19 % less time than with Flink's own serializers, and send 68 % more
        bytes. S/D is 32 % of Flink's time: 23.5 % to serialize and 8.7 % to deserialize.

        {{machine}} {NO_FLINK}""",
        *SPLIT,
        rows=shuffled(QUERIES),
    ),
    of_graphs(
        "extra bytes of a Skyway buffer (section 5.2)",
        """The sizes are computed from the graphs. References have 4 bytes here and 8 in the paper; our headers have 8
        bytes of metadata that Cereal and Skyway share.""",
        bars(
            "Percent of the extra bytes | percent",
            *[Column(part, _extra(part)) for part in EXTRA],
            records=list,
            scale=100,
            stacked=True,
        ),
        listing(
            "Bytes",
            "graph=case",
            Column("bytes", lambda row: sum(row[f"skyway_{part}"] for part in ("values", *EXTRA, "stream")), count),
            """values=skyway_values:count; headers=skyway_headers:count; padding=skyway_padding:count;
            pointers=skyway_pointers:count; the stream's words=skyway_stream:count""",
            *(Column(f"{part} of the extra", _extra(part), whole, mean=True) for part in EXTRA),
            ends=[
                mean("mean", average),
                paper(
                    "the paper's, of Spark's", {f"{part} of the extra": share for part, share in THEIR_EXTRA.items()}
                ),
            ],
        ),
        rows=sizes,
    ),
    of_graphs(
        "memory of the metadata field (section 5.2)",
        """The paper: `baddr` makes the peak heap of Spark's programs 2.1 % to 21.8 % larger. Ours are graphs alone.
        Without the field their headers have 8 bytes, and a JVM's have 12 or 16, so the field weighs more here.""",
        listing(
            "Bytes of the objects",
            "graph=case; objects:count; without=bytes_without_metadata:count; with=object_bytes:count",
            Column("more", lambda row: row["object_bytes"] / row["bytes_without_metadata"] - 1, percent, True),
            ends=[mean("mean", average), paper("the paper's mean", {"more": 0.154})],
        ),
        rows=sizes,
    ),
    of_skyway(
        "Table 3: queries of Flink",
        f"""The number behind a query's name is the number of orders. Results are rows (of QA, sums). The bytes are
        those of all streams by `{FLINKS}`, including the streams that a worker sends to itself.""",
        table(
            "Queries",
            Column("", lambda case: QUERY[query(case)][0]),
            Column("the paper's words", lambda case: QUERY[query(case)][1]),
            "here=case",
            Column("what crosses", lambda case: CROSSES[query(case)]),
            *(Column(head, partial(_by_flink, key), count) for head, key in zip(("phases", "results", "bytes"), FLINK)),
        ),
        rows=shuffled(QUERIES),
    ),
    of_skyway(
        "Table 4: Skyway over Flink's own serializers",
        f"""The table gives ranges over the queries, and geometric means. The paper's line is over Flink's own
        serializers, ours are over `{FLINKS}`. Rows here are short, with small numbers and strings of one character:
        hand-written code makes few bytes of them, and as objects they are mostly headers.

        {{machine}} {NO_FLINK}""",
        normalized(FLINKS, OVER_FLINK),
        rows=shuffled(QUERIES),
    ),
]
