"""Random schemas with nanopb's options, and messages that mostly fit them.

These schemas are not those of tests/common/schemas.py: nanopb has no groups and no editions, the options that are drawn
restrict what a schema may say, and messages are useful only if they fit into structs."""

from __future__ import annotations

import random
from dataclasses import dataclass
from dataclasses import field as dataclass_field

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from tests.common.random_messages import random_value
from tests.common.wire import damage

SCALARS = [
    "int32",
    "int64",
    "uint32",
    "uint64",
    "sint32",
    "sint64",
    "fixed32",
    "fixed64",
    "sfixed32",
    "sfixed64",
    "float",
    "double",
    "bool",
    "E",
]
SIZED = {"int32", "int64", "uint32", "uint64", "sint32", "sint64"}
KEYS = ["int32", "sint64", "fixed32", "bool", "string"]
#: The largest size of a struct in bytes, far below the 64 KB that tables can describe.
LARGEST = 6000


@dataclass
class Fit:
    """Limits of a field: number of elements, bytes, bits of an integer."""

    count: int = 1_000_000
    size: int = 1_000_000
    exact: bool = False
    exact_count: bool = False
    bits: int = 64


@dataclass
class RandomSchema:
    proto: str
    options: str
    fits: dict[str, Fit] = dataclass_field(default_factory=dict)  # by full name


