"""The simulated board: the Heapwire SoC over LiteDRAM's controller and a model of the memory.

Unless it is made like a real board (sim/like.py), its clock counts as 100 MHz, with a DDR3-800 chip at 1:4. The width
of the chip follows from the cluster's memory port: x16 (256 MB) for the port of 128 bits, whose peak is 16 bytes a
system cycle; x8 (128 MB) for 64 bits; x4 (64 MB) for 32 bits.
"""

import copy
from pathlib import Path

from litedram.common import LiteDRAMNativePort
from liteeth.phy.gmii import LiteEthPHYGMII
from litex.build.generic_platform import GenericPlatform, Pins, Subsignal
from litex.gen import LiteXModule
from litex.soc.cores.uart import RS232PHYModel
from litex.soc.interconnect import wishbone
from litex.soc.interconnect.csr import CSRStorage
from migen import ClockDomain, Signal

from sim.dram import DramPhy, Memory
from soc.soc import HeapwireSoC, MemorySettings


def pins(name, **signals):
    """Returns pins of LiteX's platforms. signals: the bits of each."""
    return (name, 0, *(Subsignal(signal, Pins(bits)) for signal, bits in signals.items()))


#: A stream of bytes in each direction.
WAYS = ("source", "sink")
BYTES = {f"{way}_{name}": bits for way in WAYS for name, bits in (("valid", 1), ("ready", 1), ("data", 8))}
#: The harness (sim/harness/main.cpp) drives these pins, with byte streams instead of a serial line.
PINS = [
    ("sys_clk", 0, Pins(1)),
    ("sys_rst", 0, Pins(1)),
    pins("serial", **BYTES),
    pins("link", **BYTES),
    pins("finish", valid=1, code=32),
    pins("jtag", tck=1, tms=1, tdi=1, tdo=1),
    pins("eth", tx_en=1, tx_data=8, rx_dv=1, rx_data=8),
    pins("dma", stb=1, address=30, ack=1, err=1, data=32),
]


def unit_pins(count):
    """Returns pins with a clock for each unit, and whether the unit wants its clock. The harness leaves out edges that
    affect nothing, which is most of its speed."""
    return pins("unit", clk=count, awake=count)


class Clock(LiteXModule):
    def __init__(self, platform):
        self.rst = Signal()  # raised by LiteX on a SoC reset
        self.cd_sys = ClockDomain()
        self.comb += [
            self.cd_sys.clk.eq(platform.request("sys_clk")),
            self.cd_sys.rst.eq(platform.request("sys_rst") | self.rst),
        ]


class SimFinish(LiteXModule):
    """Writing `code` ends the simulation; 0 means success."""

    def __init__(self, pads):
        self.code = CSRStorage(32, description="Ends the simulation with this exit code.")
        self.comb += [pads.valid.eq(self.code.re), pads.code.eq(self.code.storage)]


