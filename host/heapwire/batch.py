"""Runs many messages through the units of the simulated SoC in one simulation (firmware/programs/batch). Each message
is deserialized into objects and serialized again. The workload is preloaded into memory, and the results are read from
memory at the end."""

from __future__ import annotations

from dataclasses import dataclass

from base.repository import ROOT
from heapwire import firmware
from heapwire import interface as interface_module
from heapwire.interface import Interface
from heapwire.records import align
from heapwire.records.workload import BATCH_ALIGNMENT, BATCH_GROWTH, BATCH_MARGIN, Result
from heapwire.schema import Clear, Schema
from heapwire.simulation import Parts
from heapwire.simulation import parts as default_parts
from heapwire.workload.case import Case
from heapwire.workload.group import Group, pack
from sim import run as sim

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
    results = align(base + len(workload), BATCH_ALIGNMENT)
    size = Result.SIZE * len(messages) + sum(
        align(BATCH_GROWTH * len(data) + BATCH_MARGIN, BATCH_ALIGNMENT) for _, data in messages
    )
    ended = sim.run(image, [(base, workload)], [(results, size)], max_cycles=MAX_CYCLES, **parts.choice).check()
    return _answers(ended.memory[0], results, len(messages), interface)


def _answers(memory: bytes, base: int, count: int, interface: Interface) -> list[Answer]:
    answers = []
    for i in range(count):
        result = Result.unpack(memory, Result.SIZE * i)
        status, back = (interface.status_name(each) for each in (result.deserialize_status, result.serialize_status))
        output = result.output - base
        answers.append(
            Answer(
                status,
                result.offset,
                back,
                memory[output : output + result.output_bytes] if status == back == "OK" else b"",
                result.deserialize_fallbacks + result.serialize_fallbacks,
            )
        )
    return answers
