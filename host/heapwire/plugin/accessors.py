"""Writes the accessors of one field, as C inline functions. Templates have a function a line: RESULT VERB(PARAMETERS) =
EXPRESSION."""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import Template
from typing import Callable

from google.protobuf.descriptor import FieldDescriptor as Type

from heapwire.plugin import scalars
from heapwire.plugin.names import Names, is_map
from heapwire.schema.layout import Layout
from heapwire.schema.types import Field, MessageType

_MESSAGE = """
$kind get($this) = ($kind){$read}
bool set($this, $kind value) = hw_message_set_message($field, value.handle)
$kind mutable($this) = ($kind){$mutable}
"""
_BYTES = """
struct hw_bytes get($this) = $read
bool set($this, $content) = $write
"""
_STRING = """
struct hw_bytes get($this) = $read
bool setn($this, $content) = $write
bool set($this, const char *text) = $call_setn(message, text, hw_text_length(text))
"""
_SCALAR = """
$value get($this) = $read
bool set($this, $value value) = $write
"""
_COUNT = "uint32_t count($this) = hw_list_count($slot)"
_MESSAGES = """
$kind get($this, uint32_t index) = ($kind){hw_list_message($slot, index)}
$kind mutable($this, uint32_t index) = ($kind){hw_message_mutable_at($field, index)}
$kind add($this) = ($kind){hw_message_add_message($field)}
$kind insert($this, uint32_t index) = ($kind){hw_message_insert_message($field, index)}
"""
_BYTES_LIST = """
struct hw_bytes get($this, uint32_t index) = hw_list_bytes($slot, index)
bool set($this, uint32_t index, $content) = hw_message_set_bytes_at($field, index, data, length)
bool add($this, $content) = hw_message_add_bytes($field, data, length)
bool insert($this, uint32_t index, $content) = hw_message_insert_bytes($field, index, data, length)
"""
_STRINGS = """
struct hw_bytes get($this, uint32_t index) = hw_list_bytes($slot, index)
bool setn($this, uint32_t index, $content) = hw_message_set_bytes_at($field, index, data, length)
bool set($this, uint32_t index, const char *text) = $call_setn(message, index, text, hw_text_length(text))
bool addn($this, $content) = hw_message_add_bytes($field, data, length)
bool add($this, const char *text) = $call_addn(message, text, hw_text_length(text))
bool insertn($this, uint32_t index, $content) = hw_message_insert_bytes($field, index, data, length)
bool insert($this, uint32_t index, const char *text) = $call_insertn(message, index, text, hw_text_length(text))
"""
_SCALARS = """
$value get($this, uint32_t index) = $read
bool set($this, uint32_t index, $value value) = hw_message_set_at($field, index, $bits)
bool add($this, $value value) = hw_message_add($field, $bits)
bool insert($this, uint32_t index, $value value) = hw_message_insert($field, index, $bits)
"""
_REMOVE = "bool remove($this, uint32_t index) = hw_message_remove_at($field, index)"
_MAP = """
uint32_t size($this) = hw_map_size($field)
uint32_t next($this, uint32_t index) = hw_map_next($field, index)
bool contains$n($this, $key) = $found != NULL
bool remove$n($this, $key) = hw_map_remove($entry)
"""
_MAP_OF_MESSAGES = """
$kind lookup$n($this, $key) = ($kind){hw_map_value_message($found, $at)}
$kind put$n($this, $key) = ($kind){hw_map_mutable($entry)}
"""
_MAP_OF_BYTES = """
struct hw_bytes lookup$n($this, $key) = hw_map_value_bytes($found, $at)
bool put$put_n($this, $key, $content) = $put_bytes
"""
_MAP_OF_SCALARS = """
$value lookup$n($this, $key) = $read
bool put$n($this, $key, $value value) = $put_bits$bits$put_end
"""
_MAP_BY_TEXT = """
bool contains($this, const char *key) = $call_containsn(message, key, hw_text_length(key))
bool remove($this, const char *key) = $call_removen(message, key, hw_text_length(key))
$got lookup($this, const char *key) = $call_lookupn(message, key, hw_text_length(key))
"""
_CLEAR = "bool clear($this) = $clear"
_CONTENT = "const void *data, uint32_t length"


