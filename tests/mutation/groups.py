"""What is sampled of the hardware: which modules of which unit, how many mutants, and the tests that must kill them."""

from __future__ import annotations

from dataclasses import dataclass

SEED = 2018
"""Yosys draws the mutants by this seed."""


@dataclass(frozen=True)
class Sample:
    """`count` mutants of these modules."""

    name: str
    count: int
    modules: tuple[str, ...]


@dataclass(frozen=True)
class Group:
    """The mutants of a unit, which are compiled at once.

    variants: of sim.unit.build; the first is built, and stands for the others in tests. tests: arguments of pytest,
    those first that kill most."""

    unit: str
    width: int
    variants: tuple[str, ...]
    samples: tuple[Sample, ...]
    tests: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.unit.lower()}-{self.width}"


def _unit(*names: str) -> tuple[str, ...]:
    return tuple(f"tests/unit/test_{name}.py" for name in names)


GROUPS = (
    Group(
        "SerializationUnit",
        128,
        ("skyway",),
        (
            Sample("claims", 40, ("ClaimTable", "OpenEpochs")),
            Sample("write combiner", 30, ("WriteCombiner",)),
            Sample(
                "Cereal's packers",
                30,
                ("PackedSection", "PackedSection_1", "LayoutPacker", "ReferencePacker", "SectionCopy"),
            ),
        ),
        _unit(
            "bounds",
            "cereal_write",
            "cereal_write_commands",
            "skyway_write",
            "cereal_write_rates",
            "skyway_write_rates",
        ),
    ),
    Group(
        "Engine",
        128,
        ("fields",),
        (Sample("write buffer", 40, ("WriteBuffer",)),),
        _unit("bounds", "serializer", "deserializer", "fuzz", "serializer_features", "semantics", "field_instructions"),
    ),
    Group(
        "DeserializationUnit",
        128,
        ("4-skyway", "4"),
        (Sample("Cereal's image writers", 40, ("BlockWriter", "ImageWriter")),),
        _unit("bounds", "cereal_read", "skyway_read"),
    ),
)
