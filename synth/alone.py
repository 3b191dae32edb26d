"""A unit out of context: between registers, so that neither pins nor what is around it in the cluster matter."""
from __future__ import annotations

from synth.netlist import Module

TOP = "alone"
UNIT = "unit"


def wrapper(name: str, unit: Module) -> str:
    """Verilog of module `alone`, of three pins and a clock, whose paths outside the unit are of one LUT at most.

    Each bit of an input comes from a register, one in a chain that is fed by a pin; each bit of an output goes into a register,
    and from there into a chain of XORs with a register each, so that none is dropped as unused. All clocks of the unit are one.
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
