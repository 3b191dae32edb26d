"""J. Jang et al., *A Specialized Architecture for Object Serialization with Applications to Big Data Analytics* (ISCA
2020). Numbers that the paper shows only as pictures are not read off them."""

from functools import partial
from statistics import mean as average
from typing import Any, Callable

from heapwire.measure.rows import Row
from study.bench.cereal import MEDIA, PEERS, SCALES, SERIES, SOFTWARE, VANILLA, micro
from study.bench.objects.captured import CASE as CAPTURED
from study.bench.objects.captured import CEREAL, SKYWAY
from study.bench.rows import port_share
from study.bench.spark import PARTS
from study.report import spark
from study.report.content import Item, absent, drawings
from study.report.figure import Column, Figure, bars, each, fields, listing, mean, of, of_graphs, paper, table
from study.report.records import WRITE_FIRST, Case, at, cases, cycles, select, together
from study.report.scaling import BLOCK
from study.report.store import Store, area_of
from study.report.text import count, fixed, percent, short

of_cereal, of_spark = map(of, ("cereal", "spark"))

TITLE = "Cereal, ISCA 2020"
TEXT = """J. Jang et al., *A Specialized Architecture for Object Serialization with Applications to Big Data Analytics*.
    [bench_cereal.md](root:study/docs/bench_cereal.md) describes the suite,
    [units/cereal.md](root:docs/reference/units/cereal.md) the units."""
UNITS = (VANILLA, *SCALES.values())
ENGINES = (*SOFTWARE, *UNITS)
EIGHT = SCALES[8]
"""The paper's Cereal has eight units of each kind."""
SPEEDUPS = {
    ("serialize", "kryo-generic"): 2.30,
    ("deserialize", "kryo-generic"): 52.3,
    ("serialize", EIGHT): 26.5,
    ("deserialize", EIGHT): 364.5,
}
"""Over Java, section VI-B, averages of figure 10."""
PORT = {
    ("serialize", "java"): 0.0271,
    ("serialize", "kryo-generic"): 0.0412,
    ("serialize", EIGHT): 0.209,
    ("deserialize", "java"): 0.0348,
    ("deserialize", "kryo-generic"): 0.0450,
    ("deserialize", EIGHT): 0.311,
}
"""Of DRAM's bandwidth, section VI-B, averages of figure 11."""
MOST_OF_PORT = {("serialize", EIGHT): 0.745, ("deserialize", EIGHT): 0.833}
SIZES = {
    "tree-narrow": (23.0, 12.0, 16.1),
    "tree-wide": (148.6, 48.0, 80.0),
    "list-small": (8.0, 2.5, 16.0),
    "list-large": (59.4, 10.0, 47.8),
    "graph-sparse": (22.1, 10.8, 2.4),
    "graph-dense": (115.5, 51.1, 2.4),
}
"""Table IV: MB of Java, Kryo, Cereal."""
REFERRED = (2_097_150 * 9, 19_173_960 * 9, 524_288 * 9, 2_097_152 * 9, 4_096 * 9, 4_096 * (8 + 4_095))
LEAST = {name: size / 1e6 for name, size in zip(SIZES, REFERRED)}
"""MB of class ids and references alone, of table II's graphs: a class id takes a slot of the value array, 8 bytes
(section IV-A), a packed reference a byte or more. A node of a tree, a list or the sparse graph has one reference."""
INPUTS = {
    "nweight": "156 MB",
    "svm": "1,740 MB",
    "bayes": "1,126 MB",
    "lr": "1,945 MB",
    "terasort": "3,072 MB",
    "als": "1,331 MB",
}
"""Table III."""
SPARK_SHARE = {"java": "39.5 %, 90.9 %", "kryo": "28.3 %, 83.4 %"}
"""Share of S/D in Spark's programs, section III, figure 2: the average, and the most, of SVM."""
PROGRAMS = {f"{EIGHT} over java": "1.81, 4.66", f"{EIGHT} over kryo": "1.69, 4.53"}
"""Whole programs over this serializer, section VI-D, figure 14: the mean, and the most."""
AREA = """Serializer: Header manager 0.003, Reference array writer 0.013, Object metadata manager 0.014, Object handler
    0.028; Deserializer: Layout manager 0.02, Block manager 0.217, Block reconstructor (each of 4) 0.011; System: TLB
    0.282, MAI 0.161, Class ID Table 0.23, Klass Pointer Table 0.472"""