class _Writer:
    def __init__(self, dice: random.Random, wide: bool, pointers: bool):
        self.dice, self.wide, self.pointers = dice, wide, pointers
        self.syntax = dice.choice(["proto2", "proto3"])
        self.proto = [
            f'syntax = "{self.syntax}";',
            "package r;",
            "enum E { V0 = 0; V1 = 1; V2 = 100; V3 = -3; V4 = 70000; }",
        ]
        self.options: list[str] = ["r.E packed_enum:true"] if dice.random() < 0.3 else []
        self.fits: dict[str, Fit] = {}
        self.sizes: list[int] = []  # approximate sizes of the structs so far
        #: Messages that contain themselves. nanopb's generator does not terminate if other messages contain them.
        self.recursive: set[int] = set()

    def option(self, name: str, text: str) -> None:
        self.options.append(f"{name} {text}")

    def long(self, name: str, kind: str, fit: Fit, pointer: bool) -> int:
        """Writes the options of a string or bytes field. Returns the approximate number of its bytes in the struct."""
        dice = self.dice
        if kind == "bytes" and dice.random() < 0.25:
            fit.size, fit.exact = dice.choice([1, 4, 16, 33]), True
            self.option(name, f"max_size:{fit.size} fixed_length:true")
            return fit.size
        if pointer:
            return 8
        fit.size = dice.choice([1, 2, 8, 15, 16, 17, 40, 100])
        if kind == "string" and dice.random() < 0.3:
            self.option(name, f"max_length:{fit.size}")
            return fit.size + 1
        self.option(name, f"max_size:{fit.size}")
        if kind == "string":
            fit.size -= 1
        return fit.size + 4

    def value(self, name: str, kind: str, pointer: bool) -> int:
        """Writes the options of a value of this kind. Returns the number of its bytes."""
        fit = self.fits[name] = Fit()
        if kind in ("string", "bytes"):
            return self.long(name, kind, fit, pointer)
        if kind.startswith("M"):
            return self.sizes[int(kind[1:])] if int(kind[1:]) < len(self.sizes) else 0
        if kind in SIZED and self.dice.random() < 0.3:
            fit.bits = self.dice.choice([8, 16, 32, 64])
            self.option(name, f"int_size:IS_{fit.bits}")
        return 8

    def field(self, owner: str, index: int, number: int, in_oneof: bool) -> tuple[str, int]:
        """Returns a field's declaration without its end, and the number of its bytes in the struct."""
        dice, name = self.dice, f"f{number}"
        full = f"r.{owner}.{name}"
        kind = dice.choice([*SCALARS, "string", "string", "bytes", "bytes", *["M"] * 6])
        own = f"M{index}"
        if kind == "M":
            others = [i for i in range(index + (not in_oneof)) if i == index or i not in self.recursive]
            kind = f"M{dice.choice(others or [index])}"
            if kind == own and in_oneof:
                kind = "bool"
        repeated = not in_oneof and dice.random() < 0.35
        if kind == own and not self.pointers:
            kind = "string"
        pointer = kind == own or self.pointers and dice.random() < 0.2
        if kind == own:
            self.recursive.add(index)
        size = self.value(full, kind, pointer)
        if kind.startswith("M") and size > (800 if repeated else 2000):
            if self.pointers:
                pointer = True
            else:
                kind, repeated = "sint32", False
                size = self.value(full, kind, False)
        if pointer:
            self.option(full, "type:FT_POINTER")
        if repeated:
            return self.repeated(full, name, kind, number, pointer, size)
        label = (
            ""
            if in_oneof
            else dice.choice(["", "", "optional "])
            if self.syntax == "proto3"
            else dice.choice(["optional ", "optional ", "optional ", "required "])
            if kind != own
            else "optional "
        )
        default = ""
        if label == "optional " and self.syntax == "proto2" and not pointer and dice.random() < 0.3:
            default = self.default(kind, self.fits[full])
        return f"{label}{kind} {name} = {number}{default};", 8 if pointer else size

    def repeated(self, full: str, name: str, kind: str, number: int, pointer: bool, size: int) -> tuple[str, int]:
        dice, fit = self.dice, self.fits[full]
        if not pointer or dice.random() < 0.2 and not kind.startswith("M"):
            fit.count = dice.choice([1, 2, 3, 5, 17])
            fixed = dice.random() < 0.25
            if pointer:
                fixed = kind not in ("string", "bytes")
            if pointer and not fixed:
                fit.count = 1_000_000
            else:
                fit.exact_count = fixed
                self.option(full, f"max_count:{fit.count}" + (" fixed_count:true" if fixed else ""))
        packed = f" [packed = {dice.choice(['true', 'false'])}]" if kind in SCALARS and dice.random() < 0.5 else ""
        return f"repeated {kind} {name} = {number}{packed};", 12 if pointer else size * fit.count

    def default(self, kind: str, fit: Fit) -> str:
        dice = self.dice
        if kind.startswith("M"):
            return ""
        if kind == "string":
            return f' [default = "{"d" * dice.randrange(min(fit.size, 40) + 1)}"]'
        if kind == "bytes":
            return f' [default = "{"d" * (fit.size if fit.exact else dice.randrange(min(fit.size, 40) + 1))}"]'
        value = {"bool": "true", "E": "V2", "float": "-0.5", "double": "1e100"}.get(kind) or str(
            dice.choice([0, 1, 100])
        )
        return f" [default = {value}]"

    def message(self, index: int) -> None:
        dice, owner = self.dice, f"M{index}"
        highest = dice.choice([16, 40, 3000] + ([(1 << 29) - 1] if self.wide else [60000]))
        numbers = sorted(
            {
                n
                for n in (dice.randint(1, highest) for _ in range(dice.choice([0, 2, 4, 8, 14])))
                if not 19000 <= n < 20000
            }
        )
        if dice.random() < 0.2:
            self.option(f"r.{owner}", "sort_by_tag:false")
            dice.shuffle(numbers)
        lines, total, oneofs = [], 8, 0
        while numbers and total < LARGEST:
            if len(numbers) >= 2 and dice.random() < 0.2:
                members = [
                    self.field(owner, index, numbers.pop(0), True) for _ in range(min(len(numbers), dice.randint(2, 4)))
                ]
                if dice.random() < 0.2:
                    self.option(f"r.{owner}.o{oneofs}", "anonymous_oneof:true")
                lines.append(f"oneof o{oneofs} {{ {' '.join(text for text, _ in members)} }}")
                total, oneofs = total + max(size for _, size in members), oneofs + 1
                continue
            if dice.random() < 0.06:
                lines.append(self.map(owner, numbers.pop(0)))
                total += 400
                continue
            text, size = self.field(owner, index, numbers.pop(0), False)
            lines.append(text)
            total += size
        self.proto += [f"message {owner} {{", *(f"  {line}" for line in lines), "}"]
        self.sizes.append(total)

    def map(self, owner: str, number: int) -> str:
        key, value = self.dice.choice(KEYS), self.dice.choice([*SCALARS, "string", "bytes"])
        entry = f"r.{owner}.F{number}Entry"
        self.fits[f"r.{owner}.f{number}"] = Fit(count=3)
        self.option(f"r.{owner}.f{number}", "max_count:3")
        for name, kind in (("key", key), ("value", value)):
            self.fits[f"{entry}.{name}"] = Fit()
            if kind in ("string", "bytes"):
                self.long(f"{entry}.{name}", kind, self.fits[f"{entry}.{name}"], False)
        return f"map<{key}, {value}> f{number} = {number};"


