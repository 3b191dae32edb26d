"""Runs many messages through the units of the simulated SoC in one simulation (firmware/programs/batch). Each message
is deserialized into objects and serialized again. The workload is preloaded into memory, and the results are read from
memory at the end."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from base.repository import ROOT
from heapwire import firmware
from heapwire import interface as interface_module
from heapwire.interface import Interface
from heapwire.schema import Clear, Schema
from heapwire.simulation import Parts
from heapwire.simulation import parts as default_parts
from heapwire.workload.case import Case
from heapwire.workload.group import Group, pack
from sim import run as sim

RESULT = struct.Struct("<8I")
MAX_CYCLES = 4_000_000_000


@dataclass(frozen=True)
class Answer:
    """The result of one message: the status names of both commands. `serialized` is empty unless both statuses are OK.
    `fallbacks` counts how many of the two commands software finished."""

    deserialize: str
    offset: int
    serialize: str
    serialized: bytes
    fallbacks: int


def room(length: int) -> int:
    """Returns the bytes reserved for one output: BATCH_ROOM of firmware/programs/batch/batch.h."""
    return 8 * length + 4096 + 63 & ~63


def run(
    schema: Schema, messages: list[tuple[str, bytes]], parts: Parts | None = None, clear: Clear = Clear.ALL
) -> list[Answer]:
    """Returns one answer for each message, in the order of the messages. A message is a type name and its wire bytes.

    `fallbacks` of an answer counts both parsing and writing. clear: the part of new objects that units clear.

    Raises HeapwireError if the simulation fails or if the messages do not all fit into memory."""
    if not messages:
        return []
    parts = parts or default_parts()
    interface = interface_module.load(parts.gen / "heapwire.json")
    image = firmware.build("batch", parts, ROOT / "build" / "batch" / parts.name)
    group = Group("batch", schema, [Case("", name, data) for name, data in messages], clear)
    workload = pack(group, interface, checked=False)
    base = interface.cluster["memoryBase"] + interface.cluster["memoryBytes"] // 8
    results = base + len(workload) + 63 & ~63
    size = RESULT.size * len(messages) + sum(room(len(data)) for _, data in messages)
    ended = sim.run(image, [(base, workload)], [(results, size)], max_cycles=MAX_CYCLES, **parts.choice).check()
    return _answers(ended.memory[0], results, len(messages), interface)


def _answers(memory: bytes, base: int, count: int, interface: Interface) -> list[Answer]:
    answers = []
    for i in range(count):
        status, offset, software, back, again, output, length, _ = RESULT.unpack_from(memory, RESULT.size * i)
        good = interface.status_name(status) == interface.status_name(back) == "OK"
        answers.append(
            Answer(
                interface.status_name(status),
                offset,
                interface.status_name(back),
                memory[output - base : output - base + length] if good else b"",
                software + again,
            )
        )
    return answers