"""Table V: square millimetres a unit, TSMC 40 nm."""
DIFFERS = """The paper's Java and Kryo ran on HotSpot, by reflection, on a core at 3.6 GHz with four channels of DDR4;
    ours are compiled C on the small core beside the units, with one channel of DDR3. So the ratio of units to software
    differs from the paper's. Our graphs are much smaller than the paper's, each by another factor (Table II)."""
KINDS = """Records named `captured-` are a sample of those that Spark serialized in a program of the same kind
    ([spark.md](root:study/docs/spark.md)), each key and value a graph of its own, all in one array; they have no
    hand-written serializer. Records named `spark-` are generated, in the shapes that the paper's programs shuffle. The
    simulated machine serializes both kinds, without Spark."""
OURS = """The programs are ours: small ones of the same kind, on generated inputs
    ([spark.md](root:study/docs/spark.md)). The paper ran HiBench's on 156 MB to 3 GB. SVM and LR keep their points
    in Spark's serialized cache, which decides most of their share."""
RECORDS = (CAPTURED, spark.STAND_IN)
GRAPH = "graph=case; operation=op"
ENGINE, WIRE = at("engine"), at("wire_bytes")
LARGEST = "the largest graph of each shape"


def shape(record: Any) -> str:
    """Returns the shape of a case: tree-narrow for tree-narrow/511."""
    return record["case"].partition("/")[0]


def largest(found: list[Case]) -> list[Case]:
    """Returns the largest graph of each shape and operation, in the paper's order."""
    by_size = sorted(found, key=lambda case: int(case.case.rpartition("/")[2]))
    last = {(case.op, shape(case)): case for case in by_size}
    ops = dict.fromkeys(case.op for case in found)
    return [last[op, series.name] for op in ops for series in SERIES if (op, series.name) in last]


def graphs(ops=WRITE_FIRST, engines=()):
    """Returns a selection of the microbenchmarks."""
    chosen = select("cereal", ops, engines)
    return lambda store: list(micro(chosen(store)))


def records(store: Store) -> list[Row]:
    """Returns the rows of this paper's programs of Spark."""
    others = tuple(f"{CAPTURED}{program}/" for program in SKYWAY)
    return [
        row for row in select("cereal", WRITE_FIRST, prefix=RECORDS)(store) if not str(row["case"]).startswith(others)
    ]


def prefix_of(record: Any) -> str:
    return next((prefix for prefix in RECORDS if record["case"].startswith(prefix)), "")


def _begins(prefix: str, record: Any) -> bool:
    return prefix_of(record) == prefix


def behaviour(title: str, value, form, totals=()) -> list:
    """Returns table and picture of one part of figure 3."""
    columns = each(PEERS, value, form, mean=True)
    return [bars(f"{title} | {title}", *columns, pick=largest), table(title, GRAPH, *columns, ends=totals)]


def of_port(engines=ENGINES) -> list[Column]:
    return each(engines, port_share, percent, mean=True)


def with_java(of: Callable[[list[Row]], list[Case]] = cases):
    """Returns a selection of the cases that compare something with Java."""
    return lambda rows: [case for case in of(rows) if "java" in case.rows and len(case.rows) > 1]


def quickest(*peers: str):
    """Returns a selection: the engines of the case that has these peers, both directions together, the quickest first,
    with their cycles over those of each peer (`over hw`)."""

    def records(rows: list[Row]) -> list[Row]:
        found = [case for case in together(rows) if peers[0] in case.rows][:1]
        pairs = [(case, engine) for case in found for engine in case.rows]
        return [
            case.rows[engine] | {f"over {peer}": case.over(engine, peer, cycles) for peer in peers}
            for case, engine in sorted(pairs, key=lambda pair: cycles(pair[0].rows[pair[1]]))
        ]

    return records


def _beside_records(store: Store) -> list[Row]:
    """Returns the computed rows that describe the records, those of Spark beside those that stand for them."""
    found = [row for row in store.rows("graphs") if prefix_of(row) and str(row["case"]).rpartition("/")[2].isdigit()]
    return sorted(found, key=lambda row: (str(row["case"]).partition("-")[2].partition("/")[0], str(row["case"])))


def _a_record(row: Row) -> tuple[int, int]:
    """Returns the number of records and of objects in them: the array of all is not one."""
    return int(str(row["case"]).rpartition("/")[2]), int(row["objects"]) - 1


