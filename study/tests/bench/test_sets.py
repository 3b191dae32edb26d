"""The promises of the bench's own sets."""

from heapwire.measure.fields import PACKAGE, field_heavy_group
from heapwire.records import workload as record
from heapwire.workload import group as workload
from study.bench import cases
from study.bench.interleaved import interleaved_group
from study.bench.repeated import macro_group, micro_group, sizes_group
from study.records.upb import Upb
from study.records.view import View
from tests.host.conftest import PROTOS


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


def test_parts_that_take_turns_are_alike():
    """Only the number of types differs, not the bytes."""
    found = interleaved_group()
    assert len({case.data for case in found.cases}) == 1
    for case in found.cases:
        row = found.schema.descriptor(case.type_name).fields_by_name["row"].message_type
        assert len({field.message_type for field in row.fields}) == int(case.name.partition("/")[2])


def test_micro_group_has_every_series():
    names = {case.name.split("/")[0] for case in micro_group().cases}
    kinds = ("int32", "int64", "sint32", "sint64", "uint32", "uint64", "float", "double")
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


def test_suite_groups_pack(interface, monkeypatch):
    monkeypatch.setenv("HEAPWIRE_DATA", str(PROTOS))  # a folder without real messages
    groups = cases.groups()
    names = "demo fields repeated macro sizes interleaved sweeps fields-references fields-unasked"
    assert [group.name for group in groups] == names.split()
    folders = [{case.name.split("/")[0] for case in group.cases} for group in groups]
    # Bars and means take cases by the first part of their name.
    assert sum(map(len, folders)) == len(set().union(*folders))
    for group in groups:
        assert len({(case.name, workload.CAPNP in case.engines) for case in group.cases}) == len(group.cases)
        assert len(workload.pack(group, interface)) > sum(len(case.data) for case in group.cases)
        if len(packed := workload.pack(group, interface)) > workload.CHECKED:
            assert record.Header.unpack(packed).crc == 0
    engines = {case.engines for case in groups[6].cases if case.name.endswith("/4096")}
    assert engines == {("hw",), ("hw", "table", "nanopb", *(engine.text for engine in (*Upb, *View)))}
    sizes = [len(case.data) for case in groups[6].cases if case.name.startswith("packed_varint_2B/")]
    assert sizes == [2 * n + 2 + (n > 63) + (n > 8191) for n in cases.ELEMENTS]
