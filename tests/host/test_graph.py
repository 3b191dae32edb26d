"""From the wire to objects and back. The model builds objects, and the reader reads them. The comparison finds them
equal to the official library's message, or says where they differ."""

import random
from functools import cache

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given, settings
from hypothesis import strategies as st

from heapwire import interface as interface_module
from heapwire.compare import first_difference
from heapwire.graph import GraphError, GraphReader
from heapwire.schema import compile_proto, compile_schema
from heapwire.wire import MAX_DEPTH
from heapwire.workload.messages import demo_cases
from tests.common.random_messages import fill
from tests.host.conftest import PROTOS, Machine


@pytest.mark.parametrize("seed", range(40))
def test_random_messages(seed, machine, everything):
    message = everything.message_class("test.Everything")()
    fill(message, random.Random(seed))
    assert machine().difference(message) is None


def test_demo_messages(interface):
    schema, cases = demo_cases()
    for case in cases:
        message = schema.message_class(case.type_name).FromString(case.data)
        compiled = compile_schema(schema.descriptor(case.type_name), interface)
        assert Machine(compiled, interface).difference(message, case.data) is None
    assert len(cases[-1].data) == 65536


def test_unknown_fields_are_kept(machine, everything):
    newer = everything.message_class("test.Newer")(unknown_varint=-1, unknown_fixed64=5, unknown_string="x" * 50)
    newer.unknowngroup.x = 7
    newer.unknowngroup.deeper.inner.inside = 3
    newer.child.a_string = "seen"
    newer.strings.extend(["a", "b"])
    data = newer.SerializeToString()
    assert machine().difference(everything.message_class("test.Everything").FromString(data), data) is None


def test_packed_and_unpacked_are_both_accepted(machine, everything):
    data = (
        bytes([33 << 3 & 0x7F | 0x80 | 2, 2, 3, 1, 2, 3])
        + bytes([33 << 3 & 0x7F | 0x80, 2, 9])
        + bytes([34 << 3 & 0x7F | 0x80, 2, 8])
    )
    message = everything.message_class("test.Everything").FromString(data)
    assert list(message.int64s) == [1, 2, 3, 9] and list(message.uint64s) == [8]
    assert machine().difference(message, data) is None


def test_wrong_wire_type_is_unknown(machine, everything):
    data = bytes([5 << 3 | 2, 3, 1, 1, 1]) + bytes([9 << 3, 7])
    assert machine().difference(everything.message_class("test.Everything").FromString(data), data) is None


def test_repeated_singular_message_is_merged(machine, everything):
    cls = everything.message_class("test.Everything")
    data = b"".join(cls(child=cls(**{name: 1})).SerializeToString() for name in ("an_int32", "a_sint64"))
    assert machine().difference(cls.FromString(data), data) is None


def test_numbers_that_a_closed_enum_has_not_are_unknown_fields(machine, everything):
    data = bytes([14 << 3, 77]) + bytes([44 << 3 & 0x7F | 0x80, 2, 1]) + bytes([44 << 3 & 0x7F | 0x80, 2, 99])
    message = everything.message_class("test.Everything").FromString(data)
    assert not message.HasField("an_enum") and len(message.enums) == 1
    assert machine().difference(message, data) is None


@cache
def small_machine():
    """Returns a machine with little memory, which hypothesis shares between examples."""
    interface = interface_module.load()
    schema = compile_proto(PROTOS / "everything.proto")
    return Machine(compile_schema(schema.descriptor("test.Everything"), interface), interface, arena=4096), interface


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60))
def test_any_input_ends(data):
    machine, interface = small_machine()
    outcome = machine.deserialize(data)
    assert outcome.status in interface.status
    if outcome.status == "OK":
        machine.read(outcome.root)


LONG = [
    ("a8" + "80" * 4 + "00" + "01", "VARINT_OVERFLOW", 0),
    ("a8" + "80" * 4 + "00", "TRUNCATED", 0),
    ("2801" + "4a81" + "80" * 4 + "00" + "61", "VARINT_OVERFLOW", 2),
    ("4a87" + "80" * 4 + "00" + "61", "VARINT_OVERFLOW", 0),
    ("5a08" + "4a81" + "80" * 4 + "00" + "61", "VARINT_OVERFLOW", 2),
    ("f2" + "7f" + "81" + "80" * 4 + "00" + "61", "VARINT_OVERFLOW", 0),  # an unknown field
    ("f3" + "7f" + "0a81" + "80" * 4 + "00" + "61" + "f47f", "VARINT_OVERFLOW", 2),  # in an unknown group
    ("f3" + "7f" + "f4ff" + "80" * 3 + "00", "VARINT_OVERFLOW", 2),  # the end of one
]
"""Keys and lengths of six bytes, which upb refuses."""
ERRORS = [
    ("0a", "TRUNCATED", 0),
    ("08", "TRUNCATED", 0),
    ("28", "TRUNCATED", 0),
    ("2880", "TRUNCATED", 0),
    ("28012880", "TRUNCATED", 2),
    ("3d000000", "TRUNCATED", 0),
    ("28" + "ff" * 10 + "01", "VARINT_OVERFLOW", 0),
    ("a8" + "80" * 10, "VARINT_OVERFLOW", 0),
    ("ffffffff1f", "VARINT_OVERFLOW", 0),
    *LONG,
    ("2f", "BAD_WIRE_TYPE", 0),
    ("2e", "BAD_WIRE_TYPE", 0),
    ("0001", "FIELD_NUMBER_ZERO", 0),
    ("00", "TRUNCATED", 0),
    ("28010201", "FIELD_NUMBER_ZERO", 2),
    ("280102", "TRUNCATED", 2),
    ("4a05aabb", "TRUNCATED", 0),
    ("5a024a052801", "BAD_LENGTH", 2),
    ("5a022801" + "5a032801", "TRUNCATED", 4),
    ("fa01" + "03" + "000000", "TRUNCATED", 3),
    ("fa01" + "03" + "000000" + "2801", "BAD_LENGTH", 3),
    ("2c", "BAD_GROUP", 0),
    ("2b2801", "BAD_GROUP", 3),
    ("2b2834", "BAD_GROUP", 3),
    ("2b280134", "BAD_GROUP", 3),
]


