"""Writes the accessors of a map by key, beside those of the list of its entries."""

from __future__ import annotations

from google.protobuf.descriptor import FieldDescriptor as Type

from heapwire.plugin import literals
from heapwire.plugin.names import Names
from heapwire.plugin.scalars import bits_of, c_type, from_bits
from heapwire.plugin.text import inline_function

_BYTES = (Type.TYPE_STRING, Type.TYPE_BYTES)


def is_map(item: Type) -> bool:
    """Returns whether a field is a map."""
    return item.message_type is not None and item.message_type.GetOptions().map_entry


def map_accessors(names: Names, item: Type, message: str, info: str) -> list[str]:
    """Returns the functions of a map field. message: the C type of its message. info: the arguments that identify the
    field."""
    key, value = (item.message_type.fields_by_number[number] for number in (1, 2))
    this = f"{message} message"
    keyed = f"{this}, " + (
        "const void *key, uint32_t key_length" if key.type in _BYTES else f"{c_type(names, key)} key"
    )
    wanted = (
        "hw_map_key_bytes(key, key_length)" if key.type in _BYTES else f"hw_map_key_bits({bits_of(names, key, 'key')})"
    )
    arguments = f"message.handle, {info}"

    def function(result: str, verb: str, parameters: str, body: str) -> str:
        return inline_function(result, names.accessor(verb, item), parameters, body)

    functions = [
        function("uint32_t", "size", this, f"hw_map_size({arguments})"),
        function("uint32_t", "next", f"{this}, uint32_t index", f"hw_map_next({arguments}, index)"),
        function("bool", "contains", keyed, f"hw_map_find({arguments}, {wanted}) != HW_MAP_NONE"),
        function("bool", "remove", keyed, f"hw_map_remove({arguments}, {wanted})"),
    ]
    if value.message_type is not None:
        kind = names.type(value.message_type)
        return functions + [
            function(kind, "lookup", keyed, f"({kind}){{hw_map_message({arguments}, {wanted})}}"),
            function(kind, "put", keyed, f"({kind}){{hw_map_mutable({arguments}, {wanted})}}"),
        ]
    if value.type in _BYTES:
        return functions + [
            function("struct hw_bytes", "lookup", keyed, f"hw_map_bytes({arguments}, {wanted})"),
            function(
                "bool",
                "put",
                f"{keyed}, const void *data, uint32_t length",
                f"hw_map_put_bytes({arguments}, {wanted}, data, length)",
            ),
        ]
    read = from_bits(names, value, f"hw_map_bits({arguments}, {wanted})")
    default = literals.scalar(value, value.default_value)
    if default != literals.scalar(value, type(value.default_value)()):  # the first enumerator is not 0
        default = f"({c_type(names, value)}){default}"
        read = f"hw_map_find({arguments}, {wanted}) != HW_MAP_NONE ? {read} : {default}"
    return functions + [
        function(c_type(names, value), "lookup", keyed, read),
        function(
            "bool",
            "put",
            f"{keyed}, {c_type(names, value)} value",
            f"hw_map_put({arguments}, {wanted}, {bits_of(names, value, 'value')})",
        ),
    ]
