"""Cases of differential fuzzing: what one is, how it runs through both units, how one that fails is made smaller and kept."""
from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import random
from pathlib import Path
from typing import Callable

from google.protobuf import descriptor_pb2
from google.protobuf.message import DecodeError

from heapwire.graph import GraphError
from heapwire.schema import Clear, Schema, compile_schema
from sim.unit import deserializer, serializer
from test_deserializer import DEPTH, same, sound
from wire_reference import Reference

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "build" / "failures"
ARENA = 1 << 18
TRIES = 2000
"""Runs that making a case smaller may take."""


@dataclasses.dataclass(frozen=True)
class Case:
    """A message of a schema, and the memory that the units meet. tame: as an official serializer writes it."""

    schema: bytes
    type: str
    data: bytes
    tame: bool
    memory: tuple[int, int, int, int]
    skew: tuple[int, int, int]
    max_depth: int = 0
    clear: str = Clear.ALL.value

    @staticmethod
    def random(dice: random.Random, schema: Schema, name: str, data: bytes, tame: bool, clear: Clear = Clear.ALL) -> Case:
        """Stalls, latency, places and depth limit are drawn."""
        memory = dice.getrandbits(32), dice.choice([0, 0, 10, 80, 200]), dice.choice([1, 10, 20]), dice.choice([20, 40, 150])
        skew = dice.randrange(64), dice.choice([0, 8, 4, 1, 16]), dice.choice([0, 8, 24, 3])
        return Case(schema.files.SerializeToString(), name, data, tame, memory, skew, 0 if tame else dice.choice([0, 0, 0, 2]),
                    clear.value)

    def keep(self, folder: Path = KEPT) -> Path:
        """Writes the case; the file's name is that of its contents."""
        fields = {name: base64.b64encode(value).decode() if isinstance(value, bytes) else value for name, value in dataclasses.asdict(self).items()}
        text = json.dumps(fields, indent=1)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{hashlib.sha256(text.encode()).hexdigest()[:12]}.json"
        path.write_text(text)
        return path

    @staticmethod
    def kept(path: Path) -> Case:
        """What `keep` wrote."""
        fields = json.loads(Path(path).read_text())
        fields |= {name: base64.b64decode(fields[name]) for name in ("schema", "data")}
        fields |= {name: tuple(fields[name]) for name in ("memory", "skew")}
        return Case(**fields)


class Machine:
    """Both units with one schema."""

    def __init__(self, readers, writers, interface, schema: Schema, clear: Clear) -> None:
        self.interface, self.schema = interface, schema
        compiled = compile_schema([schema.descriptor(name) for name in schema.type_names()], interface, clear)
        self.reader = deserializer.Bench(readers, compiled, interface)
        self.writer = serializer.Bench(writers, compiled, interface)
        self.exact = not any(field.message_type is not None and field.message_type.GetOptions().map_entry
                             for name in schema.type_names() for field in schema.descriptor(name).fields)

    def difference(self, case: Case) -> str | None:
        """How the units' answer differs from the reference's status and offset, from the official library's fields, and, of what
        the serializer makes of the deserializer's objects, from the message. None: it does not."""
        try:
            self._check(case)
        except (AssertionError, GraphError) as error:
            return str(error) or "an assertion without text"
        return None

    def _check(self, case: Case) -> None:
        index = self.reader.schema.index(case.type)
        reference = Reference(case.data, case.max_depth or DEPTH)
        expected = reference.run(self.schema.descriptor(case.type))
        self.reader.unit.memory(*case.memory)
        outcome = self.reader.run(case.data, index, arena=ARENA, skew=case.skew, max_depth=case.max_depth)
        sound(outcome)
        found = self.interface.status_name(outcome.status), outcome.offset
        assert found == expected, f"deserialized: {found}, not {expected}"
        cls = self.schema.message_class(case.type)
        try:
            message = cls.FromString(case.data)
        except DecodeError:
            message = None
        # Software decides about what is unsupported, and about required fields that a later occurrence may bring.
        if not case.max_depth and not reference.long_key and expected[0] not in ("UNSUPPORTED", "MISSING_REQUIRED"):
            complete = message is not None and message.IsInitialized()
            assert (expected[0] == "OK") == complete, f"{expected[0]}; the library {'reads' if complete else 'refuses'} it"
        if expected[0] != "OK":
            assert outcome.root == 0, "a root of a message that is refused"
            return
        if message is None:
            return
        same(self.reader, outcome, self.schema, case.type, case.data)
        self._check_written(case, index, outcome.root, cls, message.SerializeToString(deterministic=True))

    def _check_written(self, case: Case, index: int, root: int, cls, expected: bytes) -> None:
        self.writer.fixed, self.writer.flexible = self.reader.regions()
        self.writer.place()
        self.writer.unit.memory(*case.memory)
        outcome = self.writer.run(root, index, size=ARENA, end_skew=case.skew[0])
        sound(outcome)
        status = self.interface.status_name(outcome.status)
        assert status == "OK", f"serialized: {status} at {outcome.at:#x}"
        output = self.writer.output(outcome)
        assert cls.FromString(output).SerializeToString(deterministic=True) == expected, f"another message: {output.hex()}"
        assert not (case.tame and self.exact) or output == expected, f"other bytes: {output.hex()}"


def smallest(case: Case, fails: Callable[[Case], bool], tries: int = TRIES) -> Case:
    """A case that still fails, of as few bytes as leaving out spans of them gives, then of as many zeros, and in an even memory
    if that suffices."""
    def attempt(other: Case) -> bool:
        nonlocal case, tries
        tries -= 1
        if tries < 0 or other == case or not fails(other):
            return False
        case = other
        return True

    def data(value: bytes) -> Case:
        return dataclasses.replace(case, data=value, tame=False)

    attempt(dataclasses.replace(case, memory=(1, 0, 1, 1), skew=(0, 0, 0)))
    size = len(case.data)
    while size:
        at, changed = 0, False
        while at < len(case.data):
            if attempt(data(case.data[:at] + case.data[at + size:])):
                changed = True
            else:
                at += size
        if not changed:
            size //= 2
    for at in range(len(case.data)):
        attempt(data(case.data[:at] + b"\0" + case.data[at + 1:]))
    return case


def schema_of(case: Case) -> Schema:
    """The case's schema."""
    return Schema(descriptor_pb2.FileDescriptorSet.FromString(case.schema), "kept")
