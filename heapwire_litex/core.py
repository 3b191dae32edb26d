"""LiteX CPU classes around the generated Verilog module `HeapwireCluster`. `Heapwire`, the class for LiteX's users,
obtains a cluster that fits its SoC. Classes that `register` makes are for an existing cluster.

The interfaces are all in the `sys` clock domain:

- `peripheral`: Wishbone classic master, 32 bits, for every address outside main
  memory (ROM, SRAM, CSRs), on the SoC's main bus;
- `dma_bus`: Wishbone classic slave, 32 bits, through which LiteX's DMA masters
  reach main memory coherently. Its presence also keeps LiteX from adding a
  second, incoherent path between its main bus and main memory;
- `memory_buses`: LiteDRAM native ports of the controller's width, read ports
  first, then write ports, addressed in words from the start of main memory. A
  cluster with narrower words has adapters before them (`memory_ports.py`).
  LiteDRAM gives read data no back-pressure and takes write data at a fixed
  latency: the cluster reserves room and data before it sends a command;
- `unit_clk`, `unit_awake`: a clock for each unit, in phase with `sys`. Its rate is
  that of `sys` or, if the cluster was generated so, half of it. It may stop while
  the unit's bit of `unit_awake` is low. Unless a board drives it
  (`own_unit_clocks`), it is the `sys` clock itself, or the clock of the domain `unit`.
"""

from litex.soc.cores import cpu as litex_cpus
from litex.soc.interconnect import wishbone
from migen import ClockSignal, If, Instance, Replicate, ResetInserter, ResetSignal, Signal

from heapwire_litex import cluster, configurations
from heapwire_litex.generator import PACKAGE
from heapwire_litex.memory_ports import NarrowRead, NarrowWrite, NativeToWishbone

#: Width of the cluster's `cmd_addr` outputs. 2**28 words cover the address space at every port width that the
#: generator accepts.
NATIVE_ADDRESS_BITS = 28

WISHBONE_OUT = {"CYC": "cyc", "STB": "stb", "WE": "we", "ADR": "adr", "DAT_MOSI": "dat_w", "SEL": "sel"}
WISHBONE_IN = {"DAT_MISO": "dat_r", "ACK": "ack", "ERR": "err"}

#: The largest power of two that fits between the start of main memory and the region that is not cached.
LARGEST_MEMORY = 1 << 30
#: Bits of a LiteDRAM port to which the cluster's own can be adapted.
WORDS_OF_MEMORY = (16, 32, 64, 128, 256, 512)
#: More cycles than LiteDRAM needs for everything in its queues, including a refresh.
DRAIN_CYCLES = 1023
MEMORY_MASTER = "heapwire_memory"
#: nextpnr's option for ECP5, which LiteX's targets do not give. Its default placer leaves a Colorlight i5 not routed.
PLACER = " --placer static "

#: The cluster's pins of a native port, o: out of the cluster, by the port's channels and signals.
NATIVE_COMMANDS = (("o", "cmd", "valid"), ("i", "cmd", "ready"), ("o", "cmd", "addr"))
NATIVE_PORT = {
    "read": (*NATIVE_COMMANDS, ("i", "rdata", "valid"), ("o", "rdata", "ready"), ("i", "rdata", "data")),
    "write": (
        *NATIVE_COMMANDS,
        *(("o", "wdata", "valid"), ("i", "wdata", "ready"), ("o", "wdata", "data"), ("o", "wdata", "we")),
    ),
}

JTAGG_OUT = ("jtck", "jtdi", "jshift", "jupdate", "jrstn", "jce1", "jce2")
JTAGG_IN = ("jtdo1", "jtdo2")


