"""LiteX CPU class around the generated Verilog module `HeapwireCluster`.

Borders, all in the `sys` clock domain:

- `peripheral`: Wishbone classic master, 32 bits, for every address outside main
  memory (ROM, SRAM, CSRs), on the SoC's main bus;
- `dma_bus`: Wishbone classic slave, 32 bits, through which LiteX's DMA masters
  reach main memory coherently. Its presence also keeps LiteX from wiring a
  second, incoherent path between its main bus and main memory;
- `memory_buses`: LiteDRAM native ports of the controller's width, read ports
  first, then write ports, addressed in words from the start of main memory. A
  cluster of narrower words has adapters before them (`soc/narrow_ports.py`). LiteDRAM gives read data no back-pressure and takes write data at a
  fixed latency: the cluster reserves room and data before it sends a command;
- `unit_clk`, `unit_awake`: a clock a unit, in phase with `sys` and of its rate
  or, if the cluster was generated so, half of it, which may stop while the
  unit's bit of `unit_awake` is low. Unless a board drives it (`own_unit_clocks`),
  it is the `sys` clock itself, or the clock of the domain `unit`.
"""
import json
from pathlib import Path

from migen import ClockSignal, Instance, Replicate, ResetSignal, Signal

from litedram.common import LiteDRAMNativePort
from litex.soc.cores import cpu as litex_cpus
from litex.soc.interconnect import wishbone

from soc.narrow_ports import NarrowRead, NarrowWrite

#: Width of the cluster's `cmd_addr` outputs: 2**28 words cover the address space
#: at every port width the generator accepts.
NATIVE_ADDRESS_BITS = 28

WISHBONE_OUT = {"CYC": "cyc", "STB": "stb", "WE": "we", "ADR": "adr", "DAT_MOSI": "dat_w", "SEL": "sel"}
WISHBONE_IN = {"DAT_MISO": "dat_r", "ACK": "ack", "ERR": "err"}

JTAGG_OUT = ("jtck", "jtdi", "jshift", "jupdate", "jrstn", "jce1", "jce2")
JTAGG_IN = ("jtdo1", "jtdo2")


class ClusterDescription:
    """What the generator wrote into `directory`: Verilog and `heapwire.json`."""

    def __init__(self, directory):
        self.directory = Path(directory)
        self.verilog = self.directory / "HeapwireCluster.v"
        description = self.directory / "heapwire.json"
        for file in (self.verilog, description):
            if not file.is_file():
                raise FileNotFoundError(f"{file} is missing; `make verilog` generates it")
        cluster = json.loads(description.read_text())["cluster"]
        self.config = cluster["config"]
        self.data_width = cluster["dataWidth"]
        self.memory_base = cluster["memoryBase"]
        self.memory_bytes = cluster["memoryBytes"]
        self.read_ports = cluster["dram"]["readPorts"]
        self.write_ports = cluster["dram"]["writePorts"]
        self.debug = cluster["debug"]
        self.unit_clock_divider = cluster["unitClockDivider"]
        self.unit_clocks = cluster["unitClocks"]