@pytest.mark.parametrize("text, status, offset", ERRORS)
def test_malformed_input(text, status, offset, machine):
    outcome = machine().deserialize(bytes.fromhex(text))
    assert (outcome.status, outcome.offset, outcome.root) == (status, offset, 0)


@pytest.mark.parametrize("text", [text for text, status, _ in LONG if status != "TRUNCATED"])
def test_long_keys_and_lengths_are_refused_as_the_library_does(text, everything):
    """Even in unknown fields, which are written as they came: a unit never writes what the library refuses to read."""
    with pytest.raises(DecodeError):
        everything.message_class("test.Everything").FromString(bytes.fromhex(text))


def test_padded_varints_are_accepted(machine, everything):
    """Up to ten bytes of a value, up to five of a key or length."""
    data = bytes.fromhex("a8" + "80" * 3 + "00" + "81" + "80" * 8 + "00" + "4a81" + "80" * 3 + "00" + "61")
    message = everything.message_class("test.Everything")(an_int32=1)
    message.MergeFromString(bytes.fromhex("4a0161"))
    assert machine().difference(message, data) is None


def test_a_field_number_of_zero_within_an_unknown_group_is_refused(machine, everything):
    """C++ and Go refuse it, too; upb does not."""
    data = bytes.fromhex("a3120000a412")
    assert everything.message_class("test.Everything").FromString(data).ByteSize() == len(data)
    outcome = machine().deserialize(data)
    assert (outcome.status, outcome.offset) == ("FIELD_NUMBER_ZERO", 2)


def test_depth_is_limited(machine, everything):
    message = everything.message_class("test.Everything")()
    inner = message
    for _ in range(10):
        inner = inner.child
    inner.SetInParent()
    data = message.SerializeToString()
    assert machine().deserialize(data, max_depth=10).status == "OK"
    assert machine().deserialize(data, max_depth=9).status == "DEPTH_EXCEEDED"


@pytest.mark.parametrize("asked", [0, MAX_DEPTH, MAX_DEPTH + 1, 1 << 31])
def test_the_units_own_depth_is_the_limit(asked, machine, everything):
    def nested(depth):
        data = b""
        for _ in range(depth):
            length = bytes([len(data)]) if len(data) < 128 else bytes([len(data) & 127 | 128, len(data) >> 7])
            data = bytes([11 << 3 | 2]) + length + data
        return data

    assert machine().deserialize(nested(MAX_DEPTH), max_depth=asked).status == "OK"
    assert machine().deserialize(nested(MAX_DEPTH + 1), max_depth=asked).status == "DEPTH_EXCEEDED"


def test_groups(machine, everything):
    message = everything.message_class("test.WithGroup")(before=1)
    message.inner.inside = 2
    data = message.SerializeToString()
    assert machine("test.WithGroup").difference(message) is None
    assert machine("test.WithGroup").deserialize(data, as_unit=True).status == "OK"
    assert machine("test.WithGroup").deserialize(data[:-1]).status == "BAD_GROUP"


def test_full_arenas(machine, everything):
    cls = everything.message_class("test.Everything")
    data = cls(some_bytes=bytes(5000)).SerializeToString()
    assert machine(arena=4096).deserialize(data).status == "FIXED_ARENA_FULL"
    data = cls(doubles=[1.0] * 600).SerializeToString()
    assert machine(arena=4096).deserialize(data).status == "FLEXIBLE_ARENA_FULL"


# Faults that the reader and the comparison must detect


@pytest.fixture
def built(machine, everything):
    """Returns a machine with a small graph in its arenas, and its message."""
    message = everything.message_class("test.Everything")(
        an_int32=7, a_double=1.5, a_bool=True, a_string="hello", int64s=[1, 2, 3]
    )
    message.child.sint32s.extend([-1, 4])
    ready = machine()
    return ready, ready.deserialize(message.SerializeToString()).root, message


