"""Builds the objects of the runtime in two arenas, for the model deserializer.

Backing arrays grow by doubling."""

from __future__ import annotations

import struct

from heapwire.heap import Region, Runtime
from heapwire.interface import FieldType
from heapwire.schema.blob import CompiledType
from heapwire.wire import Malformed

FIRST_CAPACITY = 4
"""Elements of the first backing array of a list."""
FIRST_BYTES = 16
"""Bytes of the first backing array of a list of unknown fields."""


class Builder:
    """Allocates objects from two arenas of a runtime, which it overwrites from their base on.

    Allocating raises Malformed with the status of the arena that is full."""

    def __init__(self, runtime: Runtime, fixed: Region, flexible: Region) -> None:
        self.runtime, self.fixed, self.flexible = runtime, fixed, flexible
        self.tops = {"fixed": fixed.base, "flexible": flexible.base}

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
        region.data[address - region.base : address - region.base + len(data)] = data

    def _load(self, address: int, size: int = 4) -> bytes:
        region = self._region(address)
        return bytes(region.data[address - region.base : address - region.base + size])

    def _word(self, address: int, value: int) -> None:
        self._store(address, struct.pack("<I", value & 0xFFFFFFFF))

    def _read_word(self, address: int) -> int:
        return int.from_bytes(self._load(address), "little")

    # Objects

    def _new_message(self, record: CompiledType, offset: int = 0) -> int:
        layout, constants = record.layout, self.runtime.interface.object
        at = self._allocate("fixed", layout.size, self.runtime.message_klass[record.message.index], offset)
        self._word(at + layout.memoized_size, constants["memo_unset"])
        self._word(at + layout.memoized_is_initialized, constants["memo_unset"])
        self._word(at + layout.unknown_fields, self.runtime.register("UNKNOWN_FIELDS"))
        return at

    def _byte_string(self, data: bytes, offset: int) -> int:
        constants = self.runtime.interface.object
        string = self._allocate(
            "fixed", constants["byte_string_size"], self.runtime.register("KLASS_BYTE_STRING"), offset
        )
        array = self._allocate(
            "fixed", constants["array_elements"] + len(data), self.runtime.register("KLASS_BYTE_ARRAY"), offset
        )
        self._word(string + constants["byte_string_bytes"], array)
        self._word(array + constants["array_length"], len(data))
        self._store(array + constants["array_elements"], data)
        return string

    def _append(self, slot: int, kind: FieldType, element: bytes, offset: int) -> None:
        """Adds an element to the list that the reference at `slot` names. Creates the list if necessary."""
        self._extend(slot, self.runtime.list_klasses(kind), kind.size, element, FIRST_CAPACITY, offset)

    def _keep(self, target: int, record: CompiledType, data: bytes, offset: int) -> None:
        """Adds bytes to the unknown fields of a message."""
        slot = target + record.layout.unknown_fields
        if self._read_word(slot) == self.runtime.register("UNKNOWN_FIELDS"):
            self._word(slot, 0)
        klasses = self.runtime.register("KLASS_BYTE_ARRAY_LIST"), self.runtime.register("KLASS_LIST_BYTE_ARRAY")
        self._extend(slot, klasses, 1, data, FIRST_BYTES, offset)
        self._mark(target, record, record.message.unknown_hasbit)

    def _mark(self, target: int, record: CompiledType, hasbit: int) -> None:
        word = target + record.layout.hasbits + 4 * (hasbit // 32)
        self._word(word, self._read_word(word) | 1 << hasbit % 32)

    def _extend(self, slot: int, klasses: tuple[int, int], size: int, elements: bytes, first: int, offset: int) -> None:
        """Adds elements of `size` bytes to the list at `slot`. `klasses` are those of the list and of its array."""
        constants = self.runtime.interface.object
        a_list = self._read_word(slot)
        if not a_list:
            a_list = self._allocate("fixed", constants["array_list_size"], klasses[0], offset)
            self._word(slot, a_list)
        count = self._read_word(a_list + constants["array_list_count"])
        array = self._read_word(a_list + constants["array_list_array"])
        capacity = self._read_word(array + constants["array_length"]) if array else 0
        after = count + len(elements) // size
        if after > capacity:
            while after > capacity:
                capacity = 2 * capacity or first
            larger = self._allocate("flexible", constants["array_elements"] + capacity * size, klasses[1], offset)
            self._word(larger + constants["array_length"], capacity)
            if array:
                self._store(
                    larger + constants["array_elements"], self._load(array + constants["array_elements"], count * size)
                )
            self._word(a_list + constants["array_list_array"], larger)
            array = larger
        self._store(array + constants["array_elements"] + count * size, elements)
        self._word(a_list + constants["array_list_count"], after)
