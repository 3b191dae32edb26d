"""Field instructions on an engine alone: random messages against the official library, faults case by case, denied
writes, resets and commands in between."""

import os
import random

import pytest
from google.protobuf.message import DecodeError
from harness import shake
from test_deserializer import same
from test_serializer import canonical, has_map

from heapwire.wire import varint
from sim.unit.build import build
from sim.unit.process import MEMORY_BASE, MEMORY_SIZE
from tests.common.schemas import random_schema
from tests.common.wire import Writer
from tests.unit.engine import FIXED_BASE, FLEXIBLE_BASE, INPUT_BASE, OUTPUT_BASE, EngineReader, EngineWriter
from tests.unit.fields import FAILED, FLAG, HEAP, MESSAGE, RAW, REPEATED, Instructions, Parser, Printer

FULL = bool(os.environ.get("HEAPWIRE_FULL"))
ARENA = 1 << 18
SLOTS = 512


@pytest.fixture(scope="module", params=[128, 32])
def program(request):
    return build(request.param, "Engine", "fields")


@pytest.fixture
def fields(unit, interface, seed_of) -> Instructions:
    dice = random.Random(seed_of)
    shake(unit, dice)
    for index in interface.registers.values():
        unit.register(index, 0x100 + 16 * index)
    unit.register(interface.registers["MARK_PROTOTYPE"], 1)
    return Instructions(unit, interface, dice)


class KnownFields(Writer):
    """Writes no unknown fields, which are left to software."""

    def _unknown(self, descriptor) -> bytes:
        return b""

    def _number(self, field) -> int:
        return self.dice.choice([value.number for value in field.enum_type.values])


@pytest.mark.parametrize("seed", range(100 if FULL else 8))
def test_parsed(unit, interface, seed):
    dice = random.Random(seed)
    schema = random_schema(dice)
    bench = EngineReader.of(unit, interface, schema)
    for _ in range(6):
        shake(unit, dice)
        name = dice.choice(schema.type_names())
        data = KnownFields(dice, wild=True).message(schema.descriptor(name), dice.choice([0, 1, 2, 3]))
        parser = Parser(bench, Instructions(unit, interface, dice))
        outcome = parser.parse(data, bench.schema.index(name), ARENA, (dice.randrange(64), 0, 0))
        same(bench, outcome, schema, name, data)


@pytest.mark.parametrize("seed", range(100 if FULL else 8))
def test_written(unit, interface, seed):
    """Every message in an output that holds it, and in one that is too small by a few bytes."""
    dice = random.Random(seed)
    schema = random_schema(dice)
    bench, written = EngineWriter.of(unit, interface, schema), 0
    for _ in range(6):
        shake(unit, dice)
        name = dice.choice(schema.type_names())
        index = bench.schema.index(name)
        data = Writer(dice, wild=True).message(schema.descriptor(name), dice.choice([0, 1, 2, 3]))
        try:
            schema.message_class(name).FromString(data)
            root = bench.build(data, index, arena=ARENA, skew=(dice.randrange(0, 64, 8), dice.randrange(0, 64, 8)))
        except (DecodeError, ValueError):  # the library or the model refuses it
            continue
        written += 1
        fields = Instructions(unit, interface, dice)
        printer = Printer(bench, fields)
        output = printer.write(root, index, len(data) + 2000)
        assert fields.status() == "OK"
        fields.done()
        assert canonical(schema, name, output) == canonical(schema, name, data)
        assert has_map(schema) or len(output) == len(canonical(schema, name, data))
        assert fields.status() == "BROKEN"
        if output:
            assert printer.write(root, index, len(output)) == output and fields.status() == "OK"
            for room in (len(output) - 1, dice.randrange(len(output)), dice.randrange(len(output))):
                printer.write(root, index, room)
                assert fields.status() == "OUTPUT_FULL"
                fields.done()
    assert written, "no message of these was right"


