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
    counts = "cycles instret wire_bytes object_bytes read_bytes write_bytes"
    names = dict.fromkeys("suite case op engine model".split(), "") | dict.fromkeys(counts.split(), 0)
    names |= {"port_bytes_per_cycle": port_bytes, "fallbacks": 0, "layouts": 1, "config": config, "ok": False}
    ordered = {name: row.get(name, default) for name, default in names.items()}
    ordered["config"], ordered["port_bytes_per_cycle"] = config, port_bytes
    return ordered | {name: value for name, value in row.items() if name not in ordered and name != "layout"}
