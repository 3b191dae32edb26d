"""Writes build/bench/<suite>.jsonl and .md."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import Sequence

from base.errors import HeapwireError
from heapwire.measure.page import stem
from heapwire.measure.rows import Row, in_name_only
from heapwire.workload.case import CAPNP
from study.bench.bars import Bar, Result, Suites, check
from study.bench.rows import PEERS, geometric_mean, is_fitted, slopes, speedups


def _table(head: list[str], lines: list[list[str]]) -> str:
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, rule, *lines]) + "\n"


def _engines(rows: list[Row]) -> list[str]:
    found = list(dict.fromkeys(str(row["engine"]) for row in rows))
    first = [name for name in ("nanopb", "table") if name in found]
    return first + [name for name in found if name not in first]


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def unmeasured(bars: Sequence[Bar], results: Sequence[Result]) -> list[str]:
    """Returns the names of the bars that have no result."""
    return [bar.name for bar in bars if bar.name not in [result.name for result in results]]


def _in_one(rows: list[Row]) -> str:
    measured = [row for row in rows if not is_fitted(row)]
    single = sum(int(row["layouts"]) == 1 for row in measured)
    return f" ({single:,} of {len(measured):,} rows were measured in one alone)" if 0 < single < len(measured) else ""


Section = tuple[str, str, list[str], list[list[str]]]
"""Title, text, head and lines of a table that only one suite has."""


def markdown(
    suite: str,
    rows: list[Row],
    results: list[Result],
    absent: Sequence[str] = (),
    sections: Sequence[Section] = (),
    without: Sequence[str] = (),
    method: str = "",
) -> str:
    """Returns the page of a suite. absent: expected rows that are missing. without: names of bars without a figure.
    method: how the rows were measured, if not in the way of the suites."""
    first = rows[0]
    method = method or (
        "Cycles of the warm run, of a cold one where that took over two million; "
        f"the fewest of up to {max(int(r['layouts']) for r in rows)} link layouts{_in_one(rows)}."
    )
    configs = ", ".join(f"`{config}`" for config in dict.fromkeys(str(row["config"]) for row in rows))
    text = [
        f"# {suite}\n",
        f"Configuration {configs}, memory port {first['port_bytes_per_cycle']} bytes a cycle. {method}\n",
    ]
    for operation in dict.fromkeys(str(row["op"]) for row in rows):
        text.append(_operation(operation, [row for row in rows if row["op"] == operation]))
    fitted = slopes(rows)
    if fitted:
        text.append("## Slopes\n\ncycles = fixed + rate x size, fitted over each sweep.\n")
        text.append(
            _table(
                ["sweep", "operation", "engine", "rate", "fixed", "points", "largest deviation"],
                [
                    [
                        s.series,
                        s.operation,
                        s.engine,
                        f"{s.rate:.3f}",
                        f"{s.fixed:.0f}",
                        str(s.points),
                        f"{100 * s.error:.0f} %",
                    ]
                    for s in fitted
                ],
            )
        )
    for title, remark, head, lines in sections:
        text.append(f"## {title}\n\n{remark}\n\n" + _table(head, lines))
    if absent:
        text.append(f"## Not measured\n\n{len(absent)} expected rows are absent:\n")
        text.append("".join(f"- {name}\n" for name in absent))
    if results or without:
        text.append("## Bars\n")
        text.append(
            _table(
                ["bar", "measured", "wanted", ""],
                [
                    *([r.name, _number(r.measured), r.wanted, "met" if r.met else "**missed**"] for r in results),
                    *([name, "", "", "**not measured**"] for name in without),
                ],
            )
        )
    return "\n".join(text)


def _operation(operation: str, rows: list[Row]) -> str:
    engines = _engines(rows)
    ratios = {
        name: found
        for name, peers, engine in (
            ("over nanopb", ("nanopb",), "hw"),
            ("over the best peer", PEERS, "hw"),
            ("hw_nanopb over nanopb", ("nanopb",), "hw_nanopb"),
            ("over java", ("java",), "hw"),
            ("over the best Kryo", ("kryo-generic", "kryo-manual"), "hw"),
            ("over hw-vanilla", ("hw-vanilla",), "hw"),
        )
        if (found := speedups(rows, peers, engine))
    }
    cells: dict[str, dict[str, Row]] = defaultdict(dict)
    for row in rows:
        cells[str(row["case"])][str(row["engine"])] = row
    head = ["case", "wire bytes", *engines, *ratios, "bytes / cycle", "checked"]
    lines = []
    for case, found in cells.items():
        sample = found.get("hw") or next(iter(found.values()))
        line = [case, f"{sample['wire_bytes']:,}" if sample["wire_bytes"] else ""]
        if CAPNP in found:
            line[1] += f" (Cap'n Proto {found[CAPNP]['wire_bytes']:,})"
        for engine in engines:
            row = found.get(engine)
            mark = "*" if row and in_name_only(row) else ""
            line.append(f"{'~' if is_fitted(row) else ''}{row['cycles']:,}{mark}" if row else "")
        line += [f"{found[case]:.1f}" if case in found else "" for found in ratios.values()]
        moved = int(sample["read_bytes"]) + int(sample["write_bytes"])
        if "hw" not in found:  # the traffic of software is not counted
            moved = moved or int(sample["wire_bytes"])
        line.append(f"{moved / int(sample['cycles']):.2f}" if moved and sample["cycles"] else "")
        line.append("yes" if all(row["ok"] for row in found.values() if not is_fitted(row)) else "**no**")
        lines.append(line)
    text = f"## {operation}\n\n" + _table(head, lines)
    if any(map(in_name_only, rows)):
        text += "\n\\* software finished commands, because the unit could not: in no mean.\n"
    if any(map(is_fitted, rows)):
        text += "\n~ was not measured: a line through smaller cases says so. It is in no mean and no bar.\n"
    if ratios:
        text += "\nSpeed-up, geometric means:\n\n" + _means(ratios)
    return text


def _means(ratios: dict[str, dict[str, float]]) -> str:
    """Returns a table of the geometric means of all cases and of each group or sweep, each with the number of its
    cases."""
    groups: dict[str, dict[str, list[float]]] = {"all": {}}
    for peer, found in ratios.items():
        for case, ratio in found.items():
            for name in ("all", case.rsplit("/", 1)[0] if "/" in case else case):
                groups.setdefault(name, {}).setdefault(peer, []).append(ratio)

    def cells(means: dict[str, list[float]]) -> list[str]:
        return [
            cell
            for peer in ratios
            for found in [means.get(peer, [])]
            for cell in (f"{geometric_mean(found):.1f}" if found else "", str(len(found)))
        ]

    return _table(
        ["cases", *(head for peer in ratios for head in (peer, "number"))],
        [[name, *cells(means)] for name, means in groups.items()],
    )


def _machine(row: Row) -> str:
    return stem("", str(row["config"]), int(row["port_bytes_per_cycle"]))


def _replace(path: Path, text: str) -> None:
    """Replaces a file in one step, so that no reader sees a partial one."""
    new = path.with_suffix(path.suffix + ".new")
    new.write_text(text)
    new.replace(path)


def _rows_in(path: Path) -> list[Row]:
    """Returns the rows of a file, without a last line that a crash has truncated. Raises HeapwireError if another line
    is damaged."""
    lines = path.read_bytes().splitlines(keepends=True)
    if lines and not lines[-1].endswith(b"\n"):
        lines.pop()
    rows = []
    for number, line in enumerate(lines, 1):
        try:
            rows.append(json.loads(line))
        except ValueError as error:
            raise HeapwireError(
                f"{path}:{number} is damaged ({error}), and the bars of a suite may need what was measured earlier: "
                "measure it again, or move the file away"
            ) from error
    return rows


def _earlier(folder: Path, machine: str) -> Suites:
    """Returns earlier measurements: suites of the same machine by their names, those of other machines with the
    machine's name appended."""
    found = {path.stem: _rows_in(path) for path in folder.glob("*.jsonl")}
    suites: Suites = {}
    for name, rows in found.items():
        suite, _, _ = name.partition("@")
        here = bool(rows) and _machine(rows[0]) == machine
        suites[suite if here else name if "@" in name else f"{name}@"] = rows
    return suites


def write(
    suite: str,
    rows: list[Row],
    folder: Path,
    bars: list[Bar],
    absent: Sequence[str] = (),
    sections: Sequence[Section] = (),
    method: str = "",
    machine: str | None = None,
) -> tuple[Path, list[Result]]:
    """Writes the rows and the page. Returns the page's path and the results of the bars.

    absent: expected rows that are missing. sections: additional tables. method: see `markdown`. machine: suffix of the
    files' names, if it does not follow from the first row, as for a suite of several machines."""
    folder.mkdir(parents=True, exist_ok=True)
    machine = _machine(rows[0]) if machine is None else machine
    lines, page = folder / f"{suite}{machine}.jsonl", folder / f"{suite}{machine}.md"
    _replace(lines, "".join(json.dumps(row) + "\n" for row in rows))
    suites = {**_earlier(folder, machine), suite: rows}
    results = [result for bar in bars if (result := check(bar, suites))]
    page.write_text(markdown(suite, rows, results, absent, sections, unmeasured(bars, results), method))
    fitted = slopes(rows)
    if fitted:
        (folder / f"{suite}{machine}.slopes.json").write_text(json.dumps([asdict(s) for s in fitted], indent=1) + "\n")
    return page, results
