"""A managed message read and written by an engine: a case, its answer, and its faults."""

from __future__ import annotations

from harness import sound
from test_deserializer import same

from heapwire.graph import GraphError
from heapwire.schema import Clear, Schema, compile_schema
from tests.common.managed import Case, Expected
from tests.unit.engine import EngineReader, EngineWriter

ROOM = 1 << 12
"""Bytes of an arena, and of an output, beside those that are needed. Few, since a case fills and reads them."""


class Machine:
    """An engine that reads and one that writes, with one schema."""

    def __init__(self, readers, writers, interface, schema: Schema, clear: Clear) -> None:
        self.interface, self.schema = interface, schema
        compiled = compile_schema([schema.descriptor(name) for name in schema.type_names()], interface, clear)
        self.reader = EngineReader(readers, compiled, interface)
        self.writer = EngineWriter(writers, compiled, interface)

    def difference(self, case: Case) -> str | None:
        """Returns how the engines' answers differ from the expected ones, or None if they agree.

        The status and offset have to be the reference's, and the fields the official library's. What the writer makes
        of the reader's objects has to equal the message."""
        try:
            self._check(case)
        except (AssertionError, GraphError) as error:
            return str(error) or "an assertion without text"
        return None

    def _check(self, case: Case) -> None:
        index = self.reader.schema.index(case.type)
        expected = Expected(self.schema, case.type, case.data, case.max_depth)
        self.reader.unit.memory(*case.memory)
        outcome = self.reader.run(
            case.data,
            index,
            arena=expected.used + ROOM & -8,
            skew=case.skew,
            max_depth=case.max_depth,
            views=case.views,
            owned=case.owned,
        )
        sound(outcome)
        found = self.interface.status_name(outcome.status), outcome.offset
        assert found == (expected.status, expected.offset), (
            f"deserialized: {found}, not {(expected.status, expected.offset)}"
        )
        if not case.max_depth and not expected.left:
            expected.check_accepted(expected.status)
        if expected.status != "OK":
            assert outcome.root == 0, "a root of a message that is refused"
            return
        if not expected.comparable:
            return
        same(self.reader, outcome, self.schema, case.type, case.data)
        expected.check_written(self._written(case, index, outcome.root), case.tame)

    def _written(self, case: Case, index: int, root: int) -> bytes:
        self.writer.fixed, self.writer.flexible = self.reader.regions()
        self.writer.place(self.reader.owner(case.owned))
        self.writer.unit.memory(*case.memory)
        outcome = self.writer.run(root, index, size=2 * len(case.data) + ROOM, end_skew=case.skew[0])
        sound(outcome)
        status = self.interface.status_name(outcome.status)
        assert status == "OK", f"serialized: {status} at {outcome.at:#x}"
        return self.writer.output(outcome)