INT32, STRING, FIXED64, MESSAGES = "INT32", "STRING", "FIXED64", "MESSAGE"
PARSE_FAULTS = [
    # input, type, flags, status and offset; what differs from a slot at the message's begin and arenas of 64 bytes
    (b"\x80\x80", INT32, 0, "TRUNCATED", 0, {}),
    (b"", INT32, 0, "TRUNCATED", 0, {}),
    (b"\x80" * 10 + b"\1", INT32, 0, "VARINT_OVERFLOW", 0, {}),
    (b"\x80" * 9 + b"\1", INT32, 0, "OK", 0, {}),
    (bytes(7), FIXED64, 0, "TRUNCATED", 0, {}),
    (b"\5\1\2\3\4", STRING, 0, "TRUNCATED", 0, {}),
    (b"\xff" * 4 + b"\x0f", STRING, 0, "TRUNCATED", 0, {}),
    (b"\xff" * 9 + b"\1", STRING, 0, "VARINT_OVERFLOW", 0, {}),
    (b"\2\1\2\3", INT32, REPEATED | FLAG, "OK", 0, {}),
    (b"\2\1\x82\3", INT32, REPEATED | FLAG, "BAD_LENGTH", 2, {}),
    (b"\2\1\x82", INT32, REPEATED | FLAG, "TRUNCATED", 2, {}),
    (b"\2\xc3\x28", STRING, FLAG, "INVALID_UTF8", 0, {}),
    (b"\1\xc3", STRING, FLAG, "INVALID_UTF8", 0, {}),
    (b"\2\xc3\x28", STRING, 0, "OK", 0, {}),
    (b"\1", None, 0, "BAD_COMMAND", 0, {}),
    (b"\1", None, 31, "BAD_COMMAND", 0, {}),
    (b"\1", MESSAGES, 0, "BAD_COMMAND", 0, {}),
    (b"\1", INT32, FLAG, "BAD_COMMAND", 0, {}),
    (b"\1", INT32, 0, "BAD_ALIGNMENT", 0, {"slot": 2}),
    (bytes(8), FIXED64, 0, "BAD_ALIGNMENT", 0, {"slot": 4}),
    (b"\1", INT32, 0, "OUT_OF_BOUNDS", 0, {"slot": -4}),
    (b"\1", INT32, 0, "OUT_OF_BOUNDS", 0, {"slot": SLOTS}),
    (b"\1", INT32, 0, "OUT_OF_BOUNDS", -1, {"source": -1}),
    (b"\1", INT32, 0, "OUT_OF_BOUNDS", 2, {"source": 2}),
    (b"\x21" + bytes(33), STRING, 0, "FIXED_ARENA_FULL", 0, {}),
    (b"\x20" + bytes(32), STRING, 0, "OK", 0, {}),
    (b"\x0d" + bytes(13), INT32, REPEATED | FLAG, "FLEXIBLE_ARENA_FULL", 0, {}),
    (b"\x0c" + bytes(12), INT32, REPEATED | FLAG, "OK", 0, {}),
    (b"\1\0", INT32, REPEATED | FLAG, "FIXED_ARENA_FULL", 0, {"fixed": 8}),
    (b"\1\0", INT32, REPEATED | FLAG, "FLEXIBLE_ARENA_FULL", 0, {"flexible": 8}),
    # The slot says that there is a list, but it refers to none.
    (b"\1", INT32, REPEATED, "BAD_OBJECT", 0, {"slot": 1}),
]


def open_slots(fields: Instructions, data: bytes, fixed: int = 64, flexible: int = 64) -> int:
    """Opens a sequence that parses into empty slots. Returns the address of the input."""
    source = INPUT_BASE + fields.dice.randrange(64)
    fields.unit.load(source, data or b"\0")
    fields.unit.fill(MESSAGE, SLOTS, 0)
    fields.unit.open(
        input=(source, source + len(data)),
        destination=(MESSAGE, MESSAGE + SLOTS),
        fixed=(FIXED_BASE, FIXED_BASE + fixed),
        flexible=(FLEXIBLE_BASE, FLEXIBLE_BASE + flexible),
    )
    fields.set_up("INPUT", source, source + len(data))
    fields.set_up("FIXED", FIXED_BASE, FIXED_BASE + fixed)
    fields.set_up("FLEXIBLE", FLEXIBLE_BASE, FLEXIBLE_BASE + flexible)
    fields.set_up("DESTINATION", MESSAGE, MESSAGE + SLOTS)
    return source