def random_schema(dice: random.Random, types: int, wide: bool, pointers: bool = True) -> RandomSchema:
    """Returns a schema of `types` messages r.M0, r.M1 and so on. wide: field numbers may have more than 16 bits."""
    writer = _Writer(dice, wide, pointers)
    for index in range(types):
        writer.message(index)
    return RandomSchema("\n".join(writer.proto) + "\n", "\n".join(writer.options) + "\n", writer.fits)


def _fitting(field: FieldDescriptor, fit: Fit, dice: random.Random):
    if field.type == FieldDescriptor.TYPE_STRING:
        limit = min(fit.size, 200)
        return (
            "".join(dice.choice("abc é") for _ in range(dice.choice([0, 1, limit // 2, limit, dice.randint(0, limit)])))
            .encode()[:limit]
            .decode(errors="ignore")
        )
    if field.type == FieldDescriptor.TYPE_BYTES:
        limit = min(fit.size, 200)
        return dice.randbytes(
            limit if fit.exact else dice.choice([0, 1, limit // 2, limit, dice.randint(0, limit)]) if limit else 0
        )
    if field.type == FieldDescriptor.TYPE_ENUM:
        return dice.choice(list(field.enum_type.values_by_number))
    value = random_value(field, dice)
    if fit.bits < 64 and isinstance(value, int) and not isinstance(value, bool):
        signed = field.type in (
            FieldDescriptor.TYPE_INT32,
            FieldDescriptor.TYPE_INT64,
            FieldDescriptor.TYPE_SINT32,
            FieldDescriptor.TYPE_SINT64,
        )
        value &= (1 << fit.bits) - 1
        if signed and value >> (fit.bits - 1):
            value -= 1 << fit.bits
        if field.cpp_type == FieldDescriptor.CPPTYPE_INT32:
            value = max(-1 << 31, min((1 << 31) - 1, value))
    return value


def fill(message: Message, fits: dict[str, Fit], dice: random.Random, depth: int = 0) -> None:
    """Sets all required fields and a random choice of the others, to values that mostly fit."""
    for field in message.DESCRIPTOR.fields:
        fit = fits.get(field.full_name, Fit())
        required = field.is_required
        if not required and dice.random() < (0.6 if depth > 1 else 0.3):
            continue
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            entry = field.message_type
            for _ in range(dice.randrange(min(fit.count, 4) + 1)):
                key = _fitting(entry.fields_by_name["key"], fits[entry.fields_by_name["key"].full_name], dice)
                value = entry.fields_by_name["value"]
                if value.message_type is not None:
                    fill(getattr(message, field.name)[key], fits, dice, depth + 1)
                    continue
                getattr(message, field.name)[key] = _fitting(value, fits[value.full_name], dice)
            continue
        count = fit.count if fit.exact_count else dice.choice([0, 1, min(fit.count, 3), min(fit.count, 20)])
        if dice.random() < 0.01:
            count = min(fit.count, 25) + 1
        if field.message_type is not None:
            if depth < 4 or required:
                target = getattr(message, field.name)
                for child in (
                    [target.add() for _ in range(min(count, 5) if not fit.exact_count else count)]
                    if field.is_repeated
                    else [target]
                ):
                    child.SetInParent()
                    fill(child, fits, dice, depth + 1)
        elif field.is_repeated:
            getattr(message, field.name).extend(_fitting(field, fit, dice) for _ in range(count))
        else:
            setattr(
                message, field.name, random_value(field, dice) if dice.random() < 0.02 else _fitting(field, fit, dice)
            )


UNKNOWN = [
    bytes.fromhex(text)
    for text in (
        "f8ff7f01",
        "faff7f0401020304",
        "fdff7f01020304",
        "f9ff7f0102030405060708",
        "f8ff7fffffffffffffffffff01",
        "faff7f00",
    )
]
"""Fields of every wire type that nanopb skips, with numbers that no schema has."""


def random_input(message: Message, fits: dict[str, Fit], dice: random.Random) -> bytes:
    """Returns the bytes of a message: whole, twice, with unknown fields, or damaged."""
    fill(message, fits, dice)
    data = message.SerializePartialToString()
    match dice.randrange(10):
        case 0:
            again = type(message)()
            fill(again, fits, dice)
            return data + again.SerializePartialToString()
        case 1:
            return dice.choice(UNKNOWN) + data + dice.choice(UNKNOWN)
        case 2 | 3 | 4:
            return damage(data, dice)
    return data
