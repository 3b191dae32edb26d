"""Writes the accessors of one field, as C inline functions."""

from __future__ import annotations

from dataclasses import dataclass

from google.protobuf.descriptor import FieldDescriptor as Type

from heapwire.plugin import literals
from heapwire.plugin.maps import is_map, map_accessors
from heapwire.plugin.names import Names
from heapwire.plugin.scalars import bits_of, c_type, from_slot, reader
from heapwire.plugin.text import inline_function
from heapwire.schema.layout import Layout
from heapwire.schema.types import Field


@dataclass(frozen=True)
class Context:
    """What the functions of a message's fields share."""

    names: Names
    layout: Layout


def implicit(item: Type) -> bool:
    """Returns whether a singular field has implicit presence: it is present if its value is not zero."""
    return not item.is_repeated and not item.has_presence


class Accessors:
    """Writes the accessors of `item`, which is field `index` of its message in the order of field numbers."""

    def __init__(self, context: Context, item: Type, field: Field, index: int) -> None:
        self.names, self.layout, self.item, self.field = context.names, context.layout, item, field
        self.message = self.names.type(item.containing_type)
        self.info = f"&{self.names.function(item.containing_type, 'info')}, {index}"
        self.offset = context.layout.fields[item.number]

    def _name(self, verb: str) -> str:
        return self.names.accessor(verb, self.item)

    @property
    def _value(self) -> str:
        """The C type of a scalar."""
        return c_type(self.names, self.item)

    def _from_slot(self, kind: str, arguments: str) -> str:
        """Returns the expression that reads a scalar. kind: read or list."""
        return from_slot(self.names, self.item, f"hw_{kind}_{reader(self.names, self.item)}({arguments})")

    @property
    def _bits(self) -> str:
        """The expression that converts a parameter `value` to the bits of a slot."""
        return bits_of(self.names, self.item, "value")

    def write(self) -> str:
        """Returns all functions of the field."""
        functions = self._repeated() if self.item.is_repeated else self._singular()
        if is_map(self.item):
            functions += map_accessors(self.names, self.item, self.message, self.info)
        functions.append(
            inline_function(
                "bool", self._name("clear"), f"{self.message} message", f"hw_message_clear(message.handle, {self.info})"
            )
        )
        return "\n".join([f"/* {self._declaration()} */", *functions])

    def _declaration(self) -> str:
        item = self.item
        kind = item.message_type or item.enum_type
        label = "repeated " if item.is_repeated else "required " if item.is_required else ""
        oneof = f", in oneof {item.containing_oneof.name}" if item.containing_oneof else ""
        return f"{label}{kind.full_name if kind else self.field.type.name.lower()} {item.name} = {item.number}{oneof}"

    # Singular fields

    @property
    def _has(self) -> str:
        if self.field.oneof is not None:
            return f"hw_read_case(message.handle, {self.layout.cases[self.field.oneof]}, {self.item.number})"
        return f"hw_read_has(message.handle, {self.layout.hasbits}, {self.field.hasbit})"

    def _singular(self) -> list[str]:
        item, message = self.item, f"{self.message} message"
        functions = []
        if item.has_presence:
            functions.append(inline_function("bool", self._name("has"), message, self._has))
        if item.message_type:
            return functions + self._singular_message()
        if self.field.type.is_reference:
            default = item.default_value
            default = literals.bytes_value(default.encode() if isinstance(default, str) else default)
            read = f"hw_read_bytes(message.handle, {self.offset}, {default})"
            return functions + [
                inline_function("struct hw_bytes", self._name("get"), message, self._if_set(read, default)),
                inline_function(
                    "bool",
                    self._name("set"),
                    f"{message}, const void *data, uint32_t length",
                    f"hw_message_set_bytes(message.handle, {self.info}, data, length)",
                ),
            ]
        read = self._from_slot("read", f"message.handle, {self.offset}")
        # The slot of an absent field is zero, except in a oneof. So only other defaults need the hasbit.
        if self.field.oneof is not None or literals.scalar(item, item.default_value) != literals.scalar(
            item, type(item.default_value)()
        ):
            default = literals.scalar(item, item.default_value)
            read = f"{self._has} ? {read} : {f'({self._value}){default}' if item.enum_type else default}"
        return functions + [
            inline_function(self._value, self._name("get"), message, read),
            inline_function(
                "bool",
                self._name("set"),
                f"{message}, {self._value} value",
                f"hw_message_set(message.handle, {self.info}, {self._bits})",
            ),
        ]

    def _if_set(self, read: str, absent: str) -> str:
        """Returns an expression that reads a reference, or gives `absent`. In a oneof it tests the case first, because
        other members use the slot, too."""
        return read if self.field.oneof is None else f"{self._has} ? {read} : {absent}"

    def _singular_message(self) -> list[str]:
        kind, message = self.names.type(self.item.message_type), f"{self.message} message"
        return [
            inline_function(
                kind,
                self._name("get"),
                message,
                f"({kind}){{{self._if_set(f'hw_read_message(message.handle, {self.offset})', 'NULL')}}}",
            ),
            inline_function(
                "bool",
                self._name("set"),
                f"{message}, {kind} value",
                f"hw_message_set_message(message.handle, {self.info}, value.handle)",
            ),
            inline_function(
                kind, self._name("mutable"), message, f"({kind}){{hw_message_mutable(message.handle, {self.info})}}"
            ),
        ]

    # Repeated fields

    def _repeated(self) -> list[str]:
        message, at = f"{self.message} message", "message.handle, {0}, index".format(self.offset)
        functions = [
            inline_function("uint32_t", self._name("count"), message, f"hw_list_count(message.handle, {self.offset})")
        ]
        indexed = f"{message}, uint32_t index"
        if self.item.message_type:
            kind = self.names.type(self.item.message_type)
            return functions + [
                inline_function(kind, self._name("get"), indexed, f"({kind}){{hw_list_message({at})}}"),
                inline_function(
                    kind,
                    self._name("mutable"),
                    indexed,
                    f"({kind}){{hw_message_mutable_at(message.handle, {self.info}, index)}}",
                ),
                inline_function(
                    kind, self._name("add"), message, f"({kind}){{hw_message_add_message(message.handle, {self.info})}}"
                ),
            ]
        if self.field.type.is_reference:
            content = "const void *data, uint32_t length"
            return functions + [
                inline_function("struct hw_bytes", self._name("get"), indexed, f"hw_list_bytes({at})"),
                inline_function(
                    "bool",
                    self._name("set"),
                    f"{indexed}, {content}",
                    f"hw_message_set_bytes_at(message.handle, {self.info}, index, data, length)",
                ),
                inline_function(
                    "bool",
                    self._name("add"),
                    f"{message}, {content}",
                    f"hw_message_add_bytes(message.handle, {self.info}, data, length)",
                ),
            ]
        return functions + [
            inline_function(self._value, self._name("get"), indexed, self._from_slot("list", at)),
            inline_function(
                "bool",
                self._name("set"),
                f"{indexed}, {self._value} value",
                f"hw_message_set_at(message.handle, {self.info}, index, {self._bits})",
            ),
            inline_function(
                "bool",
                self._name("add"),
                f"{message}, {self._value} value",
                f"hw_message_add(message.handle, {self.info}, {self._bits})",
            ),
        ]
