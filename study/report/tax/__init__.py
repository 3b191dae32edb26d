"""The section on D. Parimi, W. Zhao, J. Zhao, *Datacenter Tax Cuts: Improving WSC Efficiency Through Protocol Buffer
Acceleration*."""

from __future__ import annotations

from study.report.content import Part, absent
from study.report.store import Store
from study.report.tax import macro, micro

PROFILE = (
    "no suite samples where software spends its cycles, so there are no rows; the shares of a unit's cycles are in the "
    "section on Wu & Schmulbach, figure 13"
)
LISTING = "a listing of x86 instructions with samples of perf; no suite samples instructions"


def part(store: Store) -> Part:
    """Returns the section."""
    return Part(
        "tax",
        "Datacenter Tax Cuts",
        [
            "D. Parimi, W. Zhao, J. Zhao, *Datacenter Tax Cuts: Improving WSC Efficiency Through Protocol Buffer "
            "Acceleration*. The paper measures software and proposes hardware; our hardware is measured beside "
            "software in the paper's benchmarks."
        ],
        [
            micro.times(store, "Figure 1", "serialize"),
            absent("Figure 2", "profile of functions, to serialize", PROFILE),
            micro.traffic(store, "Figure 3", "serialize"),
            micro.times(store, "Figure 4", "deserialize"),
            absent("Figure 5", "profile of functions, to parse", PROFILE),
            micro.traffic(store, "Figure 6", "deserialize"),
            macro.message(store, "Figure 7", "Ultimaker", "ultimaker"),
            macro.message(store, "Figure 8", "LuaPbIntf", "lua_pb_intf"),
            macro.in_flight(store),
            absent("Figure 9", "profile of the serialization of an Int64", LISTING),
            absent("Figure 10", "profile of the serialization of a double", LISTING),
            absent("Figure 11", "block diagram", "a drawing; nothing is measured in it"),
            absent(
                "",
                "The table of proposed instructions",
                "its four instructions exist ([units/protobuf_fields.md](docs:reference/units/protobuf_fields.md)); no "
                "suite has them as an engine beside nanopb yet, "
                "so there are no rows of them, nor of segments by field",
            ),
        ],
    )
