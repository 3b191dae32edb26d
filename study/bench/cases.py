"""The cases of the suite `protobuf`: real messages made by others, if they are available, and our own sweeps, from
which slopes are fitted.

A case named `series/size` belongs to a sweep over `size`."""

import random
from dataclasses import replace
from pathlib import Path

from heapwire.measure import messages
from heapwire.schema import Schema, compile_proto
from heapwire.workload.case import Case
from heapwire.workload.group import Group
from study.bench.clearing import clearing_groups
from study.bench.interleaved import interleaved_group
from study.bench.repeated import macro_group, micro_group, sizes_group
from study.bench.upb import with_upb, with_views

PROTO = Path(__file__).with_name("bench.proto")
ELEMENTS = (16, 64, 256, 1024, 4096)
SOFTWARE_ELEMENTS = 1024
"""Longest sweep for software, which takes hundreds of cycles an element. Only the hardware runs longer ones."""
BY_FIELDS = "fields"
"""The engine of the field instructions."""


def by_fields(group: Group) -> Group:
    """Returns a group whose cases run by the field instructions, too, wherever they run by the codec."""
    cases = [
        replace(case, engines=(*case.engines, BY_FIELDS)) if "table" in case.engines else case for case in group.cases
    ]
    return replace(group, cases=cases)


def _sweeps(schema: Schema) -> list[Case]:
    dice = random.Random(4)
    names = ("Packed", "Unpacked", "Text", "Leaf", "Tree", "Wide")
    cls = {name: schema.message_class(f"heapwire.bench.{name}") for name in names}
    cases: list[Case] = []

    def add(name: str, message, elements: int = 0) -> None:
        engines = ("hw",) if elements > SOFTWARE_ELEMENTS else ("hw", "table", "nanopb")
        cases.append(Case(name, message.DESCRIPTOR.full_name, message.SerializeToString(deterministic=True), engines))

    def varints(count: int, size: int) -> list[int]:
        return [dice.randrange(1 << 7 * (size - 1), 1 << min(7 * size, 64)) for _ in range(count)]

    for size in (1, 2, 5, 10):
        for count in ELEMENTS:
            add(f"packed_varint_{size}B/{count}", cls["Packed"](varint=varints(count, size)), count)
            if size <= 2:
                add(f"packed_uint32_{size}B/{count}", cls["Packed"](narrow=varints(count, size)), count)
    for count in ELEMENTS:
        mixed = [dice.getrandbits(dice.randrange(1, 65)) for _ in range(count)]
        add(f"packed_varint_mixed/{count}", cls["Packed"](varint=mixed), count)
        add(f"packed_fixed64/{count}", cls["Packed"](fixed64=[dice.getrandbits(64) for _ in range(count)]), count)
        add(f"packed_bool/{count}", cls["Packed"](flag=[dice.random() < 0.5 for _ in range(count)]), count)
    for count in (16, 64, 256, 1024):
        add(f"unpacked_varint_1B/{count}", cls["Unpacked"](varint=varints(count, 1)))
        add(f"unpacked_varint_2B/{count}", cls["Unpacked"](varint=varints(count, 2)))
        add(f"strings_8B/{count}", cls["Text"](list=["x" * 8] * count))
        add(f"messages_2_fields/{count}", cls["Tree"](leaf=[cls["Leaf"](a=i, b=i * i) for i in range(1, count + 1)]))
    for size in (0, 16, 64, 256, 1024, 4096, 16384, 65536):
        add(f"string/{size}", cls["Text"](text="s" * size))
    for depth in (1, 4, 16, 48):
        tree = cls["Tree"]()
        inner = tree
        for _ in range(depth):
            inner = inner.down
        inner.SetInParent()
        add(f"nested/{depth}", tree)
    names = [field.name for field in cls["Wide"].DESCRIPTOR.fields]
    for count in (5, 10, 20, 30):
        add(f"wide/{count}", cls["Wide"](**{name: 1 for name in names[:count]}))
    return cases


def own_group() -> Group:
    schema = compile_proto(PROTO)
    return Group("sweeps", schema, _sweeps(schema), layouts=1)


def groups() -> list[Group]:
    """Returns all groups of the suite, with the real messages whose data is available."""
    own = (micro_group(), macro_group(), sizes_group(), interleaved_group(), own_group())
    found = [with_views(with_upb(group)) for group in (*messages.groups(), *own)]
    return [*found, *clearing_groups(found)]
