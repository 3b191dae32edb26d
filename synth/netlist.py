"""The cluster's Verilog as SpinalHDL writes it: modules, their ports and content, and the ports that are clocks; and a
module out of its context."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_MODULE = re.compile(r"^module (\w+)(?: #\([^)]*\))? \((.*?)^\);(.*?)^endmodule", re.MULTILINE | re.DOTALL)
_PORT = re.compile(r"^\s*(input|output)\s+(?:wire|reg)?\s*(?:signed\s*)?(?:\[(\d+):0\])?\s*(\w+),?\s*$", re.MULTILINE)
_INSTANCE = re.compile(r"^  (\w+) (?:#\([^;]*?\) )?(\w+) \(\n(.*?)^  \);", re.MULTILINE | re.DOTALL)
_CONNECTION = re.compile(r"^\s*\.(\w+)\s*\((\w+)\s*\)", re.MULTILINE)
_ALIAS = re.compile(r"^  assign (\w+) = (\w+);", re.MULTILINE)


ALONE, UNIT = "alone", "unit"
"""The names of the wrapper and of the module in it."""


@dataclass(frozen=True)
class Port:
    name: str
    is_input: bool
    width: int


@dataclass
class Module:
    """A module. instances: modules by instance name. edges: nets that something in it, at any depth, uses as its
    clock."""

    ports: tuple[Port, ...]
    instances: dict[str, str]
    edges: set[str]
    _wired: list[tuple[str, str, str]] = field(default_factory=list)  # a module in it, its port, the net

    @property
    def clocks(self) -> tuple[str, ...]:
        return tuple(port.name for port in self.ports if port.is_input and port.name in self.edges)


def read(text: str) -> dict[str, Module]:
    """Returns the modules by name."""
    modules = {}
    for name, ports, body in _MODULE.findall(text):
        found = _INSTANCE.findall(body)
        modules[name] = Module(
            tuple(Port(port, way == "input", int(high or 0) + 1) for way, high, port in _PORT.findall(ports)),
            {instance: kind for kind, instance, _ in found},
            set(re.findall(r"\bposedge (\w+)", body)),
            [(kind, port, net) for kind, _, wires in found for port, net in _CONNECTION.findall(wires)],
        )
        modules[name]._wired += [("", source, target) for target, source in _ALIAS.findall(body)]
    while any([_spread(module, modules) for module in modules.values()]):
        pass
    return modules


def unit_clocks(text: str, top: str) -> dict[str, int]:
    """Returns, for each instance in `top` whose clock may stop, the bit of `unit_clk` that is its clock
    (accel/src/heapwire/core/UnitClock.scala)."""
    body = next(body for name, _, body in _MODULE.findall(text) if name == top)
    bits = {net: int(bit) for net, bit in re.findall(r"^  assign (\w+) = unit_clk\[(\d+)\];", body, re.MULTILINE)}
    return {
        instance: bits[net]
        for _, instance, wires in _INSTANCE.findall(body)
        for _, net in _CONNECTION.findall(wires)
        if net in bits
    }


def _spread(module: Module, modules: dict[str, Module]) -> bool:
    """Propagates clocks from the modules in it, and through aliases, to the nets that bring them. Returns whether there
    was a new one."""
    before = len(module.edges)
    for kind, port, net in module._wired:
        if not kind and net in module.edges:
            module.edges.add(port)
        elif kind in modules and port in modules[kind].clocks:
            module.edges.add(net)
    return len(module.edges) > before


def wrapper(name: str, unit: Module) -> str:
    """Wraps a unit out of context, between registers, so that neither pins nor its surroundings in the cluster matter.
    Returns Verilog of the module `alone`, with three pins and a clock. Its paths outside the unit have at most one
    LUT.

    Each bit of an input comes from a register in a chain that is fed by a pin. Each bit of an output goes into a
    register, and from there into a chain of XORs with a register each, so that none is removed as unused. All clocks of
    the unit are connected to one clock.
    """
    wires, index = [], {True: 0, False: 0}
    for port in unit.ports:
        if port.name in unit.clocks:
            wires.append(f".{port.name}(clk)")
            continue
        low = index[port.is_input]
        index[port.is_input] += port.width
        wires.append(f".{port.name}({'given' if port.is_input else 'made'}[{low} +: {port.width}])")
    connections = ",\n    ".join(wires)
    return f"""module {ALONE}(input clk, input in, output reg out);
  reg [{index[True]}:0] given;
  wire [{index[False]}:0] made;
  reg [{index[False]}:0] taken, chain;
  assign made[{index[False]}] = 1'b0;
  always @(posedge clk) begin
    given <= {{given, in}};
    taken <= made;
    chain <= {{chain, 1'b0}} ^ taken;
    out <= chain[{index[False]}];
  end
  {name} {UNIT} (
    {connections}
  );
endmodule
"""
