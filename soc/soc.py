"""The Heapwire SoC: cluster, boot ROM, SRAM, UART, timer and LiteDRAM.

A board (or the simulation) derives from `HeapwireSoC`, gives it a clock and a UART, and calls `add_memory` with its
PHY. Memory map: ROM 0x0000_0000, SRAM 0x1000_0000, main memory 0x4000_0000, CSRs 0xF000_0000.
"""

from dataclasses import asdict, dataclass

from litedram.core.controller import ControllerSettings
from litex.soc.cores.uart import UART
from litex.soc.integration.soc_core import SoCCore

from heapwire_litex import core

#: Enough for every boot ROM so far, including training of DDR3 (docs/reference/boot.md).
ROM_BYTES = 8 * 1024
SRAM_BYTES = 4 * 1024
#: Cycles after which an unanswered access ends and counts as an error. A debugger that looks around makes many such
#: accesses.
BUS_TIMEOUT = 4096
#: Slots of Ethernet's MAC for frames that come: as many requests wait while the program computes. A block RAM each.
ETHERNET_SLOTS = 8
#: Bytes of received data that a link keeps: a frame of a request and one of a response (docs/reference/skyway.md,
#: "Link"), so that none is lost while the program computes. One block RAM.
LINK_BYTES = 2048


@dataclass(frozen=True)
class MemorySettings:
    """LiteDRAM settings that affect bandwidth. They are recorded beside every figure.

    `read_time` and `write_time` bound, in cycles, how long the controller stays in one direction while the other waits.
    `cmd_buffer_depth` is the length of a bank's queue, in commands.
    """

    read_time: int = 32
    write_time: int = 16
    cmd_buffer_depth: int = 8
    cmd_buffer_buffered: bool = False
    with_auto_precharge: bool = True

    def __post_init__(self):
        if self.cmd_buffer_depth < 1:
            raise ValueError("cmd_buffer_depth: at least 1 command")
        if self.read_time < 0 or self.write_time < 0:
            raise ValueError("read_time, write_time: cycles, not negative (0: no limit)")

    @staticmethod
    def parse(text):
        """Parses `read_time=64,write_time=64`. Other settings keep their defaults."""
        values = {}
        for item in filter(None, text.split(",")):
            key, _, value = item.partition("=")
            if key not in MemorySettings.__dataclass_fields__ or not value.isdigit():
                known = ", ".join(MemorySettings.__dataclass_fields__)
                raise ValueError(f"memory setting {item!r}: expected NAME=NUMBER with NAME one of {known}")
            kind = MemorySettings.__dataclass_fields__[key].type
            values[key] = kind(int(value))
        return MemorySettings(**values)


class HeapwireSoC(SoCCore):
    """The SoC without clock, pins and memory PHY, which the board adds.

    `description` is a `heapwire_litex.cluster.ClusterDescription`, whose cluster is the CPU unless `cpu_type` is
    another. `kwargs` go to `SoCCore`. `rom_bytes` is the size of the ROM and `sram_bytes` that of the boot ROM's stack.
    A boot image that does not fit does not link.
    """

    def __init__(
        self, platform, clock_hz, description, rom_bytes=ROM_BYTES, sram_bytes=SRAM_BYTES, cpu_type=None, **kwargs
    ):
        self.description = description
        SoCCore.__init__(
            self,
            platform,
            clock_hz,
            cpu_type=cpu_type or core.register(description),
            integrated_rom_size=rom_bytes,
            integrated_sram_size=sram_bytes,
            ident="Heapwire",
            bus_timeout=BUS_TIMEOUT,
            # The monitor changes the rate when the host asks (docs/reference/monitor_protocol.md). A UART without a
            # rate ignores it.
            uart_with_dynamic_baudrate=True,
            **kwargs,
        )

    def add_link(self, phy):
        """Adds a second UART, `link`, behind `phy`, to another machine. Only some SoCs have it."""
        self.link_phy = phy
        self.link = UART(phy, tx_fifo_depth=16, rx_fifo_depth=LINK_BYTES)
        self.irq.add("link", use_loc_if_exists=True)

    def add_mac(self, phy):
        """Adds LiteEth's MAC `ethmac` behind the `phy` of 8 bits, with slots for frames in the region that is not
        cached, and an interrupt. Only some SoCs have it."""
        self.ethphy = phy
        # LiteEth checks a frame's checksum only where this is set, which none of its PHYs of 8 bits does.
        self.comb += phy.source.last_be.eq(phy.source.last)
        self.add_ethernet(phy=phy, nrxslots=ETHERNET_SLOTS)

    def add_memory(self, phy, module, settings=MemorySettings(), l2_bytes=0):
        """Adds LiteDRAM behind `phy`, for the LiteDRAM `module`. The cluster has direct ports. A CPU without such ports
        uses LiteX's L2 of `l2_bytes`."""
        self.memory_settings = settings
        # A PHY with training has registers, which LiteX's training knows by this name.
        setattr(self, "ddrphy" if phy.settings.read_leveling else "sdrphy", phy)
        self.add_sdram(
            "sdram",
            phy=phy,
            module=module,
            size=self.description.memory_bytes,
            l2_cache_size=l2_bytes,
            controller_settings=ControllerSettings(**asdict(settings)),
        )
        region = self.bus.regions["main_ram"]
        if region.size != self.description.memory_bytes:
            raise ValueError(
                f"the memory holds {region.size >> 20} MB and the cluster was generated for "
                f"{self.description.memory_bytes >> 20}: generate it with --memory-mb {region.size >> 20}"
            )