def test_parse_faults(fields, interface):
    """What is wrong ends in its status, and nothing outside is written."""
    for data, kind, flags, status, offset, changes in PARSE_FAULTS:
        shake(fields.unit, fields.dice)
        function = flags | (interface.type_named[kind].code if kind else 0)
        source = open_slots(fields, data, changes.get("fixed", 64), changes.get("flexible", 64))
        after = fields.parfield(function, source + changes.get("source", 0), MESSAGE + changes.get("slot", 0))
        at = fields.check("AT")
        assert fields.status() == status, (data, kind, flags, changes)
        assert status == "OK" or at - source == offset, (data, kind, at - source)
        # Only a run or a checked string may fail later.
        assert status == "OK" or after == FAILED or flags & FLAG
        fields.done()


def test_after_a_failed_parse(fields, interface):
    """Nothing is taken, and the next sequence is not affected."""
    int32, fixed64 = (interface.type_named[kind].code for kind in (INT32, FIXED64))
    source = open_slots(fields, b"\x80\1\2")
    assert fields.parfield(fixed64, source, MESSAGE) == fields.parfield(int32, source + 2, MESSAGE) == FAILED
    assert fields.check("TAKE", 8) == 0
    assert (fields.status(), fields.status()) == ("TRUNCATED", "BROKEN")
    assert fields.unit.dump(MESSAGE, 4) == bytes(4)
    # An answer equal to the source means "not taken", so no failed instruction answers that.
    open_slots(fields, b"\1")
    assert fields.parfield(int32, FAILED, MESSAGE) == fields.parfield(int32, FAILED, MESSAGE) == 0
    assert fields.parfield(int32, 0, MESSAGE) == FAILED
    assert (fields.check("AT"), fields.status()) == (0xFFFF_FFFE, "OUT_OF_BOUNDS")
    source = open_slots(fields, b"\x28" + bytes(40))
    fields.set_up("BREAK")
    assert fields.parfield(int32, source, MESSAGE) == FAILED and fields.status() == "BROKEN"
    fields.done()


