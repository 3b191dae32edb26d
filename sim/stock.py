"""LiteX's own VexRiscv and an L2 cache of 8 KB in the place of the cluster, on a simulated board's memory: what a program has without Heapwire.

Memory and clock are those of our board's file. LiteX's own target drives ULX3S's memory at the system's clock, not at twice of it, and gives the Tang
an L2 of 128 bytes. `make bench SUITE=core LIKE=ulx3s STOCK=1` measures nanopb there.
"""
import copy
from pathlib import Path

from sim.soc import SimSoC


class StockSoC(SimSoC):
    """`description` says what memory there is; its cluster is left out.

    LiteX's CPU is the variant `full`: `standard`, which LiteX takes if nothing is said, with all CSRs, among them the counters of cycles
    and instructions by which programs are timed. Caches and pipeline of both are the same.
    """

    #: LiteX's default.
    L2_BYTES = 8192

    def __init__(self, description, settings, memory):
        description = copy.copy(description)
        description.config, description.debug, description.unit_clocks, description.unit_clock_divider = "stock", "none", 1, 1
        super().__init__(description, settings, memory, cpu_type="vexriscv", cpu_variant="full")

    def add_unit_clocks(self, pads):
        """There are no units: the harness's pins are left open."""

    def cpu_verilog(self):
        """The CPU's sources, which the simulator compiles beside the SoC's."""
        return "".join(Path(source).read_text() for source, *_ in self.platform.sources if Path(source).name.startswith("VexRiscv"))
