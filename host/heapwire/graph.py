"""Reads a managed object graph back from memory, trusting nothing.

Every object is checked. It must lie whole in one arena, be aligned, have the expected mark and class word, and overlap
no other object. Every byte that no slot covers must be zero. The result is a tree of Python values to compare. Time and
stack are bounded whatever the memory holds: each object is read once, messages nest at most MAX_DEPTH deep, and all
objects together fit into the arenas."""

from __future__ import annotations

from dataclasses import dataclass, field

from base.errors import HeapwireError
from heapwire.heap import Region, Runtime
from heapwire.interface import FieldType
from heapwire.schema.blob import CompiledType
from heapwire.schema.layout import SLOT
from heapwire.schema.types import Field
from heapwire.wire import MAX_DEPTH

_VIEW = "owner", "offset", "length"


class GraphError(HeapwireError):
    """A malformed object. `path` leads to it from the root."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path, self.problem = path, problem


@dataclass
class Node:
    """A message object.

    present: numbers of the singular fields that are set, by their hasbit or by the case word of their oneof. unknown:
    the bytes of the unknown fields. fields: values by number. Absent references, lists and members of oneofs are None.
    Integers and bools are Python's, floats and doubles are their bits, strings and bytes are `bytes`, messages are
    Nodes."""

    record: CompiledType
    address: int
    unknown: bytes = b""
    present: set[int] = field(default_factory=set)
    fields: dict[int, object] = field(default_factory=dict)


def _value(kind: FieldType, raw: bytes) -> int | bool:
    """Returns the value of a scalar slot. Floats stay bits."""
    if kind.name == "BOOL":
        return raw != b"\0"
    signed = kind.name in ("INT32", "INT64", "SINT32", "SINT64", "SFIXED32", "SFIXED64", "ENUM")
    return int.from_bytes(raw, "little", signed=signed)


class GraphReader:
    """Reads objects out of the two arenas. Either region may end at the arena's top. source: the input, in which
    strings may have been left."""

    def __init__(self, runtime: Runtime, fixed: Region, flexible: Region, source: Region | None = None) -> None:
        self.runtime, self.fixed, self.flexible, self.source = runtime, fixed, flexible, source
        self.constants = runtime.interface.object
        self.extents: list[tuple[int, int, str]] = []
        self.seen: dict[int, str] = {}
        self.depth = self.object_bytes = 0

    def read(self, root: int, type_index: int = 0) -> Node:
        """Returns the message object at `root`. Sets `object_bytes` to the bytes of all objects.

        Raises GraphError at the first fault."""
        self.extents, self.seen = [], {}
        self.depth = self.object_bytes = 0
        node = self._message(root, self.runtime.schema.types[type_index], "root")
        self.extents.sort()
        for (base, limit, path), (other, _, other_path) in zip(self.extents, self.extents[1:]):
            if other < limit:
                raise GraphError(other_path, f"overlaps the object of {path} at {base:#x}")
        return node

    # Raw access

    def _object(self, address: int, size: int, klass: int, region: Region, path: str) -> bytes:
        """Returns the bytes of an object of that size, after checking its header."""
        alignment = self.constants["alignment"]
        rounded = -(-size // alignment) * alignment
        if address == 0:
            raise GraphError(path, "null where an object must be")
        if address % alignment:
            raise GraphError(path, f"object at {address:#x} is not aligned to {alignment}")
        if not region.base <= address <= region.limit - rounded:
            raise GraphError(
                path,
                f"object at {address:#x} of {rounded} bytes lies outside the {region.name} "
                f"arena {region.base:#x} .. {region.limit:#x}",
            )
        data = bytes(region.data[address - region.base : address - region.base + rounded])
        mark, word = self._word(data, self.constants["mark"]), self._word(data, self.constants["klass"])
        if mark != self.runtime.register("MARK_PROTOTYPE"):
            raise GraphError(
                path, f"mark word {mark:#x} at {address:#x}, not {self.runtime.register('MARK_PROTOTYPE'):#x}"
            )
        if word != klass:
            raise GraphError(path, f"class word {word:#x} at {address:#x}, not {klass:#x}")
        if any(data[size:]):
            raise GraphError(path, f"bytes after the object at {address:#x} are not zero")
        if address in self.seen:
            raise GraphError(path, f"overlaps the object of {self.seen[address]} at {address:#x}: it is the same one")
        self.seen[address] = path
        self.object_bytes += rounded
        if self.object_bytes > len(self.fixed.data) + len(self.flexible.data):
            raise GraphError(path, "overlaps another object: there are more bytes of objects than of arenas")
        self.extents.append((address, address + rounded, path))
        return data

    @staticmethod
    def _word(data: bytes, offset: int) -> int:
        return int.from_bytes(data[offset : offset + SLOT], "little")

    # Objects

    def _message(self, address: int, record: CompiledType, path: str) -> Node:
        layout, message = record.layout, record.message
        if self.depth > MAX_DEPTH:
            raise GraphError(path, f"messages nest deeper than {MAX_DEPTH}")
        self.depth += 1
        data = self._object(address, layout.size, self.runtime.message_klass[message.index], self.fixed, path)
        if layout.cleared:
            data = self._as_if_cleared(data, record)
        self._check_fixed_slots(data, record, path)
        node = Node(record, address, self._unknown(self._word(data, layout.unknown_fields), path))
        covered = bytearray(layout.size)
        start = layout.unknown_fields + SLOT * (1 + len(layout.cases))
        covered[:start] = b"\1" * start
        for item in message.fields:
            offset, size = layout.fields[item.number], SLOT if item.repeated else item.type.size
            raw = data[offset : offset + size]
            where = f"{path}.{item.name}"
            if item.oneof is None:
                covered[offset : offset + size] = b"\1" * size
            else:  # the slot is as large as the largest member, and keeps its old content
                shared = max(f.type.size for f in message.fields if layout.fields[f.number] == offset)
                covered[offset : offset + shared] = b"\1" * shared
            has = bool(self._word(data, layout.hasbits + 4 * (item.hasbit // 32)) >> item.hasbit % 32 & 1)
            if item.repeated:
                node.fields[item.number] = self._list(self._word(raw, 0), item, where)
                if has and node.fields[item.number] is None:
                    raise GraphError(where, "its hasbit is set but it has no list")
                continue
            if item.oneof is not None:
                case = self._word(data, layout.cases[item.oneof])
                self._check_case(record, item, case, has, path)
                if case == item.number:
                    node.present.add(item.number)
                    node.fields[item.number] = self._element(item, raw, where)
                else:
                    node.fields[item.number] = None
                    if not case and any(raw):
                        raise GraphError(where, f"its oneof was never set but its slot holds {raw.hex()}")
            elif has:
                node.present.add(item.number)
                node.fields[item.number] = self._element(item, raw, where)
            elif any(raw):
                raise GraphError(where, f"absent (no hasbit) but its slot holds {raw.hex()}")
            else:
                node.fields[item.number] = None if item.type.is_reference else _value(item.type, raw)
        for offset in range(layout.size):
            if not covered[offset] and data[offset]:
                raise GraphError(path, f"the unused byte at offset {offset} is {data[offset]:#x}")
        self.depth -= 1
        return node

    def _as_if_cleared(self, data: bytes, record: CompiledType) -> bytes:
        """Returns an object that was not cleared as a whole, with zeros where nothing was stored."""
        layout = record.layout
        result = bytearray(data[: layout.cleared]).ljust(len(data), b"\0")
        for item in record.message.fields:
            here = item.oneof is None or self._word(data, layout.cases[item.oneof]) == item.number
            if here and self._word(data, layout.hasbits + 4 * (item.hasbit // 32)) >> item.hasbit % 32 & 1:
                start = layout.fields[item.number]
                end = start + (SLOT if item.repeated else item.type.size)
                result[start:end] = data[start:end]
        return bytes(result)

    def _check_fixed_slots(self, data: bytes, record: CompiledType, path: str) -> None:
        layout = record.layout
        unset = self.constants["memo_unset"] & 0xFFFFFFFF
        for name, offset, expected in (
            ("memoizedSize", layout.memoized_size, unset),
            ("memoizedIsInitialized", layout.memoized_is_initialized, unset),
        ):
            if self._word(data, offset) != expected:
                raise GraphError(path, f"{name} is {self._word(data, offset):#x}, not {expected:#x}")
        bits = int.from_bytes(data[layout.hasbits : layout.hasbits + 4 * layout.hasbits_words], "little")
        if bits >> record.message.hasbit_count:
            raise GraphError(path, f"hasbits {bits:#x} has bits beyond its {record.message.hasbit_count}")
        singleton = self._word(data, layout.unknown_fields) == self.runtime.register("UNKNOWN_FIELDS")
        if bits >> record.message.unknown_hasbit and singleton:
            raise GraphError(path, "the hasbit of the unknown fields is set but there are none")

    @staticmethod
    def _check_case(record: CompiledType, item: Field, case: int, has: bool, path: str) -> None:
        """Checks that either the case word names a member of the oneof and the oneof's hasbit is set, or neither."""
        members = {member.number for member in record.message.fields if member.oneof == item.oneof}
        if case and case not in members:
            raise GraphError(
                path, f"the case of oneof {record.message.oneofs[item.oneof]} is {case}, no member's number"
            )
        if has != bool(case):
            raise GraphError(
                path, f"the hasbit of oneof {record.message.oneofs[item.oneof]} is {int(has)}, its case {case}"
            )

    def _unknown(self, address: int, path: str) -> bytes:
        """Returns the bytes of a list of unknown fields."""
        if address == self.runtime.register("UNKNOWN_FIELDS"):
            return b""
        klasses = self.runtime.register("KLASS_BYTE_ARRAY_LIST"), self.runtime.register("KLASS_LIST_BYTE_ARRAY")
        count, content = self._list_content(address, klasses, 1, f"{path}.unknownFields")
        return content[:count]

    def _element(self, item: Field, raw: bytes, path: str) -> object:
        if item.sub_type is not None:
            return self._message(self._word(raw, 0), self.runtime.schema.types[item.sub_type], path)
        if item.type.is_reference:
            return self._byte_string(self._word(raw, 0), path)
        if item.type.name == "BOOL" and raw not in (b"\0", b"\1"):
            raise GraphError(path, f"a bool slot holds {raw.hex()}")
        return _value(item.type, raw)

    def _byte_string(self, address: int, path: str) -> bytes:
        if self.source is not None and self._is_view(address):
            return self._view(address, path)
        data = self._object(
            address, self.constants["byte_string_size"], self.runtime.register("KLASS_BYTE_STRING"), self.fixed, path
        )
        if self._word(data, self.constants["byte_string_hash"]):
            raise GraphError(path, "the hash of a fresh byte string is not 0")
        array = self._word(data, self.constants["byte_string_bytes"])
        klass = self.runtime.register("KLASS_BYTE_ARRAY")
        length, content = self._array(array, klass, 1, self.fixed, f"{path}.bytes")
        return content[:length]

    def _is_view(self, address: int) -> bool:
        at = address - self.fixed.base + self.constants["byte_string_bytes"]
        return self.constants["byte_view_mark"] == int.from_bytes(self.fixed.data[max(at, 0) : at + SLOT], "little")

    def _view(self, address: int, path: str) -> bytes:
        """Returns the bytes of a string that was left in the input. The byte array whose elements the input is owns it,
        or nobody does."""
        klass = self.runtime.register("KLASS_BYTE_VIEW")
        data = self._object(address, self.constants["byte_view_size"], klass, self.fixed, path)
        owner, offset, length = (self._word(data, self.constants[f"byte_view_{name}"]) for name in _VIEW)
        if owner not in (0, self.source.base - self.constants["array_elements"]):
            raise GraphError(path, f"the owner of a view is {owner:#x}")
        start = offset if owner else offset - self.source.base
        if not 0 <= start <= start + length <= len(self.source.data):
            raise GraphError(path, f"a view's {length} bytes at {offset:#x} do not lie in the input")
        return bytes(self.source.data[start : start + length])

    def _array(self, address: int, klass: int, size: int, region: Region, path: str) -> tuple[int, bytes]:
        """Returns the length of an array and the bytes of its elements."""
        at = address - region.base + self.constants["array_length"]
        if not 0 <= at <= len(region.data) - 4:
            raise GraphError(path, f"array at {address:#x} lies outside the {region.name} arena")
        length = self._word(bytes(region.data[at : at + 4]), 0)
        data = self._object(address, self.constants["array_elements"] + length * size, klass, region, path)
        if any(data[self.constants["array_length"] + SLOT : self.constants["array_elements"]]):
            raise GraphError(path, "the padding after an array's length is not zero")
        return length, data[self.constants["array_elements"] : self.constants["array_elements"] + length * size]

    def _list(self, address: int, item: Field, path: str) -> list[object] | None:
        if not address:
            return None
        size = item.type.size
        count, elements = self._list_content(address, self.runtime.list_klasses(item.type), size, path)
        return [self._element(item, elements[i * size : (i + 1) * size], f"{path}[{i}]") for i in range(count)]

    def _list_content(self, address: int, klasses: tuple[int, int], size: int, path: str) -> tuple[int, bytes]:
        """Returns the element count of an array list, and the bytes of its array."""
        data = self._object(address, self.constants["array_list_size"], klasses[0], self.fixed, path)
        count = self._word(data, self.constants["array_list_count"])
        array = self._word(data, self.constants["array_list_array"])
        if not array and not count:
            return 0, b""
        length, elements = self._array(array, klasses[1], size, self.flexible, f"{path}.array")
        if count > length:
            raise GraphError(path, f"counts {count} elements in an array of {length}")
        if any(elements[count * size :]):
            raise GraphError(path, "elements beyond the count are not zero")
        return count, elements