class Heap:
    """Objects for `serfield`, from HEAP on."""

    def __init__(self, unit, interface) -> None:
        self.unit, self.registers, self.top = unit, interface.registers, HEAP

    def word(self, at: int, value: int) -> None:
        self.unit.load(at, (value & 0xFFFF_FFFF).to_bytes(4, "little"))

    def _object(self, klass: int, size: int) -> int:
        at = self.top
        self.top += -(-size // 8) * 8
        self.word(at, 1)
        self.word(at + 4, 0x100 + 16 * klass)
        return at

    def array(self, klass: int, data: bytes, length: int) -> int:
        at = self._object(klass, 16 + len(data))
        self.word(at + 8, length)
        self.unit.load(at + 16, data or b"\0")
        return at

    def string(self, data: bytes) -> int:
        at = self._object(self.registers["KLASS_BYTE_STRING"], 16)
        self.word(at + 12, self.array(self.registers["KLASS_BYTE_ARRAY"], data, len(data)))
        return at

    def list(self, klass: int, data: bytes, count: int) -> int:
        to_array = self.registers["KLASS_INT_ARRAY"] - self.registers["KLASS_INT_ARRAY_LIST"]
        at = self._object(klass, 16)
        self.word(at + 8, count)
        self.word(at + 12, self.array(klass + to_array, data, count))
        return at


def test_write_faults(fields, interface):
    heap = Heap(fields.unit, interface)
    code = {name: kind.code for name, kind in interface.type_named.items()}
    int32, fixed64, string, message, group = (code[n] for n in ("INT32", "FIXED64", "STRING", "MESSAGE", "GROUP"))
    depth, at = 100, HEAP
    heap.top += 64
    heap.word(at, 300)

    def ends(status: str, *issued: tuple[int, int, int], size: int = 64, length: int = 0) -> None:
        shake(fields.unit, fields.dice)
        fields.open_output(size, at, heap.top)
        for one in issued:
            fields.serfield(*one)
        assert (fields.check("LENGTH"), fields.status()) == (length, status), issued
        fields.done()

    def slot(value: int) -> int:
        heap.word(at + 8, value)
        return at + 8

    ends("OK", (int32, at, 1), length=3)
    ends("OK", (int32, at, 1), size=3, length=3)
    ends("OUTPUT_FULL", (int32, at, 1), size=2)
    ends("OUTPUT_FULL", (int32, at, 1), size=0)
    ends("OK", size=0)
    ends("BAD_ALIGNMENT", (int32, at + 2, 1))
    ends("BAD_ALIGNMENT", (fixed64, at + 4, 1))
    ends("OUT_OF_BOUNDS", (int32, at - 4, 1))
    ends("OUT_OF_BOUNDS", (int32, heap.top, 1))
    ends("FIELD_NUMBER_ZERO", (int32, at, 0))
    ends("BAD_COMMAND", (int32, at, 1 << 29))
    for function in (31, int32 | FLAG, message | REPEATED, RAW | FLAG, message, message | FLAG):
        ends("BAD_COMMAND", (function, at, 1))
    ends("DEPTH_EXCEEDED", *[(message | FLAG, at, 1)] * (depth + 1))
    ends("OK", *[(group, at, 1)] * depth, size=200, length=depth)
    # Bad references: outside of the heap, misaligned, beyond its end, to an array that is longer than the heap.
    text = heap.string(b"text")
    ends("OK", (string, slot(text), 1), length=6)
    ends("OK", (string, slot(0), 1), length=2)
    # An answer of all ones would mean that the query was not taken, and software would repeat it forever.
    fields.open_output(64, at, heap.top)
    fields.serfield(string, slot(FAILED), 1)
    assert (fields.check("AT"), fields.status()) == (0xFFFF_FFFE, "BAD_OBJECT")
    for wrong in (FAILED, at - 8, text + 4, heap.top - 8, 0xFFFF_FFF8):
        ends("BAD_OBJECT", (string, slot(wrong), 1))
    array = int.from_bytes(fields.unit.dump(text + 12, 4), "little")
    for wrong in (0, at - 16, array + 4, heap.top):
        heap.word(text + 12, wrong)
        ends("BAD_OBJECT", (string, slot(text), 1))
    heap.word(text + 12, array)
    for length in (5000, 0x7FFF_FFFF, FAILED):
        heap.word(array + 8, length)
        ends("BAD_OBJECT", (string, slot(text), 1))
    heap.word(array + 8, 4)
    numbers = heap.list(interface.type_named[INT32].list_register, bytes(16), 4)
    heap.word(numbers + 8, 1000)
    ends("BAD_OBJECT", (int32 | REPEATED, slot(numbers), 1))
    ends("OK", (int32 | REPEATED, slot(0), 1))
    strings = heap.list(interface.type_named[STRING].list_register, bytes(4) + text.to_bytes(4, "little"), 2)
    ends("BAD_OBJECT", (string | REPEATED, slot(strings), 1))
    broken = heap.string(b"a\xc3\x28")
    ends("INVALID_UTF8", (string | FLAG, slot(broken), 1))
    ends("OK", (string, slot(broken), 1), length=5)
    # The first fault is the one reported.
    ends("INVALID_UTF8", (int32, at, 1), (string | FLAG, slot(broken), 1), (int32, at, 0))
    # A complete output takes no further fields; one that was left for another sequence is gone.
    fields.open_output(64, at, heap.top)
    fields.serfield(int32, at, 1)
    fields.check("LENGTH")
    fields.serfield(int32, at, 1)
    assert fields.status() == "BAD_COMMAND"
    fields.open_output(64, at, heap.top)
    fields.serfield(string, slot(text), 1)
    ends("OK", (int32, at, 2), size=8, length=3)
    fields.open_output(64, at, heap.top)
    fields.serfield(string, slot(text), 1)
    fields.set_up("BREAK")
    fields.serfield(int32, at, 1)
    assert fields.status() == "BROKEN"
    fields.set_up("OUTPUT", 0xFFFF_FF00, 0x200)
    assert fields.status() == "OUT_OF_BOUNDS"


def test_denied_write(fields, interface):
    """The output begins in memory and ends outside: its last block, which is sent first, is denied. Behind it nothing
    is written, whenever the answer comes."""
    end = MEMORY_BASE + MEMORY_SIZE
    fields.unit.memory(3, 0, 5, 40)
    fields.unit.fill(HEAP, 64, 7)
    for _ in range(400 if FULL else 60):
        fields.unit.open(output=(end - 2048, end + 64), heap=(HEAP, HEAP + 64))
        fields.set_up("OUTPUT", end - 2048, 2048 + 64)
        fields.set_up("HEAP", HEAP, HEAP + 64)
        for _ in range(60):
            fields.serfield(interface.type_named["FIXED64"].code, HEAP, 3)
        fields.check("LENGTH")
        assert fields.status() == "BUS_FAULT"
        assert sum(fields.done().puts["objects"]) <= 2


def test_reset(fields, interface):
    """A reset in mid-sequence leaves nothing behind."""
    uint32, string = (interface.type_named[kind].code for kind in ("UINT32", "STRING"))
    heap = Heap(fields.unit, interface)
    text = heap.string(bytes(200))
    heap.word(heap.top, text)
    heap.word(heap.top + 4, 5)
    for round in range(30):
        shake(fields.unit, fields.dice)
        if round % 2:
            source = open_slots(fields, b"\x28" + bytes(40), 256, 256)
            fields.parfield(fields.dice.choice([string | FLAG, uint32 | FLAG | REPEATED]), source, MESSAGE)
        else:
            fields.open_output(20000, HEAP, heap.top + 8)
            for _ in range(6):
                fields.serfield(string, heap.top, 1)
        fields.unit.wait(fields.dice.randrange(60))
        fields.unit.reset()
        for index in interface.registers.values():
            fields.unit.register(index, 0x100 + 16 * index)
        assert fields.status() == "BROKEN"
        if round % 2:
            source = open_slots(fields, b"\7")
            assert fields.parfield(uint32, source, MESSAGE + 8) == source + 1 and fields.status() == "OK"
            assert fields.unit.dump(MESSAGE + 8, 4) == b"\7\0\0\0"
        else:
            fields.open_output(16, HEAP, heap.top + 8)
            fields.serfield(uint32, heap.top + 4, 1)
            assert fields.check("LENGTH") == 2 and fields.status() == "OK"
            assert fields.unit.dump(OUTPUT_BASE + 14, 2) == b"\x08\5"
        fields.done()


def test_commands_between(fields, interface):
    """Commands come while sequences are open: each command ends, and each sequence that meets one either is BROKEN or
    ends as if there had been no command."""
    unit, dice, rounds = fields.unit, fields.dice, 300
    code = {name: kind.code for name, kind in interface.type_named.items()}
    operations = [interface.operations[f"protobuf_{name}"] for name in ("deserialize", "serialize")]
    unit.run(0x7F, [])
    unit.commands(*operations, 0x7F)
    ended = {"OK": 0, "BROKEN": 0}

    def end(right) -> None:
        status = fields.status()
        ended[status] += 1
        assert status == "BROKEN" or right()
        fields.done()

    for round in range(rounds):
        if round % 20 == 0:
            shake(unit, dice)
        if dice.random() < 0.5:
            heap = Heap(unit, interface)
            text = dice.randbytes(dice.randrange(200))
            heap.word(heap.top + 8 * 100, heap.string(text))
            slot, size = HEAP + 8 * 100, len(text) + 40
            fields.open_output(size, HEAP, slot + 8)
            fields.serfield(code["MESSAGE"] | FLAG, 0, 4)
            fields.serfield(code["BYTES"], slot, 3)
            fields.serfield(code["MESSAGE"], 0, 4)
            length = fields.check("LENGTH")
            inner = b"\x1a" + varint(len(text)) + text
            expected = b"\x22" + varint(len(inner)) + inner
            end(lambda: unit.dump(OUTPUT_BASE + size - length, length) == expected)
        else:
            text = dice.randbytes(7)
            source = open_slots(fields, b"\3\1\2\3\7" + text, 256, 256)
            fields.parfield(code["UINT32"] | REPEATED | FLAG, source, MESSAGE)
            fields.parfield(code["BYTES"], source + 4, MESSAGE + 8)

            def word(at: int) -> int:
                return int.from_bytes(unit.dump(at, 4), "little")

            end(lambda: word(word(MESSAGE) + 8) == 3 and unit.dump(word(word(MESSAGE + 8) + 12) + 16, 7) == text)
    sent, done = unit.commands()
    assert sent == done > rounds // 10 and min(ended.values()) > rounds // 10, (sent, done, ended)