class HeapwireCluster(litex_cpus.CPU):
    """The CPU of the cluster that `describe` is given."""

    category = "softcore"
    family = "riscv"
    name = "heapwire"
    human_name = "Heapwire cluster (VexRiscv)"
    variants = ["standard"]
    data_width = 32
    endianness = "little"
    gcc_triple = litex_cpus.CPU_GCC_TRIPLE_RISCV32
    gcc_flags = "-march=rv32ima_zicsr_zifencei -mabi=ilp32 -D__vexriscv__"
    linker_output_format = "elf32-littleriscv"
    nop = "nop"
    io_regions = {0xF000_0000: 0x1000_0000}  # the region that the core does not cache
    # Completion of the units' commands, raised inside the cluster.
    interrupts = {"heapwire": 31}
    # LiteX would place Ethernet's slots where it later places the CSRs.
    mem_map = {
        "rom": 0x0000_0000,
        "sram": 0x1000_0000,
        "main_ram": 0x4000_0000,
        "csr": 0xF000_0000,
        "ethmac": 0xF001_0000,
    }

    def __init__(self, platform, variant="standard"):
        self.platform = platform
        self.variant = variant
        self.description = None
        self.reset = Signal()
        self.interrupt = Signal(32)
        self.peripheral = wishbone.Interface(data_width=32, address_width=32, addressing="word")
        self.dma_bus = wishbone.Interface(data_width=32, address_width=32, addressing="word")
        self.periph_buses = [self.peripheral]
        self.memory_buses = []
        self.ports = {
            "i_clk": ClockSignal("sys"),
            # Not `self.reset`: the cluster and LiteDRAM share commands in flight, and so are only ever reset together,
            # with the system.
            "i_reset": ResetSignal("sys"),
            "i_externalInterrupts": self.interrupt,
        }
        for prefix, bus, outputs, inputs in (
            ("peripheral", self.peripheral, WISHBONE_OUT, WISHBONE_IN),
            ("dma", self.dma_bus, WISHBONE_IN, WISHBONE_OUT),
        ):
            self.ports.update({f"o_{prefix}_{port}": getattr(bus, signal) for port, signal in outputs.items()})
            self.ports.update({f"i_{prefix}_{port}": getattr(bus, signal) for port, signal in inputs.items()})

    def describe(self, description):
        """Makes this the CPU of that cluster. It has no debugger until the board connects one."""
        self.description = description
        if description.memory_base != self.mem_map["main_ram"]:
            raise ValueError(
                f"the cluster was generated for a main memory at 0x{description.memory_base:08x}, not "
                f"0x{self.mem_map['main_ram']:08x}"
            )
        self.unit_clk = Signal(description.unit_clocks)
        self.unit_awake = Signal(description.unit_clocks)
        clock = ClockSignal("unit" if description.unit_clock_divider > 1 else "sys")
        self.ports.update(i_unit_clk=Replicate(clock, len(self.unit_clk)), o_unit_awake=self.unit_awake)
        if description.debug == "tap":
            self.ports.update(i_jtag_tck=0, i_jtag_tms=1, i_jtag_tdi=0, o_jtag_tdo=Signal())
        if description.debug == "ecp5":
            self.ports.update(
                {f"i_jtagg_{name}": 0 for name in JTAGG_OUT}, **{f"o_jtagg_{name}": Signal() for name in JTAGG_IN}
            )

    def set_reset_address(self, reset_address):
        self.reset_address = reset_address
        self.ports["i_externalResetVector"] = reset_address

    def own_unit_clocks(self):
        """Leaves the units' clocks to the caller, who drives `unit_clk`."""
        self.ports.update(i_unit_clk=self.unit_clk)

    def add_jtag(self, pads):
        """Connects the debugger's TAP to four pins (`--debug tap`)."""
        self._check_debug("tap")
        self.ports.update(i_jtag_tck=pads.tck, i_jtag_tms=pads.tms, i_jtag_tdi=pads.tdi, o_jtag_tdo=pads.tdo)

    def add_jtagg(self):
        """Connects the debugger to the user instructions of an ECP5's own TAP (`--debug ecp5`)."""
        self._check_debug("ecp5")
        pins = {name: Signal() for name in (*JTAGG_OUT, *JTAGG_IN)}
        self.specials += Instance(
            "JTAGG",
            p_ER1="ENABLED",
            p_ER2="ENABLED",
            **{f"o_{name.upper()}": pins[name] for name in JTAGG_OUT},
            **{f"i_{name.upper()}": pins[name] for name in JTAGG_IN},
        )
        self.ports.update(
            {f"i_jtagg_{name}": pins[name] for name in JTAGG_OUT},
            **{f"o_jtagg_{name}": pins[name] for name in JTAGG_IN},
        )

    def _check_debug(self, transport):
        if self.description.debug != transport:
            raise ValueError(
                f"the cluster's debug transport is {self.description.debug!r}: generate it with --debug {transport}"
            )

    def add_memory_buses(self, address_width, data_width):
        """Makes the memory buses. LiteX calls this once it knows `data_width`, the width of the controller's word."""
        if data_width % self.description.data_width:
            raise ValueError(
                f"this board's memory port is {data_width} bits wide and the cluster was generated for "
                f"{self.description.data_width}: generate it with --data-width {data_width}, or for a part of that"
            )
        self.memory_buses = [self._widened(port, data_width) for port in self._native_ports()]

    def _native_ports(self):
        """Returns the cluster's native ports."""
        reads = [self._native_port("read", index) for index in range(self.description.read_ports)]
        return reads + [self._native_port("write", index) for index in range(self.description.write_ports)]

    def _widened(self, port, data_width):
        """Returns a port of the controller's width for a port of the cluster."""
        if port.data_width == data_width:
            return port
        wide = self._port(port.mode, data_width)
        self._add_between({"read": NarrowRead, "write": NarrowWrite}[port.mode](port, wide))
        return wide

    def _add_between(self, module):
        """Adds a module between the cluster and memory."""
        self.submodules += module

    @staticmethod
    def _port(mode, data_width, address_bits=NATIVE_ADDRESS_BITS):
        from litedram.common import LiteDRAMNativePort

        return LiteDRAMNativePort(mode=mode, address_width=address_bits, data_width=data_width)

    def _native_port(self, mode, index):
        port = self._port(mode, self.description.data_width)
        prefix = f"dram_{mode}_{index}"
        self.comb += port.cmd.we.eq(mode == "write")
        for way, channel, signal in NATIVE_PORT[mode]:
            self.ports[f"{way}_{prefix}_{channel}_{signal}"] = getattr(getattr(port, channel), signal)
        return port

    def do_finalize(self):
        self.platform.add_source(str(self.description.verilog))
        self.specials += Instance("HeapwireCluster", **self.ports)


