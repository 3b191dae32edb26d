"""LiteX's own VexRiscv and an L2 cache of 8 KB instead of the cluster, on a simulated board's memory: the machine
without Heapwire.

Memory and clock are those of our board's file. LiteX's own target drives ULX3S's memory at the system's clock, not at
twice that, and gives the Tang an L2 of 128 bytes. `make bench SUITE=core LIKE=ulx3s+stock` measures nanopb there.
"""

import copy
from pathlib import Path

from sim.soc import SimSoC


class StockSoC(SimSoC):
    """The SoC with LiteX's CPU. `description` gives the memory; its cluster is left out.

    LiteX's CPU is the variant `full`. It has the caches and the pipeline of `standard`, LiteX's default, but all CSRs,
    among them the counters of cycles and instructions with which programs are timed."""

    #: LiteX's default.
    L2_BYTES = 8192

    def __init__(self, description, settings, memory):
        description = copy.copy(description)
        description.config, description.debug, description.unit_clocks, description.unit_clock_divider = (
            "stock",
            "none",
            1,
            1,
        )
        super().__init__(description, settings, memory, cpu_type="vexriscv", cpu_variant="full")

    def add_unit_clocks(self, pads):
        """Leaves the harness's pins open: there are no units."""

    def cpu_verilog(self):
        """Returns the CPU's sources, which the simulator compiles beside the SoC's."""
        return "".join(
            Path(source).read_text() for source, *_ in self.platform.sources if Path(source).name.startswith("VexRiscv")
        )
