"""Field instructions on an engine alone: `Parser` and `Printer` walk messages and objects as the core does, and leave
the values to the engine."""

from __future__ import annotations

import json
import random

from heapwire.heap import Region
from heapwire.interface import Interface
from heapwire.model import Deserializer
from heapwire.model_objects import Builder
from heapwire.schema.blob import TypeRecord
from heapwire.schema.types import Field, Presence
from heapwire.wire import LEN, Input
from sim.unit.process import Outcome, Unit
from tests.unit.engine import FIXED_BASE, FLEXIBLE_BASE, INPUT_BASE, OUTPUT_BASE, Bench
from tests.unit.harness import fence, fenced, sound

RAW, REPEATED, FLAG = 0, 1 << 5, 1 << 6
FAILED = 0xFFFF_FFFF
HEAP, MESSAGE = FIXED_BASE, 0x4A00_0000
"""Where objects that are written, and messages that are read into, begin."""


class Instructions:
    """The instructions by name, with random pauses before them."""

    def __init__(self, unit: Unit, interface: Interface, dice: random.Random) -> None:
        self.unit, self.interface, self.dice = unit, interface, dice
        names = json.loads(interface.path.read_text())
        self.kinds = {name: item["funct3"] for name, item in names["field_instructions"].items()}
        self.set_ups, self.checks = names["field_set_up"], names["field_check"]

    def _issue(self, kind: str, function: int, first: int, second: int, answers: bool = False) -> int:
        if self.dice.random() < 0.2:
            self.unit.wait(self.dice.randrange(60))
        return self.unit.instruction(self.kinds[kind], function, first, second, answers)

    def set_up(self, name: str, first: int = 0, second: int = 0) -> None:
        self._issue("seroutput", self.set_ups[name], first, second)

    def serfield(self, function: int, slot: int, number: int) -> None:
        self._issue("serfield", function, slot, number)

    def parfield(self, function: int, source: int, slot: int) -> int:
        return self._issue("parfield", function, source, slot, True)

    def check(self, name: str, size: int = 0) -> int:
        return self._issue("chksuccess", self.checks[name], size, 0, True)

    def status(self) -> str:
        """Ends the sequence, and returns its status."""
        return self.interface.status_name(self.check("STATUS"))

    def done(self) -> Outcome:
        """Checks that all kept to the rules since the sequence was opened."""
        outcome = self.unit.done()
        sound(outcome)
        return outcome

    def open_input(self, length: int, arena: int, skew: tuple[int, int, int] = (0, 0, 0)) -> tuple[int, int, int]:
        """Opens a sequence that reads. Returns the addresses of the input and the arenas."""
        source, fixed, flexible = (
            base + more for base, more in zip((INPUT_BASE, FIXED_BASE, FLEXIBLE_BASE), skew, strict=True)
        )
        self.unit.open(
            input=(source, source + length), fixed=(fixed, fixed + arena), flexible=(flexible, flexible + arena)
        )
        self.set_up("INPUT", source, source + length)
        self.set_up("FIXED", fixed, fixed + arena)
        self.set_up("FLEXIBLE", flexible, flexible + arena)
        return source, fixed, flexible

    def open_output(self, size: int, bound: int, limit: int) -> int:
        """Opens a sequence that writes. Returns the address of the output."""
        self.unit.open(output=(OUTPUT_BASE, OUTPUT_BASE + size), heap=(bound, limit))
        self.set_up("OUTPUT", OUTPUT_BASE, size)
        self.set_up("HEAP", bound, limit)
        return OUTPUT_BASE


