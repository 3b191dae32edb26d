"""Messages of upb, and structs of Go, through the engines, against upb and Go themselves."""

from __future__ import annotations

from heapwire.interface import Interface
from heapwire.schema import Schema
from sim.unit.process import SCHEMA_BASE, Outcome, Unit
from tests.common.managed import Case, Expected
from tests.unit.engine import FIXED_BASE, FLEXIBLE_BASE, INPUT_BASE, OUTPUT_BASE
from tests.unit.harness import fence, fenced, sound
from tests.upb.judge import GoJudge, Judge

ROOM, FILL = 1 << 14, 0xA5


def again(cls, data: bytes) -> bytes:
    """Returns the official library's encoding of what it reads."""
    return cls.FromString(data).SerializePartialToString(deterministic=True)


class Machine:
    """An engine that reads, one that writes, and the judge. count: how often each status has come; `entries`: how many
    entries of maps software has inserted."""

    judge_of = Judge

    def __init__(self, engines: list[Unit], schema: Schema, interface: Interface) -> None:
        self.reader, self.writer = engines
        self.schema, self.interface, self.judge = schema, interface, self.judge_of(schema, interface)
        self.count: dict[str, int] = {}
        self.entries = 0
        for unit in engines:
            unit.load(SCHEMA_BASE, self.judge.tables.data)
            self.registers(unit)

    def registers(self, unit: Unit) -> None:
        """Says where the tables are. The engine forgets those that it has cached."""
        unit.register(self.interface.registers["TABLE_BASE"], SCHEMA_BASE)
        unit.register(self.interface.registers["TABLE_LIMIT"], SCHEMA_BASE + len(self.judge.tables.data))

    def difference(self, case: Case) -> str | None:
        """Returns what is wrong with the engines' answers, or None."""
        try:
            self._check(case)
        except AssertionError as error:
            return str(error) or "an assertion without text"
        return None

    def status(self, outcome: Outcome) -> str:
        sound(outcome)
        return self.interface.status_name(outcome.status)

    def read(self, index: int, data: bytes, skew=(0, 0, 0), max_depth: int = 0, fixed: int = 0, flexible: int = 0):
        """Reads a message into arenas of so many bytes."""
        source, at, other = INPUT_BASE + skew[0], FIXED_BASE + skew[1], FLEXIBLE_BASE + skew[2]
        fixed, flexible = fixed or 40 * len(data) + ROOM, flexible or 40 * len(data) + ROOM
        if data:
            self.reader.load(source, data)
        fence(self.reader, FILL, (at, fixed), (other, flexible))
        outcome = self.reader.run(
            self.interface.operations["protobuf_deserialize"],
            [source, len(data), SCHEMA_BASE + self.judge.tables.offsets[index], max_depth]
            + [at, at + fixed, other, other + flexible],
        )
        fenced(self.reader, FILL, (at, fixed), (other, flexible))
        return outcome

    def write(self, index: int, message: int, bound: int, limit: int, size: int, skew: int = 0) -> Outcome:
        """Writes a message."""
        end = OUTPUT_BASE + size + skew
        return self.writer.run(
            self.interface.operations["protobuf_serialize"],
            [message, SCHEMA_BASE + self.judge.tables.offsets[index], 0, end - size, end, bound, limit, 0],
        )

    def _check(self, case: Case) -> None:
        index = self.judge.types.index(case.type)
        if any(self.judge.tables.software_only):
            return
        expected = Expected(self.schema, case.type, case.data, case.max_depth)
        self.reader.memory(*case.memory)
        self.writer.memory(*case.memory)
        outcome = self.read(index, case.data, case.skew, case.max_depth)
        status = self.status(outcome)
        self.count[status] = self.count.get(status, 0) + 1
        assert (status, outcome.offset) == (expected.status, expected.offset), (
            f"read: {status} at {outcome.offset}, not {expected.status} at {expected.offset}"
        )
        if status != "OK" or not expected.comparable:
            return
        self._compare(index, case, outcome, expected.cls)

    def _compare(self, index: int, case: Case, outcome: Outcome, cls) -> None:
        self.judge.load(INPUT_BASE, case.data)
        accepted, encoding = self.judge.decoded(index, len(case.data))
        assert accepted, "upb refuses the message"
        self._objects(outcome, case)
        entries, found = self.judge.encoded(index, outcome.root)
        self.entries += entries
        # upb writes the number of an undeclared enum value anew, with as few bytes as possible. The engine keeps what
        # came, and so does the official library, which is a newer upb.
        kept = found is not None and not case.tame and again(cls, found) == again(cls, case.data)
        assert found == encoding or kept, (
            f"upb reads {found and found.hex()} in the objects, not {encoding and encoding.hex()}"
        )
        self._written(index, case, encoding, entries)

    def _objects(self, outcome: Outcome, case: Case) -> None:
        """The judge gets what the engine has built, where it is."""
        self.judge.load(INPUT_BASE + case.skew[0], case.data)
        for base, top in ((FIXED_BASE, outcome.fixed_top), (FLEXIBLE_BASE, outcome.flexible_top)):
            self.judge.load(base, self.reader.dump(base, top - base))

    def _written(self, index: int, case: Case, encoding: bytes | None, entries: int) -> None:
        """Writes what upb itself has made of the message."""
        self.judge.load(INPUT_BASE, case.data)
        _, message, end = self.judge.made(index, len(case.data))
        self._write(index, case, case.data, message, end, encoding, entries)

    def _write(self, index: int, case: Case, data: bytes, message: int, end: int, encoding, entries: int = 0) -> None:
        self.writer.load(INPUT_BASE, data or b"\0")
        self.writer.load(FIXED_BASE, self.judge.dump(FIXED_BASE, end - FIXED_BASE))
        outcome = self.write(index, message, INPUT_BASE, end, len(encoding or b"") + 64, case.skew[0])
        status = self.status(outcome)
        self.count[f"written {status}"] = self.count.get(f"written {status}", 0) + 1
        if status == "UNSUPPORTED" and entries:
            return
        assert status == "OK", f"written: {status} at {outcome.at:#x}"
        output = self.writer.dump(outcome.start, outcome.length) if outcome.length else b""
        assert output == encoding, f"written {output.hex()}, not {encoding and encoding.hex()}"


class GoMachine(Machine):
    """The same with structs of Go."""

    judge_of = GoJudge

    def _compare(self, index: int, case: Case, outcome: Outcome, cls) -> None:
        """Go encodes what the engine has built. The engine writes what Go makes of what the official library writes."""
        self._objects(outcome, case)
        _, found = self.judge.encoded(index, outcome.root)
        data = again(cls, case.data)
        assert again(cls, found) == data, f"Go reads {found.hex()} in the objects, not {data.hex()}"
        self.judge.load(INPUT_BASE, data)
        good, message, end = self.judge.made(index, len(data))
        _, encoding = self.judge.encoded(index, message)
        assert good and again(cls, encoding) == data, f"Go makes {encoding.hex()} of {data.hex()}"
        self._write(index, case, data, message, end, encoding)


MACHINES = {"upb": Machine, "go": GoMachine}
"""By the name of the model that is loaded."""
