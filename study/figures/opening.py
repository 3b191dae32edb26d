"""What the results begin with: the papers' headlines beside ours, and the public hardware. In a cell,
{excerpt / line / more of the line / column} is a cell of a headline (study/docs/headlines.json)."""

import re
from typing import Mapping

from study.report.content import Table

NOT_MEASURED = "not measured"
_REFERENCE = re.compile(r"\{([^{}]+)\}")
PAPERS = Table(
    "The papers' headlines beside ours",
    ("paper", "its headline", "ours on the same work", "how they differ"),
    (
        (
            "Wu & Schmulbach",
            "reads 1.5 to 30 times as fast as Java on the same core, in the mean 10.9",
            "HyperProtoBench, over the best software: "
            "{messages / **hyperprotobench** / deserialize / over the best software}",
            "BOOM runs HotSpot; our core runs C that is compiled for it",
        ),
        (
            "UCB/EECS-2023-268",
            "most messages 20 to 35 times as fast as Java",
            "over the best software {benches / bench1 / over the best software}, over nanopb "
            "{benches / bench1 / over nanopb} (bench1)",
            "as above; Java's objects there, C's structs here",
        ),
        (
            "Datacenter Tax Cuts",
            "proposes instructions and a unit; measures software alone",
            "its instructions, in code made of the schema: 1.4 to 7.0 times as fast as the best software, by set",
            "the paper built no hardware",
        ),
        (
            "Cereal, figure 10",
            "writes 26.5 and reads 364 times as fast as Java",
            "{graphs / geometric mean / serialize / hw} and {graphs / geometric mean / deserialize / hw} times",
            "eight units on four channels there, one unit on one channel here",
        ),
        (
            "Cereal, figure 13",
            "records of Spark 7.97 times as fast as Java",
            "{records / geometric mean / hw} times",
            "there inside a JVM; here the records alone",
        ),
        (
            "Cereal, figure 14",
            "Spark's programs 1.81 times as fast as with Java",
            "computed from shares on a JVM, not measured anew since the meter became a sampler (`make spark`)",
            "no program ran with the units",
        ),
        (
            "Cereal, figure 16",
            "packing saves 28.3 % of a stream",
            "{packing / mean of 10 / saved by packing}",
            "ours sends padding as values",
        ),
        (
            "Skyway, figure 7",
            "2.2 times as fast as Kryo by hand, 67 times as fast as Java",
            "{skyway-jsbs / kryo-manual / over skyway-sw} and {skyway-jsbs / java / over skyway-sw} times in software",
            "Java and Kryo are compiled C here, without reflection",
        ),
        (
            "Skyway, table 2",
            "Spark's time falls to 0.64 of Java's",
            "{programs / skyway-sw / overall} in software, {programs / skyway-hw / overall} with units",
            "programs of our own, by a UART",
        ),
        (
            "Skyway, table 4",
            "Flink's queries to 0.81 of its own serializers'",
            "{queries / skyway-sw / overall} in software, {queries / skyway-hw / overall} with units",
            "Kryo by hand stands for Flink's serializers",
        ),
    ),
)
PROTOACC = Table(
    "The best public hardware: protoacc (MICRO 2021)",
    ("message", "operation", "wire bytes", "the engine", "protoacc, latency 8", "latency 25"),
    (
        ("media.1", "deserialize", "242", "514", "462", "1,057"),
        ("position", "deserialize", "23", "166", "74", "176"),
        ("sensor, 40 samples", "deserialize", "245", "445", "984", "2,191"),
        ("M13 of bench1", "deserialize", "12,474", "2,138", "1,645", ""),
        ("media.1", "serialize", "242", "587", "223", "535"),
        ("trade", "serialize", "47", "184", "82", "201"),
        ("account, field number 2000", "serialize", "", "353", "2,197", "2,409"),
        ("M5 of bench1", "serialize", "", "1,546", "1,295", ""),
    ),
)
"""Cycles, measured once (commit 78247be1)."""


def cell(found: Mapping[str, Mapping], reference: str) -> str:
    """Returns the cell of a headline. found: head and lines, by excerpt. A line is the one whose first cell begins as
    the reference says, and that has the other words as cells."""
    name, begins, *more, column = reference.split(" / ")
    excerpt = found.get(name, {"head": (), "lines": ()})
    for line in excerpt["lines"]:
        if line[0].startswith(begins) and set(more) <= set(line) and column in excerpt["head"]:
            return line[list(excerpt["head"]).index(column)] or NOT_MEASURED
    return NOT_MEASURED


def opening(found: Mapping[str, Mapping]) -> Table:
    """Returns the papers' table with our headlines in it."""
    lines = [[_REFERENCE.sub(lambda at: cell(found, at[1]), text) for text in line] for line in PAPERS.lines]
    return Table(PAPERS.title, PAPERS.head, lines)
