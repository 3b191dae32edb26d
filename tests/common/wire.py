"""Random wire bytes of any schema: output that a serializer might write, and output that none writes but parsers must
accept."""

from __future__ import annotations

import random
import struct

from google.protobuf.descriptor import Descriptor
from google.protobuf.descriptor import FieldDescriptor as D

from tests.common.schemas import TEXTS

WIRE = (
    dict.fromkeys((D.TYPE_DOUBLE, D.TYPE_FIXED64, D.TYPE_SFIXED64), 1)
    | dict.fromkeys((D.TYPE_FLOAT, D.TYPE_FIXED32, D.TYPE_SFIXED32), 5)
    | dict.fromkeys((*TEXTS, D.TYPE_MESSAGE), 2)
    | {D.TYPE_GROUP: 3}
)
"""Wire types other than 0."""
BROKEN = [bytes.fromhex(text) for text in "ff 6180 c080 e08080 eda080 f4908080 6162636465666768e282 f888808080".split()]


def varint(value: int, padding: int = 0) -> bytes:
    """Returns a varint of 64 bits with up to `padding` unneeded bytes, and at most ten bytes."""
    value &= (1 << 64) - 1
    groups = bytearray()
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    groups.append(value)
    unneeded = min(padding, 10 - len(groups))
    if unneeded > 0:
        groups[-1] |= 0x80
        groups += b"\x80" * (unneeded - 1) + b"\0"
    return bytes(groups)


TEXT = "abc ab\0\x7fé€😀\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff"
"""Characters of strings. They include the first and last ones of every length in UTF-8."""


