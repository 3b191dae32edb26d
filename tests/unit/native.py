"""C structs through both units against nanopb itself, compiled for this machine with RV32's struct layout."""

from __future__ import annotations

import random

from harness import GUARD, fence, fenced, sound

from sim.unit.process import HANG, SCHEMA_BASE, Outcome
from tests.common import cases
from tests.common.native import NativeCase
from tests.nanopb import program as programs
from tests.nanopb.judge import MEMORY, MEMORY_BYTES, Judge, Made
from tests.nanopb.schemas import random_input, random_schema
from tests.unit.engine import FIXED_BASE, FLEXIBLE_BASE, INPUT_BASE

STRUCT_BASE, OUTPUT_END = 0x4800_0000, 0x4E00_0000
FILL = 0xA5
TYPES = 5
FAR = 4096


class Native:
    """A schema with nanopb's code of it as the judge, and limits of what fits into fields."""

    def __init__(self, name: str, proto: str, options: str, defines: str, fits=None) -> None:
        self.texts = proto, options, defines
        self.fits = fits or {}
        self.program = programs.build(name, proto, options, defines, "serve")
        self.judge = Judge(self.program)

    @staticmethod
    def random(seed: int, pointers: bool) -> Native:
        """Returns the random schema with this number. Every third one (`seed % 3 == 1`) has counts of two bytes."""
        wide = seed % 3 != 1
        schema = random_schema(random.Random(seed), TYPES, wide, pointers)

        def native(options: str) -> Native:
            return Native(
                f"native{'_pointers' if pointers else ''}{seed}",
                schema.proto,
                options,
                "-DPB_FIELD_32BIT" if wide else "",
                schema.fits,
            )

        try:
            return native(schema.options)
        except AssertionError as error:
            if "FIELDINFO_DOES_NOT_FIT" not in str(error):
                raise
            # nanopb's guide gives this remedy. A struct is larger than the offsets in the descriptors that its
            # generator chose.
            return native(schema.options + "".join(f"r.M{i} descriptorsize:DS_8\n" for i in range(TYPES)))

    def index(self, dice: random.Random, write: bool = False) -> int:
        """Returns a random type that a unit supports."""
        return dice.choice(
            [
                i
                for i, kind in enumerate(self.judge.types)
                if kind.table is not None and "Entry" not in kind.name and not (write and kind.decode_only)
            ]
        )

    def data(self, index: int, dice: random.Random) -> bytes:
        """Returns the bytes of a type: whole, merged, with unknown fields, or damaged."""
        return random_input(self.program.message_class(self.program.types[index])(), self.fits, dice)

    def structs(self, dice: random.Random, count: int, spoilt: float):
        """Yields random structs of random types. A share `spoilt` of them has contents that no decoder makes."""
        while count:
            index = self.index(dice, write=True)
            made = self.judge.made(index, self.data(index, dice), dice.getrandbits(32) if dice.random() < spoilt else 0)
            if made:
                count -= 1
                yield index, made


class Bench:
    """A unit with the tables of a schema in its memory."""

    def __init__(self, unit, interface, judge: Judge) -> None:
        self.unit, self.interface, self.judge = unit, interface, judge
        self.load(judge.tables)

    def load(self, tables: bytes) -> None:
        """Writes tables, and empties the descriptor cache."""
        self.unit.load(SCHEMA_BASE, tables)
        self.unit.register(self.interface.registers["TABLE_BASE"], SCHEMA_BASE)
        self.unit.register(self.interface.registers["TABLE_LIMIT"], SCHEMA_BASE + len(tables))


class Reader(Bench):
    """An engine that reads."""

    def run(
        self, index: int, data: bytes, skew: tuple[int, int] = (0, 0), arena: int = MEMORY_BYTES, reset_after: int = 0
    ) -> tuple[Outcome, bytes, bytes]:
        """Deserializes into a struct that is full of its filler. Returns the outcome, the struct's bytes and those that
        its pointers refer to."""
        kind = self.judge.types[index]
        source, place = INPUT_BASE + skew[0], FIXED_BASE + skew[1] // kind.alignment * kind.alignment
        if data:
            self.unit.load(source, data)
        areas = (place, kind.size), (FLEXIBLE_BASE, arena)
        fence(self.unit, FILL, *areas)
        self.unit.fill(place, kind.size, kind.filler)
        outcome = self.unit.run(
            self.interface.operations["protobuf_deserialize"],
            [
                source,
                len(data),
                SCHEMA_BASE + kind.table,
                0,
                place,
                place + kind.size,
                FLEXIBLE_BASE,
                FLEXIBLE_BASE + arena,
            ],
            reset_after,
        )
        fenced(self.unit, FILL, *areas)
        if outcome.status == HANG:  # the command was cut off and has no results
            return outcome, b"", b""
        # The results of a command that fails are 0.
        top = FLEXIBLE_BASE if outcome.status else outcome.flexible_top
        assert FLEXIBLE_BASE <= top <= FLEXIBLE_BASE + arena, outcome
        used = top - FLEXIBLE_BASE
        return (
            outcome,
            self.unit.dump(place, kind.size) if kind.size else b"",
            self.unit.dump(FLEXIBLE_BASE, used) if used else b"",
        )