def _runs(store: Store) -> list[Row]:
    """Returns the rows of this paper's programs, by serializer."""
    found = spark.of(store, CEREAL)
    return [rows[serializer] for serializer in spark.PEER for rows in found.values() if serializer in rows]


GRAPHS = {series.name: series.paper for series in SERIES}
OVER_JAVA = each(ENGINES, cycles, short, mean=True, over="java")
SHARES = [Column(part, lambda row, part=part: spark.shares(row)[part], percent) for part in PARTS]
COMPUTED = [(serializer, engine) for serializer in spark.PEER for engine in ("hw", EIGHT)]


def _programs(store: Store) -> list[dict[str, Any]]:
    """Returns a record for each program: its records' case, the computed speed-ups of the whole, and Kryo's,
    measured."""
    rows, found = store.rows("cereal"), []
    for program, runs in spark.of(store, CEREAL).items():
        case = spark.case_of(rows, program)
        values = {
            f"{engine} over {serializer}": spark.whole(runs[serializer], faster)
            for serializer, engine in COMPUTED
            if serializer in runs and (faster := spark.ratios(rows, case, spark.PEER[serializer], engine))
        }
        if values:
            if {"java", "kryo"} <= runs.keys():
                values["kryo over java, measured"] = int(runs["java"]["run_ns"]) / int(runs["kryo"]["run_ns"])
            found.append({"case": program, "of": case} | values)
    return found


def _used(store: Store, found: list[dict[str, Any]]) -> dict[str, str]:
    from study.report.store import machine_of

    wanted = {record["of"] for record in found}
    machine = machine_of([row for row in store.rows("cereal") if row["case"] in wanted])
    return {"machine": machine, "refused": spark.refused(store, CEREAL)}


WHOLE = fields("; ".join(f"{engine} over {serializer}:short*" for serializer, engine in COMPUTED))


def saved(row: Row, name: str) -> float:
    return 1 - int(row[f"{name}_bytes"]) / int(row["plain_bytes"])


THEIRS = {"SerializationUnit": "Serializer: 0.058 mm²", "DeserializationUnit": "Deserializer: 0.281 mm²"}
"""Square millimetres of one unit, section VI-E."""


def _areas(store: Store) -> list[dict[str, Any]]:
    """Returns our modules: each unit, its large parts, and the whole."""
    document, found = store.areas.get("cereal-128", {}), []
    modules = document.get("modules", {})
    for unit, theirs in THEIRS.items():
        if unit in modules:
            found.append(area_of(document, unit) | {"name": f"**{unit}**", "theirs": theirs})
            for child, many in modules[unit].get("children", {}).items():
                if (part := area_of(document, child)).get("ecp5.LUT", 0) >= 500:
                    found.append(part | {"name": child + (f", {many} of them" if many > 1 else "")})
    if cluster := area_of(document, "HeapwireCluster"):
        name = "**the whole cluster**, core and road in it"
        found.append(cluster | {"name": name, "theirs": "8 + 8 units and system: 3.857 mm²"})
    return found


def _their_areas(rows: Any) -> list[list[str]]:
    units = (unit.strip().partition(": ") for unit in " ".join(AREA.split()).split(";"))
    return [
        [f"{unit}: {part.rpartition(' ')[0]}", part.rpartition(" ")[2]]
        for unit, _, parts in units
        for part in parts.split(", ")
    ]


