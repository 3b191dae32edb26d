"""The promises of the bench's own sets."""

from heapwire.measure.fields import PACKAGE, field_heavy_group
from study.bench.repeated import macro_group, micro_group, sizes_group


def packed_bytes(message):
    """Returns the bytes of packed fields, without keys and lengths."""
    total = 0
    for field, value in message.ListFields():
        if field.is_packed:
            alone = type(message)()
            getattr(alone, field.name).extend(value)
            total += alone.ByteSize()
        elif field.message_type:
            total += sum(map(packed_bytes, value if field.is_repeated else [value]))
    return total


def test_field_heavy_set():
    group = field_heavy_group()
    sizes = [len(case.data) for case in group.cases]
    assert len(group.cases) >= 20 and min(sizes) <= 40 and 15_000 <= max(sizes) <= 25_000
    messages = [group.schema.message_class(case.type_name).FromString(case.data) for case in group.cases]
    assert sum(map(packed_bytes, messages)) <= sum(sizes) / 4
    assert all(packed_bytes(message) <= len(case.data) / 4 for message, case in zip(messages, group.cases))
    kinds = {field.type for name in group.schema.type_names() for field in group.schema.descriptor(name).fields}
    assert kinds == set(range(1, 19)) - {10}, "every type but groups, which nanopb has not"
    assert len({case.name for case in group.cases}) == len(group.cases) and all(
        case.type_name.startswith(PACKAGE) for case in group.cases
    )
    assert [case.data for case in field_heavy_group().cases] == [case.data for case in group.cases]


def test_sizes_are_what_they_say():
    for case in sizes_group().cases:
        size = int(case.name.split("/")[1])
        assert size <= len(case.data) <= size + 2, case.name


def test_micro_group_has_every_series():
    names = {case.name.split("/")[0] for case in micro_group().cases}
    kinds = ("sint32", "sint64", "uint32", "uint64", "float", "double")
    assert names == {f"{kind}_{how}" for kind in kinds for how in ("packed", "unpacked")} | {"string_unpacked"}
    assert [int(case.name.split("/")[1]) for case in micro_group().cases[:5]] == [1, 10, 100, 1000, 10_000]


def test_macro_messages_grow_by_their_entries():
    for engine in ("hw", "capnp"):
        lengths = [
            len(case.data)
            for case in macro_group().cases
            if case.name.startswith("ultimaker") and engine in case.engines
        ]
        assert len(lengths) == 4 and lengths == sorted(lengths) and lengths[-1] > 10_000
