"""The tables of the page of the suite `skyway` on programs that shuffle."""

from __future__ import annotations

from typing import Iterable, Mapping, Sequence

from heapwire.measure.rows import Row
from study.bench.cereal import SKYWAY
from study.bench.rows import geometric_mean
from study.bench.skyway import ENGINES, OWN, SHUFFLE
from study.shuffle import PROGRAMS, QUERIES, SPARK, TIMES

Section = tuple[str, str, list[str], list[list[str]]]
Ranges = Sequence[tuple[float, float, float]]
"""Least, most, geometric mean."""
COLUMNS = {
    "overall": "cycles",
    "serialize": "serialize_cycles",
    "write": "write_cycles",
    "deserialize": "deserialize_cycles",
    "read": "read_cycles",
    "size": "wire_bytes",
}
PAPER = {
    "kryo-manual": (
        (0.39, 0.94, 0.76),
        (0.33, 0.89, 0.59),
        (0.12, 0.83, 0.61),
        (0.11, 0.55, 0.26),
        (0.01, 0.03, 0.02),
        (0.31, 1.09, 0.52),
    ),
    SKYWAY: (
        (0.27, 0.92, 0.64),
        (0.19, 1.29, 0.62),
        (0.12, 1.61, 0.97),
        (0.04, 0.43, 0.16),
        (0.01, 0.05, 0.02),
        (0.91, 3.13, 1.15),
    ),
}
"""Table 2, normalized to Java serialization: least, most, geometric mean."""
FLINKS = "kryo-manual"
"""The peer that is nearest to Flink's own serializers."""
PAPER_FLINK = (
    (0.71, 0.88, 0.81),
    (0.56, 1.06, 0.77),
    (0.51, 1.76, 0.96),
    (0.58, 0.82, 0.75),
    (0.49, 1.13, 0.61),
    (1.23, 2.03, 1.68),
)
"""Table 4, Skyway normalized to Flink's own serializers."""


def sections(rows: list[Row]) -> list[Section]:
    """Returns title, text, head and lines of each table. rows: only right ones."""
    return [_normalized(rows), _spark(rows), _split(rows), _queries(rows)]


def _programs(rows: list[Row], names: Iterable[str]) -> dict[str, dict[str, Row]]:
    """Returns the rows of these programs that are right, by case and then by engine."""
    wanted = set(names)
    found: dict[str, dict[str, Row]] = {}
    for row in rows:
        if row["op"] == SHUFFLE and row["ok"] and str(row["case"]).partition("/")[0] in wanted:
            found.setdefault(str(row["case"]), {})[str(row["engine"])] = row
    return found


def lines_over(
    base: str, programs: dict[str, dict[str, Row]], paper: Mapping[str, tuple[str, Ranges]]
) -> list[list[str]]:
    """Returns a line for each engine over the engine `base`. paper: by engine, the line of the paper that follows."""
    lines = []
    for engine in ENGINES:
        pairs = [(found[engine], found[base]) for found in programs.values() if engine in found and base in found]
        if engine == base or not pairs:
            continue
        cells = []
        for name in COLUMNS.values():
            ratios = [int(row[name]) / int(other[name]) for row, other in pairs if int(row[name]) and int(other[name])]
            cells.append(f"{min(ratios):.2f} to {max(ratios):.2f} ({geometric_mean(ratios):.2f})" if ratios else "")
        lines.append([engine, *cells])
        if engine in paper:
            name, ranges = paper[engine]
            lines.append([name, *(f"{least:.2f} to {most:.2f} ({value:.2f})" for least, most, value in ranges)])
    return lines


def _normalized(rows: list[Row]) -> Section:
    paper = {
        engine: (f"the paper's {'Skyway' if engine == SKYWAY else 'Kryo'}", ranges) for engine, ranges in PAPER.items()
    }
    return (
        "Table 2: programs that shuffle",
        "Over Java serialization, the range over the programs and the geometric mean. The paper's reads include the "
        "network, and its programs are Spark's, on graphs of 69 million to 1.5 "
        "billion edges.",
        ["engine", *COLUMNS],
        lines_over("java", _programs(rows, SPARK), paper),
    )


def _queries(rows: list[Row]) -> Section:
    return (
        "Table 4: queries",
        f"Over `{FLINKS}`, by hand for each class, the range over the queries and the geometric mean. The paper's line "
        "is over Flink's own serializers, which are chosen for each field when the program is built, and of which a "
        "step reads only the fields that it uses.",
        ["engine", *COLUMNS],
        lines_over(FLINKS, _programs(rows, QUERIES), {SKYWAY: ("the paper's Skyway", PAPER_FLINK)}),
    )


def _spark(rows: list[Row]) -> Section:
    """Returns the table for the running times and bytes in the text of section 5.2."""
    programs, lines = _programs(rows, SPARK).values(), []
    for engine in OWN:
        for peer, faster, more in (("java", "36 %", "about as many"), ("kryo-manual", "16 %", "77 % more")):
            pairs = [(found[engine], found[peer]) for found in programs if engine in found and peer in found]
            if pairs:
                time, size = (
                    geometric_mean([int(row[name]) / int(other[name]) for row, other in pairs])
                    for name in ("cycles", "wire_bytes")
                )
                lines.append(
                    [
                        f"{engine} over {peer}",
                        f"{100 * (1 - time):.0f} % less",
                        f"{100 * (size - 1):+.0f} %",
                        *((faster, more) if engine == SKYWAY else ("", "")),
                    ]
                )
    return (
        "Section 5.2: programs, all of the time",
        "Geometric means over the programs: how much less time they take, and how many more bytes they send; beside "
        "them how much faster the paper says that Spark is.",
        ["", "time", "bytes", "paper: faster", "paper: bytes"],
        lines,
    )


def _split(rows: list[Row]) -> Section:
    """Returns the bars of fig. 8 as a table, those of queries included."""
    lines = []
    for case, found in _programs(rows, PROGRAMS).items():
        for engine in ENGINES:
            if engine not in found:
                continue
            row = found[engine]
            total = int(row["cycles"])
            s_d, transfer = (
                sum(int(row[f"{name}_cycles"]) for name in names)
                for names in (("serialize", "deserialize"), ("write", "read"))
            )
            lines.append(
                [
                    case,
                    engine,
                    f"{total:,}",
                    *(f"{int(row[f'{name}_cycles']):,}" for name in TIMES),
                    f"{100 * s_d / total:.0f} %",
                    f"{100 * transfer / total:.1f} %",
                    f"{int(row['wire_bytes']):,}",
                    str(row["phases"]),
                    str(row["roots"]),
                ]
            )
    return (
        "Where the programs' time goes",
        "Cycles of two workers that take turns on one machine. Collections count as such wherever they happen. Write "
        "and read are copies by the core, "
        "out of one worker's memory and into the other's: what the bytes cost without a line.",
        ["case", "engine", "all", *TIMES, "S/D", "transfer", "bytes", "phases", "roots"],
        lines,
    )
