"""Rows: what was measured, a JSON object a line (docs/reference/host.md)."""

from __future__ import annotations

Row = dict[str, object]
OF_UNITS = ("hw", "skyway-hw")
"""Prefixes of the names of engines that use units."""


def in_name_only(row: Row) -> bool:
    """Returns whether software did the work of a unit's row. Such a row never counts."""
    return str(row["engine"]).startswith(OF_UNITS) and bool(row.get("fallbacks"))


def complete(row: Row, config: str, port_bytes: int) -> Row:
    """Returns the row with every key of the format, in the format's order. Additional keys follow."""
    names = {
        "suite": "",
        "case": "",
        "op": "",
        "engine": "",
        "model": "",
        "cycles": 0,
        "instret": 0,
        "wire_bytes": 0,
        "object_bytes": 0,
        "read_bytes": 0,
        "write_bytes": 0,
        "port_bytes_per_cycle": port_bytes,
        "fallbacks": 0,
        "layouts": 1,
        "config": config,
        "ok": False,
    }
    ordered = {name: row.get(name, default) for name, default in names.items()}
    ordered["config"], ordered["port_bytes_per_cycle"] = config, port_bytes
    return ordered | {name: value for name, value in row.items() if name not in ordered and name != "layout"}