def test_every_corrupted_byte_is_noticed(built):
    machine, root, message = built
    used = machine.fixed.data.rfind(b"\1\0\0\0") + 32
    unnoticed = []
    for at in range(used):
        machine.fixed.data[at] ^= 0x40
        try:
            if first_difference(machine.read(root), message) is None and machine.fixed.data[:at].strip(b"\0"):
                unnoticed.append(at)
        except GraphError:
            pass
        machine.fixed.data[at] ^= 0x40
    # Nothing is checked beyond the last object.
    reader = GraphReader(machine.runtime, machine.fixed, machine.flexible)
    reader.read(root)
    top = max(limit for base, limit, _ in reader.extents if base < machine.flexible.base) - machine.fixed.base
    assert [at for at in unnoticed if at < top] == []


@pytest.mark.parametrize(
    "change, path",
    [
        (dict(an_int32=8), "root.an_int32: is 7, not 8"),
        (dict(a_double=-1.5), "root.a_double: has the bits"),
        (dict(a_string="hellO"), "root.a_string: is b'hello', not b'hellO'"),
        (dict(a_sint32=1), "root.a_sint32: is absent"),
        (dict(uint32s=[1]), "root.uint32s: has 0 elements, not 1"),
    ],
)
def test_differences_name_their_path(built, change, path):
    machine, root, message = built
    other = type(message)()
    other.CopyFrom(message)
    other.MergeFrom(type(message)(**change))
    assert first_difference(machine.read(root), other).startswith(path)


def test_nested_difference(built):
    machine, root, message = built
    message.child.sint32s[1] = 5
    assert first_difference(machine.read(root), message) == "root.child.sint32s[1]: is 4, not 5"


def test_signed_zero_is_not_zero(machine, everything):
    cls = everything.message_class("test.Everything")
    ready = machine()
    root = ready.deserialize(cls(a_double=-0.0).SerializeToString()).root
    assert first_difference(ready.read(root), cls(a_double=-0.0)) is None
    assert first_difference(ready.read(root), cls(a_double=0.0)) is not None


@pytest.mark.parametrize("root", [0, 4, 0x4800_0004, 0x1000, 0xFFFF_FFF8])
def test_bad_root(built, root):
    machine, _, _ = built
    with pytest.raises(GraphError):
        machine.read(root)


def test_shared_objects_are_noticed(built):
    machine, root, _ = built
    layout = machine.compiled.types[0].layout
    slot = root - machine.fixed.base
    child = machine.fixed.data[slot + layout.fields[9] : slot + layout.fields[9] + 4]
    bytes_field = layout.fields[12]
    machine.fixed.data[slot + bytes_field : slot + bytes_field + 4] = child
    bit = machine.compiled.types[0].message.field(12).hasbit
    machine.fixed.data[slot + layout.hasbits + bit // 8] |= 1 << bit % 8
    with pytest.raises(GraphError, match="overlaps"):
        machine.read(root)


def words(machine, address):
    """Returns the fixed arena from `address` on as writable 32-bit words."""
    return memoryview(machine.fixed.data)[address - machine.fixed.base :].cast("I")


def test_a_message_within_itself_is_noticed(built):
    machine, root, _ = built
    words(machine, root)[machine.compiled.types[0].layout.fields[11] // 4] = root
    with pytest.raises(GraphError, match=r"root\.child: overlaps the object of root "):
        machine.read(root)


def test_a_doubled_chain_of_lists_is_noticed_at_once(machine, everything):
    """Read naively, its elements are 2^60 messages."""
    cls = everything.message_class("test.Everything")
    message = cls()
    for _ in range(60):
        message = cls(children=[message, cls()])
    ready = machine()
    root = address = ready.deserialize(message.SerializeToString()).root
    constants = ready.runtime.interface.object
    for _ in range(60):
        a_list = words(ready, address)[ready.compiled.types[0].layout.fields[41] // 4]
        elements = (
            words(ready, a_list)[constants["array_list_array"] // 4] + constants["array_elements"] - ready.flexible.base
        )
        address = int.from_bytes(ready.flexible.data[elements : elements + 4], "little")
        ready.flexible.data[elements + 4 : elements + 8] = address.to_bytes(4, "little")
    with pytest.raises(GraphError, match=r"children\[1\]: overlaps the object of root.*it is the same one"):
        ready.read(root)


def test_messages_deeper_than_any_machine_builds_are_noticed(machine, everything):
    ready = machine()
    layout = ready.compiled.types[0].layout
    root = ready.deserialize(everything.message_class("test.Everything")(child={}).SerializeToString()).root
    size = -(-layout.size // 8) * 8
    first = bytes(ready.fixed.data[root - ready.fixed.base :][:size])
    for i in range(5000 if 5001 * size < len(ready.fixed.data) else len(ready.fixed.data) // size - 1):
        at = ready.fixed.base + i * size
        ready.fixed.data[i * size : (i + 1) * size] = first
        words(ready, at)[layout.fields[11] // 4] = at + size
    with pytest.raises(GraphError, match="messages nest deeper than 100"):
        ready.read(ready.fixed.base)