def functions(template: str, identifier: Callable[[str], str], **values: str) -> list[str]:
    """Returns the functions of a template. identifier: gives a function's name by its verb. values: what the names
    behind `$` stand for, beside `$content` and, as `$call_VERB`, the functions above in the template."""
    written = []
    values = dict(values)
    for line in template.strip().splitlines():
        result, verb, rest = re.fullmatch(r"(.+?[ *])([\w$]+)(\(.*?\) = .+)", line).groups()
        verb = Template(verb).substitute(values)
        values[f"call_{verb}"] = identifier(verb)
        parameters, _, expression = rest.partition(" = ")
        result, parameters, expression = (
            Template(part).substitute(values, content=_CONTENT) for part in (result, parameters, expression)
        )
        written.append(f"static inline {result}{identifier(verb)}{parameters}\n{{\n    return {expression};\n}}\n")
    return written


@dataclass(frozen=True)
class Laid:
    """A message type with the layout of its objects."""

    message: MessageType
    layout: Layout


class Accessors:
    """Writes the accessors of `item`, which is field `index` of its message in the order of field numbers. laid: the
    types of the file by full name."""

    def __init__(self, names: Names, laid: dict[str, Laid], item: Type, field: Field, index: int) -> None:
        self.names, self.laid, self.item, self.field, self.index = names, laid, item, field, index
        self.layout = layout = laid[item.containing_type.full_name].layout
        self.shared = {
            "this": f"{self.names.type(item.containing_type)} message",
            "field": f"message.handle, &{self.names.function(item.containing_type, 'info')}, {index}",
            "slot": f"message.handle, {layout.fields[item.number]}",
        }

    def write(self) -> str:
        """Returns all functions of the field."""
        written = self._repeated() if self.item.is_repeated else self._singular()
        if is_map(self.item):
            written += self._map()
        elif self.item.is_repeated:
            written += self._functions(_REMOVE)
        single = str(not self.item.is_repeated).lower()
        clear = f"hw_put_nothing(message.handle, {self._place}, {single})"
        if self.field.oneof is not None:
            clear = f"hw_message_clear({self.shared['field']})"
        written += self._functions(_CLEAR, clear=self._announced(clear))
        return "\n".join([f"/* {self._declaration()} */", *written])

    def _functions(self, template: str, **values: str) -> list[str]:
        return functions(template, lambda verb: self.names.accessor(verb, self.item), **self.shared, **values)

    def _declaration(self) -> str:
        item = self.item
        kind = item.message_type or item.enum_type
        label = "repeated " if item.is_repeated else "required " if item.is_required else ""
        oneof = f", in oneof {item.containing_oneof.name}" if item.containing_oneof else ""
        return f"{label}{kind.full_name if kind else self.field.type.name.lower()} {item.name} = {item.number}{oneof}"

    @property
    def _place(self) -> str:
        """Returns where an object has the field, as a struct hw_place."""
        layout, hasbit = self.layout, self.field.hasbit
        shift = 2 if self.field.is_reference else scalars.SHIFTS[scalars.reader(self.names, self.item)]
        word = layout.hasbits + hasbit // 32 * 4
        return (
            f"(struct hw_place){{{layout.fields[self.item.number]}, {shift}, {layout.memoized_size}, {word}, "
            f"{hasbit % 32}}}"
        )

    @property
    def _bits(self) -> str:
        return scalars.bits_of(self.names, self.item, "value")

    def _scalar(self, template: str, read: str, write: str = "") -> list[str]:
        kind = scalars.c_type(self.names, self.item)
        return self._functions(template, value=kind, read=read, write=write, bits=self._bits)

    def _read(self, kind: str, arguments: str) -> str:
        """Returns the expression that reads a scalar. kind: read or list."""
        raw = f"hw_{kind}_{scalars.reader(self.names, self.item)}({arguments})"
        return scalars.from_slot(self.names, self.item, raw)

    @property
    def _new(self) -> str:
        """Returns the arguments that describe a new message: its info, bytes, words of hasbits."""
        kind = self.item.message_type
        info = self.names.function(kind, "info")
        if kind.full_name in self.laid:
            layout = self.laid[kind.full_name].layout
            return f"&{info}, {layout.size}, {layout.hasbits_words}"
        return f"&{info}, {info}.object_size, {info}.hasbits_words"  # another file's, which may change alone

    def _announced(self, change: str) -> str:
        """Returns the expression of a change, which announces itself if it is that of a map entry's key."""
        is_key = self.item.containing_type.GetOptions().map_entry and self.item.number == 1
        return f"({change}) && hw_map_rekey()" if is_key else change

    @property
    def _has(self) -> str:
        if self.field.oneof is not None:
            return f"hw_read_case(message.handle, {self.layout.cases[self.field.oneof]}, {self.item.number})"
        return f"hw_read_has(message.handle, {self.layout.hasbits}, {self.field.hasbit})"

    def _if_set(self, read: str, absent: str) -> str:
        """Returns an expression that reads a reference, or gives `absent`. In a oneof it tests the case first, because
        other members use the slot, too."""
        return read if self.field.oneof is None else f"{self._has} ? {read} : {absent}"

    def _singular(self) -> list[str]:
        item, slot = self.item, self.shared["slot"]
        has = self._functions("bool has($this) = $has", has=self._has) if item.has_presence else []
        if item.message_type:
            read = self._if_set(f"hw_read_message({slot})", "NULL")
            mutable = f"hw_message_mutable({self.shared['field']})"
            if self.field.oneof is None:
                mutable = f"hw_put_mutable({self.shared['field']}, {self._place}, {self._new})"
            return has + self._functions(_MESSAGE, kind=self.names.type(item.message_type), read=read, mutable=mutable)
        default = item.default_value
        if self.field.type.is_reference:
            literal = scalars.bytes_literal(default.encode() if isinstance(default, str) else default)
            write = f"hw_put_bytes({self.shared['field']}, {self._place}, data, length)"
            if self.field.oneof is not None:
                write = f"hw_message_set_bytes({self.shared['field']}, data, length)"
            elif not item.has_presence:
                write = f"length != 0 ? {write} : hw_put_nothing(message.handle, {self._place}, true)"
            read = self._if_set(f"hw_read_bytes({slot}, {literal})", literal)
            template = _STRING if item.type == Type.TYPE_STRING else _BYTES
            return has + self._functions(template, read=read, write=self._announced(write))
        read, literal = self._read("read", slot), scalars.literal(item, default)
        # The slot of an absent field is zero, except in a oneof. So only other defaults need the hasbit.
        if self.field.oneof is not None or literal != scalars.literal(item, type(default)()):
            absent = f"({scalars.c_type(self.names, item)}){literal}" if item.enum_type else literal
            read = f"{self._has} ? {read} : {absent}"
        write = f"hw_put(message.handle, {self._place}, {self._bits}, true)"
        if self.field.oneof is not None:  # of another member the slot may hold a reference
            write = f"{self._has} ? {write} : hw_message_set({self.shared['field']}, {self._bits})"
        elif not item.has_presence:
            write = f"hw_put_implicit(message.handle, {self._place}, {self._bits})"
        return has + self._scalar(_SCALAR, read, write=self._announced(write))

    def _repeated(self) -> list[str]:
        count = self._functions(_COUNT)
        if self.item.message_type:
            template = _MESSAGES
            if is_map(self.item):  # of entries the order says nothing, and keys remove them
                template = "\n".join(line for line in _MESSAGES.splitlines() if " insert(" not in line)
            return count + self._functions(template, kind=self.names.type(self.item.message_type))
        if self.field.type.is_reference:
            return count + self._functions(_STRINGS if self.item.type == Type.TYPE_STRING else _BYTES_LIST)
        return count + self._scalar(_SCALARS, self._read("list", f"{self.shared['slot']}, index"))

    def _part(self, item: Type) -> str:
        """Returns where an entry has its key or its value, as a struct hw_map_part."""
        entry = self.laid[item.containing_type.full_name]
        field = next(field for field in entry.message.fields if field.number == item.number)
        shift = 2 if field.type.is_reference else scalars.SHIFTS[scalars.reader(self.names, item)]
        bytes_, implicit = (str(flag).lower() for flag in (self._is_bytes(item), not item.has_presence))
        return f"{{{entry.layout.fields[item.number]}, {shift}, {bytes_}, {field.hasbit}, {implicit}}}"

    def _map(self) -> list[str]:
        """Returns the functions of a map by key, beside those of the list of its entries."""
        names = self.names
        key, value = (self.item.message_type.fields_by_number[number] for number in (1, 2))
        by_bytes = self._is_bytes(key)
        wanted = "key, key_length" if by_bytes else scalars.bits_of(names, key, "key")
        kind = "bytes" if by_bytes else scalars.reader(names, key)
        entry = self.laid[self.item.message_type.full_name].layout
        list_at, key_at, value_at = self.layout.fields[self.item.number], entry.fields[1], entry.fields[2]
        packed = f"hw_map_key_{'bytes' if by_bytes else 'bits'}({wanted})"
        place = f"{{{list_at}, {entry.size}, {self._part(key)}, {self._part(value)}}}"
        info, entries = (
            f"&{names.function(kind, 'info')}" for kind in (self.item.containing_type, value.containing_type)
        )
        put = [
            f"hw_map_put({self.shared['field']}, {entries}, (struct hw_map_place){place}, {packed}, hw_map_key_",
            "(",
        ]
        if by_bytes:
            known = f"({{ static const struct hw_map map_ = {{{info}, {entries}, {self.index}, {place}}}; &map_; }})"
            put = ["hw_map_put_", f"(message.handle, {known}, key, key_length, "]
        end = ")" if by_bytes else "))"
        keyed = {
            "key": "const void *key, uint32_t key_length" if by_bytes else f"{scalars.c_type(names, key)} key",
            "entry": f"{self.shared['field']}, {packed}",
            "put_bytes": "bytes".join(put) + f"data, length{end}",
            "put_bits": "bits".join(put),
            "put_end": end,
            "found": f"hw_map_find_{kind}(message.handle, {list_at}, {key_at}, {wanted})",
            "at": str(value_at),
            "n": "n" * by_bytes,
            "put_n": "n" * (by_bytes or value.type == Type.TYPE_STRING),
        }
        return self._functions(_MAP, **keyed) + self._values(value, keyed) + self._by_text(key, value)

    def _values(self, value: Type, keyed: dict[str, str]) -> list[str]:
        """Returns the functions that get and put a map's values."""
        names = self.names
        if value.message_type is not None:
            return self._functions(_MAP_OF_MESSAGES, kind=names.type(value.message_type), **keyed)
        if value.type in (Type.TYPE_STRING, Type.TYPE_BYTES):
            return self._functions(_MAP_OF_BYTES, **keyed)
        kind, default = scalars.c_type(names, value), scalars.literal(value, value.default_value)
        raw = f"hw_map_value_{scalars.reader(names, value)}({keyed['found']}, {keyed['at']})"
        read = scalars.from_slot(names, value, raw)
        if default != scalars.literal(value, type(value.default_value)()):  # the first enumerator is not 0
            read = f"{keyed['found']} != NULL ? {read} : ({kind}){default}"
        bits = scalars.bits_of(names, value, "value")
        return self._functions(_MAP_OF_SCALARS, value=kind, read=read, bits=bits, **keyed)

    def _by_text(self, key: Type, value: Type) -> list[str]:
        """Returns the functions that take C strings for a map's keys and values."""
        names, text_key, text_value = self.names, key.type == Type.TYPE_STRING, value.type == Type.TYPE_STRING
        if not text_key and not text_value:
            return []
        kind = names.type(value.message_type) if value.message_type else None
        got = kind or ("struct hw_bytes" if self._is_bytes(value) else scalars.c_type(names, value))
        called = {
            f"call_{verb}n": names.accessor(f"{verb}n", self.item) for verb in ("contains", "remove", "lookup", "put")
        }
        parameters = ["const char *key" if text_key else f"{scalars.c_type(names, key)} key"]
        arguments = ["key, hw_text_length(key)" if text_key else "key"]
        if self._is_bytes(value):
            parameters.append("const char *text" if text_value else _CONTENT)
            arguments.append("text, hw_text_length(text)" if text_value else "data, length")
        elif not kind:
            parameters.append(f"{got} value")
            arguments.append("value")
        put = f"{kind or 'bool'} put($this, {', '.join(parameters)}) = $call_putn(message, {', '.join(arguments)})"
        return self._functions((_MAP_BY_TEXT if text_key else "") + put, got=got, **called)

    @staticmethod
    def _is_bytes(item: Type) -> bool:
        return item.type in (Type.TYPE_STRING, Type.TYPE_BYTES)
