"""Fixtures of the host's tests: the interface, schemas, a memory to build objects in."""

from pathlib import Path

import pytest
from google.protobuf.message import Message
from hypothesis import settings

from heapwire import interface as interface_module
from heapwire.compare import first_difference
from heapwire.graph import GraphReader, Node
from heapwire.heap import Region, model_runtime
from heapwire.model import Deserializer, Outcome
from heapwire.schema import CompiledSchema, Schema, compile_proto, compile_schema

# A busy machine must not fail a test.
settings.register_profile("heapwire", deadline=None)
settings.load_profile("heapwire")

PROTOS = Path(__file__).parent / "protos"


@pytest.fixture(scope="session")
def interface():
    """Returns the content of heapwire.json, which `make verilog` generates."""
    return interface_module.load()


@pytest.fixture(scope="session")
def everything() -> Schema:
    """Returns a schema with every field type in every form."""
    return compile_proto(PROTOS / "everything.proto")


class Machine:
    """A memory with a schema loaded, and the model as its deserializer."""

    FIXED, FLEXIBLE, SCHEMA, KLASSES = 0x4800_0000, 0x4C00_0000, 0x4200_0040, 0x4000_1000

    def __init__(self, compiled: CompiledSchema, interface, arena: int = 1 << 20) -> None:
        self.compiled = compiled
        self.runtime = model_runtime(interface, compiled, self.SCHEMA, self.KLASSES)
        self.fixed = Region("fixed", self.FIXED, bytearray(arena))
        self.flexible = Region("flexible", self.FLEXIBLE, bytearray(arena))

    def deserialize(self, data: bytes, **options) -> Outcome:
        """Runs the model over a message of the root type."""
        return Deserializer(self.runtime, self.fixed, self.flexible, **options).run(data)

    def read(self, root: int) -> Node:
        """Reads the graph back."""
        return GraphReader(self.runtime, self.fixed, self.flexible).read(root)

    def difference(self, message: Message, data: bytes | None = None) -> str | None:
        """Sends `message` over the wire into objects and back. Returns the difference, or None."""
        outcome = self.deserialize(message.SerializePartialToString() if data is None else data)
        assert outcome.status == "OK", outcome
        return first_difference(self.read(outcome.root), message)


@pytest.fixture
def machine(interface, everything):
    """Returns a function that returns a Machine for a type name (default: Everything)."""

    def make(name: str = "test.Everything", schema: Schema = everything, **options) -> Machine:
        return Machine(compile_schema(schema.descriptor(name), interface), interface, **options)

    return make
