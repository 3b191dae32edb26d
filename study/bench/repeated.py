"""The micro- and macro-benchmarks of "Datacenter Tax Cuts" (chapter IV), and messages of all sizes: sweeps over the
number of elements, and over the bytes."""

import random
import struct
from pathlib import Path

from google.protobuf.message import Message

from heapwire.measure.fields import PACKAGE, trade
from heapwire.measure.fields import PROTO as FIELDS
from heapwire.schema import compile_proto
from heapwire.workload.case import CAPNP, Case
from heapwire.workload.group import Group

PROTO = Path(__file__).with_name("repeated.proto")
KINDS = ("int32", "int64", "sint32", "sint64", "uint32", "uint64", "float", "double", "string")
PACKINGS = ("packed", "unpacked")
SWEEPS = [(kind, packing) for packing in PACKINGS for kind in KINDS if (kind, packing) != ("string", "packed")]
"""Types and packings of repeated fields; a case is named `kind_packing/elements`."""
ELEMENTS = (1, 10, 100, 1000, 10_000)
TEXT_LENGTH = 50
"""Characters of the paper's strings."""
SIZES = (17, 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20)
NANOPB_BYTES = 256 << 10
"""Longest message for nanopb: one of 1 MB takes 170 million cycles to read, so an hour to simulate for its rows."""
SOFTWARE_ELEMENTS = 1000
"""Longest fields for software, which takes hundreds of cycles an element. Only the hardware reads longer ones."""


def _value(kind: str, dice: random.Random) -> object:
    if kind in ("float", "double"):
        value = dice.uniform(-1e6, 1e6)
        return struct.unpack("<f", struct.pack("<f", value))[0] if kind == "float" else value
    if kind == "string":
        return "".join(dice.choices("abcdefghijklmnopqrstuvwxyz ", k=TEXT_LENGTH))
    bits = int(kind[-2:])
    return dice.getrandbits(bits) if kind.startswith("u") else dice.getrandbits(bits) - (1 << bits - 1)


def _case(name: str, message: Message, **engines: tuple[str, ...]) -> Case:
    return Case(name, message.DESCRIPTOR.full_name, message.SerializeToString(deterministic=True), **engines)


def micro_group() -> Group:
    """Returns a group of messages with one repeated field of random values, for each type, packed and unpacked."""
    schema, dice = compile_proto(PROTO), random.Random(2)
    cases = []
    for kind, packing in SWEEPS:
        for count in ELEMENTS:
            message = schema.message_class(f"heapwire.repeated.{packing.capitalize()}")()
            getattr(message, f"{kind}_list").extend(_value(kind, dice) for _ in range(count))
            engines = {} if count <= SOFTWARE_ELEMENTS else {"engines": ("hw",)}
            cases.append(_case(f"{kind}_{packing}/{count}", message, **engines))
    return Group("repeated", schema, cases, layouts=1)


def _with_capnp(name: str, message: Message) -> list[Case]:
    """Returns two cases: a message, and its values in Cap'n Proto's encoding. Copying the latter is the lower bound in
    time, and its length the upper bound in bytes (chapter V)."""
    import capnp

    struct_of = getattr(capnp.load(str(PROTO.with_name("macro.capnp"))), message.DESCRIPTOR.name)
    other = struct_of.new_message()
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.is_repeated and field.message_type:
            value = [{f.name: getattr(item, f.name) for f in field.message_type.fields} for item in value]
        setattr(other, field.name, list(value) if field.is_repeated else value)
    return [_case(name, message), Case(name, message.DESCRIPTOR.full_name, other.to_bytes(), (CAPNP,))]


def macro_group() -> Group:
    """Returns the two messages that the paper compares with Cap'n Proto, rebuilt from its description."""
    schema, dice = compile_proto(PROTO), random.Random(3)
    cases = []
    for count in ELEMENTS[:-1]:
        ultimaker = schema.message_class("heapwire.repeated.Ultimaker")()
        for field in ultimaker.DESCRIPTOR.fields[:12]:
            setattr(ultimaker, field.name, _value("float", dice))
        for _ in range(count):
            ultimaker.point.add(value=_value("float", dice), time=dice.getrandbits(63))
        cases += _with_capnp(f"ultimaker/{count}", ultimaker)
        lua = schema.message_class("heapwire.repeated.LuaPbIntf")(
            a=_value("uint32", dice),
            b=_value("uint64", dice),
            c=_value("sint32", dice),
            d=_value("sint64", dice),
            e=True,
            f=_value("float", dice),
            g=_value("double", dice),
            h=_value("string", dice),
            i=_value("string", dice).encode(),
            j=2,
        )
        lua.number.extend(_value("sint32", dice) for _ in range(count))
        lua.text.extend(_value("string", dice) for _ in range(count))
        cases += _with_capnp(f"lua_pb_intf/{count}", lua)
    return Group("macro", schema, cases, layouts=1)


def sizes_group() -> Group:
    """Returns books of trades of 17 B to 1 MB, to measure throughput against the size of the message."""
    schema, dice = compile_proto(FIELDS), random.Random(5)
    cases = []
    for size in SIZES:
        message = schema.message_class(f"{PACKAGE}.Book")(symbol="EURUSD"[: size - 2], sequence=dice.getrandbits(30))
        length = message.ByteSize()
        while length < size - 50:
            message.bid.add()
            trade(message.bid[-1], dice)
            length += message.bid[-1].ByteSize() + 2
        message.symbol += "x" * max(size - message.ByteSize(), 0)
        engines = {} if size <= NANOPB_BYTES else {"engines": ("hw", "table")}
        cases.append(_case(f"bytes/{size}", message, **engines))
    return Group("sizes", schema, cases, layouts=1)
