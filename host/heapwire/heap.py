"""The machine's memory as the host sees it: regions of bytes at addresses, and what the runtime has put there (class
words, singletons)."""

from __future__ import annotations

from dataclasses import dataclass, field
from mmap import mmap

from heapwire.interface import FieldType, Interface
from heapwire.schema import CompiledSchema


@dataclass
class Region:
    """Bytes at `base`. `name` is for error texts."""

    name: str
    base: int
    data: bytes | bytearray | mmap

    @property
    def limit(self) -> int:
        """First address after the region."""
        return self.base + len(self.data)


@dataclass
class Runtime:
    """The facts of the running program that objects refer to.

    registers: the runtime registers, by index (class words, MARK_PROTOTYPE, UNKNOWN_FIELDS). schema_base: address of
    the current schema blob."""

    interface: Interface
    schema: CompiledSchema
    registers: list[int]
    schema_base: int
    message_klass: dict[int, int] = field(init=False)

    def __post_init__(self) -> None:
        self.message_klass = {i: self.schema_base + record.klass_offset for i, record in enumerate(self.schema.types)}

    def register(self, name: str) -> int:
        """Returns a runtime register's value by name."""
        return self.registers[self.interface.registers[name]]

    def list_klasses(self, kind: FieldType) -> tuple[int, int]:
        """Returns the class words of the array list of a field type and of its backing array."""
        a_list = self.interface.registers["KLASS_INT_ARRAY_LIST"]
        to_array = self.interface.registers["KLASS_INT_ARRAY"] - a_list
        return self.registers[kind.list_register], self.registers[kind.list_register + to_array]


def model_runtime(interface: Interface, schema: CompiledSchema, schema_base: int, klass_base: int) -> Runtime:
    """Returns a runtime as firmware would set it up, with its own klass structs from `klass_base` on.

    For software models and for unit tests of hardware, where no firmware runs."""
    size = interface.klass["size"]
    registers = [0] * (max(interface.registers.values()) + 1)
    at = klass_base
    for name, index in interface.registers.items():
        if name.startswith("KLASS_"):
            registers[index] = at
            at += size
    registers[interface.registers["MARK_PROTOTYPE"]] = interface.object["mark_unlocked"]
    registers[interface.registers["UNKNOWN_FIELDS"]] = at
    registers[interface.registers["TABLE_BASE"]] = schema_base + schema.tables_offset
    registers[interface.registers["TABLE_LIMIT"]] = schema_base + schema.tables_offset + schema.tables_size
    return Runtime(interface, schema, registers, schema_base)
