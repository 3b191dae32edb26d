"""PHY and SDRAM chip of the simulated board: LiteDRAM's DFI onto `dram_model.v`.

Latencies and phases are those of a PHY of LiteDRAM's, so that the controller behaves, cycle for cycle, as over that
PHY. The PHY is LiteDRAM's own model (for DDR3 that of its 7-series PHY), or that of a real board (sim/like.py).
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from litedram.common import burst_lengths
from litedram.modules import MT41K128M16
from litedram.phy import dfi
from litedram.phy.model import get_sdram_phy_settings
from litex.gen import LiteXModule
from migen import Cat, ClockSignal, Instance, Signal, log2_int

MODEL = Path(__file__).resolve().parent / "dram_model.v"
#: Bits that a pin of DDR3 at 1:4 moves in a system cycle: both clock edges, four DRAM clocks.
BITS_PER_PIN = 8


@dataclass(frozen=True)
class Memory:
    """A memory to simulate: LiteDRAM's chip and the settings of a PHY, at the system's clock."""

    clock_hz: int
    module: Any
    settings: Any

    @staticmethod
    def ddr3(port_bits):
        """Returns DDR3-800 at 1:4 of 100 MHz, over LiteDRAM's model of a PHY. It has so many pins that a command moves
        `port_bits`."""
        clock_hz = 100_000_000
        settings = get_sdram_phy_settings("DDR3", port_bits // BITS_PER_PIN, clock_hz)
        settings.strobes = max(settings.strobes, 1)  # x4: one strobe for the four pins, for which LiteDRAM counts none
        return Memory(clock_hz, MT41K128M16(clock_hz, "1:4"), settings)


class DramPhy(LiteXModule):
    """The PHY of a `Memory`, with its chip."""

    def __init__(self, platform, memory):
        self.module, self.settings = module, settings = memory.module, memory.settings
        if not (2 <= settings.read_latency <= 15 and 0 <= settings.write_latency <= 15):
            raise ValueError(
                "dram_model.v has a read latency of 2 to 15 cycles and a write latency of up to 15, not "
                f"{settings.read_latency} and {settings.write_latency}"
            )
        geometry = module.geom_settings
        self.dfi = dfi.Interface(
            addressbits=geometry.addressbits,
            bankbits=geometry.bankbits,
            nranks=settings.nranks,
            databits=settings.dfi_databits,
            nphases=settings.nphases,
        )
        phases = [getattr(self.dfi, f"p{index}") for index in range(settings.nphases)]
        word = settings.dfi_databits * settings.nphases
        # With single data rate the controller moves a word of each phase with one command.
        burst = settings.nphases if module.memtype == "SDR" else burst_lengths[module.memtype]
        read_data = Signal(word)
        read_valid = Signal()
        self.comb += [
            Cat(*[phase.rddata for phase in phases]).eq(read_data),
            [phase.rddata_valid.eq(read_valid) for phase in phases],
        ]
        self.specials += Instance(
            "dram_model",
            p_WORD=word,
            p_PHASES=settings.nphases,
            p_BANK_BITS=geometry.bankbits,
            p_ROW_BITS=geometry.rowbits,
            p_COLUMN_BITS=geometry.colbits,
            p_COLUMN_ALIGN=log2_int(burst),
            p_ADDRESS_BITS=geometry.addressbits,
            p_READ_LATENCY=settings.read_latency,
            p_WRITE_LATENCY=settings.write_latency,
            i_clk=ClockSignal("sys"),
            i_cs_n=Cat(*[phase.cs_n for phase in phases]),
            i_ras_n=Cat(*[phase.ras_n for phase in phases]),
            i_cas_n=Cat(*[phase.cas_n for phase in phases]),
            i_we_n=Cat(*[phase.we_n for phase in phases]),
            i_bank=Cat(*[phase.bank for phase in phases]),
            i_address=Cat(*[phase.address for phase in phases]),
            i_write_data=Cat(*[phase.wrdata for phase in phases]),
            i_write_mask=Cat(*[phase.wrdata_mask for phase in phases]),
            o_read_data=read_data,
            o_read_valid=read_valid,
        )
        platform.add_source(str(MODEL))