FIGURES: list[Figure | Item] = [
    *drawings("Figure 1: formats of three serializers"),
    of_spark(
        "Figure 2: share of S/D in Spark's programs",
        f"""{spark.MEASURED} on a JVM, with no simulation: {{jvm}}

        A serializer that is plugged into Spark tells whether the task serializes, deserializes, or is in the streams
        below, which compress, store and fetch (`write`, `read`); a sampler divides the time of the processor for the
        tasks by that. No time includes the collector's. The rest is computation, the same by both serializers within
        5 %.

        {OURS}""",
        bars(
            "Percent of the time of the tasks | percent", *SHARES, records=list, panel=ENGINE, scale=100, stacked=True
        ),
        listing(
            "Milliseconds of the tasks, and shares of them",
            "program=case; serializer=engine",
            Column("ms", lambda row: int(row["run_ns"]) / 1e6, fixed(0)),
            *SHARES,
            "S/D=share:percent*",
            by=ENGINE,
            totals=[
                mean("mean of {n}", average),
                paper("the paper's mean, the most", lambda rows: {"S/D": SPARK_SHARE[rows[0]["engine"]]}),
            ],
        ),
        rows=_runs,
        said=lambda store, rows: {"jvm": spark.jvm(store, CEREAL)},
        command=spark.COMMAND,
    ),
    of_cereal(
        "Figure 3: software serializers on the microbenchmarks: instructions a cycle, cache misses, bandwidth, "
        "speed-up",
        f"""The paper: on average 1.01 instructions a cycle for Java and 0.96 for Kryo, many misses, little bandwidth.
        Its (d), the speed-up of Kryo over Java, is part of figure 10 here.

        {{machine}} Pictures show the largest graph of each shape. (b) counts blocks fetched from DRAM. The paper's miss
        rate is misses over accesses; here nothing counts hits of the last cache.

        {DIFFERS}""",
        *behaviour(
            "(a) instructions a cycle",
            lambda row: int(row["instret"]) / cycles(row),
            fixed(2),
            [
                mean("mean", average),
                paper("the paper's average", {"operation": "both", "java": "1.01", "kryo-generic": "0.96"}),
            ],
        ),
        *behaviour(
            "(b) misses of the shared cache in 1,000 instructions",
            lambda row: 1000 * int(row.get("dram_read_bytes", 0)) / BLOCK / int(row["instret"] or 1),
            fixed(1),
        ),
        *behaviour("(c) share of DRAM's bandwidth", port_share, fixed(3)),
        rows=graphs(engines=PEERS),
    ),
    *drawings(
        "Figure 4: the format; Figure 5: packing; Figure 6: architecture; Figure 7: serialization unit; Figure "
        "8: deserialization unit; Figure 9: shapes of graphs"
    ),
    *absent(
        """nothing is measured in it; ours are with each figure, and in
        [bench_cereal.md](root:study/docs/bench_cereal.md)""",
        "Table I: parameters of the paper's machine",
    ),
    of_cereal(
        "Table II: graphs of the microbenchmarks",
        """Names of our graphs end in the number of nodes. Graphs of the paper's size, up to 1.2 GB, fit into no board's
        memory ([bench_cereal.md](root:study/docs/bench_cereal.md#graphs)).""",
        table(
            "Graphs",
            "graph=case; bytes of objects=first>object_bytes:count",
            Column("the paper's", lambda case: GRAPHS[shape(case)]),
        ),
        rows=graphs(("serialize",), ("hw", "java")),
    ),
    of_spark(
        "Table III: inputs of Spark's programs",
        """Inputs are generated, the same in each run. Records are what the tasks serialize: a key and its value of a
        shuffle, or an object of a cached block.

        They are counted in a run that is not timed. Bytes are those of Java's streams before Spark compresses them.""",
        listing(
            "Inputs and what is serialized",
            "program=case; input",
            "records:count; objects:count; references:count; bytes by Java=wire_bytes:count",
            Column("the paper's input", lambda row: INPUTS[row["case"]]),
        ),
        rows=lambda store: [
            rows.get("java") or next(iter(rows.values())) for rows in spark.measured(store, CEREAL).values()
        ],
        command=spark.COMMAND,
    ),
    of_cereal(
        "Figure 10: speed-up over Java serialization on the microbenchmarks",
        f"""The paper: Kryo writes 2.30 times and reads 52.3 times as fast as Java; Cereal, with eight units of each
        kind, 26.5 and 364.5 times.

        {{machine}} `hw` is one unit of each kind; `hw-xN` are N units with a graph each (the cycles are those for one
        graph); `hw-vanilla` has neither pipelining nor block parallelism. A mean is over the graphs that all engines
        shown here have.

        {DIFFERS}""",
        bars(f"Times Java serialization, {LARGEST}, logarithmic | times Java", *OVER_JAVA, pick=largest, log=True),
        table(
            "Times Java",
            GRAPH,
            *OVER_JAVA,
            records=with_java(),
            by=at("op"),
            totals=[mean("geometric mean of {n}", shared=True), paper("the paper's average", SPEEDUPS)],
        ),
        rows=graphs(),
    ),
    of_cereal(
        "Figure 11: share of the memory's bandwidth on the microbenchmarks",
        """The paper: Java 2.71 %, Kryo 4.12 %, Cereal 20.9 % (at most 74.5 %) to write; 3.48 %, 4.50 % and 31.1 % (at
        most 83.3 %) to read, of 76.8 GB/s.

        {machine} A share is the bytes that the shared cache fetched from DRAM and wrote back, over what DRAM's port
        could have moved. The cache holds small graphs, so writing them moves little.

        The mean is over the graphs that all engines shown here have.

        Here one unit has one small port to itself; in the paper eight units share four channels. So our shares are
        higher.""",
        bars(f"Percent of what DRAM's port could have moved, {LARGEST} | percent", *of_port(), pick=largest, scale=100),
        table(
            "Share of the port",
            GRAPH,
            *of_port(),
            by=at("op"),
            totals=[
                mean("mean of {n}", average, shared=True),
                paper("the paper's average", PORT),
                mean("the largest of {n}", max, shared=True),
                paper("the paper's largest", MOST_OF_PORT),
            ],
        ),
        rows=graphs(),
    ),
    of_cereal(
        "Table IV: bytes of a stream",
        """The paper's graphs have the same shapes, not the same sizes. In its format an object's class id takes a slot
        of 8 bytes, and a packed reference a byte or more. That alone is more than the paper prints for both trees and
        the dense graph: no stream of its format can be so small, so its sizes are no goal here. What the format can
        reach is what `cereal-sw` and the units write; *what packing saves* (figure 16) has it without marks, too. The
        Java stream of the paper's sparse graph is as large as that of a narrow tree with 500 times as many nodes, as if
        the graph's arrays had 4,095 elements, nearly all null. But the paper's table II says one edge, and our graphs
        have one.""",
        table(
            "Bytes",
            "graph=case",
            *each(SOFTWARE, WIRE, count),
            Column("cereal over java", lambda case: case.over("cereal-sw", "java", WIRE), fixed(2)),
            Column("kryo-generic over java", lambda case: case.over("kryo-generic", "java", WIRE), fixed(2)),
            Column(
                "the paper's MB of Java, Kryo, Cereal", lambda case: "; ".join(map(str, SIZES.get(shape(case), ())))
            ),
            Column("class ids and references alone, MB", lambda case: LEAST.get(shape(case)), fixed(1)),
            records=lambda rows: [case for case in cases(rows) if {"java", "cereal-sw"} <= case.rows.keys()],
        ),
        rows=select("cereal", ("serialize",)),
    ),
    of_cereal(
        "Figure 12: serializers on JSBS's MediaContent",
        """The paper: Cereal is 15.1 times as fast as hand-written Kryo, the fastest of 88 libraries, and 43.4 times as
        fast as the 88 on average.

        {machine} One message of 35 objects. The libraries here are the peers that exist in C; the other 85 need a
        JVM.""",
        bars("Cycles of one MediaContent | cycles", *each(ENGINES, cycles, count)),
        table(
            "Cycles",
            "engine; serialize=write:count; deserialize=read:count; both ways=cycles:count",
            Column("times kryo-manual", lambda row: 1 / row["over kryo-manual"], fixed(2)),
            "times hw=over hw:2; bytes=wire_bytes:count",
            records=quickest("kryo-manual", "hw"),
            ends=[paper("the paper's Cereal", {"times kryo-manual": "15.1"})],
        ),
        rows=select("cereal", WRITE_FIRST, prefix=MEDIA),
    ),
    of_cereal(
        "Figure 13: speed-up of serialization on Spark's workloads, both ways together",
        f"""The paper: Kryo 1.67 times Java, Cereal 7.97 times Java and 4.81 times Kryo. There S/D is part of a running
        program, beside Spark's other work.

        {KINDS} {{machine}}""",
        bars(
            "Times Java serialization, both ways together, logarithmic | times Java",
            *OVER_JAVA,
            records=together,
            log=True,
        ),
        table(
            "Times Java",
            "records=case",
            *OVER_JAVA,
            records=with_java(together),
            by=prefix_of,
            totals=[lambda cases, columns: mean(f"geometric mean of {{n}}, `{prefix_of(cases[0])}`")(cases, columns)],
            ends=[paper("the paper's", {EIGHT: 7.97, "kryo-generic": 1.67})],
        ),
        rows=records,
    ),
    of_graphs(
        "records that Spark serialized beside those that stand for them",
        "They belong to figures 13 to 16; how they are captured is in [spark.md](root:study/docs/spark.md).",
        listing(
            "Records that Spark serialized beside those that stand for them",
            "records=case",
            Column("objects a record", lambda row: _a_record(row)[1] / _a_record(row)[0], fixed(1)),
            Column(
                "references an object",
                lambda row: (row["references"] - _a_record(row)[0]) / _a_record(row)[1],
                fixed(2),
            ),
            Column("bytes an object", lambda row: int(row["object_bytes"]) / _a_record(row)[1], fixed(1)),
        ),
        rows=_beside_records,
    ),
    of_cereal(
        "Figure 14: speed-up of whole Spark programs",
        f"""{spark.COMPUTED}: no program of Spark ran with the units. The speed-ups follow from Amdahl's law. Of the
        time of the tasks (figure 2, measured on a JVM), the time to serialize is divided by the speed-up of an engine
        over the same software serializer when it writes the program's records on the simulated machine (figure 13,
        measured there), the time to deserialize by its speed-up when it reads them, and all else stays. The shares are
        those of a large processor, the ratios those of a small core: no machine has both.

        Ratios: {{machine}} Records named `captured-` were serialized by Spark; where those were not measured, generated
        ones stand for them (`spark-`). {{refused}}

        The last column is measured, on the JVM: the time of the tasks by Java over the time by Kryo.""",
        bars("Times the program by Java serialization or by Kryo, computed | times", *WHOLE, records=list),
        listing(
            "Times as fast",
            "program=case",
            Column("records", lambda record: f"`{record['of']}`"),
            *WHOLE,
            "kryo over java, measured:short*",
            ends=[mean("geometric mean of {n}"), paper("the paper's mean, the most", PROGRAMS)],
        ),
        rows=_programs,
        said=_used,
        command=lambda store: "make bench SUITE=cereal" if spark.of(store, CEREAL) else spark.COMMAND,
        also=("spark",),
    ),
    of_cereal(
        "Figure 15: share of the memory's bandwidth on Spark's workloads",
        f"""The paper has only a picture: its units use much more of the bandwidth than software, and more to read than
            to write.

        {KINDS} {{machine}}""",
        bars("Percent of what DRAM's port could have moved, by units | percent", *of_port(UNITS), scale=100),
        table("Share of the port", "records=case; operation=op", *of_port()),
        rows=records,
    ),
    of_graphs(
        "Figure 16: what packing saves",
        """A stream that is not packed has references of 4 bytes and, for each object, a bitmap with a bit for each slot
        and a length of 4 bytes. The last column leaves out the marks, too.

        The format's writer in Python computes the sizes from the graphs; the figure has no times. References have 4
        bytes here and 8 in the paper.""",
        bars(
            "Percent of the stream that is not packed | percent",
            Column("packed", lambda row: 1 - saved(row, "packed")),
            Column("and stripped", lambda row: 1 - saved(row, "stripped")),
            records=list,
            scale=100,
        ),
        listing(
            "Bytes",
            """graph=case; not packed=plain_bytes:count; packed=packed_bytes:count;
            header stripped=stripped_bytes:count""",
            Column("saved by packing", lambda row: saved(row, "packed"), percent, mean=True),
            Column("with header strip", lambda row: saved(row, "stripped"), percent),
            ends=[
                *(mean(f"mean of {{n}}, `{each}`", average, when=partial(_begins, each)) for each in RECORDS),
                paper("the paper's average of Spark's", {"saved by packing": 0.283}),
            ],
        ),
        rows=select("graphs", where=lambda row: "packed_bytes" in row),
    ),
    of("area")(
        "Table V: area and power of Cereal's units",
        """The paper synthesized for a foundry's 40 nm. Our areas are LUTs, flip-flops and block memories of an ECP5,
        thousands of NAND2 equivalents, and bits of memory ([area.md](root:docs/reference/area.md)). They cannot be
        converted into square millimetres, but shares of a unit can be compared.

        `make power` estimates power, in units of its own ([power.md](root:study/docs/power.md)).""",
        listing(
            "Ours, parts of 500 LUTs and more",
            """module=name; ecp5.LUT:short; ecp5.FF:short; ecp5.BRAM:short; kGE:short; memory bits:short;
            the paper's=theirs""",
        ),
        table(
            "The paper's parts, square millimetres a unit",
            Column("part", lambda line: line[0]),
            Column("mm²", lambda line: line[1]),
            records=_their_areas,
        ),
        rows=_areas,
        command="make area CONFIG=cereal",
    ),
    *absent(
        """`make power` estimates it from switching in the simulation, in units of its own; it writes no rows, so this
        page has no figure of it. [power.md](root:study/docs/power.md#energy) has what was estimated, beside the
        paper's.""",
        "Figure 17: energy, normalized",
    ),
]
