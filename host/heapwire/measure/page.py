"""A measurement over a line: its rows as a page."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable

from heapwire.measure.journal import Key
from heapwire.measure.rows import Row, in_name_only

SOFTWARE = ("nanopb", "table")


@dataclass(frozen=True)
class Measurement:
    """What was measured: its rows, its page, and its problems as text."""

    rows: list[Row]
    page: Path
    problems: list[str]


def stem(suite: str, config: str, port_bytes: int) -> str:
    """Returns the base name of a suite's files, followed by the machine's name unless it is the default machine."""
    machine = f"{config}-{8 * port_bytes}"
    return suite if machine == "default-128" else f"{suite}@{machine}"


def write(rows_file: Path, rows: list[Row], absent: Iterable[Key], method: str) -> Measurement:
    """Writes the page beside the file of rows. absent: keys of expected rows that are missing. method: how the rows
    were measured."""
    missing = [f"not measured: {case}, {operation} ({engine})" for case, operation, engine in absent]
    wrong = [
        f"{what}: {row['case']}, {row['op']} ({row['engine']})"
        for what, is_so in (("wrong or incomplete", lambda row: not row["ok"]), ("finished by software", in_name_only))
        for row in rows
        if is_so(row)
    ]
    first = rows[0]
    text = [
        f"# {first['suite']}\n\nConfiguration `{first['config']}`, memory port {first['port_bytes_per_cycle']} bytes a "
        f"cycle. {method}\n",
        *(_table(operation, [row for row in rows if row["op"] == operation]) for operation in _each(rows, "op")),
        *(
            [f"## Not measured or wrong\n\n{''.join(f'- {line}' + chr(10) for line in missing + wrong)}"]
            if missing + wrong
            else []
        ),
    ]
    page = rows_file.with_suffix(".md")
    page.write_text("\n".join(text))
    return Measurement(rows, page, wrong + missing)


def _each(rows: list[Row], key: str) -> list[str]:
    return list(dict.fromkeys(str(row[key]) for row in rows))


def _table(operation: str, rows: list[Row]) -> str:
    """Returns the cycles of each case by each engine, and how many times the unit is faster than the best software."""
    engines = _each(rows, "engine")
    cases: dict[str, dict[str, Row]] = defaultdict(dict)
    for row in rows:
        cases[str(row["case"])][str(row["engine"])] = row
    lines = [["case", "wire bytes", *engines, "over the best software"], ["---", *["---:"] * (len(engines) + 2)]]
    for case, found in cases.items():
        software = [int(row["cycles"]) for name, row in found.items() if name in SOFTWARE and row["ok"]]
        unit = found.get("hw")
        counts = unit and unit["ok"] and not in_name_only(unit) and software
        lines.append(
            [
                case,
                f"{next(iter(found.values()))['wire_bytes']:,}",
                *(
                    f"{found[name]['cycles']:,}" + "*" * in_name_only(found[name]) if name in found else ""
                    for name in engines
                ),
                f"{min(software) / int(unit['cycles']):.1f}" if counts else "",
            ]
        )
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    remark = "\n\\* software finished commands, because the unit could not.\n" if any(map(in_name_only, rows)) else ""
    return f"## {operation}\n\n{table}{remark}"
