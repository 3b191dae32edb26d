"""C literals for default values."""

from __future__ import annotations

import struct

from google.protobuf.descriptor import FieldDescriptor as Type


def _escaped(data: bytes) -> str:
    # Octal escapes have at most three digits, so that none swallows the next character. `?` might begin a trigraph.
    plain = {byte for byte in range(0x20, 0x7F)} - set(b'"\\?')
    return "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in data)


def text(value: str) -> str:
    """Returns a C string."""
    return f'"{_escaped(value.encode())}"'


def bytes_value(data: bytes) -> str:
    """Returns a struct hw_bytes."""
    return f'(struct hw_bytes){{(const uint8_t *)"{_escaped(data)}", {len(data)}}}'


def enum_value(number: int) -> str:
    """Returns an int constant."""
    return str(number) if number > -(1 << 31) else "-2147483647 - 1"


def scalar(item: Type, value: object) -> str:
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
    return enum_value(value) if value > -(1 << 31) else f"({enum_value(value)})"
