"""The suite `heap`: the cases of study/firmware/programs/bench/heap*.c by name, and the figures of its bars."""

from dataclasses import replace

from heapwire.measure.messages import data_folder, demo_group, real_groups
from heapwire.measure.rows import Row
from heapwire.workload.case import Case
from heapwire.workload.group import HEAPS, LAYOUTS, TRAFFIC, WAIT, Group

Key = tuple[str, str, str]
"""Case, operation, engine."""

RUNTIME, SOFTWARE_GC = "runtime", "software-gc"
"""The engine of cases without messages, and of pauses in which the evacuation unit takes no part."""
ADOPT, SURVIVE, WAITING = "adopt", "survive", "wait"
YOUNG, FULL = "young collection", "full collection"
"""Operations."""
END_TO_END = "end to end/{}/{}"
"""The operation on a heap: bytes of eden, messages kept."""
EDENS, KEPT = (32 << 10, 128 << 10, 256 << 10, 1 << 20), (0, 16, 64)
"""What the heaps of one message have."""
SMALL_HEAP = END_TO_END.format(EDENS[0], KEPT[1])
"""The operation on the heap of all messages."""
HEAPS_OF_ONE = [END_TO_END.format(eden, kept) for kept in KEPT for eden in EDENS]
"""The operations on the heaps of one message."""
OTHER_HEAPS = [operation for operation in HEAPS_OF_ONE if operation != SMALL_HEAP]
"""Those that the message has more than others, by so much software that they are in one link layout."""
ADOPTION_ENGINES = ("hw-arenas", "hw-buffer", "hw-array")
SURVIVAL_ENGINES = ("hw", "table", "clone")
HEAPS_ENGINES = ("hw", "hw-software-gc", "table", "table-unit-gc")
"""Who reads messages: the engine or the codec. Software alone collects for `hw-software-gc` and `table`."""
TRAFFIC_ENGINES = (*HEAPS_ENGINES, "hw-array")
ALLOCATIONS = tuple(f"object_16{kind}" for kind in ("", "_handle", "_any_class", "_and_refills", "_handle_and_refills"))
STORES = ("plain", "with_barrier", "barrier")
YOUNG_SIZES = [1024 << 2 * i for i in range(5)]
ARRAYS_SIZES = YOUNG_SIZES[2:]
"""Of arrays of bytes, each of a kilobyte."""
FULL_SIZES = [4096 << i for i in range(7)]
SMALL = 2048
"""Bytes of the longest message that goes into small heaps."""
WAIT_LIMIT = 1 << 16
"""Bytes of the longest message to which the bar on waiting applies. Waits of longer messages are only reported."""
SURVIVORS = 1 << 16
"""Bytes of survivors of the young pause that waits are compared with."""


def heap_groups() -> list[Group]:
    """Returns the workloads. Messages into small heaps are also measured by software, in all layouts. The wait for a
    command in flight is measured over all messages, by the unit alone, in one layout."""
    folder = data_folder()
    real = real_groups(folder) if folder else []
    traffic = next((group for group in real if group.name == "jsbs"), demo_group())
    small = [case for case in traffic.cases if len(case.data) <= SMALL]

    def asking(group: Group, found: list[Case], task: str, layouts: int) -> Group:
        return replace(group, cases=[replace(case, engines=(task,)) for case in found], layouts=layouts)

    return [
        asking(traffic, small, TRAFFIC, LAYOUTS),
        asking(traffic, small[:1], HEAPS, 1),
        *(asking(group, group.cases, WAIT, 1) for group in [*real, demo_group()]),
    ]


def rows_of_heap(groups: list[Group]) -> list[Key]:
    """Returns the keys of the suite's rows: its own, and those of each message's tasks."""
    keys = [
        *((name, "allocate", RUNTIME) for name in ALLOCATIONS),
        *((name, "store", RUNTIME) for name in STORES),
        *((f"young_pause/{size}", YOUNG, who) for who in (RUNTIME, SOFTWARE_GC) for size in YOUNG_SIZES),
        *((f"arrays_pause/{size}", YOUNG, who) for who in (RUNTIME, SOFTWARE_GC) for size in ARRAYS_SIZES),
        *((f"full_pause/{size}", FULL, RUNTIME) for size in FULL_SIZES),
    ]
    for case in (case for group in groups for case in group.cases):
        if WAIT in case.engines:
            keys.append((case.name, WAITING, "hw"))
        if TRAFFIC in case.engines:
            tasks = ((ADOPT, ADOPTION_ENGINES), (SURVIVE, SURVIVAL_ENGINES), (SMALL_HEAP, TRAFFIC_ENGINES))
            keys += [(case.name, operation, engine) for operation, engines in tasks for engine in engines]
        if HEAPS in case.engines:
            keys += [(case.name, operation, engine) for operation in OTHER_HEAPS for engine in HEAPS_ENGINES]
    return keys


def eden_and_kept(operation: str) -> tuple[int, int]:
    """Returns which heap an operation is on: its bytes of eden, and the messages that it keeps."""
    eden, kept = operation.split("/")[1:]
    return int(eden), int(kept)


def waits(rows: list[Row]) -> list[Row]:
    """Returns the waits for commands in flight."""
    return [row for row in rows if row["op"] == WAITING]


def survival(rows: list[Row]) -> float | None:
    """Returns the worst ratio of a young collection over unit-built objects to one over software-built objects, of
    which the better engine counts."""
    rows = [row for row in rows if row["op"] == SURVIVE]
    found = []
    for case in dict.fromkeys(str(row["case"]) for row in rows):
        rates = {
            row["engine"]: int(row["cycles"]) / max(1, int(row["object_bytes"])) for row in rows if row["case"] == case
        }
        software = [rates[engine] for engine in SURVIVAL_ENGINES[1:] if engine in rates]
        if "hw" in rates and software:
            found.append(rates["hw"] / min(software))
    return max(found, default=None)


def longest_wait(rows: list[Row]) -> float | None:
    """Returns the longest wait for a command in flight over messages of up to WAIT_LIMIT bytes, ours among them."""
    return max((float(row["cycles"]) for row in waits(rows) if int(row["wire_bytes"]) <= WAIT_LIMIT), default=None)