class Writer(Bench):
    """An engine that writes."""

    def run(
        self,
        index: int,
        made: Made,
        skew: tuple[int, int] = (0, 0),
        size: int = 1 << 16,
        reset_after: int = 0,
        max_depth: int = 0,
    ) -> tuple[Outcome, bytes]:
        """Serializes a struct into `size` bytes. Returns the outcome and the written bytes."""
        kind = self.judge.types[index]
        place, end = STRUCT_BASE + skew[0] // kind.alignment * kind.alignment, OUTPUT_END + skew[1]
        self.unit.load(place, made.message + b"\xff" * GUARD)
        if made.memory:
            self.unit.load(MEMORY, made.memory)
        fence(self.unit, FILL, (end - size, size))
        # The last block of the bounds is a case of its own. Every other struct has its limit far behind.
        limit = (MEMORY + len(made.memory) if made.memory else place + kind.size) + skew[1] % 2 * FAR
        outcome = self.unit.run(
            self.interface.operations["protobuf_serialize"],
            [place, SCHEMA_BASE + kind.table, max_depth, end - size, end, place, limit, 0],
            reset_after,
        )
        fenced(self.unit, FILL, (end - size, size))
        ok = outcome.status == self.interface.status["OK"]
        return outcome, self.unit.dump(outcome.start, outcome.length) if ok and outcome.length else b""


class Machine:
    """Both units with a schema. ended: the statuses of unit and twin in the last case, or None if there was nothing to
    do."""

    def __init__(self, readers, writers, interface, native: Native) -> None:
        self.interface, self.native, self.judge = interface, native, native.judge
        self.reader, self.writer = Reader(readers, interface, self.judge), Writer(writers, interface, self.judge)
        self.ended: tuple[str, str] | None = None

    def random(self, dice: random.Random, write: bool) -> NativeCase:
        """Returns a case of a random type. Four in ten structs have contents that no decoder makes."""
        index = self.native.index(dice, write)
        return NativeCase(
            self.native.program.types[index],
            self.native.data(index, dice),
            cases.random_memory(dice),
            (dice.randrange(64), dice.randrange(64)),
            *self.native.texts,
            write,
            dice.getrandbits(32) if write and dice.random() < 0.4 else 0,
        )

    def difference(self, case: NativeCase) -> str | None:
        """Returns how a unit's answer differs, or None. Structs and bytes have to be nanopb's, and refusals the
        twin's."""
        self.ended = None
        try:
            (self._written if case.write else self._read)(case, self.native.program.types.index(case.type))
        except AssertionError as error:
            return str(error) or "an assertion without text"
        return None

    def _end(self, outcome: Outcome, twin: int) -> tuple[str, str]:
        sound(outcome)
        self.ended = self.interface.status_name(outcome.status), self.interface.status_name(twin)
        return self.ended

    def _read(self, case: NativeCase, index: int) -> None:
        self.reader.unit.memory(*case.memory)
        outcome, *found = self.reader.run(index, case.data, case.skew)
        sound(outcome)
        model, fault = self.judge.decoded(index, outcome.status, case.data, *found)
        unit, twin = self._end(outcome, model)
        assert not fault, f"{fault}: unit {unit}, twin {twin}"
        # A unit may leave a list of messages that is interrupted or merged to nanopb, although the twin does not.
        allowed = unit in ("OK", "UNSUPPORTED") if twin == "OK" else unit != "OK"
        assert allowed, f"unit {unit}, twin {twin}"

    def _written(self, case: NativeCase, index: int) -> None:
        made = self.judge.made(index, case.data, case.choice)
        if not made:
            return
        self.writer.unit.memory(*case.memory)
        outcome, output = self.writer.run(index, made, case.skew)
        unit, twin = self._end(outcome, made.status)
        said = f"struct {made.message.hex()} memory {made.memory.hex()}: unit {unit}, twin {twin}"
        assert unit == twin, said
        assert (unit == "OK") == (made.encoding is not None), (
            f"nanopb {'refuses' if made.encoding is None else 'encodes'} it: {said}"
        )
        assert output == (made.encoding or b""), f"{output.hex()}, not {(made.encoding or b'').hex()}: {said}"