class Heapwire(HeapwireCluster):
    """`--cpu-type heapwire`: a variant is a configuration of Heapwire; `standard` is `default`.

    The cluster is generated, or found in the cache, once the SoC's main memory is known. LiteDRAM is connected to the
    cluster's own ports, whose width is the closest that the generator supports. Any other memory is reached over the
    SoC's main bus."""

    variants = configurations.Variants()

    def __init__(self, platform, variant="standard"):
        HeapwireCluster.__init__(self, platform, variant)
        if getattr(platform.toolchain, "family", "") == "ecp5":
            platform.toolchain._pnr_opts += PLACER
        self.debug = "none"
        self.human_name = f"Heapwire {self.config}"
        # LiteX may reset a CPU alone. The cluster must not send new requests until memory has finished the earlier
        # ones.
        self.draining = Signal(max=DRAIN_CYCLES + 1)
        self.sync += If(self.reset, self.draining.eq(DRAIN_CYCLES)).Elif(
            self.draining != 0, self.draining.eq(self.draining - 1)
        )
        self.ports.update(i_reset=ResetSignal("sys") | (self.draining != 0))

    def _add_between(self, module):
        module = ResetInserter()(module)
        self.comb += module.reset.eq(self.draining != 0)
        self.submodules += module

    @property
    def config(self):
        return "default" if self.variant == "standard" else self.variant.replace("_", "-")

    @property
    def gcc_flags(self):
        """The flags, with the folders of the drivers and of the cluster's `heapwire.h`. LiteX asks for the flags when
        the SoC is complete."""
        return f"{HeapwireCluster.gcc_flags} -I{self._cluster().directory} -I{PACKAGE / 'firmware'}"

    def add_soc_components(self, soc):
        """Adds a bus master for memory. LiteX calls this once the CPU is in its SoC, before there is a main memory."""
        self._memory_region = lambda: soc.bus.regions.get("main_ram")
        self._masters = soc.bus.masters
        self._over_the_bus = wishbone.Interface(data_width=32, address_width=32, addressing="word")
        soc.bus.add_master(name=MEMORY_MASTER, master=self._over_the_bus)

    def add_jtag(self, pads):
        self._pads = pads
        self._debug_by("tap")

    def add_jtagg(self):
        self._debug_by("ecp5")

    def _debug_by(self, transport):
        """Selects a cluster with that debugger. It may replace one without a debugger, because the other ports are the
        same."""
        self.debug = transport
        if self.description is not None:
            self._describe(self.description.data_width)

    def add_memory_buses(self, address_width, data_width):
        width = min(max(data_width, min(cluster.WIDTHS)), max(cluster.WIDTHS))
        if width not in cluster.WIDTHS or data_width not in WORDS_OF_MEMORY:
            return  # over the main bus, to which LiteX connects the memory of a CPU without memory buses
        self._describe(width)
        del self._masters[MEMORY_MASTER]
        self._over_the_bus = None
        to_memory = self._narrowed if data_width < width else self._widened
        self.memory_buses = [to_memory(port, data_width) for port in self._native_ports()]

    def _narrowed(self, port, data_width):
        from litedram.frontend.adapter import LiteDRAMNativePortConverter

        narrow = self._port(port.mode, data_width, NATIVE_ADDRESS_BITS + 1)
        self._add_between(LiteDRAMNativePortConverter(port, narrow))
        return narrow

    def _describe(self, data_width):
        region = self._memory_region()
        size = min(region.size if region else 1, LARGEST_MEMORY)
        megabytes = -(-size // cluster.MEGABYTE)
        request = cluster.Request(self.config, data_width, 1 << (megabytes - 1).bit_length(), self.debug)
        try:
            self.describe(cluster.obtain(request))
        except RuntimeError as error:
            raise SystemExit(f"heapwire: {error}") from None
        if self.debug == "tap":
            HeapwireCluster.add_jtag(self, self._pads)
        if self.debug == "ecp5":
            HeapwireCluster.add_jtagg(self)

    def _cluster(self):
        """Returns the cluster's description. By now it is known whether LiteDRAM is the main memory."""
        if self.description is None:
            self._describe(self._over_the_bus.data_width)
            ports = self._native_ports()
            reads, writes = ports[: self.description.read_ports], ports[self.description.read_ports :]
            self._add_between(NativeToWishbone(reads, writes, self._over_the_bus, self.description.memory_base))
        return self.description

    def do_finalize(self):
        self._cluster()
        HeapwireCluster.do_finalize(self)


def register(description):
    """Makes `heapwire` the CPU of that cluster, instead of `Heapwire`. Returns the name of the CPU type."""

    def __init__(self, platform, variant="standard"):
        HeapwireCluster.__init__(self, platform, variant)
        self.describe(description)

    litex_cpus.CPUS["heapwire"] = type("HeapwireCluster", (HeapwireCluster,), {"__init__": __init__})
    return "heapwire"
