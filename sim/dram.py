"""PHY and SDRAM chip of the simulated board: LiteDRAM's DFI onto `dram_model.v`.

Latencies and phases are those of LiteDRAM's own PHY models (for DDR3 those of
its 7-series PHY), so the controller behaves, cycle for cycle, as over them.
"""
from pathlib import Path

from litedram.common import burst_lengths
from litedram.phy import dfi
from litedram.phy.model import get_sdram_phy_settings
from litex.gen import LiteXModule
from migen import Cat, ClockSignal, Instance, Signal, log2_int

MODEL = Path(__file__).resolve().parent / "dram_model.v"


class DramPhy(LiteXModule):
    """`module` is a LiteDRAM chip of DDR type, `data_bits` its width in pins."""

    def __init__(self, platform, module, data_bits, clock_hz):
        self.module = module
        self.settings = settings = get_sdram_phy_settings(module.memtype, data_bits, clock_hz)
        settings.strobes = max(settings.strobes, 1)  # x4: one for the four pins, which LiteDRAM counts as none
        geometry = module.geom_settings
        self.dfi = dfi.Interface(
            addressbits=geometry.addressbits, bankbits=geometry.bankbits, nranks=settings.nranks,
            databits=settings.dfi_databits, nphases=settings.nphases,
        )
        phases = [getattr(self.dfi, f"p{index}") for index in range(settings.nphases)]
        word = settings.dfi_databits * settings.nphases
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
            p_COLUMN_ALIGN=log2_int(burst_lengths[module.memtype]),
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
