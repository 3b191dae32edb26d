"""The rows that benches have written, and the areas. A page has no other source."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Mapping, Sequence

from heapwire.measure.rows import Row
from study.bench import cores
from study.bench.rows import counts, is_fitted
from study.bench.written import rows_in

BITS = 8


@dataclass(frozen=True)
class Store:
    """The store. files: rows by the stem of their file, e.g. `protobuf`, `protobuf@default-64`. areas: the output of
    `make area`, by machine. quick: how the rows were cut, by suite, for a quick report."""

    files: dict[str, list[Row]]
    areas: dict[str, dict] = field(default_factory=dict)
    quick: dict[str, str] = field(default_factory=dict)

    def rows(self, suite: str, machine: str = "") -> list[Row]:
        """Returns the rows of a suite that count. machine: e.g. `default-64`; empty for the usual one."""
        return [row for row in self.files.get(f"{suite}@{machine}" if machine else suite, []) if counts(row)]

    def machines(self, suite: str) -> list[str]:
        """Returns the machines on which a suite was measured. The usual machine, named "", comes first."""
        return sorted(stem.partition("@")[2] for stem in self.files if stem.partition("@")[0] == suite)

    def fitted(self) -> int:
        return sum(is_fitted(row) for rows in self.files.values() for row in rows)

    def left_out(self) -> list[tuple[str, Row]]:
        """Returns the rows that do not count because they are wrong or software did the unit's work, with the stems of
        their files."""
        rows = [(stem, row) for stem, found in self.files.items() for row in found]
        return [(stem, row) for stem, row in rows if not counts(row | {"fitted": False})]

    def cut(self, suite: str) -> str:
        """Returns how the rows of a suite were cut for a quick report, or an empty text."""
        return self.quick.get(suite, "")


def load(bench: Path, area: Path, quick: dict[str, str] | None = None) -> Store:
    """Loads the folders of rows and of areas. Missing folders count as empty."""
    files = {path.stem: rows_in(path) for path in sorted(bench.glob("*.jsonl"))}
    return Store({stem: rows for stem, rows in files.items() if rows}, cores.areas(area), quick or {})


def area_of(document: Mapping[str, Any], module: str) -> dict[str, Any]:
    """Returns the area of a module, by kind, with all that is in it; nothing if it was not measured."""
    return document.get("modules", {}).get(module, {}).get("total", {})


def name_of(row: Row) -> str:
    """Returns the name of the machine of a row: default-128."""
    return f"{row['config']}-{BITS * int(row['port_bytes_per_cycle'])}"


def machine_of(rows: Sequence[Row]) -> str:
    """Describes the machines of rows: configurations, width of the port, link layouts."""
    configs = dict.fromkeys(str(row["config"]) for row in rows)
    widths = dict.fromkeys(BITS * int(row["port_bytes_per_cycle"]) for row in rows)
    layouts = max((int(row.get("layouts", 1)) for row in rows), default=1)
    several = "one link layout" if layouts == 1 else f"the fewest cycles of up to {layouts} link layouts"
    return (
        f"Configuration {', '.join(f'`{config}`' for config in configs)}; memory port {', '.join(map(str, widths))} "
        f"bits; {several}."
    )


def series(rows: Sequence[Row], prefix: str) -> list[tuple[int, Row]]:
    """Returns the rows of a sweep (cases `prefix/size`), by size."""
    found = [(str(row["case"]).rpartition("/"), row) for row in rows]
    return sorted(
        ((int(size), row) for (name, _, size), row in found if name == prefix and size.isdigit()),
        key=lambda pair: pair[0],
    )
