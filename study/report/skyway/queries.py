"""Figure 8(b), tables 3 and 4: the queries that the paper runs on Flink."""

from __future__ import annotations

from study.bench.skyway_programs import COLUMNS, PAPER_FLINK, lines_over
from study.bench.skyway_programs import FLINKS as BASE
from study.report import text
from study.report.content import Item, Plot, Table, unmeasured
from study.report.skyway import paper, shuffled
from study.report.skyway.common import COMMAND
from study.report.store import Store, machine_of
from study.shuffle import QUERIES

OURS = {
    "query-a": "LINEITEM, filtered; by flag and status",
    "query-b": "PARTSUPP and SUPPLIER, by supplier; the offers and PART, by part",
    "query-c": "ORDERS and CUSTOMER, both filtered, by customer; the orders and LINEITEM, filtered, by order; sorted "
    "by one worker",
    "query-d": "ORDERS and LINEITEM, both filtered, by order; counts, by quarter",
    "query-e": "ORDERS and LINEITEM, filtered, by order; sums and CUSTOMER, by customer; sorted by one worker",
}
"""What crosses between workers, phase by phase."""
DIFFERENCES = (
    "This is not Flink: the queries are small programs in C over generated tables with the relations of TPC-H, run "
    "by two workers that take turns on one machine. A stream goes through memory: one copy out (`write`) and one in "
    "(`read`). Flink reads 100 GB and sends records over a network. Here whole rows cross, as objects with strings, "
    f"and every serializer reads all of a row; Flink reads only the fields that a step uses. `{BASE}`, written by "
    "hand for each class, takes the place of Flink's own serializers."
)
THE_PAPER = (
    "The paper: with Skyway the queries take 19 % less time than with Flink's own serializers, and send 68 % more "
    "bytes. S/D is 32 % of Flink's time: 23.5 % to serialize and 8.7 % to deserialize."
)


def figure_8b(store: Store) -> Item:
    """Returns the figure of the queries' time by category."""
    title = "running time of queries by serializer"
    queries = shuffled.of(store, QUERIES)
    if not queries:
        return unmeasured("Figure 8(b)", title, COMMAND)
    return Item(
        "Figure 8(b)",
        title,
        [THE_PAPER, f"{machine_of(shuffled.all_rows(queries))} {DIFFERENCES}"],
        [Plot("skyway-8b", "Cycles of a query", lambda: shuffled.stacked(shuffled.panels(queries), "cycles"))],
        [shuffled.split_table(queries)],
        cut=store.cut("skyway"),
    )


def table_3(store: Store) -> Item:
    """Returns the table of what the queries ask, and of what crosses for it here."""
    title = "queries of Flink"
    queries = shuffled.of(store, QUERIES)
    if not queries:
        return unmeasured("Table 3", title, COMMAND)
    lines = [
        [
            paper.QUERIES[name][0],
            paper.QUERIES[name][1],
            case,
            OURS[name],
            text.count(int(row["phases"])),
            text.count(int(row["results"])),
            text.count(int(row["wire_bytes"])),
        ]
        for case, found in queries.items()
        for name in [case.partition("/")[0]]
        for row in [found.get(BASE) or next(iter(found.values()))]
    ]
    return Item(
        "Table 3",
        title,
        [
            "The number behind a query's name is the number of orders. Results are rows (of QA, sums). The bytes are "
            f"those of all streams by `{BASE}`, including the streams that a worker sends to itself."
        ],
        tables=[
            Table("Queries", ["", "the paper's words", "here", "what crosses", "phases", "results", "bytes"], lines)
        ],
        cut=store.cut("skyway"),
    )


def table_4(store: Store) -> Item:
    """Returns the table of the queries over the nearest peer of Flink's own serializers."""
    title = "Skyway over Flink's own serializers"
    queries = shuffled.of(store, QUERIES)
    lines = lines_over(BASE, queries, {"skyway-sw": ("the paper's Skyway", PAPER_FLINK)})
    if not lines:
        return unmeasured("Table 4", title, COMMAND)
    return Item(
        "Table 4",
        title,
        [
            "The table gives ranges over the queries, and geometric means. The paper's line is over Flink's own "
            f"serializers, ours are over `{BASE}`. Rows here are short, with small numbers and strings of one "
            "character: hand-written code makes few bytes of them, and as objects they are mostly headers.",
            f"{machine_of(shuffled.all_rows(queries))} {DIFFERENCES}",
        ],
        tables=[Table(f"Over {BASE}", ["engine", *COLUMNS], lines)],
        cut=store.cut("skyway"),
    )
