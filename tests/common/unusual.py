"""Messages with unknown fields as no serializer writes them. Who accepts them writes them again as they came."""

from __future__ import annotations

from google.protobuf.descriptor import Descriptor

from tests.common.wire import Writer, varint

DEEPEST = 100
"""Groups that may be open within one another, in the official library and in a unit."""


class UnusualWriter(Writer):
    """Writes random messages whose unknown fields go to the limits of the wire format, and a little beyond: numbers of
    all sizes and the number 0, varints of up to eleven bytes with any bits in the last ones, keys and lengths of up to
    six bytes, deep groups, and groups that end with another number."""

    def _unknown(self, descriptor: Descriptor) -> bytes:
        number = self._any_number()
        while number in descriptor.fields_by_number:
            number += 1
        levels = self.dice.choice([0, 1, 2, 3]) if self.dice.random() < 0.95 else self.dice.randint(90, DEEPEST + 1)
        return self._unusual(number, levels)

    def _any_number(self) -> int:
        dice = self.dice
        return 0 if dice.random() < 0.02 else dice.choice([dice.randint(1, 40), dice.getrandbits(28), (1 << 29) - 1])

    def _unusual(self, number: int, levels: int) -> bytes:
        """Returns a field with at most this many groups within one another."""
        dice, wire_type = self.dice, 3 if levels > 3 else self.dice.choice([0, 1, 2, 3 if levels else 5, 5])
        key = self._long(number << 3 | wire_type)
        if wire_type == 0:
            return key + bytes(b | 0x80 for b in dice.randbytes(self._length(9))) + bytes([dice.getrandbits(7)])
        if wire_type == 2:
            body = dice.randbytes(dice.choice([0, 1, 7, 60]))
            return key + self._long(len(body)) + body
        if wire_type == 3:
            inside = [self._unusual(self._any_number(), levels - 1)] if levels > 3 else []
            inside += [self._unusual(self._any_number(), min(levels, 3) - 1) for _ in range(dice.choice([0, 1, 3]))]
            end = number if dice.random() < 0.99 else self._any_number()
            return key + b"".join(inside) + self._long(end << 3 | 4)
        return key + dice.randbytes(8 if wire_type == 1 else 4)

    def _length(self, most: int) -> int:
        """Returns a random length, which is rarely one too many."""
        return most + 1 if self.dice.random() < 0.02 else self.dice.choice([0, 0, 1, self.dice.randint(0, most), most])

    def _long(self, value: int) -> bytes:
        """Returns a key or a length with bytes that it does not need, rarely with bits beyond 32."""
        dice, least = self.dice, varint(value)
        found = varint(value, max(self._length(5) - len(least), 0))
        if len(found) == 5 and dice.random() < 0.03:
            found = found[:4] + bytes([found[4] | dice.getrandbits(7)])
        return found
