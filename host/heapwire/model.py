"""A deserializer in Python that builds the very objects the hardware builds.

A third implementation beside the unit and its software twin: it makes golden
vectors for hardware tests and proves the graph reader. It reads the compiled
schema, never the descriptor tables, so that a wrong table shows.

It does all that software does: a second occurrence of a singular message field is
merged into the first, groups are built. `Outcome.merged` and `as_unit` tell what a
unit may leave to software. Backing arrays grow by doubling.
"""
from __future__ import annotations

import struct
from dataclasses import dataclass

from heapwire.heap import Region, Runtime
from heapwire.interface import FieldType
from heapwire.schema.blob import TypeRecord
from heapwire.schema.types import Field
from heapwire.wire import END_GROUP, I32, I64, LEN, MAX_DEPTH, START_GROUP, VARINT, Input, Malformed, scalar

FIRST_CAPACITY = 4
"""Elements of the first backing array of a list."""


@dataclass
class Outcome:
    """Status name, input offset of an error, address of the root object, tops of the arenas.

    merged: a singular message field came more than once."""

    status: str
    offset: int
    root: int
    fixed_top: int
    flexible_top: int
    merged: bool


class Deserializer:
    """Builds objects in two arenas of a runtime.

    fixed, flexible: regions whose data is overwritten from their base on.
    max_depth: messages and groups open within the root at most; 0 and more than MAX_DEPTH mean MAX_DEPTH.
    as_unit: ends with UNSUPPORTED where a field is marked so."""

    def __init__(self, runtime: Runtime, fixed: Region, flexible: Region, max_depth: int = MAX_DEPTH, as_unit: bool = False) -> None:
        self.runtime, self.fixed, self.flexible = runtime, fixed, flexible
        self.max_depth = max_depth if 0 < max_depth <= MAX_DEPTH else MAX_DEPTH
        self.as_unit, self.merged = as_unit, False
        self.tops = {"fixed": fixed.base, "flexible": flexible.base}

    def run(self, data: bytes, type_index: int = 0) -> Outcome:
        """Parses `data` as a message of that type."""
        self.tops = {"fixed": self.fixed.base, "flexible": self.flexible.base}
        self.merged = False
        source = Input(data)
        try:
            root = self._new_message(self.runtime.schema.types[type_index])
            self._message(source, root, self.runtime.schema.types[type_index], 0)
            status, offset = "OK", 0
        except Malformed as error:
            root, status, offset = 0, error.status, error.offset
        return Outcome(status, offset, root, self.tops["fixed"], self.tops["flexible"], self.merged)

    # Memory

    def _allocate(self, arena: str, size: int, klass: int, offset: int = 0) -> int:
        region = self.fixed if arena == "fixed" else self.flexible
        at, alignment = self.tops[arena], self.runtime.interface.object["alignment"]
        size = -(-size // alignment) * alignment
        if size > region.limit - at:
            raise Malformed("FIXED_ARENA_FULL" if arena == "fixed" else "FLEXIBLE_ARENA_FULL", offset)
        self.tops[arena] = at + size
        self._store(at, bytes(size))
        constants = self.runtime.interface.object
        self._word(at + constants["mark"], self.runtime.register("MARK_PROTOTYPE"))
        self._word(at + constants["klass"], klass)
        return at

    def _region(self, address: int) -> Region:
        return self.fixed if self.fixed.base <= address < self.fixed.limit else self.flexible

    def _store(self, address: int, data: bytes) -> None:
        region = self._region(address)
        region.data[address - region.base:address - region.base + len(data)] = data

    def _load(self, address: int, size: int = 4) -> bytes:
        region = self._region(address)
        return bytes(region.data[address - region.base:address - region.base + size])

    def _word(self, address: int, value: int) -> None:
        self._store(address, struct.pack("<I", value & 0xFFFFFFFF))

    def _read_word(self, address: int) -> int:
        return int.from_bytes(self._load(address), "little")

    # Objects

    def _new_message(self, record: TypeRecord, offset: int = 0) -> int:
        layout, constants = record.layout, self.runtime.interface.object
        at = self._allocate("fixed", layout.size, self.runtime.message_klass[record.message.index], offset)
        self._word(at + layout.memoized_size, constants["memo_unset"])
        self._word(at + layout.memoized_is_initialized, constants["memo_unset"])
        self._word(at + layout.unknown_fields, self.runtime.register("UNKNOWN_FIELDS"))
        return at

    def _byte_string(self, data: bytes, offset: int) -> int:
        constants = self.runtime.interface.object
        string = self._allocate("fixed", constants["byte_string_size"],
                                self.runtime.register("KLASS_BYTE_STRING"), offset)
        array = self._allocate("fixed", constants["array_elements"] + len(data),
                               self.runtime.register("KLASS_BYTE_ARRAY"), offset)
        self._word(string + constants["byte_string_bytes"], array)
        self._word(array + constants["array_length"], len(data))
        self._store(array + constants["array_elements"], data)
        return string

    def _append(self, slot: int, kind: FieldType, element: bytes, offset: int) -> None:
        """Adds an element to the list that the reference at `slot` names, which is made if need be."""
        constants = self.runtime.interface.object
        list_klass, array_klass = self.runtime.list_klasses(kind)
        a_list = self._read_word(slot)
        if not a_list:
            a_list = self._allocate("fixed", constants["array_list_size"], list_klass, offset)
            self._word(slot, a_list)
        count = self._read_word(a_list + constants["array_list_count"])
        array = self._read_word(a_list + constants["array_list_array"])
        capacity = self._read_word(array + constants["array_length"]) if array else 0
        if count == capacity:
            capacity = 2 * capacity or FIRST_CAPACITY
            larger = self._allocate("flexible", constants["array_elements"] + capacity * kind.size, array_klass, offset)
            self._word(larger + constants["array_length"], capacity)
            if array:
                self._store(larger + constants["array_elements"],
                            self._load(array + constants["array_elements"], count * kind.size))
            self._word(a_list + constants["array_list_array"], larger)
            array = larger
        self._store(array + constants["array_elements"] + count * kind.size, element)
        self._word(a_list + constants["array_list_count"], count + 1)

    # Wire format

    def _message(self, source: Input, target: int, record: TypeRecord, depth: int, group: int = 0) -> None:
        """The fields up to the end of the input, or of the group of that number."""
        fields = {field.number: field for field in record.message.fields}
        while source.at < source.end:
            number, wire_type = source.key()
            if group and (number, wire_type) == (group, END_GROUP):
                return
            field = fields.get(number)
            if field is None or not self._matches(field, wire_type):
                self._skip(source, number, wire_type, depth)
            elif field.unsupported and self.as_unit:
                raise Malformed("UNSUPPORTED", source.origin)
            else:
                self._field(source, target, record, field, wire_type, depth)
        if group:
            raise Malformed("BAD_GROUP", source.end)

    @staticmethod
    def _matches(field: Field, wire_type: int) -> bool:
        packed = field.repeated and not field.type.is_reference and wire_type == LEN
        return wire_type == field.type.wire_type or packed

    def _field(self, source: Input, target: int, record: TypeRecord, field: Field, wire_type: int, depth: int) -> None:
        slot = target + record.layout.fields[field.number]
        start = source.origin
        if not field.type.is_reference and wire_type == LEN:
            self._packed(source, slot, field)
            return
        if field.sub_type is not None:
            existing = 0 if field.repeated else self._read_word(slot)
            element = struct.pack("<I", self._sub_message(source, field, existing, wire_type == START_GROUP, depth + 1))
        elif field.type.is_reference:
            element = struct.pack("<I", self._byte_string(source.take(source.length()), start))
        else:
            element = scalar(field.type, source)
        if field.repeated:
            self._append(slot, field.type, element, start)
        else:
            self._store(slot, element)
            word = target + record.layout.hasbits + 4 * (field.hasbit // 32)
            self._word(word, self._read_word(word) | 1 << field.hasbit % 32)

    def _sub_message(self, source: Input, field: Field, existing: int, is_group: bool, depth: int) -> int:
        """Address of a message or group, read into the object `existing` unless that is 0."""
        start = source.origin
        length = 0 if is_group else source.length()
        if depth > self.max_depth:
            raise Malformed("DEPTH_EXCEEDED", start)
        child = self.runtime.schema.types[field.sub_type]
        self.merged |= bool(existing)
        address = existing or self._new_message(child, start)
        if is_group:
            self._message(source, address, child, depth, field.number)
            return address
        outer, source.end = source.end, source.at + length
        self._message(source, address, child, depth)
        source.end = outer
        return address

    def _packed(self, source: Input, slot: int, field: Field) -> None:
        start, length = source.origin, source.length()
        outer, source.end = source.end, source.at + length
        while source.at < source.end:
            source.origin = source.at
            self._append(slot, field.type, scalar(field.type, source), start)
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