class Writer:
    """Writes random messages. wild: also writes unknown fields, undeclared numbers of closed enums, other encodings and
    repetitions. Without it an official serializer could have written the output, except for the order of maps.
    complete: required fields are present. broken: some strings are not UTF-8. longest: bytes of the longest keys and
    lengths; at most five are accepted."""

    def __init__(
        self, dice: random.Random, wild: bool, complete: bool = True, broken: bool = False, longest: int = 5
    ) -> None:
        self.dice, self.wild, self.complete, self.broken, self.longest = dice, wild, complete, broken, longest

    def message(self, descriptor: Descriptor, depth: int = 3) -> bytes:
        """Returns the fields of a message."""
        parts, dice = [], self.dice
        for field in sorted(descriptor.fields, key=lambda f: f.number):
            parts += self._occurrences(field, depth)
        if self.wild:
            for _ in range(dice.choice([0, 0, 1, 3])):
                parts.insert(dice.randint(0, len(parts)), self._unknown(descriptor))
            if dice.random() < 0.4:
                dice.shuffle(parts)
        return b"".join(parts)

    def _key(self, number: int, wire_type: int) -> bytes:
        least = varint(number << 3 | wire_type)
        if not self.wild or self.dice.random() < 0.9:
            return least
        return varint(number << 3 | wire_type, self.dice.randint(0, self.longest - len(least)))

    def _delimited(self, number: int, body: bytes) -> bytes:
        """Returns a field with a length."""
        padding = self.longest - 3 if self.wild and self.dice.random() < 0.1 else 0
        return self._key(number, 2) + varint(len(body), padding) + body

    def _occurrences(self, field: D, depth: int) -> list[bytes]:
        dice, needed = self.dice, field.is_required and self.complete
        if field.message_type is not None and depth <= 0 and not needed:
            return []
        if field.containing_oneof and not self.wild and field.number != self._member(field):
            return []
        if field.is_repeated:
            count = dice.choice([0, 1, 2, 5, 20]) if field.message_type is None else dice.choice([0, 0, 1, 2, 3])
        else:
            count = 1 if needed else dice.choice([0, 1])
            if self.wild and count and dice.random() < 0.25:
                count = 2
        if not count:
            return []
        if field.is_repeated and field.message_type is None and field.type not in TEXTS:
            packed = field.is_packed if not self.wild or dice.random() < 0.6 else not field.is_packed
            if packed:
                if self.wild and dice.random() < 0.1:
                    count = dice.choice([0, 70])
                body = b"".join(self._scalar(field) for _ in range(count))
                return [self._delimited(field.number, body)]
        return [self._occurrence(field, depth) for _ in range(count)]

    def _member(self, field: D) -> int:
        """Returns the member of a oneof that a tame message has. It is always the same within a descriptor."""
        return random.Random(field.containing_oneof.full_name).choice(field.containing_oneof.fields).number

    def _occurrence(self, field: D, depth: int) -> bytes:
        if field.type == D.TYPE_GROUP:
            return self._key(field.number, 3) + self.message(field.message_type, depth - 1) + self._key(field.number, 4)
        if field.message_type is not None:
            entry = field.message_type.GetOptions().map_entry
            body = self._entry(field, depth) if entry else self.message(field.message_type, depth - 1)
            return self._delimited(field.number, body)
        if field.type in TEXTS:
            return self._delimited(field.number, self._text(field))
        return self._key(field.number, WIRE.get(field.type, 0)) + self._scalar(field)

    def _entry(self, field: D, depth: int) -> bytes:
        """Returns a map entry. The official library turns an entry with an unknown field, or with an undeclared number,
        into an unknown field, which it encodes anew. So there are no entries of the first kind, and those of the second
        are encoded as the library does."""
        name, value = (field.message_type.fields_by_number[n] for n in (1, 2))

        def key() -> bytes:
            return self._occurrence(name, depth)

        def content() -> bytes:
            return self._occurrence(value, depth - 1)

        if value.enum_type is not None:
            tame = Writer(self.dice, False, broken=self.broken)._occurrence(name, depth)
            return tame + varint(2 << 3) + varint(self._number(value))
        if not self.wild:
            return key() + content()
        others = [key], [content], [content, key], [], [key, content, content], [key, content, key]
        shapes = [*[[key, content]] * 6, *others]
        return b"".join(part() for part in self.dice.choice(shapes))

    def _text(self, field: D) -> bytes:
        dice = self.dice
        if self.broken and dice.random() < 0.02 and field.type == D.TYPE_STRING:
            return dice.choice([b"", b"abc", "é€".encode()]) + dice.choice(BROKEN)
        length = dice.choice([0, 1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 40, 200])
        return dice.randbytes(length) if field.type == D.TYPE_BYTES else "".join(dice.choices(TEXT, k=length)).encode()

    def _number(self, field: D) -> int:
        known = [value.number for value in field.enum_type.values]
        if self.wild and self.dice.random() < 0.3:
            return self.dice.choice([3, 4, 8, 1001, 32767, 32768, 70000, (1 << 31) - 2])
        return self.dice.choice(known)

    def _scalar(self, field: D) -> bytes:
        dice, wire = self.dice, WIRE.get(field.type, 0)
        if wire in (1, 5):
            kind, infinity, size = ("<d", float("inf"), 8) if wire == 1 else ("<f", float("-inf"), 4)
            number = dice.random() < 0.5
            return struct.pack(kind, dice.choice([0.0, -0.0, 1.5, infinity])) if number else dice.randbytes(size)
        if field.enum_type is not None:
            return varint(self._number(field))
        bits = dice.getrandbits(dice.choice([1, 7, 14, 31, 32, 63, 64]))
        if not self.wild:
            return varint(self._canonical(field, bits))
        return varint(bits, dice.choice([0] * 8 + [1, 9]))

    @staticmethod
    def _canonical(field: D, bits: int) -> int:
        """Returns the varint that a serializer writes for the value that a parser reads from these bits."""
        if field.type == D.TYPE_BOOL:
            return int(bits != 0)
        if field.type == D.TYPE_INT32:
            return ((bits & 0xFFFFFFFF) ^ 1 << 31) - (1 << 31)
        return bits & 0xFFFFFFFF if field.type in (D.TYPE_UINT32, D.TYPE_SINT32) else bits

    def _unknown(self, descriptor: Descriptor) -> bytes:
        """Returns a field that the type does not have, or has with another wire type."""
        dice, depth = self.dice, self.dice.randint(0, 3)
        known = list(descriptor.fields)
        if known and dice.random() < 0.3:
            field = dice.choice(known)
            # Wire type 2 could be a packed field, and a group would need an end of its own.
            wrong = [w for w in (0, 1, 5) if w != WIRE.get(field.type, 0)]
            return self._value(field.number, dice.choice(wrong), depth)
        number = dice.choice([dice.randint(1, 20), dice.randint(1, 5000), (1 << 29) - 1])
        while number in descriptor.fields_by_number:
            number += 1 if number < 1 << 28 else -1
        return self._value(number, dice.choice([0, 1, 2, 3, 5]), depth)

    def _value(self, number: int, wire_type: int, depth: int) -> bytes:
        dice = self.dice
        if wire_type == 3:
            inner = b"".join(
                self._value(dice.randint(1, 2000), dice.choice([0, 1, 2, 5] + [3] * (depth > 0)), depth - 1)
                for _ in range(dice.randint(0, 3))
            )
            return self._key(number, 3) + inner + self._key(number, 4)
        if wire_type == 2:
            return self._delimited(number, dice.randbytes(dice.choice([0, 1, 5, 40])))
        if wire_type:
            return self._key(number, wire_type) + dice.randbytes(8 if wire_type == 1 else 4)
        return self._key(number, 0) + varint(dice.getrandbits(dice.choice([7, 40, 64])))


def damage(data: bytes, dice: random.Random) -> bytes:
    """Returns the bytes with one to four changes: flipped bits, changed bytes, cuts, insertions, an early end, or a
    copy of their start appended."""
    result = bytearray(data)
    for _ in range(dice.randint(1, 4)):
        at, kind = dice.randrange(len(result)) if result else 0, dice.randrange(6)
        if kind == 0 and result:
            result[at] ^= 1 << dice.randrange(8)
        elif kind == 1 and result:
            result[at] = dice.choice([0, 0x7F, 0x80, 0xFF, dice.randrange(256)])
        elif kind == 2:
            del result[at : at + dice.randint(1, 5)]
        elif kind == 3:
            result[at:at] = dice.randbytes(dice.randint(1, 4))
        elif kind == 4:
            del result[at:]
        else:
            result += result[:at]
    return bytes(result)