class Parser(Deserializer):
    """A deserializer that reads keys and the lengths of messages, and makes messages, but lets an engine read the
    values and make strings and lists."""

    def __init__(self, bench: Bench, fields: Instructions) -> None:
        nothing = Region("none", 0, b"")
        super().__init__(bench.runtime, nothing, nothing)
        self.bench, self.unit, self.fields = bench, bench.unit, fields

    def parse(self, data: bytes, index: int, arena: int, skew: tuple[int, int, int]) -> Outcome:
        """Parses a message without unknown fields."""
        self.lists: set[int] = set()
        self.entered: list[tuple[int, int]] = []
        self.unit.load(INPUT_BASE + skew[0], data)
        areas = [(base + more, arena) for base, more in ((FIXED_BASE, skew[1]), (FLEXIBLE_BASE, skew[2]))]
        fence(self.unit, 0xA5, *areas)
        self.base, fixed, flexible = self.fields.open_input(len(data), arena, skew)
        record = self.runtime.schema.types[index]
        root = self._new_message(record)
        self._message(Input(data), root, record, 0)
        tops = self.fields.check("FIXED_TOP"), self.fields.check("FLEXIBLE_TOP")
        assert self.fields.status() == "OK"
        outcome = self.fields.done()
        outcome.results = (root, *tops, 0)
        fenced(self.unit, 0xA5, *areas)
        self.bench.fixed_region, self.bench.flexible_region = (fixed, tops[0] - fixed), (flexible, tops[1] - flexible)
        return outcome

    def _store(self, address: int, data: bytes) -> None:
        self.unit.load(address, data)

    def _load(self, address: int, size: int = 4) -> bytes:
        return self.unit.dump(address, size)

    def _allocate(self, arena: str, size: int, klass: int, offset: int = 0) -> int:
        at = self.fields.check("TAKE", size)
        assert at, "no room for a message"
        self._store(at, bytes(size))
        self._word(at + self.runtime.interface.object["mark"], self.runtime.register("MARK_PROTOTYPE"))
        self._word(at + self.runtime.interface.object["klass"], klass)
        return at

    def _message(self, source: Input, target: int, record: TypeRecord, depth: int, group: int = 0) -> None:
        self.entered.append((target, target + record.layout.size))
        self.fields.set_up("DESTINATION", *self.entered[-1])
        super()._message(source, target, record, depth, group)
        self.entered.pop()
        if self.entered:
            self.fields.set_up("DESTINATION", *self.entered[-1])

    def _field(self, source: Input, target: int, record: TypeRecord, field: Field, wire_type: int, depth: int) -> bool:
        if field.sub_type is not None:
            return super()._field(source, target, record, field, wire_type, depth)
        packed = wire_type == LEN and not field.type.is_reference
        start = source.at
        empty = packed and source.length() == 0
        after = self._parfield(
            field.type.code | REPEATED * field.repeated | FLAG * (packed or field.check_utf8),
            self.base + start,
            target + record.layout.fields[field.number],
        )
        source.at = after - self.base
        if field.oneof is not None:
            self._word(target + record.layout.cases[field.oneof], field.number)
        if not empty:
            self.lists.add(target + record.layout.fields[field.number])
            self._mark(target, record, field.hasbit)
        return True

    def _append(self, slot: int, kind, element: bytes, offset: int) -> None:
        self._parfield(
            self.runtime.interface.type_named["MESSAGE"].code | REPEATED, int.from_bytes(element, "little"), slot
        )
        self.lists.add(slot)

    def _parfield(self, function: int, source: int, slot: int) -> int:
        after = self.fields.parfield(function, source, slot | bool(function & REPEATED and slot in self.lists))
        assert after != FAILED, (hex(function), self.fields.check("AT") - self.base, self.fields.status())
        return after


class Printer(Builder):
    """Walks objects backwards, and lets an engine write their fields."""

    def __init__(self, bench: Bench, fields: Instructions) -> None:
        super().__init__(bench.runtime, bench.fixed, bench.flexible)
        self.bench, self.unit, self.fields = bench, bench.unit, fields

    def write(self, root: int, index: int, size: int) -> bytes:
        """Writes the objects into `size` bytes. Leaves the sequence open, and returns what has been written."""
        fence(self.unit, 0xA5, (OUTPUT_BASE, size))
        self.fields.open_output(size, self.bench.bound, self.bench.limit)
        self._put(self.runtime.schema.types[index], root)
        length = self.fields.check("LENGTH")
        fenced(self.unit, 0xA5, (OUTPUT_BASE, size))
        return self.unit.dump(OUTPUT_BASE + size - length, length) if length else b""

    def _put(self, record: TypeRecord, address: int) -> None:
        unknown = address + record.layout.unknown_fields
        if self._read_word(unknown) != self.runtime.register("UNKNOWN_FIELDS"):
            self.fields.serfield(RAW, unknown, 0)
        for field in sorted(record.message.fields, key=lambda field: -field.number):
            slot = address + record.layout.fields[field.number]
            if not self._present(record, address, field):
                continue
            if field.sub_type is None:
                function = field.type.code | REPEATED * field.repeated | FLAG * (field.packed or field.check_utf8)
                self.fields.serfield(function, slot, field.number)
                continue
            for child in reversed(self._elements(slot) if field.repeated else [self._read_word(slot)]):
                self.fields.serfield(field.type.code | FLAG, 0, field.number)
                if child:
                    self._put(self.runtime.schema.types[field.sub_type], child)
                self.fields.serfield(field.type.code, 0, field.number)

    def _elements(self, slot: int) -> list[int]:
        constants, listed = self.runtime.interface.object, self._read_word(slot)
        count, array = (self._read_word(listed + constants[f"array_list_{name}"]) for name in ("count", "array"))
        return [self._read_word(array + constants["array_elements"] + 4 * i) for i in range(count)]

    def _present(self, record: TypeRecord, address: int, field: Field) -> bool:
        slot, constants = address + record.layout.fields[field.number], self.runtime.interface.object
        match field.presence:
            case Presence.HASBIT | Presence.REQUIRED:
                word = self._read_word(address + record.layout.hasbits + field.hasbit // 32 * 4)
                return bool(word >> field.hasbit % 32 & 1)
            case Presence.REFERENCE:
                return self._read_word(slot) != 0
            case Presence.CASE:
                return self._read_word(address + record.layout.cases[field.oneof]) == field.number
            case Presence.IMPLICIT if field.type.is_reference:
                string = self._read_word(slot)
                return bool(
                    string
                    and self._read_word(
                        self._read_word(string + constants["byte_string_bytes"]) + constants["array_length"]
                    )
                )
            case Presence.IMPLICIT:
                return any(self._load(slot, field.type.size))
        return True
