"""The components of table V of Cereal (ISCA 2020), and our modules that correspond to them."""

from dataclasses import dataclass
from typing import Mapping, TypeVar

from study.power.activity import Switching

Value = TypeVar("Value")
"""A type with addition."""


@dataclass(frozen=True)
class Component:
    """A component of a unit. names: its modules, or its instances if several components use a module. area, power: of
    one unit, in mm2 and mW at 40 nm, from the paper; None if the paper has no number."""

    name: str
    names: tuple[str, ...]
    area: float | None = None
    power: float | None = None


def _section(name: str) -> tuple[str, str]:
    """Returns the instances of the reader of a stream's section."""
    return f"sections_{name}", f"sections_{name}_packets"


REST = "arbiters, queues, control"
BLOCKS = ("BlockManager", "ValueLoader", "ReferenceLoader")
CHECKS = ("StreamHeaderCheck", "ShapeChecker", "LayoutScanner", "StartsMap", "FarStarts", "ReferenceChecker")
SERIALIZER = (
    Component("header manager", ("HeaderReader", "HeaderManager", "ClaimTable", "OpenEpochs", "headers"), 0.003, 1.3),
    Component("reference array writer", ("ReferencePacker", "LayoutPacker", "PackedSection"), 0.013, 5.8),
    Component("object metadata manager (1)", ("KlassTable",), 0.014, 7.6),
    Component("object handler", ("ObjectHandler", "ReferenceQueue", "ValueArray", "objects"), 0.028, 18.4),
    Component("queues of objects", ("PendingQueue", "SpillQueue")),
    Component("writes of the stream", ("WriteCombiner", "SectionCopy", "StreamHeaderWriter")),
    Component(REST, ()),
)
DESERIALIZER = (
    Component("layout manager", ("LayoutManager", "BlockCollector", *_section("layouts")), 0.020, 10.9),
    Component("block manager", (*BLOCKS, "sections_values", *_section("references")), 0.217, 81.1),
    Component("block reconstructors", ("Reconstructor",), 4 * 0.011, 4 * 6.9),
    Component("class id table", ("ClassTable",)),
    Component("writes of the image", ("ImageWriter",)),
    Component("what a stranger's stream costs", (*CHECKS, *_section("scan"))),
    Component(REST, ()),
)
"""The paper has 8 units of each kind and 4 reconstructors a unit; here is one of each. The paper's prefetchers of
values, references and layouts (section V-C) correspond to our readers of the stream's sections."""


def shares(
    values: Mapping[str, Value],
    zero: Value,
    switching: Mapping[str, Switching],
    unit: str,
    components: tuple[Component, ...],
) -> dict[str, Value]:
    """Returns, by component, the sum of the values of its instances within the unit at that path. Each instance belongs
    to the outermost instance that a component names."""
    found = {component.name: zero for component in components}
    for path, value in values.items():
        if path == unit or path.startswith(unit + "."):
            name = _component(path[len(unit) + 1 :], unit, switching, components)
            found[name] = found[name] + value
    return found


def _component(below: str, unit: str, switching: Mapping[str, Switching], components: tuple[Component, ...]) -> str:
    at = unit
    for part in below.split(".") if below else ():
        at += "." + part
        kind = switching[at].module if at in switching else ""
        for component in components:
            if any(
                part == name or kind == name or kind.startswith(name + "_") and kind[len(name) + 1 :].isdigit()
                for name in component.names
            ):
                return component.name
    return REST
