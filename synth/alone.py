"""Wraps a unit out of context: between registers, so that neither pins nor its surroundings in the cluster matter."""

from __future__ import annotations

from synth.netlist import Module

TOP = "alone"
UNIT = "unit"


def wrapper(name: str, unit: Module) -> str:
    """Returns Verilog of the module `alone`, with three pins and a clock. Its paths outside the unit have at most one
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
    return f"""module {TOP}(input clk, input in, output reg out);
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
