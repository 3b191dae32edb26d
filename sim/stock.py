"""The SoC that LiteX itself makes for a board: its own VexRiscv and its L2 cache, in the place of the cluster.

It is what a program has without Heapwire, on the same memory and at the same clock. `make bench SUITE=core LIKE=ulx3s STOCK=1` measures nanopb there.
"""
from pathlib import Path

from sim.soc import SimSoC


class StockSoC(SimSoC):
    """`description` says what memory there is and how long a word of the harness is; its cluster is left out.

    LiteX's CPU is the variant `full`: `standard`, which LiteX takes if nothing is said, with the counters of cycles and instructions,
    without which nothing could be timed. Caches and pipeline of both are the same.
    """

    #: LiteX's default.
    L2_BYTES = 8192

    def __init__(self, description, settings, memory):
        super().__init__(description, settings, memory, cpu_type="vexriscv", cpu_variant="full")

    def add_unit_clocks(self, pads):
        """There are no units."""

    def add_debugger(self, pads):
        """There is none: `sim.run` is not asked for one."""

    def cpu_verilog(self):
        """The CPU's sources, which the simulator compiles beside the SoC's."""
        return "".join(Path(source).read_text() for source, *_ in self.platform.sources if Path(source).name.startswith("VexRiscv"))
