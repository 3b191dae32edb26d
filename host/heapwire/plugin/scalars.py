"""C types of scalar fields, and expressions that convert between values and the bits of slots."""

from __future__ import annotations

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
_READERS = {
    "uint32_t": "32",
    "int32_t": "32",
    "uint64_t": "64",
    "int64_t": "64",
    "float": "32",
    "double": "64",
    "bool": "bool",
}


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


def from_bits(names: Names, item: Type, bits: str) -> str:
    """Returns the expression of a value. bits: the expression of its bits, a uint64_t."""
    value = c_type(names, item)
    if value in ("float", "double"):
        return f"hw_{value}({'(uint32_t)' * (value == 'float')}{bits})"
    return f"{bits} != 0" if value == "bool" else f"({value}){bits}"


def bits_of(names: Names, item: Type, value: str) -> str:
    """Returns the expression of the bits of a slot. value: the expression of the value."""
    kind = c_type(names, item)
    if kind in ("float", "double"):
        return f"hw_{kind}_bits({value})"
    return (
        value
        if kind in ("uint32_t", "uint64_t", "bool")
        else f"(uint64_t){value}"
        if kind == "int64_t"
        else f"(uint32_t){value}"
    )
