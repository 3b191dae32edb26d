"""Our own figures of object graphs and of Cereal's units, for which the paper has none."""

from typing import Any

from heapwire.measure.rows import Row
from study.bench import fitted
from study.bench.bars import FULL, copy_share, is_full
from study.bench.cereal import MEDIA, OPERATIONS, SCALES, micro
from study.bench.rows import geometric_mean, in_all, port_share, speedups
from study.figures.cereal import EIGHT, GRAPHS, SPEEDUPS, graphs, of_cereal, shape
from study.report import spark
from study.report.figure import Column, Figure, listing, of, of_graphs
from study.report.records import Case, at, cases, cycles, select
from study.report.scaling import BLOCK
from study.report.store import Store
from study.report.text import count, fixed, whole


def large_graphs(suite: str) -> Figure:
    """Returns the figure of lines through smaller graphs, whose sizes are rows of `graphs`."""

    def lines(store: Store) -> list[fitted.Line]:
        sizes = {str(row["case"]): int(row["objects"]) + int(row["references"]) for row in store.rows("graphs")}
        return list(fitted.lines(store.rows(suite), sizes))

    return of(suite)(
        "large graphs by software",
        """Cycles = fixed + rate x size, through the small and the medium graph; size: objects and reference slots. The
        large graph is fitted (~), or measured, a third size, which tells whether the line is one: it may be 10 % off.
        Growth: cycles a unit of size of the medium graph over the small one's; above 1 the medium graph has left the
        caches, and the line begins below 0.""",
        listing(
            "Lines",
            "shape=series; operation; engine",
            Column("small", lambda line: line.points[0][1], count),
            Column("medium", lambda line: line.points[1][1], count),
            "growth:2; rate:1; fixed:0",
            Column("large, by the line", at("told"), lambda told: f"~{told:,}"),
            Column("large, measured", lambda line: line.points[2][1] if line.error is not None else None, count),
            "the line is off by=error:signed; =verdict",
        ),
        rows=lines,
    )


def _gain(case: Case, engine: str, copy: float | None) -> str | None:
    gain = case.over("hw", engine, cycles)
    return gain and f"{gain:.2f}{' (port)' if is_full(case.rows[engine], copy) else ''}"


def _several(store: Store) -> list[dict[str, Any]]:
    """Returns a record for each graph of several units: cycles, gain over one, share of the port."""
    copy, found = copy_share(store.rows("cereal")), []
    for case in cases(graphs()(store)):
        if any(engine in case.rows for engine in list(SCALES.values())[1:]):
            record: dict[str, Any] = {"case": case.case, "op": case.op}
            for units, engine in SCALES.items():
                row = case.rows.get(engine)
                record[f"{units} unit{'s' if units > 1 else ''}"] = count(cycles(row)) if row else None
                record[f"x{units}"] = _gain(case, engine, copy)
                record[f"port, {units}"] = whole(port_share(row)) if row else None
            found.append(record)
    return found


SEVERAL = [
    *(f"{units} unit{'s' if units > 1 else ''}" for units in SCALES),
    *(f"x{units}" for units in list(SCALES)[1:]),
    *(f"port, {units}" for units in SCALES),
]
KRYO = ("kryo-generic", "kryo-manual")
PAPERS = {"kryo": "kryo-generic", "cereal": EIGHT}
PAIRS = {
    "kryo-generic over java": (("java",), "kryo-generic"),
    "kryo-manual over java": (("java",), "kryo-manual"),
    "cereal-sw over java": (("java",), "cereal-sw"),
    "hw over java": (("java",), "hw"),
    "hw-x8 over java": (("java",), EIGHT),
    "hw over the best Kryo": (KRYO, "hw"),
    "hw over hw-vanilla": (("hw-vanilla",), "hw"),
}


def _means(store: Store) -> list[dict[str, Any]]:
    """Returns a record for each set of cases and operation: geometric means over the cases that all engines have."""
    rows, found = store.rows("cereal"), []
    for name, mine in (
        ("micro", list(micro(rows))),
        ("jsbs", [row for row in rows if row["case"] == MEDIA]),
        ("spark", [row for row in rows if str(row["case"]).startswith(spark.STAND_IN)]),
    ):
        for op in OPERATIONS:
            here = [row for row in mine if row["op"] == op]
            over = in_all([speedups(here, peers, engine) for peers, engine in PAIRS.values()])
            means = {head: geometric_mean(list(each.values())) for head, each in zip(PAIRS, over) if each}
            if means:
                theirs = {key: SPEEDUPS[op, engine] for key, engine in PAPERS.items() if name == "micro"}
                found.append({"case": name, "op": op} | means | theirs)
    return found


def _memory(store: Store) -> list[Row]:
    found = select("cereal", OPERATIONS, where=lambda row: str(row["engine"]).startswith("hw"))(store)
    return [row for row in found if _passed(row)]


def _passed(row: Row) -> int:
    """Returns the bytes that passed DRAM."""
    return int(row.get("dram_read_bytes", 0)) + int(row.get("dram_write_bytes", 0))


FIGURES: list[Figure] = [
    of_cereal(
        "speed-ups by set",
        """Geometric means over the cases that all engines of a line have. In Spark's programs the paper's Cereal was
        7.97 times Java and 4.81 times Kryo, which was 1.67 times Java, both ways together (figure 13).""",
        listing(
            "Speed-ups",
            "set=case; operation=op",
            *(Column(head, at(head), fixed(2)) for head in PAIRS),
            "paper: Kryo over Java=kryo:g; paper: Cereal over Java=cereal:g",
        ),
        rows=_means,
    ),
    of_graphs(
        "all graphs",
        """Names end in nodes, or records. Objects are those that are reached, arrays and strings among them. The
        largest graphs are only counted.""",
        listing(
            "Graphs",
            "case; objects:count; references:count; bytes of objects=object_bytes:count",
            Column("the paper's", lambda row: GRAPHS.get(shape(row))),
        ),
    ),
    of_cereal(
        "several units",
        f"""Cycles a graph, of independent graphs, one for each unit, by a context each; how many times one unit that
        is; the share of the port. (port): it moves {100 * FULL:.0f} % of what the copy unit moves, or more, which
        bounds it. Cycles of one unit are of one graph at a time.""",
        listing("Several units", "case; operation=op", "; ".join(SEVERAL)),
        rows=_several,
    ),
    large_graphs("cereal"),
    of_cereal(
        "memory traffic of units",
        """Bytes that units read and wrote, and that the shared cache fetched from DRAM and wrote back meanwhile; cycles
        for each of its blocks of 64 bytes. The copy unit takes 4.6 for blocks in order; the suite `memory` has what
        blocks in no order take (`gather`).""",
        listing(
            "Memory",
            """case; operation=op; engine; objects=object_bytes:count; unit reads=read_bytes:count;
            unit writes=write_bytes:count; DRAM to cache=dram_read_bytes:count; cache to DRAM=dram_write_bytes:count""",
            Column("cycles a block", lambda row: cycles(row) * BLOCK / _passed(row), fixed(1)),
        ),
        rows=_memory,
    ),
]