class HeapwireCluster(litex_cpus.CPU):
    """Base of the classes that `register` makes; `description` is set there."""

    description = None

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
    io_regions = {0xF000_0000: 0x1000_0000}  # what the core does not cache
    # Completion of the units' commands, raised inside the cluster.
    interrupts = {"heapwire": 31}

    @property
    def mem_map(self):
        return {
            "rom": 0x0000_0000,
            "sram": 0x1000_0000,
            "main_ram": self.description.memory_base,
            "csr": 0xF000_0000,
        }

    def __init__(self, platform, variant="standard"):
        self.platform = platform
        self.variant = variant
        self.reset = Signal()
        self.interrupt = Signal(32)
        self.peripheral = wishbone.Interface(data_width=32, address_width=32, addressing="word")
        self.dma_bus = wishbone.Interface(data_width=32, address_width=32, addressing="word")
        self.periph_buses = [self.peripheral]
        self.memory_buses = []
        self.ports = {
            "i_clk": ClockSignal("sys"),
            # Not `self.reset`: the cluster and LiteDRAM, which share commands
            # under way, are only ever reset together, with the system.
            "i_reset": ResetSignal("sys"),
            "i_externalInterrupts": self.interrupt,
        }
        self.unit_clk = Signal(self.description.unit_clocks)
        self.unit_awake = Signal(self.description.unit_clocks)
        clock = ClockSignal("unit" if self.description.unit_clock_divider > 1 else "sys")
        self.ports.update(i_unit_clk=Replicate(clock, len(self.unit_clk)), o_unit_awake=self.unit_awake)
        for prefix, bus, outputs, inputs in (
            ("peripheral", self.peripheral, WISHBONE_OUT, WISHBONE_IN),
            ("dma", self.dma_bus, WISHBONE_IN, WISHBONE_OUT),
        ):
            self.ports.update({f"o_{prefix}_{port}": getattr(bus, signal) for port, signal in outputs.items()})
            self.ports.update({f"i_{prefix}_{port}": getattr(bus, signal) for port, signal in inputs.items()})
        # No debugger, until the board connects one.
        if self.description.debug == "tap":
            self.ports.update(i_jtag_tck=0, i_jtag_tms=1, i_jtag_tdi=0, o_jtag_tdo=Signal())
        if self.description.debug == "ecp5":
            self.ports.update({f"i_jtagg_{name}": 0 for name in JTAGG_OUT}, **{f"o_jtagg_{name}": Signal() for name in JTAGG_IN})

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
            "JTAGG", p_ER1="ENABLED", p_ER2="ENABLED",
            **{f"o_{name.upper()}": pins[name] for name in JTAGG_OUT}, **{f"i_{name.upper()}": pins[name] for name in JTAGG_IN},
        )
        self.ports.update({f"i_jtagg_{name}": pins[name] for name in JTAGG_OUT}, **{f"o_jtagg_{name}": pins[name] for name in JTAGG_IN})

    def _check_debug(self, transport):
        if self.description.debug != transport:
            raise ValueError(f"the cluster's debug transport is {self.description.debug!r}: generate it with --debug {transport}")

    def add_memory_buses(self, address_width, data_width):
        """Called by LiteX once it knows `data_width`, the controller's word."""
        if data_width % self.description.data_width:
            raise ValueError(
                f"this board's memory port is {data_width} bits wide and the cluster was generated for "
                f"{self.description.data_width}: generate it with --data-width {data_width}, or for a part of that"
            )
        for index in range(self.description.read_ports):
            self._add_port("read", index, data_width)
        for index in range(self.description.write_ports):
            self._add_port("write", index, data_width)

    def _add_port(self, mode, index, data_width):
        port = LiteDRAMNativePort(mode=mode, address_width=NATIVE_ADDRESS_BITS, data_width=self.description.data_width)
        prefix = f"dram_{mode}_{index}"
        self.comb += port.cmd.we.eq(mode == "write")
        self.ports.update({
            f"o_{prefix}_cmd_valid": port.cmd.valid,
            f"i_{prefix}_cmd_ready": port.cmd.ready,
            f"o_{prefix}_cmd_addr": port.cmd.addr,
        })
        if mode == "read":
            self.ports.update({
                f"i_{prefix}_rdata_valid": port.rdata.valid,
                f"o_{prefix}_rdata_ready": port.rdata.ready,
                f"i_{prefix}_rdata_data": port.rdata.data,
            })
        else:
            self.ports.update({
                f"o_{prefix}_wdata_valid": port.wdata.valid,
                f"i_{prefix}_wdata_ready": port.wdata.ready,
                f"o_{prefix}_wdata_data": port.wdata.data,
                f"o_{prefix}_wdata_we": port.wdata.we,
            })
        if port.data_width < data_width:
            wide = LiteDRAMNativePort(mode=mode, address_width=NATIVE_ADDRESS_BITS, data_width=data_width)
            self.submodules += {"read": NarrowRead, "write": NarrowWrite}[mode](port, wide)
            port = wide
        self.memory_buses.append(port)

    def do_finalize(self):
        self.platform.add_source(str(self.description.verilog))
        self.specials += Instance("HeapwireCluster", **self.ports)


def register(description):
    """Makes LiteX know the cluster of `description`; returns its CPU type's name."""
    litex_cpus.CPUS["heapwire"] = type("HeapwireCluster", (HeapwireCluster,), {"description": description})
    return "heapwire"