class SimSoC(HeapwireSoC):
    """The simulated SoC. `settings` are the controller's. `memory` defaults to DDR3 as wide as the cluster's word.
    `ethernet`: with a MAC, whose PHY carries a byte in each cycle of the system's clock. `kwargs` go to
    `HeapwireSoC`."""

    #: Size of LiteX's L2. The cluster has none, because it has a cache of its own.
    L2_BYTES = 0

    def __init__(self, description, settings=MemorySettings(), memory=None, ethernet=False, **kwargs):
        memory = memory or Memory.ddr3(description.data_width)
        platform = GenericPlatform("sim", [*PINS, unit_pins(description.unit_clocks)], name="heapwire_sim")
        self.crg = Clock(platform)
        HeapwireSoC.__init__(self, platform, memory.clock_hz, description, uart_name="sim", **kwargs)
        self.add_link(RS232PHYModel(platform.request("link")))
        if ethernet:
            self.add_mac(LiteEthPHYGMII(None, platform.request("eth"), model=True))
        self.add_unit_clocks(platform.request("unit"))
        jtag = platform.request("jtag")
        if description.debug == "tap":
            self.cpu.add_jtag(jtag)
        self.sim_finish = SimFinish(platform.request("finish"))
        self.add_dma_reader(platform.request("dma"))
        self.add_constant("CONFIG_SIMULATION")
        self.delay_reads(description.added_latency)
        self.add_memory(DramPhy(platform, memory), memory.module, settings, self.L2_BYTES)

    def add_unit_clocks(self, pads):
        self.cpu.own_unit_clocks()
        self.comb += [self.cpu.unit_clk.eq(pads.clk), pads.awake.eq(self.cpu.unit_awake)]

    def delay_reads(self, cycles):
        """Lets the data of each read reach the cluster `cycles` later than LiteDRAM gives them. Commands and writes are
        not delayed, and as many reads as before may be on their way."""
        make = getattr(self.cpu, "add_memory_buses", None)
        if not cycles or not make:
            return

        def make_late(address_width, data_width):
            make(address_width, data_width)
            self.cpu.memory_buses = [
                self.late(port, cycles) if port.mode == "read" else port for port in self.cpu.memory_buses
            ]

        self.cpu.add_memory_buses = make_late

    def late(self, near, cycles):
        """Returns a port for LiteDRAM behind the cluster's port `near`."""
        far = LiteDRAMNativePort(mode="read", address_width=near.address_width, data_width=near.data_width)
        coming = [(far.rdata.valid, far.rdata.data)]
        for _ in range(cycles):
            valid, data = Signal(), Signal(near.data_width)
            self.sync += [valid.eq(coming[-1][0]), data.eq(coming[-1][1])]
            coming.append((valid, data))
        self.comb += [
            near.cmd.connect(far.cmd),
            far.rdata.ready.eq(1),
            near.rdata.valid.eq(coming[-1][0]),
            near.rdata.data.eq(coming[-1][1]),
        ]
        return far

    def add_dma_reader(self, pads):
        """Adds a DMA master with which the harness reads main memory as the program left it, including dirty lines of
        the shared cache. A CPU without a bus for DMA reaches memory over the main bus, and so does the master."""
        bus = wishbone.Interface(data_width=32, address_width=32, addressing="word")
        getattr(self, "dma_bus", self.bus).add_master(name="harness", master=bus)
        self.comb += [
            bus.cyc.eq(pads.stb),
            bus.stb.eq(pads.stb),
            bus.sel.eq(0xF),
            bus.adr.eq(pads.address),
            pads.ack.eq(bus.ack),
            pads.err.eq(bus.err),
            pads.data.eq(bus.dat_r),
        ]


class StockSoC(SimSoC):
    """LiteX's own VexRiscv and an L2 cache of 8 KB instead of the cluster, on a simulated board's memory: the machine
    without Heapwire. `description` gives the memory; its cluster is left out.

    Memory and clock are those of our board's file. LiteX's own target drives ULX3S's memory at the system's clock, not
    at twice that, and gives the Tang an L2 of 128 bytes. `make bench SUITE=core LIKE=ulx3s+stock` measures nanopb
    there.

    LiteX's CPU is the variant `full`. It has the caches and the pipeline of `standard`, LiteX's default, but all CSRs,
    among them the counters of cycles and instructions with which programs are timed."""

    #: LiteX's default.
    L2_BYTES = 8192

    def __init__(self, description, settings, memory, ethernet=False):
        description = copy.copy(description)
        description.config, description.debug, description.unit_clocks, description.unit_clock_divider = (
            "stock",
            "none",
            1,
            1,
        )
        super().__init__(description, settings, memory, ethernet, cpu_type="vexriscv", cpu_variant="full")

    def add_unit_clocks(self, pads):
        """Leaves the harness's pins open: there are no units."""

    def cpu_verilog(self):
        """Returns the CPU's sources, which the simulator compiles beside the SoC's."""
        return "".join(
            Path(source).read_text() for source, *_ in self.platform.sources if Path(source).name.startswith("VexRiscv")
        )
