"""C types and literals of fields, and expressions that convert between values and the bits of slots."""

from __future__ import annotations

import struct

from google.protobuf.descriptor import FieldDescriptor as Type

from heapwire.plugin.names import Names

_VALUES = {
    Type.CPPTYPE_INT32: "int32_t",
    Type.CPPTYPE_INT64: "int64_t",
    Type.CPPTYPE_UINT32: "uint32_t",
    Type.CPPTYPE_UINT64: "uint64_t",
    Type.CPPTYPE_BOOL: "bool",
    Type.CPPTYPE_FLOAT: "float",
    Type.CPPTYPE_DOUBLE: "double",
}
_READERS = {"uint64_t": "64", "int64_t": "64", "double": "64", "bool": "bool"}
SHIFTS = {"bool": 0, "32": 2, "64": 3}
"""log2 of the bytes of a slot, by its reader."""


def c_type(names: Names, item: Type) -> str:
    """Returns the C type of a scalar field."""
    if item.cpp_type == Type.CPPTYPE_ENUM:
        return f"enum {names.type(item.enum_type)}"
    return _VALUES[item.cpp_type]


def reader(names: Names, item: Type) -> str:
    """Returns the suffix of the runtime's function that reads a slot of the type."""
    return _READERS.get(c_type(names, item), "32")


def from_slot(names: Names, item: Type, raw: str) -> str:
    """Returns the expression of a value. raw: the expression of its slot, as the reader returns it."""
    value = c_type(names, item)
    if value in ("float", "double"):
        return f"hw_{value}({raw})"
    return raw if value.startswith("uint") or value == "bool" else f"({value}){raw}"


def bits_of(names: Names, item: Type, value: str) -> str:
    """Returns the expression of the bits of a slot. value: the expression of the value."""
    kind = c_type(names, item)
    if kind in ("float", "double"):
        return f"hw_{kind}_bits({value})"
    if kind in ("uint32_t", "uint64_t", "bool"):
        return value
    return f"(uint64_t){value}" if kind == "int64_t" else f"(uint32_t){value}"


def _escaped(data: bytes) -> str:
    # Octal escapes have at most three digits, so that none swallows the next character. `?` might begin a trigraph.
    plain = {byte for byte in range(0x20, 0x7F)} - set(b'"\\?')
    return "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in data)


def text_literal(value: str) -> str:
    """Returns a C string."""
    return f'"{_escaped(value.encode())}"'


def bytes_literal(data: bytes) -> str:
    """Returns a struct hw_bytes."""
    return f'(struct hw_bytes){{(const uint8_t *)"{_escaped(data)}", {len(data)}}}'


def enum_literal(number: int) -> str:
    """Returns an int constant."""
    return str(number) if number > -(1 << 31) else "-2147483647 - 1"


def literal(item: Type, value: object) -> str:
    """Returns a value of a scalar field. Floats are given by their bits, because only so every value has a literal."""
    kind = item.cpp_type
    if kind == Type.CPPTYPE_BOOL:
        return "true" if value else "false"
    if kind == Type.CPPTYPE_FLOAT:
        return f"hw_float(UINT32_C({struct.unpack('<I', struct.pack('<f', value))[0]:#010x}))"
    if kind == Type.CPPTYPE_DOUBLE:
        return f"hw_double(UINT64_C({struct.unpack('<Q', struct.pack('<d', value))[0]:#018x}))"
    if kind == Type.CPPTYPE_UINT32:
        return f"UINT32_C({value})"
    if kind == Type.CPPTYPE_UINT64:
        return f"UINT64_C({value})"
    if kind == Type.CPPTYPE_INT64:
        return f"INT64_C({value})" if value > -(1 << 63) else "(-INT64_C(9223372036854775807) - 1)"
    return enum_literal(value) if value > -(1 << 31) else f"({enum_literal(value)})"
