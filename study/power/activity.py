"""Reads from an FST file how often the signals of each module's instance switch."""

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Mapping, Sequence

import pylibfst
from pylibfst import ffi, lib, string

from synth.netlist import Module
from synth.yosys import SynthesisError

STEPS = 10
"""Units of the file's time in a cycle (sim/harness/main.cpp)."""
CLOCKS = "unit_clk"
Window = tuple[int, int]
"""First and last cycle."""


@dataclass(frozen=True)
class Switching:
    """Switching of an instance, without the instances in it. bits: number of bits of its signals, without its inputs
    and the signals that instances in it drive. toggles: of all these bits, in a cycle. clocked: share of the cycles in
    which its clock runs."""

    module: str
    bits: int
    toggles: float
    clocked: float

    @property
    def rate(self) -> float:
        """Toggles of one bit in a cycle, on average."""
        return self.toggles / self.bits if self.bits else 0.0


@dataclass(frozen=True)
class _Signal:
    path: str
    name: str
    width: int
    handle: int
    is_input: bool


def _signals(file: object) -> Iterator[_Signal]:
    path: list[str] = []
    lib.fstReaderIterateHierRewind(file)
    while (entry := lib.fstReaderIterateHier(file)) != ffi.NULL:
        if entry.htyp == lib.FST_HT_SCOPE:
            path.append(string(entry.u.scope.name))
        elif entry.htyp == lib.FST_HT_UPSCOPE:
            path.pop()
        elif entry.htyp == lib.FST_HT_VAR:
            variable = entry.u.var
            yield _Signal(
                ".".join(path),
                string(variable.name).split(" ")[0],
                variable.length,
                variable.handle,
                variable.direction == lib.FST_VD_INPUT,
            )


def instances(modules: Mapping[str, Module], top: str) -> dict[str, str]:
    """Returns the module of every instance by its path below `top`, whose own path is ""."""
    found = {"": top}
    _below(modules, "", top, found)
    return found


def _below(modules: Mapping[str, Module], path: str, module: str, found: dict[str, str]) -> None:
    for name, kind in modules[module].instances.items() if module in modules else ():
        below = f"{path}.{name}" if path else name
        found[below] = kind
        _below(modules, below, kind, found)


def _driven_within(modules: Mapping[str, Module], module: str) -> set[str]:
    """Returns the names of a module's signals that carry outputs of instances in it. SpinalHDL names them by instance
    and port."""
    return {
        f"{name}_{port.name}"
        for name, kind in modules[module].instances.items()
        if kind in modules
        for port in modules[kind].ports
        if not port.is_input
    }


def read(
    fst: Path, modules: Mapping[str, Module], top: str, windows: Sequence[Window], sleepers: Mapping[str, int] = {}
) -> list[dict[str, Switching]]:
    """Returns, by window and by path below `top`, the switching of each instance. windows: in order, disjoint, and
    within the file. sleepers: the bit of `unit_clk` that clocks an instance and everything in it.

    Raises SynthesisError if the file is no FST file, or has no instance of `top`, or none of the sleepers' clocks."""
    file = lib.fstReaderOpen(str(fst).encode())
    if file == ffi.NULL:
        raise SynthesisError(f"power: {fst} is no FST file")
    try:
        return _read(file, modules, top, windows, sleepers)
    finally:
        lib.fstReaderClose(file)


def _read(
    file: object, modules: Mapping[str, Module], top: str, windows: Sequence[Window], sleepers: Mapping[str, int]
) -> list[dict[str, Switching]]:
    kinds = {path: kind for path, kind in instances(modules, top).items() if kind in modules}
    within = {kind: _driven_within(modules, kind) for kind in set(kinds.values())}
    signals = list(_signals(file))
    base = next((signal.path for signal in signals if signal.path.split(".")[-1] == top), None)
    if base is None:
        raise SynthesisError(f"power: the waves have no {top}")
    clocks = next((signal.handle for signal in signals if (signal.path, signal.name) == (base, CLOCKS)), 0)
    if sleepers and not clocks:
        raise SynthesisError(f"power: the waves have no {CLOCKS}")
    bits: dict[str, int] = defaultdict(int)
    owned: dict[int, set[str]] = defaultdict(set)
    for signal in signals:
        if signal.is_input or not (signal.path == base or signal.path.startswith(base + ".")):
            continue
        path = signal.path[len(base) + 1 :]
        # A signal with two names counts once.
        if path in kinds and signal.name not in within[kinds[path]] and path not in owned[signal.handle]:
            owned[signal.handle].add(path)
            bits[path] += signal.width
    counts = _counts(file, {*owned, clocks} - {0}, windows)
    found = []
    for (first, last), count in zip(windows, counts):
        cycles = last - first + 1
        toggles: dict[str, int] = defaultdict(int)
        for handle, paths in owned.items():
            for path in paths:
                toggles[path] += sum(count.get(handle, {}).values())
        # The first half of the first cycle is not recorded.
        running = {
            sleeper: min(1.0, (count.get(clocks, {}).get(bit, 0) / 2 + 0.5) / cycles)
            if count.get(clocks, {}).get(bit)
            else 0.0
            for sleeper, bit in sleepers.items()
        }
        found.append(
            {
                path: Switching(kind, bits[path], toggles[path] / cycles, running.get(path.split(".")[0], 1.0))
                for path, kind in kinds.items()
            }
        )
    return found


def _counts(file: object, handles: set[int], windows: Sequence[Window]) -> list[dict[int, dict[int, int]]]:
    """Returns how often each bit switched, by window, handle and bit. The values at the start of a window do not count,
    because nothing is recorded between windows."""
    lib.fstReaderClrFacProcessMaskAll(file)
    for handle in handles:
        lib.fstReaderSetFacProcessMask(file, handle)
    starts = [first * STEPS for first, _ in windows]
    counts: list[dict[int, dict[int, int]]] = [defaultdict(lambda: defaultdict(int)) for _ in windows]
    values: dict[int, int] = {}

    def change(_: object, time: int, handle: int, text: object) -> None:
        value = int(ffi.string(text), 2)
        window = bisect_right(starts, time) - 1
        if window >= 0 and time != starts[window]:
            switched = value ^ values.get(handle, 0)
            bits = counts[window][handle]
            while switched:
                lowest = switched & -switched
                bits[lowest.bit_length() - 1] += 1
                switched ^= lowest
        values[handle] = value

    pylibfst.fstReaderIterBlocks(file, change)
    return counts
