"""A deserializer in Python that builds exactly the objects that the hardware builds.

It is a third implementation beside the unit and the codec. It reads the compiled schema, never the descriptor
tables, so that a wrong table is detected.

It does everything that software does. With `as_unit` it stops where a unit leaves the rest to software."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from heapwire.heap import Region, Runtime
from heapwire.model_objects import Builder
from heapwire.schema.blob import CompiledType
from heapwire.schema.types import Field
from heapwire.wire import END_GROUP, I32, I64, LEN, MAX_DEPTH, START_GROUP, VARINT, Input, Malformed, scalar, varint


@dataclass
class Outcome:
    """Status name, input offset of an error, address of the root object, tops of the arenas."""

    status: str
    offset: int
    root: int
    fixed_top: int
    flexible_top: int


class Deserializer(Builder):
    """Builds objects in two arenas of a runtime.

    fixed, flexible: regions whose data is overwritten from their base on. max_depth: how many messages and groups may
    be open within the root; 0 and values above MAX_DEPTH mean MAX_DEPTH. as_unit: ends with UNSUPPORTED at a field
    marked unsupported, and at an undeclared number of a closed enum in a packed field or a map entry. It also ends with
    MISSING_REQUIRED at the end of each incomplete message; software checks required fields only after all input is
    read."""

    def __init__(
        self, runtime: Runtime, fixed: Region, flexible: Region, max_depth: int = MAX_DEPTH, as_unit: bool = False
    ) -> None:
        super().__init__(runtime, fixed, flexible)
        self.max_depth = max_depth if 0 < max_depth <= MAX_DEPTH else MAX_DEPTH
        self.as_unit = as_unit

    def run(self, data: bytes | Input, type_index: int = 0) -> Outcome:
        """Parses `data` as a message of that type."""
        self.tops = {"fixed": self.fixed.base, "flexible": self.flexible.base}
        source = data if isinstance(data, Input) else Input(data)
        try:
            root = self._new_message(self.runtime.schema.types[type_index])
            self._message(source, root, self.runtime.schema.types[type_index], 0)
            self._check_tree(root, self.runtime.schema.types[type_index], len(source.data))
            status, offset = "OK", 0
        except Malformed as error:
            root, status, offset = 0, error.status, error.offset
        return Outcome(status, offset, root, self.tops["fixed"], self.tops["flexible"])

    def _check_tree(self, address: int, record: CompiledType, offset: int) -> None:
        """Checks the required fields of a message and of all messages that it reaches. Of a map's entries only the last
        of each key counts."""
        if not record.message.has_required:
            return
        self._check_required(address, record, offset)
        constants = self.runtime.interface.object
        for field in record.message.fields:
            slot = self._read_word(address + record.layout.fields[field.number])
            if field.sub_type is None or not slot or not self._is_set(address, record, field):
                continue
            children = [slot]
            if field.repeated:
                count, array = (
                    self._read_word(slot + constants[name]) for name in ("array_list_count", "array_list_array")
                )
                children = [self._read_word(array + constants["array_elements"] + 4 * i) for i in range(count)]
            child_type = self.runtime.schema.types[field.sub_type]
            if child_type.message.map_entry:
                children = {self._key(child, child_type): child for child in children}.values()
            for child in children:
                self._check_tree(child, child_type, offset)

    def _key(self, entry: int, record: CompiledType) -> bytes:
        """Returns the key of a map entry: the bytes of its slot, or those of a string."""
        field, constants = record.message.field(1), self.runtime.interface.object
        slot = self._load(entry + record.layout.fields[1], field.type.size)
        string = int.from_bytes(slot, "little") if field.type.is_reference else 0
        if not string:
            return b"" if field.type.is_reference else slot
        array = self._read_word(string + constants["byte_string_bytes"])
        return self._load(array + constants["array_elements"], self._read_word(array + constants["array_length"]))

    def _check_required(self, address: int, record: CompiledType, offset: int) -> None:
        needed = (1 << record.message.required_count) - 1
        words = (record.message.required_count + 31) // 32
        bits = int.from_bytes(self._load(address + record.layout.hasbits, 4 * words), "little")
        if bits & needed != needed:
            raise Malformed("MISSING_REQUIRED", offset)

    def _message(self, source: Input, target: int, record: CompiledType, depth: int, group: int = 0) -> None:
        """Reads fields up to the end of the input, or of the group with that number."""
        fields = {field.number: field for field in record.message.fields}
        while source.at < source.end:
            number, wire_type = source.key()
            start = source.origin
            if group and (number, wire_type) == (group, END_GROUP):
                group = 0
                break
            field = fields.get(number)
            if field is None or not self._matches(field, wire_type):
                self._skip(source, number, wire_type, depth)
                self._keep(target, record, source.data[start : source.at], start)
            elif field.unsupported and self.as_unit:
                raise Malformed("UNSUPPORTED", start)
            elif not self._field(source, target, record, field, wire_type, depth):
                self._keep(target, record, source.data[start : source.at], start)
        if group:
            raise Malformed("BAD_GROUP", source.end)
        if self.as_unit:
            self._check_required(target, record, source.at)

    @staticmethod
    def _matches(field: Field, wire_type: int) -> bool:
        packed = field.repeated and not field.type.is_reference and wire_type == LEN
        return wire_type == field.type.wire_type or packed

    def _field(
        self, source: Input, target: int, record: CompiledType, field: Field, wire_type: int, depth: int
    ) -> bool:
        """Reads a known field. Returns false if its value turns out to be unknown: it was read, and nothing was
        stored."""
        slot = target + record.layout.fields[field.number]
        start = source.origin
        if not field.type.is_reference and wire_type == LEN:
            self._packed(source, slot, target, record, field)
            return True
        if field.sub_type is not None:
            existing = 0 if field.repeated or not self._is_set(target, record, field) else self._read_word(slot)
            address = self._sub_message(source, field, existing, wire_type == START_GROUP, depth + 1)
            if not address:
                return False
            element = struct.pack("<I", address)
        elif field.type.is_reference:
            data = source.take(source.length())
            if field.check_utf8 and not _is_utf8(data):
                raise Malformed("INVALID_UTF8", start)
            element = struct.pack("<I", self._byte_string(data, start))
        else:
            element = scalar(field.type, source)
            if not self._declared(field, element, start, record.message.map_entry):
                return False
        if field.repeated:
            self._append(slot, field.type, element, start)
        else:
            self._store(slot, element)
            if field.oneof is not None:
                self._word(target + record.layout.cases[field.oneof], field.number)
        self._mark(target, record, field.hasbit)
        return True

    def _is_set(self, target: int, record: CompiledType, field: Field) -> bool:
        """Returns whether the slot holds a value of this field, not of another member of its oneof."""
        return field.oneof is None or self._read_word(target + record.layout.cases[field.oneof]) == field.number

    def _declared(self, field: Field, element: bytes, offset: int, not_in_unit: bool) -> bool:
        """Returns whether an element may be stored: a closed enum accepts only its own numbers. not_in_unit: units do
        not keep other numbers here."""
        if field.enum_range is None:
            return True
        declared = int.from_bytes(element, "little", signed=True) in field.enum_values
        if not declared and not_in_unit and self.as_unit:
            raise Malformed("UNSUPPORTED", offset)
        return declared

    def _sub_message(self, source: Input, field: Field, existing: int, is_group: bool, depth: int) -> int:
        """Returns the address of a message or group, read into the object `existing` unless that is 0. Returns 0 for a
        map entry whose value is an undeclared number of its closed enum."""
        start = source.origin
        length = 0 if is_group else source.length()
        if depth > self.max_depth:
            raise Malformed("DEPTH_EXCEEDED", start)
        child = self.runtime.schema.types[field.sub_type]
        address = existing or self._new_message(child, start)
        if is_group:
            self._message(source, address, child, depth, field.number)
            return address
        outer, source.end = source.end, source.at + length
        self._message(source, address, child, depth)
        source.end = outer
        if child.message.map_entry and self._entry_is_unknown(address, child):
            return 0
        return address

    def _entry_is_unknown(self, address: int, record: CompiledType) -> bool:
        value = record.message.field(2)
        kept = self._read_word(address + record.layout.unknown_fields)
        if value.enum_range is None or kept == self.runtime.register("UNKNOWN_FIELDS"):
            return False
        constants = self.runtime.interface.object
        array = self._read_word(kept + constants["array_list_array"])
        data = self._load(array + constants["array_elements"], self._read_word(kept + constants["array_list_count"]))
        source, value_is_unknown = Input(data), False
        while source.at < source.end:
            number, wire_type = source.key()
            self._skip(source, number, wire_type, 0)
            value_is_unknown |= (number, wire_type) == (2, VARINT)
        return value_is_unknown

    def _packed(self, source: Input, slot: int, target: int, record: CompiledType, field: Field) -> None:
        start, length = source.origin, source.length()
        outer, source.end = source.end, source.at + length
        while source.at < source.end:
            source.origin = source.at
            element = scalar(field.type, source)
            if self._declared(field, element, source.origin, True):
                self._append(slot, field.type, element, start)
                self._mark(target, record, field.hasbit)
            else:
                value = int.from_bytes(element, "little", signed=True)
                self._keep(target, record, varint(field.number << 3 | VARINT) + varint(value), start)
        source.end = outer

    def _skip(self, source: Input, number: int, wire_type: int, depth: int) -> None:
        if wire_type == VARINT:
            source.varint()
        elif wire_type == I64:
            source.take(8)
        elif wire_type == I32:
            source.take(4)
        elif wire_type == LEN:
            source.take(source.length())
        elif wire_type == START_GROUP:
            self._skip_group(source, number, depth + 1)
        else:
            raise Malformed("BAD_GROUP", source.origin)

    def _skip_group(self, source: Input, number: int, depth: int) -> None:
        if depth > self.max_depth:
            raise Malformed("DEPTH_EXCEEDED", source.origin)
        while source.at < source.end:
            inner_number, wire_type = source.key()
            if wire_type == END_GROUP and inner_number == number:
                return
            self._skip(source, inner_number, wire_type, depth)
        raise Malformed("BAD_GROUP", source.end)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
