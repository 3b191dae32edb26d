"""LiteDRAM's SDR PHY at twice the system's clock (1:2), with a register on every path between the two clocks.

LiteDRAM's own half-rate PHY selects between the phases of a system cycle right before the pins' registers. That leaves
half a system cycle (10 ns on ULX3S) for the selection and several ns of wire. With a full SoC behind the PHY no seed
met that."""

from litedram.common import PhySettings, get_default_cl
from litedram.phy import GENSDRPHY
from litedram.phy.dfi import Interface
from migen import ClockDomainsRenamer, Module, Mux, Signal

NOT_PHASED = {"wrdata_en", "rddata", "rddata_valid"}


class RegisteredHalfRateGENSDRPHY(Module):
    """Two DFI phases a system cycle for SDRAM whose clock domain is `sys2x`, in phase with `sys`.

    Compared with LiteDRAM's HalfRateGENSDRPHY, commands and write data reach the pins one sys2x cycle later, and read
    data take one sys2x cycle longer on their way back. `read_latency` is one system cycle more; everything else is the
    same. `cl` is in sys2x cycles. It must be even, so that a burst's two words arrive in one system cycle."""

    def __init__(self, pads, sys_clk_freq, cl=None):
        cl = cl or get_default_cl("SDR", 1 / sys_clk_freq)
        if cl % 2:
            raise ValueError(f"SDRAM at 1:2 of {sys_clk_freq / 1e6:g} MHz: CAS latency {cl} is odd")
        self.submodules.full_rate = ClockDomainsRenamer("sys2x")(GENSDRPHY(pads, 2 * sys_clk_freq, cl))
        sdram, of = self.full_rate.dfi.phases[0], self.full_rate.settings
        self.settings = PhySettings(
            phytype="HalfRateGENSDRPHY",
            memtype="SDR",
            databits=of.databits,
            dfi_databits=of.databits,
            nranks=of.nranks,
            nphases=2,
            rdphase=0,
            wrphase=0,
            cl=cl,
            read_latency=of.read_latency // 2 + 2,
            write_latency=0,
        )
        self.dfi = Interface(len(sdram.address), len(sdram.bank), of.nranks, of.databits, 2)
        first, second = self.dfi.phases

        #   sys         ----____----____
        #   sys2x       --__--__--__--__
        #   second_half 0   1   0   1
        second_half, sys, sys2x = Signal(), Signal(), Signal()
        self.sync += sys.eq(sys2x)
        self.sync.sys2x += [sys2x.eq(~second_half), second_half.eq(~second_half & (sys2x ^ sys))]

        # One copy of the selection for each pin: the wires of a shared one would cross the whole part.
        for name in (field[0] for field in sdram.layout if field[0] not in NOT_PHASED):
            for bit in range(len(getattr(sdram, name))):
                choice = Signal(attr={"keep"})
                self.sync.sys2x += [
                    choice.eq(~second_half & (sys2x ^ sys)),
                    getattr(sdram, name)[bit].eq(Mux(choice, getattr(second, name)[bit], getattr(first, name)[bit])),
                ]

        # A write's enable is in the first phase, for the data of both phases.
        write = Signal()
        self.sync.sys2x += [
            write.eq(first.wrdata_en & ~second_half),
            sdram.wrdata_en.eq(write | first.wrdata_en & ~second_half),
        ]

        words, valid = [Signal(of.databits) for _ in range(2)], Signal()
        self.sync.sys2x += [words[1].eq(sdram.rddata), words[0].eq(words[1]), valid.eq(sdram.rddata_valid)]
        self.comb += [
            first.rddata.eq(words[0]),
            second.rddata.eq(words[1]),
            first.rddata_valid.eq(valid),
            second.rddata_valid.eq(valid),
        ]
